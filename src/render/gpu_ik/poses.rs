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
        let (Some(&first), Some(&last)) = (problems.first(), problems.last()) else { return };
        // The problems of a group are in ascending order. Problems of other groups may be between them.
        let range = first..=last;
        let (bodies, results) = (self.bodies.get_mut(range.clone()), self.results.get_mut(range.clone()));
        let (Some(bodies), Some(results)) = (bodies, results) else { return };
        let goals = self.goals.get(range).unwrap_or_default();
        let (options, is_contiguous) = (self.options, problems.len() == bodies.len());
        let all = bodies.par_iter_mut().zip(results).zip(goals).enumerate();
        all.for_each_init(Solver::default, |solver, (index, ((body, result), goals))| {
            let number = if is_contiguous { Ok(index) } else { problems.binary_search(&(first + index)) };
            let Ok(number) = number else { return };
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
