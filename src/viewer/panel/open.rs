//! The panel section that opens files: by the system's dialog, from the recent files, or by a typed path.

use std::path::{Path, PathBuf};

use egui::{Key, RichText, TextEdit, Ui};

use crate::text::printable;

use super::{AppRequest, PanelState, name, theme};

const HINT: &str = "Path of a .glb, .gltf, .vrm, .bvh or .csv";

/// Distance of the path field from the border of the window in points.
const WINDOW_MARGIN: f32 = 12.0;
/// Maximum width of the path field in points.
const MAX_WIDTH: f32 = 640.0;

/// State of the controls that open a file.
#[derive(Debug, Default)]
pub(in crate::viewer) struct Open {
    /// The file being read.
    pub(in crate::viewer) reading: Option<PathBuf>,
    /// Recent files, newest first.
    pub(in crate::viewer) recent: Vec<PathBuf>,
    /// Whether changes of the open file on disk are ignored.
    pub(in crate::viewer) ignore_changes: bool,
    /// The text of the path field, if it is shown.
    typed: Option<String>,
    /// Whether the path field should receive the keyboard focus in the next frame.
    focus: bool,
}

impl Open {
    /// Shows the path field and focuses it.
    pub(in crate::viewer) fn type_path(&mut self) {
        self.typed.get_or_insert_default();
        self.focus = true;
    }

    /// Returns whether the path field is about to receive the keyboard focus.
    pub(in crate::viewer) fn wants_keys(&self) -> bool {
        self.focus
    }
}

/// Shows the entries of the file menu that open a file without the system's dialog.
pub(super) fn menus(ui: &mut Ui, panel: &mut PanelState) {
    ui.menu_button("Recent", |ui| menu(ui, panel));
    if ui.button("Path…").on_hover_text("Type the path of a file").clicked() {
        panel.open.type_path();
    }
}

/// Shows the path field, if it is open, over everything else.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    if panel.open.typed.is_none() {
        return;
    }
    let at = egui::pos2(WINDOW_MARGIN, WINDOW_MARGIN);
    let area = egui::Area::new(egui::Id::unique("path")).fixed_pos(at).order(egui::Order::Foreground);
    area.show(ui.ctx(), |ui| {
        egui::Frame::popup(ui.style()).inner_margin(WINDOW_MARGIN / 2.0).show(ui, |ui| {
            ui.set_width((ui.ctx().content_rect().width() - 3.0 * WINDOW_MARGIN).clamp(1.0, MAX_WIDTH));
            field(ui, panel);
        });
    });
}

/// Shows the choice whether a file that changes on disk is read again.
pub(super) fn reload(ui: &mut Ui, panel: &mut PanelState) {
    let mut reload = !panel.open.ignore_changes;
    ui.checkbox(&mut reload, "Reload on change").on_hover_text("Read the file again when it changes on disk");
    panel.open.ignore_changes = !reload;
}

/// Shows the menu of recent files.
fn menu(ui: &mut Ui, panel: &mut PanelState) {
    if panel.open.recent.is_empty() {
        ui.label(RichText::new("No recent files").color(theme::quiet(ui)));
    }
    for file in &panel.open.recent {
        if ui.button(file_name(file)).on_hover_text(printable::line(&file.display().to_string())).clicked() {
            panel.request = Some(AppRequest::Read(file.clone()));
        }
    }
}

/// Shows the path field. Enter opens the file.
fn field(ui: &mut Ui, panel: &mut PanelState) {
    let Some(typed) = &mut panel.open.typed else { return };
    let edit = TextEdit::singleline(typed).hint_text(HINT).desired_width(f32::INFINITY);
    let response = ui.add(edit);
    if std::mem::take(&mut panel.open.focus) {
        response.request_focus();
        response.scroll_to_me(None);
    }
    if response.lost_focus() {
        let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
        let path = typed.trim().trim_matches('"');
        if enter && !path.is_empty() {
            panel.request = Some(AppRequest::Read(PathBuf::from(path)));
        }
        if enter || escape {
            panel.open.typed = None;
        }
    }
}

fn file_name(file: &Path) -> String {
    name(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy())
}
