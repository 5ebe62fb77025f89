//! The panel section for the character's live source.

use std::net::SocketAddr;
use std::time::Duration;

use egui::{RichText, Ui};

use crate::capture::Smoothing;
use crate::shared::describe_smoothing;
use crate::text::printable;

use super::{AppRequest, PanelState, RECORDING, heading, theme};

/// The status of a live source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiveStatus {
    pub(crate) address: SocketAddr,
    /// Packets per second.
    pub(crate) rate: f32,
    pub(crate) dropped: u64,
    /// Why the last packet was dropped or the socket failed.
    pub(crate) error: Option<String>,
    /// Time since the last packet. `None` before the first packet.
    pub(crate) silent: Option<Duration>,
    /// Number of frames in the take being recorded.
    pub(crate) recorded: Option<usize>,
    /// The smoothing applied to the rotations.
    pub(crate) smoothing: Option<Smoothing>,
}

/// Shows the section if there is a live source.
pub(super) fn show(ui: &mut Ui, panel: &mut PanelState) {
    let Some(status) = &panel.live_status else { return };
    heading(ui, "Capture");
    let quiet = theme::quiet(ui);
    let activity = match status.silent {
        None => "No data yet".to_owned(),
        Some(silent) if silent < Duration::from_secs(1) => format!("{:.0} packets/s", status.rate),
        Some(silent) => format!("No data for {} s", silent.as_secs()),
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(status.address.to_string()).strong());
        ui.label(RichText::new(activity).color(quiet));
    });
    if status.dropped > 0 || status.error.is_some() {
        let error = printable::line(status.error.as_deref().unwrap_or_default());
        ui.label(RichText::new(format!("{} dropped: {error}", status.dropped)).small().color(theme::bad(ui)));
    }
    if let Some(smoothing) = status.smoothing {
        let hint = "How far the character is behind the performer. The faster a joint turns, the weaker it is smoothed.";
        ui.label(RichText::new(describe_smoothing(&smoothing)).small().color(quiet)).on_hover_text(hint);
    }
    let recorded = status.recorded;
    ui.horizontal(|ui| {
        let text = match recorded {
            Some(frames) => RichText::new(format!("Save take ({frames})")).color(RECORDING),
            None => RichText::new("Record take"),
        };
        if ui.button(text).clicked() {
            panel.request = Some(AppRequest::Take);
        }
        let level = ui.button("Match height");
        let hint = "Match the performer's hip height to the character's. The performer must stand upright.";
        if level.on_hover_text(hint).clicked() {
            panel.request = Some(AppRequest::Level);
        }
    });
    // The displayed time since the last packet changes even if no event arrives.
    ui.ctx().request_repaint_after(Duration::from_millis(500));
}
