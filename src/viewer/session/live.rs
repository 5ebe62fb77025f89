//! Poses from a live source.

use std::time::Duration;

use crate::Command;
use crate::asset::Transform;
use crate::capture::vmc::{LiveGoal, LiveSource};
use crate::puppet::Target;

use super::Session;
use crate::document::axes_fit;
use crate::document::is_valid;

/// Maximum time without data before a live source counts as paused.
const MAX_GAP: Duration = Duration::from_secs(1);

impl Session {
    /// Follows a live source: applies the data received since the last call as [`Command::LiveGoals`] and [`Command::LivePose`], and adds
    /// the result to the source's running take. `seconds` is the time that the filters and the take of the source use. Returns false if no
    /// data has arrived.
    pub fn follow_performer(&mut self, source: &mut LiveSource, seconds: f64) -> bool {
        let held = &self.document.scene.held;
        let mut pose = held.clone();
        if !source.update(seconds, &mut pose) {
            return false;
        }
        let pairs = pose.locals.iter().zip(&held.locals).enumerate();
        let moved = pairs.filter(|(_, (now, was))| now != was);
        let nodes = moved.map(|(node, (now, _))| (node, *now)).collect();
        let morphs = if pose.weights == held.weights { Vec::new() } else { pose.weights };
        let goals: Vec<Target> = source.goals().iter().map(target).collect();
        let has_goals = !goals.is_empty();
        if has_goals {
            self.apply(Command::LiveGoals(goals));
        }
        self.apply(Command::LivePose(nodes, morphs));
        if has_goals {
            source.record_solved(seconds, &self.document.scene.held);
        }
        true
    }

    /// Sets goals. A goal inherits the weight and the axes of the goal that it replaces. Invalid goals and unknown nodes are ignored.
    pub(super) fn set_live_goals(&mut self, goals: Vec<Target>) {
        self.begin_live();
        let nodes = self.puppet.character().skeleton.nodes.len();
        for goal in goals.into_iter().filter(|goal| goal.node < nodes && is_valid_goal(goal)) {
            let before = self.document.scene.goals.iter().find(|g| g.node == goal.node).map(|g| g.weight);
            self.document.scene.store_goal(Target { weight: before.unwrap_or(goal.weight), ..goal });
        }
    }

    /// Adds an undo step before the first data of a source, and before the first data after a pause.
    fn begin_live(&mut self) {
        let now = self.clock.now;
        if self.followed.is_none_or(|last| now.saturating_sub(last) > MAX_GAP) {
            self.history.remember(self.document.scene.clone());
        }
        self.followed = Some(now);
    }

    /// Sets the local transforms of some nodes, and all morph weights unless `morphs` is empty. The goals are then
    /// solved from this pose. Invalid transforms and unknown nodes are ignored.
    ///
    /// The first pose of a source adds one undo step, as does the first pose after each pause. Other poses add none,
    /// so that the user's own edits remain separate undo steps.
    pub(super) fn apply_live_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32]) {
        self.begin_live();
        let held = &mut self.document.scene.held;
        for (node, transform) in nodes.iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = held.locals.get_mut(*node) {
                *local = *transform;
            }
        }
        if morphs.len() == held.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            held.weights.copy_from_slice(morphs);
        }
        if self.is_dragging() || !self.document.scene.goals.is_empty() { self.solve() } else { self.show() }
    }
}

/// Returns whether a live source's goal is valid. A valid goal has a position and no base.
fn is_valid_goal(goal: &Target) -> bool {
    let is_finite =
        goal.offset.as_vec3().is_finite() && goal.position.is_some_and(|p| p.as_vec3().is_finite());
    let is_weight = goal.weight.is_finite() && goal.weight >= 0.0;
    is_finite && is_weight && goal.base.is_none() && axes_fit(&goal.axes, goal)
}

fn target(goal: &LiveGoal) -> Target {
    Target::new(goal.node).with_offset(goal.offset.as_dvec3()).with_position(goal.position.as_dvec3())
}
