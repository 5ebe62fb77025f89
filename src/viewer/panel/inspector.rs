//! The inspector: the selected joint with its transform and its limit, and the button that saves the rig.

use egui::{Button, DragValue, RichText, Ui};

use crate::session::limb;
use crate::session::timeline::can_key;
use crate::text::printable;
use crate::{Action, Command, RingMode, Session};

use super::{AppRequest, PanelState, finish, limit, name, node_name, theme, transform};

/// Tooltip for a limb's pull.
const PULL_HINT: &str = "How strongly a goal of this limb takes the body along when the whole body is dragged, from 0 (the limb only reaches as far as it can) to 1. It belongs to the rig.";

pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let Some(node) = session.document.selection.active else {
        first_steps(ui, session, panel);
        // The limb that was dragged last.
        if let Some((chain, _)) =
            session.document.selection.last.and_then(|node| limb::pull(&session.puppet.rig, node))
        {
            key_goal(ui, &format!("Key IK of the {}", chain.name), chain.effector, commands);
        }
        return save(ui, session, panel);
    };
    let rig = &session.puppet.rig;
    ui.label(RichText::new(node_name(session, node)).heading());
    let chain = rig.chains.iter().find(|c| c.joints.contains(&node));
    ui.label(
        RichText::new(chain.map_or_else(|| "Not part of a limb".to_owned(), |c| name(&c.name)))
            .color(theme::quiet(ui)),
    );
    ui.add_space(4.0);
    ring_mode(ui, session, node, panel, commands);
    transform::show(ui, session, node, session.document.settings.ring_mode.world, commands);
    pull(ui, session, node, commands);
    limit::show(ui, session, node, commands);
    save(ui, session, panel);
}

/// Shows the first steps while no joint is selected: drag, key, export.
fn first_steps(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    let quiet = theme::quiet(ui);
    ui.label(
        RichText::new(
            "Drag a part of the character to pose it. Click a joint to turn it or to edit its limit.",
        )
        .color(quiet),
    );
    let steps = [
        (Action::Key, can_key(&session.puppet), "Key the pose", "Keep the pose as a key on the timeline"),
        (
            Action::ExportClip,
            !session.document.scene.motion.is_rest(),
            "Export the clip…",
            "Write what the timeline plays",
        ),
    ];
    // The next step is to key the pose, or to export the clip once the motion has content.
    let next = usize::from(steps[1].1);
    for (index, (action, enabled, text, what)) in steps.into_iter().enumerate() {
        let strong = enabled && index == next && panel.has_dragged;
        let fill =
            if strong { ui.visuals().selection.bg_fill } else { ui.visuals().widgets.inactive.weak_bg_fill };
        let color = if strong { ui.visuals().selection.stroke.color } else { ui.visuals().text_color() };
        let button =
            Button::new(RichText::new(text).color(color)).fill(fill).min_size(egui::vec2(140.0, 0.0));
        let hint = panel.hint(what, action);
        if ui.add_enabled(enabled, button).on_hover_text(&hint).on_disabled_hover_text(hint).clicked() {
            panel.action = Some(action);
        }
    }
    ui.add_space(4.0);
}

/// Shows the reference axes of rings and numbers, and whether a ring turns the limb or the joint.
fn ring_mode(ui: &mut Ui, session: &Session, node: usize, panel: &PanelState, commands: &mut Vec<Command>) {
    let RingMode { mut alone, mut world } = session.document.settings.ring_mode;
    ui.horizontal(|ui| {
        let axes = [
            (false, "Local", "Rings, arrows and numbers refer to the joint"),
            (true, "World", "Rings, arrows and numbers refer to the axes of the world"),
        ];
        for (of, text, hint) in axes {
            ui.selectable_value(&mut world, of, text).on_hover_text(hint);
        }
        if session.puppet.rig.chain(node).is_some_and(|c| c.base != node) {
            ui.separator();
            let modes = [
                (
                    false,
                    "IK",
                    "A ring turns the joint and its limb follows, so that the joint stays in place",
                ),
                (true, "FK", "A ring turns this joint only"),
            ];
            for (of, text, hint) in modes {
                let hint = panel.hint(hint, Action::RingMode);
                ui.selectable_value(&mut alone, of, text).on_hover_text(hint);
            }
        }
    });
    if (RingMode { alone, world }) != session.document.settings.ring_mode {
        commands.push(Command::RingMode(RingMode { alone, world }));
    }
}

/// Shows the button that keys a limb end's position.
fn key_goal(ui: &mut Ui, text: &str, effector: usize, commands: &mut Vec<Command>) {
    let hint = "Key the place of the end of this limb as a goal, which inverse kinematics keeps";
    if ui.add(Button::new(text)).on_hover_text(hint).clicked() {
        commands.push(Command::KeyGoal(effector));
    }
}

/// Shows how strongly the selected joint's limb pulls the body, and the button that keys the limb end's position.
fn pull(ui: &mut Ui, session: &Session, node: usize, commands: &mut Vec<Command>) {
    let Some((chain, mut pull)) = limb::pull(&session.puppet.rig, node) else { return };
    ui.horizontal(|ui| {
        let title = ui.label(RichText::new("Pull of the limb").color(theme::quiet(ui)));
        let number = DragValue::new(&mut pull)
            .speed(0.005)
            .range(0.0..=1.0)
            .max_decimals(2)
            .update_while_editing(false);
        let field = ui.add(number).labelled_by(title.id).on_hover_text(PULL_HINT);
        if field.changed() {
            commands.push(Command::Pull(chain.effector, pull));
        }
        finish(&field, commands);
        key_goal(ui, "Key IK", chain.effector, commands);
    });
}

/// Shows the button that saves the rig, a mark for unsaved changes, and the question that must be answered before a
/// file is replaced.
fn save(ui: &mut Ui, session: &Session, panel: &mut PanelState) {
    // Discard the question if it is about another character's file.
    let rig_file = session.file().map(|file| file.with_extension("rig.toml"));
    panel.replace = panel.replace.take().filter(|path| rig_file.as_ref() == Some(path));
    if let Some(path) = panel.replace.clone() {
        ui.label(
            RichText::new(printable::line(&format!("{} already exists. Replace it?", path.display())))
                .color(theme::accent(ui)),
        );
        ui.horizontal(|ui| {
            if ui.button("Replace").clicked() {
                (panel.request, panel.replace) = (Some(AppRequest::Rig(true)), None);
            }
            if ui.button("Cancel").clicked() {
                panel.replace = None;
            }
        });
        return;
    }
    let changed = session.is_rig_changed();
    ui.horizontal(|ui| {
        let button = Button::new("Save rig");
        let hint = "Save limits, poles and solver options to the .rig.toml file beside the model. Comments are kept.";
        if ui.add_enabled(changed, button).on_hover_text(hint).clicked() {
            panel.request = Some(AppRequest::Rig(false));
        }
        if changed {
            ui.label(RichText::new("Unsaved").small().color(theme::accent(ui)));
        }
    });
}
