//! The traces of a puppet's solves.

use crate::ik::{Method, Step};

use super::Target;
use super::bindings::Bound;

/// A step of a solve, and the node that it turns or moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeStep {
    /// The node's index. On the path from a base up to its ancestors, a step rotates everything except the part beyond
    /// this joint. The joint itself gets the inverse rotation.
    pub node: usize,
    /// The step.
    pub step: Step,
}

/// The trace of a solve: the steps that lead from the pose before it to its result.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveTrace {
    /// The number of the solve, as in [`GoalReport::solve`](super::GoalReport::solve).
    pub solve: usize,
    /// The method that found the pose.
    pub method: Method,
    /// The targets that were solved together, without the pins.
    pub targets: Vec<Target>,
    /// The steps.
    pub steps: Vec<NodeStep>,
    /// The arguments with which [`Bindings::bind`](super::bindings::Bindings::bind) binds the same nodes again.
    pub(super) base: usize,
    pub(super) whole_body: bool,
    pub(super) bound_nodes: Vec<usize>,
}

impl SolveTrace {
    /// Returns the steps of a solved binding. A fixed base without a joint never moves, so it has no step.
    pub(super) fn node_steps(bound: &Bound, steps: &[Step]) -> Vec<NodeStep> {
        let node = |step: &Step| Some(NodeStep { node: bound.binding.node(step.link)?, step: *step });
        steps.iter().filter_map(node).collect()
    }
}
