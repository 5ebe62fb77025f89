//! The panel section that opens files: with the system's dialog, from the recent files, or by a typed path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::{RichText, Ui};

use crate::asset::MANNEQUIN_PATH;
use crate::files::Progress;
use crate::platform::Instant;
use crate::text::printable;

use super::{AppRequest, PanelState, PathPurpose, name, theme};

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) path: PathBuf,
    pub(crate) progress: Progress,
    pub(crate) began: Instant,
}

/// Delay before a read's progress is shown. Most reads finish sooner, and text that appears only briefly is unreadable.
const LONG: Duration = Duration::from_secs(1);

/// Describes the progress of a read: its stage, the seconds since it began and, while a large file is incomplete, the megabytes read.
/// `None` in the first second.
pub(crate) fn progress_text(progress: &Progress, elapsed: Duration) -> Option<String> {
    if elapsed < LONG {
        return None;
    }
    let megabytes = |bytes: u64| bytes / 1_000_000;
    let (read, total) = progress.bytes();
    let bytes = (total >= 1_000_000 && read < total)
        .then(|| format!("{} of {} MB, ", megabytes(read), megabytes(total)));
    let stage = if progress.stage().is_empty() { "Reading the file" } else { progress.stage() };
    Some(format!("{stage}: {}{} s", bytes.unwrap_or_default(), elapsed.as_secs()))
}

/// State of the controls that open a file.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The file being read.
    pub(crate) reading: Option<Reading>,
    /// Recent files, newest first.
    pub(crate) recent: Vec<PathBuf>,
    /// Motion files in the character's folder, sorted by name.
    pub(crate) motions: Vec<PathBuf>,
    /// The recorded session that is open and can be played.
    pub(crate) session: Option<PathBuf>,
    /// Whether to ignore changes to the open file on disk.
    pub(crate) ignore_changes: bool,
}

/// Shows the file menu entries that open a file without the system's dialog.
pub(super) fn menus(ui: &mut Ui, panel: &mut PanelState) {
    ui.menu_button("Recent", |ui| menu(ui, panel));
    if let Some(file) = panel.open.session.clone() {
        let hint = "Play the recording. Any key or click continues from there";
        if ui.button("Watch").on_hover_text(hint).clicked() {
            panel.request = Some(AppRequest::Watch(file));
        }
    }
    if ui.button("Path…").on_hover_text("Type the path of a file").clicked() {
        panel.path.show(PathPurpose::Open, String::new());
    }
}

/// Shows the checkbox that controls whether a file is reloaded when it changes on disk.
pub(super) fn reload(ui: &mut Ui, panel: &mut PanelState) {
    let mut reload = !panel.open.ignore_changes;
    ui.checkbox(&mut reload, "Reload on change").on_hover_text("Read the file again when it changes on disk");
    panel.open.ignore_changes = !reload;
}

/// Shows the menu of recent files and of characters that need no file.
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
