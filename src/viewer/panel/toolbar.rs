//! The bar above the scene: the file menu, undo, what a drag moves, actions on the selected joint, and the choice of the face.

use std::time::Duration;

use egui::{Align, Button, Color32, Layout, Margin, Rect, RichText, Ui, vec2};

use crate::viewer::{Command, DragScope, PoseFile, Session};

use super::layout::Face;
use super::{AppRequest, PanelState, RECORDING, name, open, theme};

/// Height of the bar in points.
pub(super) const HEIGHT: f32 = 36.0;
/// Widths of the window in points below which the name of the character, and then the tools, are left out.
const NAME_FROM: f32 = 1080.0;
const TOOLS_FROM: f32 = 820.0;

/// Shows the bar at the top of the window.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(10, 0));
    egui::Panel::top("toolbar").resizable(false).exact_size(HEIGHT).frame(frame).show(ui, |ui| {
        let width = ui.available_width();
        ui.horizontal_centered(|ui| {
            file(ui, session, panel);
            history(ui, session, commands);
            if width >= TOOLS_FROM {
                ui.separator();
                scope(ui, session, commands);
                tools(ui, session, commands);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                window(ui, panel);
                if let Some(time) = session.recorded() {
                    recording(ui, panel, time);
                }
                if width >= NAME_FROM {
                    title(ui, session);
                }
            });
        });
    });
}

/// Shows the menu of everything that reads or writes files.
fn file(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    ui.menu_button("File", |ui| {
        ui.set_min_width(200.0);
        let mut item = |ui: &mut Ui, text: &str, keys: &str, hint: &str, request: AppRequest| {
            if ui.add(Button::new(text).shortcut_text(keys)).on_hover_text(hint).clicked() {
                panel.request = Some(request);
            }
        };
        item(ui, "Open…", "Ctrl+O", "A character, a project, a session or clips", AppRequest::Open);
        open::menus(ui, panel);
        ui.separator();
        let mut item = |ui: &mut Ui, text: &str, keys: &str, hint: &str, request: AppRequest| {
            if ui.add(Button::new(text).shortcut_text(keys)).on_hover_text(hint).clicked() {
                panel.request = Some(request);
            }
        };
        item(ui, "Save project", "Ctrl+S", "Save what you have made, to open it again", AppRequest::Save);
        item(ui, "Save as…", "Ctrl+Shift+S", "Save the project under another name", AppRequest::SaveAs);
        ui.separator();
        item(
            ui,
            "Export clip…",
            "Ctrl+E",
            "Save what the timeline plays as .glb or .bvh",
            AppRequest::ExportClip,
        );
        item(ui, "Save image", "F12", "Save the scene as PNG", AppRequest::SaveImage);
        item(ui, "Save pose", "", "Save all joints as JSON", AppRequest::Pose(PoseFile::Json));
        item(
            ui,
            "Save posed .glb",
            "",
            "Save a copy of the model in this pose",
            AppRequest::Pose(PoseFile::Glb),
        );
        item(ui, "Choose folder…", "", "Choose the folder for images and poses", AppRequest::ChooseFolder);
        ui.separator();
        let record = if session.recorded().is_some() { "Stop recording" } else { "Record session" };
        item(ui, record, "Ctrl+R", "Record the session for playback", AppRequest::Record);
        ui.separator();
        open::reload(ui, panel);
    });
}

fn history(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let mut button = |text: &str, enabled: bool, hint: &str, command: Command| {
        if ui.add_enabled(enabled, Button::new(text)).on_hover_text(hint).clicked() {
            commands.push(command);
        }
    };
    button("Undo", session.history.can_undo(), "Ctrl+Z", Command::Undo);
    button("Redo", session.history.can_redo(), "Ctrl+Shift+Z", Command::Redo);
}

