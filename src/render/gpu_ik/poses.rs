//! Poses of bodies, from the GPU or from the CPU.

use rayon::prelude::*;

use crate::ik::{Body, Goal, Options, SolveError, Solver};

use super::group::Group;
use super::measured::Answer;
use super::options::{CpuReason, GpuOptions, Solved, SolvedBy};
use super::pipeline::{Block, Receiver};

/// The bodies of a batch, and the results of the problems that are solved.
pub(super) struct PoseReceiver<'a> {
    bodies: &'a mut [Body],
    goals: &'a [Vec<Goal>],
    options: &'a GpuOptions,
    results: Vec<Option<Solved>>,
}

impl<'a> PoseReceiver<'a> {
    pub(super) fn new(bodies: &'a mut [Body], goals: &'a [Vec<Goal>], options: &'a GpuOptions) -> Self {
        let results = bodies.iter().map(|_| None).collect();
        Self { bodies, goals, options, results }
    }

    /// Returns the bodies, and the result of each problem that is solved.
    pub(super) fn into_parts(self) -> (&'a mut [Body], Vec<Option<Solved>>) {
        (self.bodies, self.results)
    }
}

impl Receiver for PoseReceiver<'_> {
    fn bodies(&self) -> &[Body] {
        self.bodies
    }

    fn receive(&mut self, _: usize, group: &Group, block: Block) {
        let problems = group.problems.get(block.problems.clone()).unwrap_or_default();
        let (options, all_goals) = (self.options, self.goals);
        // The problems of a group are in ascending order, so one pass finds the bodies of all of them. Bodies between them belong to other
        // groups, and skipping them takes no time.
        let (mut bodies, mut results, mut next) = (self.bodies.iter_mut(), self.results.iter_mut(), 0);
        let slot = |(number, &index): (usize, &usize)| {
            let skipped = index.checked_sub(next)?;
            next = index + 1;
            Some((number, bodies.nth(skipped)?, results.nth(skipped)?, all_goals.get(index)?))
        };
        let slots: Vec<_> = problems.iter().enumerate().filter_map(slot).collect();
        slots.into_par_iter().for_each_init(Solver::default, |solver, (number, body, result, goals)| {
            *result = Some(pose(solver, group, block.answer(number), body, goals, options));
        });
    }
}

/// Poses a body that is in the state in which the solve started, and continues on the CPU if the options contain a polish.
pub(super) fn pose(
    solver: &mut Solver,
    group: &Group,
    answer: Answer<'_>,
    body: &mut Body,
    goals: &[Goal],
    options: &GpuOptions,
) -> Solved {
    let report = group.apply(answer, body, goals, &options.options, options.iterations);
    if options.polish {
        return group.polish(solver, body, goals, &options.options, report);
    }
    Solved { report, by: SolvedBy::Gpu }
}

/// Solves a problem on the CPU.
pub(super) fn solve_alone(
    solver: &mut Solver,
    body: &mut Body,
    goals: &[Goal],
    options: &Options,
    reason: CpuReason,
) -> Result<Solved, SolveError> {
    // Only continued solves use the warm-start state.
    solver.reset();
    let report = solver.solve(body, goals, options)?.clone();
    Ok(Solved { report, by: SolvedBy::Cpu(reason) })
}
