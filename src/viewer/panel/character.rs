//! The character's name, the undo buttons and the save buttons.

use std::time::Duration;

use egui::{Button, Color32, Rect, Response, RichText, Ui, vec2};

use crate::viewer::{Command, PoseFile, Session};

use super::{AppRequest, PanelState, RECORDING, heading, name, theme};

/// Shows the character's file name.
pub(super) fn title(ui: &mut Ui, session: &Session) {
    let character = session.puppet.character();
    let path = session.project().unwrap_or(&character.path);
    let title = path.file_name().map_or_else(|| "sinew".into(), |n| n.to_string_lossy());
    ui.label(RichText::new(name(&title)).heading());
}

/// Shows the buttons that undo changes and reset the pose.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        if ui.add_enabled(session.history.can_undo(), Button::new("Undo")).clicked() {
            commands.push(Command::Undo);
        }
        if ui.add_enabled(session.history.can_redo(), Button::new("Redo")).clicked() {
            commands.push(Command::Redo);
        }
        if ui.button("Rest").clicked() {
            commands.push(Command::RestAll);
        }
        if ui.button("Clear goals").clicked() {
            commands.push(Command::ClearGoals);
        }
    });
}

/// Shows the buttons that save files.
pub(super) fn files(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    heading(ui, "Save");
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, request: AppRequest| {
            if ui.button(text).on_hover_text(hint).clicked() {
                panel.request = Some(request);
            }
        };
        button("Project", "Ctrl + S: save what you have made, to open it again", AppRequest::Save);
        button("Image", "F12: save the scene as PNG", AppRequest::SaveImage);
        button("Pose", "Save all joints as JSON", AppRequest::Pose(PoseFile::Json));
        button("Posed .glb", "Save a copy of the model in this pose", AppRequest::Pose(PoseFile::Glb));
    });
    if record(ui, session.recorded()).on_hover_text("Ctrl + R: record the session for playback").clicked() {
        panel.request = Some(AppRequest::Record);
    }
    if let Some(saved) = &panel.saved {
        ui.label(RichText::new(saved).small().color(theme::good(ui)));
    }
}

/// Shows the record button. While a recording runs, the button is red, shows the elapsed time and stops the recording.
fn record(ui: &mut Ui, recorded: Option<Duration>) -> Response {
    let text = match recorded {
        None => RichText::new("     Record"),
        Some(time) => {
            // Repaint when the next second begins.
            let wait =
                Duration::from_secs(1).saturating_sub(Duration::from_nanos(time.subsec_nanos().into()));
            ui.ctx().request_repaint_after(wait);
            let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
            RichText::new(format!("     Stop   {minutes}:{seconds:02}")).color(Color32::WHITE)
        }
    };
    let button = Button::new(text);
    let button = ui.add(if recorded.is_some() { button.fill(RECORDING) } else { button });
    // The fonts have no glyphs for these symbols.
    let symbol = button.rect.left_center() + vec2(13.0, 0.0);
    match recorded {
        None => ui.painter().circle_filled(symbol, 5.0, RECORDING),
        Some(_) => {
            ui.painter().rect_filled(Rect::from_center_size(symbol, vec2(8.0, 8.0)), 1.0, Color32::WHITE)
        }
    };
    button
}
