//! The field for a typed path, shown over the scene. It serves desktops without a file dialog, and people who prefer typing.
//!
//! The field keeps its text and the keyboard focus until the path is used or the user leaves it. Mistakes can therefore be corrected, and
//! no typed letter triggers a shortcut.

use std::path::{Path, PathBuf};

use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Area, Frame, Id, Key, Order, RichText, TextEdit, Ui, vec2};

use crate::platform::fs;
use crate::text::printable;

use super::{AppRequest, PanelState, theme};

/// Maximum width of the field in points.
const MAX_WIDTH: f32 = 620.0;
/// Distance from the top of the scene in points.
const TOP_MARGIN: f32 = 16.0;

/// The purpose of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathPurpose {
    /// Opens a file.
    Open,
    /// Adds the clips of a file to the timeline.
    AddClips,
    /// Lets the selected joint carry a model.
    AttachProp,
    /// Uses a learned style.
    OpenStyle,
    /// Writes the style learned from the clips.
    SaveStyle,
    /// Saves the project under another name.
    SaveAs,
    /// Writes what the timeline plays.
    ExportClip,
    /// Sets the folder for images and poses.
    Folder,
}

impl PathPurpose {
    /// Returns the title, the text of the button, and a hint for an empty field.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Open => [
                "Open a file",
                "Open",
                "Path of a .glb, .gltf, .vrm, .fbx, .urdf, .bvh, .csv, .trc, .c3d, .json, .sinew or .session",
            ],
            Self::AddClips => [
                "Add the clips of a file",
                "Add",
                "Path of a .bvh, .glb, .gltf, .vrm, .fbx, .csv, .trc or .c3d",
            ],
            Self::AttachProp => ["Attach a model", "Attach", "Path of a .glb, .gltf, .vrm or .fbx"],
            Self::OpenStyle => ["Open a style", "Open", "Path of a .style.json"],
            Self::SaveStyle => ["Save the style as", "Save", "Path of a .style.json"],
            Self::SaveAs => ["Save the project as", "Save", "Path of a .sinew"],
            Self::ExportClip => ["Export the clip as", "Export", "Path of a .glb or .bvh"],
            Self::Folder => ["Folder for images and poses", "Use", "Path of a folder"],
        }
    }
}

/// The path field, if it is shown.
#[derive(Debug, Default)]
pub(crate) struct PathField {
    shown: Option<TypedPath>,
    /// Whether the field should receive the keyboard focus in the next frame.
    focus: bool,
    /// Whether to select its whole text in the next frame, so that typing replaces it.
    selects: bool,
}

#[derive(Debug)]
struct TypedPath {
    purpose: PathPurpose,
    text: String,
    /// Why the path could not be used.
    error: Option<String>,
}

impl PathField {
    /// Shows the field for a purpose and focuses it. If it is already shown for this purpose, its text is kept.
    pub(crate) fn show(&mut self, purpose: PathPurpose, text: String) {
        if self.purpose() != Some(purpose) {
            self.shown = Some(TypedPath { purpose, text, error: None });
            self.selects = true;
        }
        self.focus = true;
    }

    /// Returns the purpose, if the field is shown.
    pub(crate) fn purpose(&self) -> Option<PathPurpose> {
        self.shown.as_ref().map(|typed| typed.purpose)
    }

    /// Hides the field and discards its text.
    pub(crate) fn close(&mut self) {
        *self = Self::default();
    }

    /// Shows why the path could not be used. Has no effect if the field is not shown for that purpose.
    pub(crate) fn fail(&mut self, purpose: PathPurpose, error: &str) {
        if let Some(typed) = self.shown.as_mut().filter(|typed| typed.purpose == purpose) {
            typed.error = Some(printable::line(error).into_owned());
            self.focus = true;
        }
    }

    /// Restores the keyboard focus to the field after something else had it.
    pub(crate) fn refocus(&mut self) {
        self.focus = self.shown.is_some();
    }

    /// Returns whether the field is about to receive the keyboard focus.
    pub(crate) fn wants_keys(&self) -> bool {
        self.focus
    }
}

/// Shows the field at the top of the scene. Enter uses the path, and Escape closes the field.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let is_asked = panel.question.is_some();
    let PathField { shown, focus, selects } = &mut panel.path;
    let Some(typed) = shown else { return };
    let [title, action, hint] = typed.purpose.texts();
    let scene = panel.layout.scene;
    let width = (scene.width() - 48.0).clamp(120.0, MAX_WIDTH);
    let top = egui::pos2(scene.left() + scene.width().max(width + 48.0) * 0.5, scene.top() + TOP_MARGIN);
    let area = Area::new(Id::unique("path field")).order(Order::Foreground).pivot(Align2::CENTER_TOP);
    let (mut uses, mut closes) = (false, false);
    area.fixed_pos(top).show(ui.ctx(), |ui| {
        Frame::window(ui.style()).show(ui, |ui| {
            ui.set_width(width);
            ui.horizontal(|ui| {
                ui.label(RichText::new(title).strong());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    closes |= ui.small_button("×").on_hover_text("Esc").clicked();
                    uses |= ui.button(action).on_hover_text("Enter").clicked();
                });
            });
            let edit = TextEdit::singleline(&mut typed.text).id_salt("path").hint_text(hint);
            let response = ui.add_sized(vec2(width, 24.0), edit);
            if response.changed() {
                typed.error = None;
            }
            // While a question is shown, its window receives the keys.
            if response.lost_focus() && !is_asked {
                let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
                uses |= enter;
                closes |= escape;
            }
            if !is_asked && (std::mem::take(focus) || uses) {
                response.request_focus();
            }
            if std::mem::take(selects) {
                select_all(ui, response.id, &typed.text);
            }
            if let Some(error) = &typed.error {
                ui.label(RichText::new(error).color(theme::bad(ui)));
            }
        });
    });
    let path = typed.text.trim().trim_matches('"');
    if uses && !path.is_empty() {
        panel.request = Some(AppRequest::Path(typed.purpose, expanded(path)));
    }
    if closes {
        panel.path.close();
    }
}

/// Selects the whole text of a field.
fn select_all(ui: &Ui, field: Id, text: &str) {
    let mut state = TextEdit::load_state(ui.ctx(), field).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(all));
    state.store(ui.ctx(), field);
}

/// Expands a leading `~` in a typed path to the home folder.
fn expanded(path: &str) -> PathBuf {
    match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\'])) {
        Some(rest) => match fs::home_dir() {
            Some(home) => home.join(rest.trim_start_matches(['/', '\\'])),
            None => PathBuf::from(path),
        },
        None => Path::new(path).to_path_buf(),
    }
}
