//! Goals that stay after a drag: their errors, weights and removal.

use crate::ik::{AxesFrame, GoalAxes};
use crate::puppet::Target;
use crate::rig::orientation;
use crate::viewer::session::drag::Drag;
use crate::viewer::session::history::EditRun;

use super::Session;

/// Maximum weight of a goal. A goal with this weight practically overrides goals of weight one.
pub(in crate::viewer) const MAX_GOAL_WEIGHT: f64 = 1e3;

/// Returns whether axes are valid for a goal.
pub(super) fn axes_fit(axes: &GoalAxes, goal: &Target) -> bool {
    axes.validate().is_ok() && (axes.frame == AxesFrame::World || goal.orientation.is_some())
}

impl Session {
    /// Returns the goals that stay, and the goal of a drag once the pointer has moved.
    pub(in crate::viewer) fn goals(&self) -> Vec<Target> {
        self.targets_and_pins(self.drag.as_ref().filter(|drag| drag.moved).map(Drag::target_and_pins)).0
    }

    /// Returns the distance in world metres and the angle in radians between the current pose and a goal, without free
    /// axes.
    pub(in crate::viewer) fn goal_error(&self, goal: &Target) -> (Option<f64>, Option<f64>) {
        let skeleton = &self.puppet.character().skeleton;
        let Some(world) = self.puppet.world_from_node().get(goal.node) else { return (None, None) };
        let reached = world.transform_point3(goal.offset.as_vec3()).as_dvec3();
        let turned = || orientation(skeleton, self.puppet.pose(), goal.node);
        let Target { axes, position, orientation, .. } = goal;
        let angle = orientation.and_then(|wanted| axes.orientation_error(wanted, turned()));
        (position.and_then(|wanted| axes.position_error(wanted - reached, *orientation)), angle)
    }

    /// Sets the weight of a goal and solves again. Consecutive changes to the same goal, until the next release, form
    /// one undo step.
    pub(super) fn set_goal_weight(&mut self, node: usize, weight: f64) {
        if !(weight.is_finite() && weight >= 0.0 && self.state.goals.iter().any(|g| g.node == node)) {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(EditRun::Weight(node), &self.state);
        for goal in self.state.goals.iter_mut().filter(|g| g.node == node) {
            goal.weight = weight.min(MAX_GOAL_WEIGHT);
        }
        self.solve();
    }

    /// Sets the weights and tolerances of a goal along its axes, and solves again. Consecutive changes to the same goal,
    /// until the next release, form one undo step. Invalid numbers have no effect, nor do axes of the target for a goal
    /// without an orientation.
    pub(super) fn set_goal_axes(&mut self, node: usize, axes: GoalAxes) {
        let fits = |goal: &Target| goal.node == node && axes_fit(&axes, goal);
        if !self.state.goals.iter().any(fits) {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(EditRun::Axes(node), &self.state);
        for goal in self.state.goals.iter_mut().filter(|g| fits(g)) {
            goal.axes = axes;
        }
        self.solve();
    }

    /// Stores the goal of a drag that ends. It replaces the goal of the same node, whose axes it takes over if they fit.
    pub(in crate::viewer::session) fn store_goal(&mut self, goal: Target) {
        let before = self.state.goals.iter().find(|g| g.node == goal.node).map(|g| g.axes);
        let axes = before.filter(|axes| axes_fit(axes, &goal)).unwrap_or(goal.axes);
        self.state.goals.retain(|g| g.node != goal.node);
        self.state.goals.push(Target { axes, ..goal });
    }

    /// Removes one goal and solves for the others.
    pub(super) fn remove_goal(&mut self, node: usize) {
        if !self.state.goals.iter().any(|g| g.node == node) {
            return;
        }
        self.release();
        self.history.remember(self.state.clone());
        self.state.goals.retain(|g| g.node != node);
        self.problem = None;
        if self.state.goals.is_empty() { self.show() } else { self.solve() }
    }
}
