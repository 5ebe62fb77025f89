//! The scene of a document: the character's pose, its goals and pins, and its motion.

use std::sync::Arc;

use crate::ik::{AxesFrame, GoalAxes};
use crate::motion::Motion;
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::Rig;

/// Maximum weight of a goal. A goal with this weight practically overrides goals of weight one.
pub(crate) const MAX_GOAL_WEIGHT: f64 = 1e3;

/// Returns whether axes are valid for a goal.
pub(crate) fn axes_fit(axes: &GoalAxes, goal: &Target) -> bool {
    axes.validate().is_ok() && (axes.frame == AxesFrame::World || goal.orientation.is_some())
}

/// Everything that undo restores: pose, goals, rig and motion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    /// The pose that replaces the rest pose, before the motion and the goals are applied.
    pub(crate) held: Pose,
    /// Goals that remain after a drag.
    pub(crate) goals: Vec<Target>,
    /// Nodes that must stay in place while others are dragged.
    pub(crate) pins: Vec<Pin>,
    /// The node that does not move while others are dragged.
    pub(crate) base: Option<usize>,
    /// Chains, limits and poles.
    pub(crate) rig: Arc<Rig>,
    /// The loaded motion.
    pub(crate) motion: Arc<Motion>,
    /// The time of the held pose in seconds, if the motion consists of key poses.
    pub(crate) time: f32,
}

impl Scene {
    pub(crate) fn has_node(&self, node: usize) -> bool {
        node < self.held.locals.len()
    }

    pub(crate) fn has_goal(&self, node: usize) -> bool {
        self.goals.iter().any(|goal| goal.node == node)
    }

    /// Returns whether goal keys hold a node at a time.
    pub(crate) fn has_goal_key(&self, node: usize, time: f32) -> bool {
        self.motion.goal_at(node, time).is_some_and(|goal| goal.weight > 0.0)
    }

    /// Stores a goal. It replaces the node's previous goal and inherits that goal's axes if they are valid for the new goal.
    pub(crate) fn store_goal(&mut self, goal: Target) {
        let before = self.goals.iter().find(|g| g.node == goal.node).map(|g| g.axes);
        let axes = before.filter(|axes| axes_fit(axes, &goal)).unwrap_or(goal.axes);
        self.remove_goals(&[goal.node]);
        self.goals.push(Target { axes, ..goal });
    }

    /// Sets the weight of a node's goal relative to other goals, limited to [`MAX_GOAL_WEIGHT`].
    pub(crate) fn set_goal_weight(&mut self, node: usize, weight: f64) {
        for goal in self.goals.iter_mut().filter(|goal| goal.node == node) {
            goal.weight = weight.min(MAX_GOAL_WEIGHT);
        }
    }

    /// Sets the weights and tolerances of a node's goal along its axes, if the values are valid for that goal.
    pub(crate) fn set_goal_axes(&mut self, node: usize, axes: &GoalAxes) {
        for goal in self.goals.iter_mut().filter(|goal| goal.node == node && axes_fit(axes, goal)) {
            goal.axes = *axes;
        }
    }

    /// Removes the goals of some nodes.
    pub(crate) fn remove_goals(&mut self, nodes: &[usize]) {
        self.goals.retain(|goal| !nodes.contains(&goal.node));
    }

    pub(crate) fn is_pinned(&self, node: usize) -> bool {
        self.pins.iter().any(|pin| pin.node == node)
    }

    /// Adds a pin, or removes it if the node is already pinned.
    pub(crate) fn toggle_pin(&mut self, pin: Pin) {
        match self.pins.iter().position(|p| p.node == pin.node) {
            Some(index) => drop(self.pins.remove(index)),
            None => self.pins.push(pin),
        }
    }

    /// Returns the size of the scene in bytes, excluding the rig.
    pub(super) fn bytes(&self) -> usize {
        let Self { held, goals, pins, base: _, rig: _, motion, time: _ } = self;
        size_of::<Self>()
            + size_of_val(&held.locals[..])
            + size_of_val(&held.weights[..])
            + size_of_val(&goals[..])
            + size_of_val(&pins[..])
            + motion.bytes()
    }
}
