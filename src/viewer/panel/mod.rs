//! The user interface around the scene: the toolbar, the docked panes, and everything drawn over the scene.

use std::path::PathBuf;

use egui::{RichText, Ui};
use glam::Vec2;

use crate::text::printable;

use super::{Action, Command, Keymap, PoseFile, Session};

pub(super) mod axis_gizmo;
mod blend_pad;
pub(super) mod blend_square;
mod body;
mod capture;
mod clip_names;
mod clips;
mod compare;
mod display;
mod drag_strip;
mod export;
mod goal_axes;
mod goals;
mod hand;
mod inspector;
mod labels;
mod layout;
mod library;
mod light;
mod limit;
mod method;
mod morph_targets;
mod open;
mod option_row;
pub(super) mod outside;
mod palette;
mod path_field;
mod props;
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
mod toolbar;
pub(super) mod tools;
mod transform;
mod tree;

pub(super) use capture::LiveStatus;
pub(super) use export::ExportProgress;
pub(super) use layout::{Layout, StoredLayout};
pub(super) use library::LibraryRequest;
pub(super) use open::{Reading, progress_text};
pub(super) use palette::Palette;
pub(super) use path_field::PathPurpose;
pub(super) use question::{Answer, Leave, Question};
pub(super) use theme::style;

/// Space around the contents of a pane in points.
const MARGIN: f32 = 12.0;
/// Maximum length of a displayed name in characters.
const MAX_NAME_LENGTH: usize = 80;
const RECORDING: egui::Color32 = egui::Color32::from_rgb(235, 64, 52);

/// State of the panel that is not part of the session.
#[derive(Debug, Default)]
pub(super) struct PanelState {
    /// Whether only the scene is shown.
    pub(super) hidden: bool,
    pub(super) shortcuts: bool,
    pub(super) layout: Layout,
    pub(super) keymap: Keymap,
    pub(super) palette: Option<Palette>,
    /// An action that the user chose, for the window to perform.
    pub(super) action: Option<Action>,
    /// Whether the session's scene keeps its size when the window is resized. Set while a recording is played back, because its pointer
    /// positions depend on the size.
    pub(super) keeps_size: bool,
    pub(super) adapter: String,
    /// Durations of the latest frames in milliseconds, each measured from reading the session to the last driver command.
    pub(super) frames: Vec<f32>,
    /// Whether a URL can contain the built-in character's pose.
    pub(super) has_links: bool,
    /// Whether moving scenes are drawn in full quality even on slow machines.
    pub(super) full_quality: bool,
    /// The last error outside the session, for example a file that could not be read.
    pub(super) notice: Option<String>,
    /// The last success message, for example the path of a saved file.
    pub(super) saved: Option<String>,
    /// The newer of `notice` and `saved`, while it is shown over the scene.
    toast: Option<toast::Toast>,
    /// The controls that open a file.
    pub(super) open: open::Open,
    pub(super) library: library::Library,
    /// The running export.
    pub(super) export: Option<ExportProgress>,
    /// The field for a typed path.
    pub(super) path: path_field::PathField,
    /// Whether the user has dragged anything or made an undoable change. The hint is then hidden.
    pub(super) has_dragged: bool,
    /// The times at which the second and the third hint were first shown, in egui's time.
    hinted: [Option<f64>; 2],
    /// The search text of the joint list.
    pub(super) search: String,
    /// The joint that the joint list last scrolled to.
    pub(super) scrolled_to: Option<usize>,
    /// An existing rig file. The user is asked whether to replace it.
    pub(super) replace: Option<PathBuf>,
    /// A question that the user must answer before doing anything else.
    pub(super) question: Option<Question>,
    pub(super) timeline: timeline::TimelineState,
    /// The live source that the character follows.
    pub(super) live_status: Option<LiveStatus>,
    /// A request for the application.
    pub(super) request: Option<AppRequest>,
}

impl PanelState {
    pub(super) fn new(layout: Layout, keymap: Keymap) -> Self {
        Self { layout, keymap, ..Self::default() }
    }

    /// Returns the upper left corner of the scene in pixels. `scale` is in pixels per point.
    pub(super) fn scene_origin(&self, scale: f32) -> Vec2 {
        pixels(self.layout.scene.min, scale)
    }

    /// Returns the size of the scene in pixels.
    pub(super) fn scene_size(&self, scale: f32) -> Vec2 {
        (pixels(self.layout.scene.max, scale) - self.scene_origin(scale)).max(Vec2::ONE)
    }

    /// Returns a tooltip with the given text and an action's shortcuts.
    fn hint(&self, text: &str, action: Action) -> String {
        let keys = self.keymap.text(action);
        if keys.is_empty() { text.to_owned() } else { format!("{text}   {keys}") }
    }

