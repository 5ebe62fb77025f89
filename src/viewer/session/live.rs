//! Poses and goals from a live source.

use std::time::Duration;

use crate::Command;
use crate::asset::Transform;
use crate::capture::vmc::{LiveGoal, LiveSource};
use crate::document::{History, Scene, axes_fit, set_pose_values};
use crate::pose::Pose;
use crate::puppet::Target;

/// Returns the data that a source has received since the last call: goals, and the command that sets what has changed in the held pose.
/// `None` if no data has arrived. `seconds` is the time that the filters and the take of the source use.
pub(super) fn received(source: &mut LiveSource, seconds: f64, held: &Pose) -> Option<(Vec<Target>, Command)> {
    let mut pose = held.clone();
    if !source.update(seconds, &mut pose) {
        return None;
    }
    let pairs = pose.locals.iter().zip(&held.locals).enumerate();
    let moved = pairs.filter(|(_, (now, was))| now != was);
    let nodes = moved.map(|(node, (now, _))| (node, *now)).collect();
    let morphs = if pose.weights == held.weights { Vec::new() } else { pose.weights };
    let goals = source.goals().iter().map(live_target).collect();
    Some((goals, Command::LivePose(nodes, morphs)))
}

/// Sets goals. A goal inherits the weight and the axes of the goal that it replaces. Invalid goals and unknown nodes are ignored. The undo
/// steps are as in [`set_pose`].
pub(super) fn set_goals(scene: &mut Scene, history: &mut History, now: Duration, goals: Vec<Target>) {
    history.remember_live(now, scene);
    let nodes = scene.held.locals.len();
    for goal in goals.into_iter().filter(|goal| goal.node < nodes && is_valid_goal(goal)) {
        let before = scene.goals.iter().find(|g| g.node == goal.node).map(|g| g.weight);
        scene.store_goal(Target { weight: before.unwrap_or(goal.weight), ..goal });
    }
}

/// Sets the local transforms of some nodes, and all morph weights unless `morphs` is empty. Invalid transforms and unknown nodes are ignored.
///
/// The first pose of a source adds one undo step, as does the first pose after each pause. Other poses add none, so that the user's own
/// edits remain separate undo steps.
pub(super) fn set_pose(
    scene: &mut Scene,
    history: &mut History,
    now: Duration,
    nodes: &[(usize, Transform)],
    morphs: &[f32],
) {
    history.remember_live(now, scene);
    set_pose_values(&mut scene.held, nodes, morphs);
}

/// Returns whether a live source's goal is valid. A valid goal has a position and no base.
fn is_valid_goal(goal: &Target) -> bool {
    let is_finite =
        goal.offset.as_vec3().is_finite() && goal.position.is_some_and(|p| p.as_vec3().is_finite());
    let is_weight = goal.weight.is_finite() && goal.weight >= 0.0;
    is_finite && is_weight && goal.base.is_none() && axes_fit(&goal.axes, goal)
}

/// Returns the target of a live source's goal.
fn live_target(goal: &LiveGoal) -> Target {
    Target::new(goal.node).with_offset(goal.offset.as_dvec3()).with_position(goal.position.as_dvec3())
}
