//! Edits of the scene besides its pose: goals, pins, morph weights, limits and the options of the rig.

use crate::Command;
use crate::document::{Document, EditRun, Selection, axes_fit};
use crate::puppet::Puppet;

use super::limb;
use super::place::pin_here;
use super::rig_edits::{change_rig, limit_joint};

/// What a session does after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refresh {
    Nothing,
    Show,
    Solve,
    /// Forgets the last solve. Then shows the pose, or solves for the goals that are left.
    ShowRest,
    /// Moves all pins to their nodes, and solves.
    MovePins,
    /// Forgets the last solve, moves all pins to their nodes, and shows the pose.
    ShowEdited,
}

/// Returns how a command that edits the scene is undone and shown. It is undone as a part of a run of edits or, if there is no run, as a step
/// of its own. `None` if the command has no effect. `node` is the node that keys act on.
pub(super) fn effect(
    command: &Command,
    puppet: &Puppet,
    document: &Document,
    node: Option<usize>,
) -> Option<(Option<EditRun>, Refresh)> {
    let scene = &document.scene;
    let (is_valid, run, refresh) = match *command {
        Command::ClearGoals => (true, None, Refresh::ShowRest),
        Command::RestAll => (true, None, Refresh::ShowEdited),
        Command::RemoveGoal(node) => (scene.has_goal(node), None, Refresh::ShowRest),
        Command::GoalWeight(node, weight) => {
            let is_valid = weight.is_finite() && weight >= 0.0 && scene.has_goal(node);
            (is_valid, Some(EditRun::Weight(node)), Refresh::Solve)
        }
        Command::GoalAxes(node, ref axes) => {
            let is_valid = scene.goals.iter().any(|goal| goal.node == node && axes_fit(axes, goal));
            (is_valid, Some(EditRun::Axes(node)), Refresh::Solve)
        }
        Command::Pin | Command::PinNode(_) => {
            let nodes = toggled_pins(command, &document.selection, node);
            let exist = nodes.iter().all(|&node| scene.has_node(node));
            (exist && !nodes.is_empty(), None, Refresh::Nothing)
        }
        Command::Base => (node.is_some(), None, Refresh::Nothing),
        Command::Morph(index, weight) => {
            let is_valid = index < scene.held.weights.len() && weight.is_finite();
            (is_valid, Some(EditRun::Morph(index)), Refresh::Show)
        }
        Command::Limit(node, limit) => {
            let is_valid = scene.has_node(node) && limit.validate().is_ok();
            (is_valid, Some(EditRun::Limit(node)), Refresh::MovePins)
        }
        Command::Pull(end, pull) => {
            let is_end = limb::pull(&puppet.rig, end).is_some_and(|(chain, _)| chain.effector == end);
            (is_end && (0.0..=1.0).contains(&pull), Some(EditRun::Pull(end)), Refresh::Solve)
        }
        Command::StoreOptions => (document.storable_options() != scene.rig.options, None, Refresh::Nothing),
        _ => return None,
    };
    is_valid.then_some((run, refresh))
}

/// Executes a command that has an [`effect`].
pub(super) fn apply(command: &Command, puppet: &mut Puppet, document: &mut Document, node: Option<usize>) {
    let scene = &mut document.scene;
    match *command {
        Command::ClearGoals => (scene.goals, scene.pins, scene.base) = (Vec::new(), Vec::new(), None),
        Command::RestAll => {
            scene.held.reset(&puppet.character().skeleton);
            scene.goals.clear();
        }
        Command::RemoveGoal(node) => scene.remove_goals(&[node]),
        Command::GoalWeight(node, weight) => scene.set_goal_weight(node, weight),
        Command::GoalAxes(node, ref axes) => scene.set_goal_axes(node, axes),
        Command::Pin | Command::PinNode(_) => {
            // Pins nodes at their current positions and orientations, or removes their pins if all are already pinned.
            let mut nodes = toggled_pins(command, &document.selection, node);
            let unpins = nodes.iter().all(|node| scene.is_pinned(*node));
            nodes.retain(|node| scene.is_pinned(*node) == unpins);
            nodes.into_iter().for_each(|node| scene.toggle_pin(pin_here(puppet, node)));
        }
        Command::Base => scene.base = node.filter(|_| scene.base != node),
        Command::Morph(index, weight) => {
            if let Some(now) = scene.held.weights.get_mut(index) {
                *now = weight.clamp(-2.0, 2.0);
            }
        }
        Command::Limit(node, limit) => limit_joint(puppet, document, node, limit),
        Command::Pull(end, pull) => change_rig(puppet, scene, |rig| rig.set_pull(end, pull)),
        Command::StoreOptions => {
            let stored = document.storable_options();
            change_rig(puppet, &mut document.scene, |rig| rig.options = stored);
        }
        _ => {}
    }
}

/// Returns the nodes that a command pins or unpins. If the joint that keys act on is one of several selected joints, these are all of them.
fn toggled_pins(command: &Command, selection: &Selection, node: Option<usize>) -> Vec<usize> {
    match (command, node) {
        (Command::PinNode(node), _) => vec![*node],
        (_, Some(node)) if selection.nodes().contains(&node) => selection.nodes(),
        (_, node) => node.into_iter().collect(),
    }
}