/// Shows what a drag moves, and whether its goal stays.
fn scope(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if session.has_body() {
        let scopes = [
            (DragScope::Body, "Body", "A drag moves the whole body (L, or Alt in a drag)"),
            (
                DragScope::Limb,
                "Limb",
                "A drag moves only the limb of the dragged joint (L, or Alt in a drag)",
            ),
        ];
        for (scope, text, hint) in scopes {
            let is_on = session.drag_scope() == scope;
            if ui.selectable_label(is_on, text).on_hover_text(hint).clicked() && !is_on {
                commands.push(Command::DragScope(scope));
            }
        }
    }
    let mut keep = session.keep;
    let hint = "Goals stay active where they are released";
    if ui.checkbox(&mut keep, "Keep goals").on_hover_text(hint).changed() {
        commands.push(Command::KeepGoals(keep));
    }
    ui.separator();
}

/// Shows the actions on the selected joint and on the whole pose.
fn tools(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let selected = session.selected();
    let is_pinned = selected.is_some_and(|node| session.state.pins.iter().any(|pin| pin.node == node));
    let pin = Button::selectable(is_pinned, "Pin");
    let pin = ui.add_enabled(selected.is_some(), pin).on_hover_text("P: hold the selected joint in place");
    if let Some(node) = selected.filter(|_| pin.clicked()) {
        commands.push(Command::PinNode(node));
    }
    let mut button = |text: &str, hint: &str, command: Command| {
        if ui.button(text).on_hover_text(hint).clicked() {
            commands.push(command);
        }
    };
    button("Key", "K: insert a key with the current pose", Command::Key);
    button("Rest", "Reset the whole character to its rest pose", Command::RestAll);
    button("Clear goals", "Remove all goals and pins", Command::ClearGoals);
}

/// Shows the choice of the face and the toggles of the panes, from right to left.
fn window(ui: &mut Ui, panel: &mut PanelState) {
    if ui.button("?").on_hover_text("Shortcuts").clicked() {
        panel.shortcuts = !panel.shortcuts;
    }
    let folded = &mut panel.layout.folded;
    let toggles = [
        (&mut folded.below, "Timeline", "Show or fold the panes below the scene"),
        (&mut folded.beside, "Panels", "Show or fold the panes beside the scene (Tab: hide everything)"),
    ];
    for (folded, text, hint) in toggles {
        let fill = if *folded { Color32::TRANSPARENT } else { ui.visuals().widgets.inactive.weak_bg_fill };
        if ui.add(Button::new(text).fill(fill)).on_hover_text(hint).clicked() {
            *folded = !*folded;
        }
    }
    ui.separator();
    let faces = [
        (Face::Lab, "Lab", "Compare the methods and change their options"),
        (Face::Pose, "Pose", "Pose and animate the character"),
    ];
    for (face, text, hint) in faces {
        if ui.selectable_label(panel.layout.face == face, text).on_hover_text(hint).clicked() {
            panel.layout.face = face;
        }
    }
}

/// Shows the name of the project or the character.
fn title(ui: &mut Ui, session: &Session) {
    let character = session.puppet.character();
    let path = session.project().unwrap_or(&character.path);
    let title = path.file_name().map_or_else(|| "sinew".into(), |n| n.to_string_lossy());
    let text = RichText::new(name(&title)).color(theme::quiet(ui));
    ui.add(egui::Label::new(text).truncate());
}

/// Shows the button that stops the recording, with its length.
fn recording(ui: &mut Ui, panel: &mut PanelState, time: Duration) {
    // Repaint when the next second begins.
    let wait = Duration::from_secs(1).saturating_sub(Duration::from_nanos(time.subsec_nanos().into()));
    ui.ctx().request_repaint_after(wait);
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    let text = RichText::new(format!("     Stop   {minutes}:{seconds:02}")).color(Color32::WHITE);
    let button = ui.add(Button::new(text).fill(RECORDING)).on_hover_text("Ctrl+R: stop the recording");
    // The fonts have no glyph for this symbol.
    let symbol = button.rect.left_center() + vec2(13.0, 0.0);
    ui.painter().rect_filled(Rect::from_center_size(symbol, vec2(8.0, 8.0)), 1.0, Color32::WHITE);
    if button.clicked() {
        panel.request = Some(AppRequest::Record);
    }
}
