//! The panel section for goals that remain after a drag.

use egui::{Button, RichText, Slider, Ui};

use crate::document::MAX_GOAL_WEIGHT;
use crate::puppet::{Puppet, Target};
use crate::{Command, Session, rig};

use super::{finish, goal_axes, heading, node_name, theme};

/// Shows each goal's joint, remaining error, weight and axes.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if session.document.scene.goals.is_empty() {
        return;
    }
    heading(ui, "Goals");
    for goal in &session.document.scene.goals {
        let (metres, radians) = error(&session.puppet, goal);
        let metres = metres.map(|m| format!("{:.2} mm", m * 1e3));
        let degrees = radians.map(|r| format!("{:.2}°", r.to_degrees()));
        let errors: Vec<String> = metres.into_iter().chain(degrees).collect();
        let name = node_name(session, goal.node);
        let title = ui.horizontal(|ui| {
            let title = ui.label(RichText::new(&name).strong());
            ui.label(RichText::new(errors.join("   ")).color(theme::quiet(ui)));
            title
        });
        ui.horizontal(|ui| {
            let mut weight = goal.weight;
            let slider =
                Slider::new(&mut weight, 0.0..=MAX_GOAL_WEIGHT).logarithmic(true).smallest_positive(1e-2);
            let slider = ui.add(slider.max_decimals(2)).labelled_by(title.inner.id);
            let slider = slider.on_hover_text("Weight of this goal when goals conflict");
            if slider.changed() {
                commands.push(Command::GoalWeight(goal.node, weight));
            }
            finish(&slider, commands);
            let key = ui.add(Button::new("Key").small());
            if key.on_hover_text(format!("Key the goal of {name} at this time")).clicked() {
                commands.push(Command::KeyGoal(goal.node));
            }
            let remove = ui.add(Button::new("Remove").small());
            if remove.on_hover_text(format!("Remove the goal of {name}")).clicked() {
                commands.push(Command::RemoveGoal(goal.node));
            }
        });
        goal_axes::show(ui, goal, commands);
    }
}

/// Returns the distance in world metres and the angle in radians between the current pose and a goal, ignoring free axes.
fn error(puppet: &Puppet, goal: &Target) -> (Option<f64>, Option<f64>) {
    let skeleton = &puppet.character().skeleton;
    let Some(world) = puppet.world_from_node().get(goal.node) else { return (None, None) };
    let reached = world.transform_point3(goal.offset.as_vec3()).as_dvec3();
    let turned = || rig::orientation(skeleton, puppet.pose(), goal.node);
    let Target { axes, position, orientation, .. } = goal;
    let angle = orientation.and_then(|wanted| axes.orientation_error(wanted, turned()));
    (position.and_then(|wanted| axes.position_error(wanted - reached, *orientation)), angle)
}
