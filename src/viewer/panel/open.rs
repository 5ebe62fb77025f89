//! The panel section that opens files: by the system's dialog, from the recent files, or by a typed path.

use std::path::{Path, PathBuf};

use egui::{RichText, Ui};

use crate::asset::MANNEQUIN_PATH;
use crate::text::printable;

use super::{AppRequest, PanelState, PathPurpose, name, theme};

/// State of the controls that open a file.
#[derive(Debug, Default)]
pub(in crate::viewer) struct Open {
    /// The file being read.
    pub(in crate::viewer) reading: Option<PathBuf>,
    /// Recent files, newest first.
    pub(in crate::viewer) recent: Vec<PathBuf>,
    /// The recorded session that was opened, which can be watched.
    pub(in crate::viewer) session: Option<PathBuf>,
    /// Whether changes of the open file on disk are ignored.
    pub(in crate::viewer) ignore_changes: bool,
}

/// Shows the section.
pub(super) fn show(ui: &mut Ui, panel: &mut PanelState) {
    ui.horizontal(|ui| {
        if ui.button("Open…").on_hover_text("Ctrl + O (or drop a file here)").clicked() {
            panel.request = Some(AppRequest::Open);
        }
        ui.menu_button("Recent", |ui| menu(ui, panel));
        let is_typed = panel.path.purpose() == Some(PathPurpose::Open);
        if ui.selectable_label(is_typed, "Path").on_hover_text("Type the path of a file").clicked() {
            if is_typed { panel.path.close() } else { panel.path.show(PathPurpose::Open, String::new()) }
        }
    });
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, request: AppRequest| {
            if ui.button(text).on_hover_text(hint).clicked() {
                panel.request = Some(request);
            }
        };
        button("Save as…", "Ctrl + Shift + S: save the project under another name", AppRequest::SaveAs);
        button(
            "Export clip…",
            "Ctrl + E: save what the timeline plays as .glb or .bvh",
            AppRequest::ExportClip,
        );
        button("Folder…", "Choose the folder for images and poses", AppRequest::ChooseFolder);
    });
    if let Some(file) = panel.open.session.clone() {
        let button =
            ui.button("Watch").on_hover_text("Play the recording. Any key or click continues from there");
        if button.clicked() {
            panel.request = Some(AppRequest::Watch(file));
        }
    }
    if let Some(file) = &panel.open.reading {
        ui.label(RichText::new(format!("Reading {}…", file_name(file))).color(theme::quiet(ui)));
    }
    let mut reload = !panel.open.ignore_changes;
    ui.checkbox(&mut reload, "Reload on change").on_hover_text("Read the file again when it changes on disk");
    panel.open.ignore_changes = !reload;
}

/// Shows the menu of recent files, and of the characters that need no file.
fn menu(ui: &mut Ui, panel: &mut PanelState) {
    if panel.open.recent.is_empty() {
        ui.label(RichText::new("No recent files").color(theme::quiet(ui)));
    }
    for file in &panel.open.recent {
        if ui.button(file_name(file)).on_hover_text(printable::line(&file.display().to_string())).clicked() {
            panel.request = Some(AppRequest::Read(file.clone()));
        }
    }
    ui.separator();
    if ui.button("Mannequin").on_hover_text("The built-in character").clicked() {
        panel.request = Some(AppRequest::Read(MANNEQUIN_PATH.into()));
    }
}

fn file_name(file: &Path) -> String {
    name(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy())
}
