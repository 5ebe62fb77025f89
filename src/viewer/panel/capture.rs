//! The live source that the character follows.

use std::net::SocketAddr;
use std::time::Duration;

use egui::{RichText, Ui};

use crate::printable;

use super::{Look, RECORDING, Wish, heading, theme};

/// How a live source does.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Listening {
    pub(in super::super) address: SocketAddr,
    /// Packets a second.
    pub(in super::super) rate: f32,
    pub(in super::super) dropped: u64,
    /// Why the last packet was dropped, or the socket taken away.
    pub(in super::super) fault: Option<String>,
    /// Since the last packet; `None`: there was none yet.
    pub(in super::super) silent: Option<Duration>,
    /// Frames of the take that is recorded.
    pub(in super::super) recorded: Option<usize>,
}

/// Nothing where nobody listens.
pub(super) fn show(ui: &mut Ui, look: &mut Look) {
    let Some(listening) = &look.listening else { return };
    heading(ui, "Capture");
    let quiet = theme::quiet(ui);
    let heard = match listening.silent {
        None => "nothing has come yet".to_owned(),
        Some(silent) if silent < Duration::from_secs(1) => format!("{:.0} packets a second", listening.rate),
        Some(silent) => format!("silent for {} s", silent.as_secs()),
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(listening.address.to_string()).strong());
        ui.label(RichText::new(heard).color(quiet));
    });
    if listening.dropped > 0 || listening.fault.is_some() {
        let fault = printable::line(listening.fault.as_deref().unwrap_or_default());
        ui.label(
            RichText::new(format!("{} dropped: {fault}", listening.dropped)).small().color(theme::bad(ui)),
        );
    }
    let recorded = listening.recorded;
    ui.horizontal(|ui| {
        let text = match recorded {
            Some(frames) => RichText::new(format!("Save take ({frames})")).color(RECORDING),
            None => RichText::new("Record take"),
        };
        if ui.button(text).clicked() {
            look.wish = Some(Wish::Take);
        }
        let level = ui.button("Level");
        if level.on_hover_text("The performer stands: the hips are as high as the character's").clicked() {
            look.wish = Some(Wish::Level);
        }
    });
    // Also silence goes on.
    ui.ctx().request_repaint_after(Duration::from_millis(500));
}
