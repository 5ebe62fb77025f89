//! The side panel and the timeline: solver settings, results, clips, morph targets and display options.

use std::path::PathBuf;

use egui::{RichText, Ui};
use glam::Vec2;

use crate::text::printable;

use super::{Command, PoseFile, Session};

mod blend_pad;
#[cfg(feature = "viewer")]
pub(super) mod blend_square;
mod capture;
mod character;
mod clip_names;
mod clips;
mod compare;
mod display;
mod goal_axes;
mod goals;
mod joint;
mod labels;
mod method;
mod morph_targets;
mod open;
mod option_row;
mod question;
mod report;
mod shortcuts;
mod solver;
mod steps;
#[cfg(test)]
mod tests;
mod theme;
mod timeline;
mod toast;
mod tree;

pub(super) use capture::LiveStatus;
pub(super) use question::{Answer, Leave, Question};
pub(super) use theme::style;

/// Width of the panel in points.
pub(super) const WIDTH: f32 = 304.0;
/// Width of the panel's contents in points, without the margins and the scroll bar.
const INNER: f32 = WIDTH - 2.0 * MARGIN - 12.0;
const MARGIN: f32 = 14.0;
/// Maximum length of a displayed name in characters.
const MAX_NAME_LENGTH: usize = 80;
const RECORDING: egui::Color32 = egui::Color32::from_rgb(235, 64, 52);

/// State of the panel that is not part of the session.
#[derive(Debug, Default)]
pub(super) struct PanelState {
    pub(super) hidden: bool,
    pub(super) shortcuts: bool,
    pub(super) adapter: String,
    /// Durations of the latest frames in milliseconds. Each is measured from reading the session to the last driver
    /// command.
    pub(super) frames: Vec<f32>,
    /// Whether moving scenes are drawn in full quality on slow machines too.
    pub(super) full_quality: bool,
    /// The last error outside the session, for example a file that could not be read.
    pub(super) notice: Option<String>,
    /// The last success message, for example the path of a saved file.
    pub(super) saved: Option<String>,
    /// The newer of `notice` and `saved`, while it is shown over the scene.
    toast: Option<toast::Toast>,
    /// The controls that open a file.
    pub(super) open: open::Open,
    /// Whether the user has dragged anything, or changed anything that can be undone. The hint is then hidden.
    pub(super) has_dragged: bool,
    /// The search text of the joint list.
    pub(super) search: String,
    /// The joint that the joint list last scrolled to.
    pub(super) scrolled_to: Option<usize>,
    /// An existing rig file that the user is asked to replace.
    pub(super) replace: Option<PathBuf>,
    /// A question that must be answered first.
    pub(super) question: Option<Question>,
    /// State of the timeline.
    pub(super) timeline: timeline::TimelineState,
    /// The live source that the character follows.
    pub(super) live_status: Option<LiveStatus>,
    /// A request to the application that the session cannot execute.
    pub(super) request: Option<AppRequest>,
}

impl PanelState {
    /// Shows a message in the panel until the next one replaces it, and as a toast over the scene for a few seconds.
    pub(super) fn show_message(&mut self, message: Result<String, String>) {
        let escaped = |line: String| printable::line(&line).into_owned();
        let message = message.map(escaped).map_err(escaped);
        self.toast = Some(toast::Toast::new(&message));
        (self.saved, self.notice) = (message.clone().ok(), message.err());
    }

    /// Clears the error and the toast, because they no longer apply.
    pub(super) fn clear_message(&mut self) {
        (self.notice, self.toast) = (None, None);
    }
}

/// An app request: an action that the application performs instead of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AppRequest {
    /// Opens the system's file dialog.
    Open,
    /// Opens this file.
    Read(PathBuf),
    /// Saves the project.
    Save,
    /// Answers the current question.
    Answer(Answer),
    /// Saves the scene as an image.
    SaveImage,
    /// Saves the pose.
    Pose(PoseFile),
    /// Starts or stops recording the session.
    Record,
    /// Saves the rig. `true` replaces an existing file.
    Rig(bool),
    /// Opens the next (`true`) or the previous file in the folder.
    Step(bool),
    /// Reads the file again.
    Reload,
    /// Starts recording a take, or stops and saves it.
    Take,
    /// Matches the height of the performer's hips to the character's.
    Level,
}

/// Returns the size in pixels of the part of the window that the panel and the timeline leave for the scene. `scale` is
/// in pixels per point.
pub(super) fn scene_size(window: Vec2, scale: f32, panel: &PanelState, session: &Session) -> Vec2 {
    let line = timeline::is_shown(session, &panel.timeline);
    let taken = Vec2::new(WIDTH, if line { timeline::HEIGHT } else { 0.0 });
    let taken = if panel.hidden { Vec2::ZERO } else { (taken * scale).round() };
    (window - taken).max(Vec2::ONE)
}

/// Lays out the panel, the timeline and the overlays and returns the commands that the user issued.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState) -> Vec<Command> {
    let mut commands = Vec::new();
    labels::show(ui, session);
    toast::show(ui, session, panel);
    question::show(ui, panel);
    if panel.shortcuts {
        shortcuts::show(ui, panel);
    }
    if panel.hidden {
        panel.timeline.end_drag();
        commands.extend(session.hint.map(|_| Command::Highlight(None)));
        return commands;
    }
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(MARGIN);
    egui::Panel::right("panel").resizable(false).exact_size(WIDTH).frame(frame).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
            character::title(ui, session);
            open::show(ui, panel);
            character::show(ui, session, &mut commands);
            solver::show(ui, session, &mut commands);
            report::show(ui, session, panel);
            goals::show(ui, session, &mut commands);
            compare::show(ui, session, &mut commands);
            clips::show(ui, session, panel, &mut commands);
            morph_targets::show(ui, session, &mut commands);
            capture::show(ui, panel);
            joint::show(ui, session, panel, &mut commands);
            tree::show(ui, session, panel, &mut commands);
            character::files(ui, session, panel);
            display::show(ui, session, panel, &mut commands);
            theme::choice(ui);
            ui.add_space(10.0);
            ui.label(RichText::new(&panel.adapter).small().color(theme::quiet(ui)));
            if ui.small_button("?  Shortcuts").clicked() {
                panel.shortcuts = !panel.shortcuts;
            }
        });
    });
    timeline::show(ui, session, panel, &mut commands);
    commands
}

/// Escapes and shortens a name from a file for display.
fn name(text: &str) -> String {
    printable::shortened(text, MAX_NAME_LENGTH).into_owned()
}

/// Returns a node's display name, or `#INDEX` if it has none.
fn node_name(session: &Session, node: usize) -> String {
    name(&session.puppet.character().skeleton.label(node))
}

fn heading(ui: &mut Ui, text: &str) -> egui::Response {
    ui.add_space(10.0);
    ui.label(RichText::new(text.to_uppercase()).small().strong().color(theme::accent(ui)))
}
