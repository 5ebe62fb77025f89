//! The bar above the scene: the file menu, undo, the drag scope, actions on the selected joint, and the layout selector.

use std::time::Duration;

use egui::{Align, Button, Color32, Layout, Margin, Rect, RichText, Ui, vec2};

use crate::session::timeline::can_key;
use crate::{Action, Command, DragScope, Session};

use super::layout::Face;
use super::{AppRequest, PanelState, RECORDING, name, open, theme};

/// Height of the bar in points.
pub(super) const HEIGHT: f32 = 36.0;
/// Minimum window widths in points at which the bar shows the character's name, all drag settings side by side, the tools, and the buttons
/// for undo and panes. Everything that is omitted is in the palette.
const NAME_FROM: f32 = 1020.0;
const SETTINGS_FROM: f32 = 940.0;
const TOOLS_FROM: f32 = 740.0;
const ALL_FROM: f32 = 540.0;
const TURN_HINT: &str = "turns only the nearest joint above the grabbed point. What is below it moves along, also if it is pinned.";

/// Shows the bar at the top of the window.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(10, 0));
    egui::Panel::top("toolbar").resizable(false).exact_size(HEIGHT).frame(frame).show(ui, |ui| {
        let width = ui.available_width();
        ui.horizontal_centered(|ui| {
            file(ui, session, panel);
            if width >= ALL_FROM {
                history(ui, session, panel);
            }
            if width >= TOOLS_FROM {
                ui.separator();
                if width >= SETTINGS_FROM {
                    scope(ui, session, panel, commands);
                } else {
                    ui.menu_button("Drag", |ui| scope(ui, session, panel, commands));
                }
                ui.separator();
                tools(ui, session, panel, commands);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                window(ui, panel, width >= ALL_FROM);
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

/// Shows the menu for reading and writing files.
fn file(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    ui.menu_button("File", |ui| {
        ui.set_min_width(200.0);
        let item = |ui: &mut Ui, panel: &mut PanelState, text: &str, of: Action| {
            let keys = panel.keymap.text(of);
            action(ui, panel, of, true, Button::new(text).shortcut_text(keys));
        };
        item(ui, panel, "Open…", Action::Open);
        open::menus(ui, panel);
        ui.separator();
        item(ui, panel, "Save project", Action::Save);
        item(ui, panel, "Save as…", Action::SaveAs);
        ui.separator();
        item(ui, panel, "Export clip…", Action::ExportClip);
        item(ui, panel, "Save image", Action::SaveImage);
        item(ui, panel, "Save pose", Action::SavePose);
        item(ui, panel, "Save posed .glb", Action::SavePosedGlb);
        item(ui, panel, "Choose folder…", Action::ChooseFolder);
        if panel.has_links {
            link(ui, session, panel);
        }
        ui.separator();
        let record = if session.recorded().is_some() { "Stop recording" } else { "Record session" };
        item(ui, panel, record, Action::Record);
        ui.separator();
        open::reload(ui, panel);
    });
}

/// Shows the button for a link that contains the pose. The link does not contain a character from a file.
fn link(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    let hint = "Put the pose of the built-in character into the address of this page, and copy the address";
    let button = Button::new("Copy link to this pose");
    if ui.add_enabled(session.file().is_none(), button).on_hover_text(hint).clicked() {
        panel.request = Some(AppRequest::CopyLink);
    }
}

/// Shows a button that performs an action. Its tooltip contains the action's name and shortcut.
fn action(ui: &mut Ui, panel: &mut PanelState, action: Action, enabled: bool, button: Button<'_>) {
    let hint = panel.hint(action.name(), action);
    if ui.add_enabled(enabled, button).on_hover_text(hint).clicked() {
        panel.action = Some(action);
    }
}

fn history(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    action(ui, panel, Action::Undo, session.history.can_undo(), Button::new("Undo"));
    action(ui, panel, Action::Redo, session.history.can_redo(), Button::new("Redo"));
}

/// Shows the selector for the drag scope, and the checkbox that keeps the goals of drags active.
fn scope(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let scopes: &[(DragScope, &str, &str)] = if session.has_body() {
        &[
            (DragScope::Body, "Body", "moves the whole body"),
            (DragScope::Limb, "Limb", "moves the limb of the joint only"),
            (DragScope::Joint, "Joint", TURN_HINT),
        ]
    } else {
        // If no body is recognised, the body scope also drags limbs.
        &[(DragScope::Body, "Limb", "moves the chain of the joint"), (DragScope::Joint, "Joint", TURN_HINT)]
    };
    segmented(ui, |ui| {
        for &(scope, text, what) in scopes {
            let is_limb =
                scope != DragScope::Joint && session.document.settings.drag_scope != DragScope::Joint;
            let is_on = session.document.settings.drag_scope == scope || is_limb && !session.has_body();
            let hint = panel.hint(&format!("A drag {what}"), Action::Scope);
            let hint = if session.has_body() { format!("{hint}, Alt in a drag") } else { hint };
            if ui.selectable_label(is_on, text).on_hover_text(hint).clicked() && !is_on {
                commands.push(Command::DragScope(scope));
            }
        }
    });
    let mut keep = session.document.settings.keep_goals;
    let hint = "Goals stay active where they are released";
    if ui.checkbox(&mut keep, "Keep goals").on_hover_text(hint).changed() {
        commands.push(Command::KeepGoals(keep));
    }
}

/// Shows mutually exclusive choices as one control.
fn segmented(ui: &mut Ui, choices: impl FnOnce(&mut Ui)) {
    let fill = ui.visuals().extreme_bg_color;
    let corner = ui.visuals().widgets.inactive.corner_radius;
    egui::Frame::new().fill(fill).corner_radius(corner).show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        choices(ui);
    });
}

/// Shows the actions on the selected joint and on the whole pose.
fn tools(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let selected = session.selected();
    if session.has_body() {
        action(ui, panel, Action::MirrorPose, true, Button::new("Mirror"));
    }
    action(ui, panel, Action::Key, can_key(&session.puppet), Button::new("Key"));
    ui.menu_button("Reset", |ui| {
        action(ui, panel, Action::RestAll, true, Button::new("Whole character"));
        action(ui, panel, Action::ClearGoals, true, Button::new("Goals and pins"));
        for (text, command) in [("Limb", Command::ResetLimb), ("Joint", Command::ResetJoint)] {
            if ui.add_enabled(selected.is_some(), Button::new(text)).clicked() {
                commands.push(command);
            }
        }
    });
}

/// Shows, from right to left, the help and search buttons, the pane toggles and the selector for the Lab and Pose layouts.
fn window(ui: &mut Ui, panel: &mut PanelState, has_toggles: bool) {
    action(ui, panel, Action::Shortcuts, true, Button::new("?"));
    action(ui, panel, Action::Palette, true, Button::new("Find"));
    let unfit = panel.layout.unfit;
    let below = if unfit.below {
        "The window is too low for the panes below the scene".into()
    } else {
        panel.hint("Show or fold the panes below the scene", Action::FoldBelow)
    };
    let beside = if unfit.beside {
        "The window is too narrow for the panes beside the scene".into()
    } else {
        panel.hint("Show or fold the panes beside the scene", Action::FoldBeside)
    };
    let folded = &mut panel.layout.folded;
    let toggles = [
        (&mut folded.below, unfit.below, "Timeline", below),
        (&mut folded.beside, unfit.beside, "Panels", beside),
    ];
    for (folded, is_unfit, text, hint) in toggles.into_iter().filter(|_| has_toggles) {
        let is_hidden = *folded || is_unfit;
        let fill = if is_hidden { Color32::TRANSPARENT } else { ui.visuals().widgets.inactive.weak_bg_fill };
        if ui.add(Button::new(text).fill(fill)).on_hover_text(hint).clicked() {
            *folded = !*folded;
        }
    }
    if has_toggles {
        ui.separator();
    }
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

/// Shows the button that stops the recording, with the recording's length.
fn recording(ui: &mut Ui, panel: &mut PanelState, time: Duration) {
    // Repaint when the next second begins.
    let wait = Duration::from_secs(1).saturating_sub(Duration::from_nanos(time.subsec_nanos().into()));
    ui.ctx().request_repaint_after(wait);
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    let text = RichText::new(format!("     Stop   {minutes}:{seconds:02}")).color(Color32::WHITE);
    let hint = panel.hint("Stop the recording", Action::Record);
    let button = ui.add(Button::new(text).fill(RECORDING)).on_hover_text(hint);
    // The fonts have no glyph for this symbol.
    let symbol = button.rect.left_center() + vec2(13.0, 0.0);
    ui.painter().rect_filled(Rect::from_center_size(symbol, vec2(8.0, 8.0)), 1.0, Color32::WHITE);
    if button.clicked() {
        panel.request = Some(AppRequest::Record);
    }
}
