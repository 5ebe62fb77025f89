//! Whose panel it is: the character, what can be taken back; and what can be saved.

use std::time::Duration;

use egui::{Button, Color32, Rect, Response, RichText, Ui, vec2};

use super::super::{Command, PoseFile, Session};
use super::{Look, RECORDING, Wish, heading, name, theme};

/// Its name.
pub(super) fn title(ui: &mut Ui, session: &Session) {
    let character = session.puppet.character();
    let title = character.path.file_name().map_or_else(|| "sinew".into(), |n| n.to_string_lossy());
    ui.label(RichText::new(name(&title)).heading());
}

/// What can be taken back.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        if ui.add_enabled(session.history.can_undo(), Button::new("Undo")).clicked() {
            asked.push(Command::Undo);
        }
        if ui.add_enabled(session.history.can_redo(), Button::new("Redo")).clicked() {
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
pub(super) fn files(ui: &mut Ui, session: &Session, look: &mut Look) {
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
    if record(ui, session.recorded()).on_hover_text("Ctrl + R: what is done, to play it back").clicked() {
        look.wish = Some(Wish::Record);
    }
    if let Some(saved) = &look.saved {
        ui.label(RichText::new(saved).small().color(theme::good(ui)));
    }
}

/// A button that begins to record; while that runs it is red, tells the time and ends it.
fn record(ui: &mut Ui, recorded: Option<Duration>) -> Response {
    let text = match recorded {
        None => RichText::new("     Record"),
        Some(time) => {
            // Again when the next second begins.
            let rest =
                Duration::from_secs(1).saturating_sub(Duration::from_nanos(time.subsec_nanos().into()));
            ui.ctx().request_repaint_after(rest);
            let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
            RichText::new(format!("     Stop   {minutes}:{seconds:02}")).color(Color32::WHITE)
        }
    };
    let button = Button::new(text);
    let button = ui.add(if recorded.is_some() { button.fill(RECORDING) } else { button });
    // The fonts have no such signs.
    let sign = button.rect.left_center() + vec2(13.0, 0.0);
    match recorded {
        None => ui.painter().circle_filled(sign, 5.0, RECORDING),
        Some(_) => {
            ui.painter().rect_filled(Rect::from_center_size(sign, vec2(8.0, 8.0)), 1.0, Color32::WHITE)
        }
    };
    button
}
