//! The traces of a puppet's solves, and the poses along them.

use crate::ik::{Method, Options, Step};
use crate::pose::{Pose, world_matrices};

use super::bindings::{BindError, Bound};
use super::solve::{Posable, Workspace};
use super::{Puppet, PuppetError, Target};

/// A step of a solve, and the node that it turns or moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeStep {
    /// The node's index. If the step is on the way from a base up to its ancestors, everything but the part beyond this
    /// joint turns, and its own rotation is the inverse of the step's turn.
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
    /// What [`Bindings::bind`](super::bindings::Bindings::bind) needs to bind the same nodes again.
    pub(super) base: usize,
    pub(super) bound_nodes: Vec<usize>,
}

impl SolveTrace {
    /// Returns the steps of a solved binding. A fixed base without a joint never moves, so it has no step.
    pub(super) fn node_steps(bound: &Bound, steps: &[Step]) -> Vec<NodeStep> {
        let node = |step: &Step| Some(NodeStep { node: bound.binding.node(step.link)?, step: *step });
        steps.iter().filter_map(node).collect()
    }
}

impl Workspace {
    /// Poses a character as it is after the first `count` steps of the last frame's traces. The character must be in the
    /// pose before the first solve.
    fn pose_at_step(&mut self, posable: &mut Posable<'_>, mut count: usize) -> Result<(), PuppetError> {
        for trace in &self.traces {
            let bindings = &mut self.bindings;
            bindings.refresh(&posable.subject())?;
            let bound = bindings.bind(&posable.subject(), trace.base, &trace.bound_nodes);
            let binding = bound.map_err(|error| match error {
                BindError::Rig(error) => error.into(),
                BindError::Solve(source) => PuppetError::Solve { effector: String::new(), source },
            })?;
            let Some(bound) = bindings.get_mut(binding) else { continue };
            let taken = count.min(trace.steps.len());
            trace.steps.iter().take(taken).for_each(|s| s.step.apply(&mut bound.body));
            let skeleton = &posable.character.skeleton;
            bindings.write_back(binding, skeleton, posable.pose, posable.world_from_node);
            count -= taken;
            if count == 0 {
                break;
            }
        }
        Ok(())
    }
}

impl Puppet {
    /// Returns the traces of the last [`Puppet::update`], one for each group of targets. Empty unless
    /// [`Options::trace`] or [`Puppet::shown_steps`] is set. Contact constraints are not traced.
    pub fn traces(&self) -> &[SolveTrace] {
        &self.workspace.traces
    }

    /// Returns the steps of all traces in their order, each with the trace that contains it.
    pub fn steps(&self) -> impl Iterator<Item = (&SolveTrace, &NodeStep)> {
        self.traces().iter().flat_map(|trace| trace.steps.iter().map(move |step| (trace, step)))
    }

    /// Returns the options with which the targets are solved.
    pub(super) fn solve_options(&self) -> Options {
        Options { trace: self.options.trace || self.shown_steps.is_some(), ..self.options }
    }

    /// Goes back from the result to the pose after [`Puppet::shown_steps`]. `before` is the pose before the first solve.
    pub(super) fn show_steps(&mut self, before: &Pose) -> Result<(), PuppetError> {
        let Some(count) = self.shown_steps.filter(|&count| count < self.steps().count()) else {
            return Ok(());
        };
        self.pose.clone_from(before);
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        let mut posable = Posable {
            character: &self.character,
            rig: &self.rig,
            style: self.style.as_ref(),
            pose: &mut self.pose,
            world_from_node: &mut self.world_from_node,
        };
        self.workspace.pose_at_step(&mut posable, count)
    }
}
