//! Which file next: the system's dialog, those of late, or a path that is typed.

use std::path::{Path, PathBuf};

use egui::{Key, RichText, TextEdit, Ui};

use crate::printable;

use super::{Look, Wish, name, theme};

const HINT: &str = "path of a .glb, .gltf, .vrm, .bvh or .csv";

/// What the panel knows of files.
#[derive(Debug, Default)]
pub(in super::super) struct Open {
    /// The file that is being read.
    pub(in super::super) reading: Option<PathBuf>,
    /// The files of late, the newest first.
    pub(in super::super) recent: Vec<PathBuf>,
    /// Whether a file that changes stays as it was read.
    pub(in super::super) ignore_changes: bool,
    /// The path that is being typed, while one is.
    typed: Option<String>,
    /// Whether the field shall have the keys.
    focus: bool,
}

impl Open {
    /// Shows the field for a path.
    pub(in super::super) fn type_path(&mut self) {
        self.typed.get_or_insert_default();
        self.focus = true;
    }

    /// Whether the field is to have the keys, and has not been drawn yet.
    pub(in super::super) fn wants_keys(&self) -> bool {
        self.focus
    }
}

/// The buttons, the field and what is being read.
pub(super) fn show(ui: &mut Ui, look: &mut Look) {
    ui.horizontal(|ui| {
        if ui.button("Open…").on_hover_text("Ctrl + O; or drop a file here").clicked() {
            look.wish = Some(Wish::Open);
        }
        ui.menu_button("Recent", |ui| menu(ui, look));
        if ui.selectable_label(look.open.typed.is_some(), "Path").on_hover_text("type where it is").clicked()
        {
            match look.open.typed.take() {
                Some(_) => {}
                None => look.open.type_path(),
            }
        }
    });
    field(ui, look);
    if let Some(file) = &look.open.reading {
        ui.label(RichText::new(format!("reading {}…", file_name(file))).color(theme::quiet(ui)));
    }
    let mut reload = !look.open.ignore_changes;
    ui.checkbox(&mut reload, "reload on change").on_hover_text("reads the file again when it is written to");
    look.open.ignore_changes = !reload;
}

/// The files of late, each by its name.
fn menu(ui: &mut Ui, look: &mut Look) {
    if look.open.recent.is_empty() {
        ui.label(RichText::new("no file yet").color(theme::quiet(ui)));
    }
    for file in &look.open.recent {
        if ui.button(file_name(file)).on_hover_text(printable::line(&file.display().to_string())).clicked() {
            look.wish = Some(Wish::Read(file.clone()));
        }
    }
}

/// A path, read on Enter.
fn field(ui: &mut Ui, look: &mut Look) {
    let Some(typed) = &mut look.open.typed else { return };
    let edit = TextEdit::singleline(typed).hint_text(HINT).desired_width(f32::INFINITY);
    let response = ui.add(edit);
    if std::mem::take(&mut look.open.focus) {
        response.request_focus();
        response.scroll_to_me(None);
    }
    if response.lost_focus() {
        let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
        let path = typed.trim().trim_matches('"');
        if enter && !path.is_empty() {
            look.wish = Some(Wish::Read(PathBuf::from(path)));
        }
        if enter || escape {
            look.open.typed = None;
        }
    }
}

fn file_name(file: &Path) -> String {
    name(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy())
}
