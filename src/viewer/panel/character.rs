//! Whose panel it is: the character, what can be taken back; and what can be saved.

use egui::{RichText, Ui};

use super::super::{Command, PoseFile, Session};
use super::{GOOD, Look, Wish, heading};

/// The character, and taking back.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let character = session.puppet.character();
    let name = character.path.file_name().map_or_else(|| "sinew".into(), |n| n.to_string_lossy());
    ui.label(RichText::new(name).heading());
    ui.horizontal(|ui| {
        if ui.add_enabled(session.history.can_undo(), egui::Button::new("Undo")).clicked() {
            asked.push(Command::Undo);
        }
        if ui.add_enabled(session.history.can_redo(), egui::Button::new("Redo")).clicked() {
            asked.push(Command::Redo);
        }
        if ui.button("Rest").clicked() {
            asked.push(Command::RestAll);
        }
        if ui.button("Let go").clicked() {
            asked.push(Command::LetGo);
        }
    });
}

/// Buttons for what the window does.
pub(super) fn files(ui: &mut Ui, look: &mut Look) {
    heading(ui, "Save");
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, wish: Wish| {
            if ui.button(text).on_hover_text(hint).clicked() {
                look.wish = Some(wish);
            }
        };
        button("Picture", "F12: the scene as PNG", Wish::Picture);
        button("Pose", "Ctrl + S: every joint as JSON", Wish::Pose(PoseFile::Json));
        button("Posed .glb", "a copy of the model in this pose", Wish::Pose(PoseFile::Glb));
    });
    if let Some(saved) = &look.saved {
        ui.label(RichText::new(saved).small().color(GOOD));
    }
}
