//! What stands beside the scene: how is solved, what came of it, clips, shapes and what is shown.

use egui::{Color32, RichText, Ui};

use super::{Command, PoseFile, Session};

mod character;
mod clips;
mod compare;
mod curve;
mod display;
mod keys;
mod labels;
mod method;
mod report;
mod solver;

/// Points across.
pub(super) const WIDTH: f32 = 304.0;
/// Of which so many are filled: the bar that scrolls stands beside.
const INNER: f32 = WIDTH - 2.0 * MARGIN - 12.0;
const MARGIN: f32 = 14.0;
const ACCENT: Color32 = Color32::from_rgb(255, 158, 64);
const QUIET: Color32 = Color32::from_rgb(140, 148, 164);
const GOOD: Color32 = Color32::from_rgb(118, 205, 130);

/// What only the panel remembers.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) hidden: bool,
    pub(super) keys: bool,
    pub(super) adapter: String,
    /// Milliseconds that the last pictures took, from the first look at the session to the last command of the driver.
    pub(super) frames: Vec<f32>,
    /// What went wrong outside the session: a file that could not be read.
    pub(super) notice: Option<String>,
    /// Where the last file went.
    pub(super) saved: Option<String>,
    /// What was asked of the window.
    pub(super) wish: Option<Wish>,
}

/// What the window does, not the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Picture,
    Pose(PoseFile),
    /// The next file of the folder, or the one before.
    Step(bool),
    Reload,
}

/// Dark, quiet, one accent.
pub(super) fn style(context: &egui::Context) {
    let mut visuals = egui::Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(24, 26, 32);
    visuals.window_fill = Color32::from_rgb(28, 30, 37);
    visuals.selection.bg_fill = Color32::from_rgb(176, 96, 24);
    visuals.slider_trailing_fill = true;
    visuals.hyperlink_color = ACCENT;
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.slider_width = 104.0;
    });
}

/// Lays everything out; what was asked for.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look) -> Vec<Command> {
    let mut asked = Vec::new();
    labels::show(ui, session);
    if look.keys {
        keys::show(ui, look);
    }
    if look.hidden {
        return asked;
    }
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(MARGIN);
    egui::Panel::right("panel").resizable(false).exact_size(WIDTH).frame(frame).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
            character::show(ui, session, &mut asked);
            character::files(ui, look);
            solver::show(ui, session, &mut asked);
            compare::show(ui, session, &mut asked);
            report::show(ui, session, look);
            clips::show(ui, session, &mut asked);
            clips::shapes(ui, session, &mut asked);
            display::show(ui, session, &mut asked);
            ui.add_space(10.0);
            ui.label(RichText::new(&look.adapter).small().color(QUIET));
            if ui.small_button("?  keys").clicked() {
                look.keys = !look.keys;
            }
        });
    });
    asked
}

fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(10.0);
    ui.label(RichText::new(text.to_uppercase()).small().strong().color(ACCENT));
}
