//! Poses along the steps of a puppet's solves.

use crate::ik::Options;
use crate::pose::{Pose, world_matrices};

use super::bindings::BindError;
use super::solve::{Posable, Workspace};
use super::{NodeStep, Puppet, PuppetError, PuppetOptions, SolveTrace, fits};

impl Workspace {
    /// Puts a character into the pose after the first `count` steps of the last frame's traces. The character must be in the pose that it
    /// had before the first solve.
    fn pose_at_step(&mut self, posable: &mut Posable<'_>, mut count: usize) -> Result<(), PuppetError> {
        for trace in &self.traces {
            if count == 0 {
                break;
            }
            let bindings = &mut self.bindings;
            bindings.refresh(&posable.subject())?;
            let bound = bindings.bind(&posable.subject(), trace.base, trace.whole_body, &trace.bound_nodes);
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
        }
        Ok(())
    }
}

impl Puppet {
    /// Returns the traces of the last [`Puppet::update`], one for each group of targets. Empty unless
    /// [`Options::trace`] or [`PuppetOptions::shown_steps`] is set. Contact constraints are not traced.
    pub fn traces(&self) -> &[SolveTrace] {
        &self.workspace.traces
    }

    /// Returns the steps of all traces in order, each with the trace that contains it.
    pub fn steps(&self) -> impl Iterator<Item = (&SolveTrace, &NodeStep)> {
        self.traces().iter().flat_map(|trace| trace.steps.iter().map(move |step| (trace, step)))
    }

    /// Returns the options for solving the targets.
    pub(super) fn solve_options(&self) -> Options {
        let PuppetOptions { solver, shown_steps, .. } = self.options;
        solver.with_trace(solver.trace || shown_steps.is_some())
    }

    /// Replaces the result with the pose after the first [`PuppetOptions::shown_steps`] steps. `before` is the pose before the first solve.
    pub(super) fn show_steps(&mut self, before: &Pose) -> Result<(), PuppetError> {
        let Some(count) = self.options.shown_steps.filter(|&count| count < self.steps().count()) else {
            return Ok(());
        };
        self.pose.clone_from(before);
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        let mut posable = Posable {
            character: &self.character,
            rig: &self.rig,
            style: self.style.as_ref(),
            stance: self.stance.as_ref().filter(|stance| fits(&self.character, stance)),
            pose: &mut self.pose,
            world_from_node: &mut self.world_from_node,
        };
        self.workspace.pose_at_step(&mut posable, count)
    }
}