    /// Shows a message in the panel until the next one replaces it, and as a toast over the scene for a few seconds.
    pub(super) fn show_message(&mut self, message: Result<String, String>) {
        let escaped = |line: String| printable::line(&line).into_owned();
        let message = message.map(escaped).map_err(escaped);
        self.toast = Some(toast::Toast::new(&message));
        (self.saved, self.notice) = (message.clone().ok(), message.err());
    }

    /// Shows a success message with a button that issues a request.
    pub(super) fn offer(&mut self, message: &str, label: &'static str, request: AppRequest) {
        self.show_message(Ok(message.to_owned()));
        self.toast = self.toast.take().map(|toast| toast.with_action(label, request));
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
    /// Adds the clips of a file to the timeline, or only the clip with this name.
    AddClips(PathBuf, Option<String>),
    /// Asks for a file of clips to add to the timeline.
    ChooseClips,
    /// Asks for a model that the selected joint carries.
    ChooseProp,
    /// Asks for a style file.
    ChooseStyle,
    /// Writes the style learned from the clips.
    SaveStyle,
    /// Plays a recorded session from its start.
    Watch(PathBuf),
    /// Saves the project.
    Save,
    /// Saves the project under another name.
    SaveAs,
    /// Reads or changes the pose library.
    Library(LibraryRequest),
    /// Exports what the timeline plays.
    ExportClip,
    /// Stops the export.
    CancelExport,
    /// Gives the page a link that contains the pose.
    CopyLink,
    /// Shows a folder in the desktop's file manager.
    OpenFolder(PathBuf),
    /// Asks for the folder for images and poses.
    ChooseFolder,
    /// Uses a typed path.
    Path(PathPurpose, PathBuf),
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
    /// Matches the performer's hip height to the character's hip height.
    Level,
}

/// Lays out the window, gives the session the scene's size, and returns the commands that the user issued.
pub(super) fn show(ui: &mut Ui, session: &mut Session, panel: &mut PanelState) -> Vec<Command> {
    let commands = lay_out(ui, session, panel);
    let size = panel.scene_size(ui.ctx().pixels_per_point());
    if size != session.size() && !panel.keeps_size {
        session.apply(Command::Resize(size));
        // Everything over the scene has moved.
        ui.ctx().request_discard("the scene was resized");
    }
    commands
}

fn lay_out(ui: &mut Ui, session: &Session, panel: &mut PanelState) -> Vec<Command> {
    let mut commands = Vec::new();
    path_field::show(ui, panel);
    export::show(ui, panel);
    question::show(ui, panel);
    palette::show(ui, panel);
    if panel.shortcuts {
        shortcuts::show(ui, panel);
    }
    if panel.hidden {
        panel.timeline.end_drag();
        panel.layout.scene = ui.available_rect_before_wrap();
        panel.layout.space = panel.layout.scene;
        overlays(ui, session, panel, &mut commands);
        commands.extend(session.hover.hint.map(|_| Command::Highlight(None)));
        return commands;
    }
    toolbar::show(ui, session, panel, &mut commands);
    layout::show(ui, session, panel, &mut commands);
    commands
}

/// Converts a position from points to whole pixels.
fn pixels(at: egui::Pos2, scale: f32) -> Vec2 {
    (Vec2::new(at.x, at.y) * scale).round()
}

/// Draws everything over the scene.
fn overlays(ui: &Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    labels::show(ui, session, panel.layout.scene, panel.scene_size(ui.ctx().pixels_per_point()));
    drag_strip::set_cursor(ui, session, panel.layout.scene);
    drag_strip::show(ui, session, panel.layout.scene);
    axis_gizmo::show(ui, session, panel, commands);
    tools::show(ui, session, panel, commands);
    outside::show(ui, session, panel, commands);
    toast::show(ui, session, panel);
}

/// Escapes and shortens a name from a file for display.
fn name(text: &str) -> String {
    printable::shortened(text, MAX_NAME_LENGTH).into_owned()
}

/// Returns a node's display name, or `#INDEX` if it has none.
fn node_name(session: &Session, node: usize) -> String {
    name(&session.puppet.character().skeleton.label(node))
}

/// Returns whether a slider drag has ended or a number was typed. Each is one undo step.
fn is_finished(field: &egui::Response) -> bool {
    field.drag_stopped() || field.changed() && !field.dragged()
}

/// Ends the undo step of a slider or a number when it is finished.
fn finish(field: &egui::Response, commands: &mut Vec<Command>) {
    commands.extend(is_finished(field).then_some(Command::Release));
}

fn heading(ui: &mut Ui, text: &str) -> egui::Response {
    ui.add_space(10.0);
    ui.label(RichText::new(text.to_uppercase()).small().strong().color(theme::accent(ui)))
}
