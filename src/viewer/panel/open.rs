//! The panel section that opens files: by the system's dialog, from the recent files, or by a typed path.

use std::path::{Path, PathBuf};

use egui::{Key, RichText, TextEdit, Ui};

use crate::text::printable;

use super::{AppRequest, PanelState, name, theme};

const HINT: &str = "Path of a .glb, .gltf, .vrm, .bvh or .csv";

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

/// Shows the section.
pub(super) fn show(ui: &mut Ui, panel: &mut PanelState) {
    ui.horizontal(|ui| {
        if ui.button("Open…").on_hover_text("Ctrl + O (or drop a file here)").clicked() {
            panel.request = Some(AppRequest::Open);
        }
        ui.menu_button("Recent", |ui| menu(ui, panel));
        if ui
            .selectable_label(panel.open.typed.is_some(), "Path")
            .on_hover_text("Type the path of a file")
            .clicked()
        {
            match panel.open.typed.take() {
                Some(_) => {}
                None => panel.open.type_path(),
            }
        }
    });
    field(ui, panel);
    if let Some(file) = &panel.open.reading {
        ui.label(RichText::new(format!("Reading {}…", file_name(file))).color(theme::quiet(ui)));
    }
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
