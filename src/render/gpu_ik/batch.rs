//! Batches whose errors are measured on the GPU, and whose bodies are posed on request.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::ik::{Body, Goal, Outcome, SolveError, Solver};

use super::block_buffers::ProblemSize;
use super::group::Group;
use super::judge::GoalErrors;
use super::measured::Answer;
use super::options::{CpuReason, GpuOptions, Solved, SolvedBy};
use super::pipeline::{Block, Receiver};
use super::poses::{pose, solve_alone};

/// The errors of a batch, and the poses that belong to them.
///
/// The batch borrows the bodies and the goals, because its answers are only valid for the poses from which the solve started.
#[derive(Debug)]
pub struct GpuBatch<'a> {
    bodies: &'a [Body],
    goals: &'a [Vec<Goal>],
    options: GpuOptions,
    groups: Vec<Group>,
    answers: GpuAnswers,
    /// The results of the problems that only the CPU solved.
    on_cpu: HashMap<usize, OnCpu>,
}

/// The answers from the GPU.
#[derive(Debug)]
pub(super) struct GpuAnswers {
    blocks: Vec<AnsweredBlock>,
    /// For each problem, its block and its number there, or `None` if the GPU has not solved it.
    places: Vec<Option<(usize, usize)>>,
    measured_again: usize,
}

#[derive(Debug)]
struct AnsweredBlock {
    group: usize,
    size: ProblemSize,
    answers: Vec<[f32; 4]>,
    /// The errors of the goals of each problem.
    errors: Vec<GoalErrors>,
}

/// A problem that the CPU solved: the posed body, the result, and its errors.
#[derive(Debug)]
struct OnCpu {
    body: Body,
    result: Result<Solved, SolveError>,
    errors: Vec<GoalErrors>,
}

/// Receives the errors of a batch, block by block.
pub(super) struct ErrorReceiver<'a> {
    bodies: &'a [Body],
    goals: &'a [Vec<Goal>],
    options: &'a GpuOptions,
    answers: GpuAnswers,
}

impl<'a> ErrorReceiver<'a> {
    pub(super) fn new(bodies: &'a [Body], goals: &'a [Vec<Goal>], options: &'a GpuOptions) -> Self {
        let answers = GpuAnswers { blocks: Vec::new(), places: vec![None; bodies.len()], measured_again: 0 };
        Self { bodies, goals, options, answers }
    }

    pub(super) fn into_answers(self) -> GpuAnswers {
        self.answers
    }

    /// Writes the errors of a problem, and returns whether the CPU had to measure them. The problem is given by its number in the block and
    /// its index in the batch.
    fn measure(
        &self,
        group: &Group,
        block: &Block,
        (number, index): (usize, usize),
        to: &mut [GoalErrors],
    ) -> bool {
        let (Some(body), Some(goals)) = (self.bodies.get(index), self.goals.get(index)) else { return false };
        let (options, iterations) = (&self.options.options, self.options.iterations);
        let (answer, measured) = (block.answer(number), block.errors(number));
        // The CPU ignores rotations that are not finite. WGSL does not promise that the errors of such an answer are not finite either, so
        // they must not decide anything.
        let mut all_decided = measured.len() == goals.len() && answer.is_finite();
        for ((place, goal), (slot, error)) in goals.iter().enumerate().zip(to.iter_mut().zip(measured)) {
            match group.judge(place, error, goal, body, options, iterations) {
                Some(errors) => *slot = errors,
                None => all_decided = false,
            }
        }
        if all_decided {
            return false;
        }
        let mut posed = body.clone();
        let report = group.apply(answer, &mut posed, goals, options, iterations);
        for (slot, goal) in to.iter_mut().zip(&report.goals) {
            *slot = goal.into();
        }
        true
    }
}

impl Receiver for ErrorReceiver<'_> {
    fn bodies(&self) -> &[Body] {
        self.bodies
    }

    fn receive(&mut self, number: usize, group: &Group, block: Block) {
        let problems = group.problems.get(block.problems.clone()).unwrap_or_default();
        let goals = group.structure.effectors.len().max(1);
        let mut errors = vec![GoalErrors::default(); problems.len() * goals];
        let each = errors.par_chunks_mut(goals).zip(problems).enumerate();
        let measure = |(place, (to, &index)): (usize, (&mut [GoalErrors], &usize))| {
            usize::from(self.measure(group, &block, (place, index), to))
        };
        let measured_again: usize = each.map(measure).sum();
        self.answers.measured_again += measured_again;
        let block_number = self.answers.blocks.len();
        for (place, &index) in problems.iter().enumerate() {
            if let Some(slot) = self.answers.places.get_mut(index) {
                *slot = Some((block_number, place));
            }
        }
        let (size, answers) = (block.size(), block.into_answers());
        self.answers.blocks.push(AnsweredBlock { group: number, size, answers, errors });
    }
}

impl<'a> GpuBatch<'a> {
    /// Solves the other problems on the CPU.
    pub(super) fn new(
        bodies: &'a [Body],
        goals: &'a [Vec<Goal>],
        options: GpuOptions,
        groups: Vec<Group>,
        answers: GpuAnswers,
        reason: impl Fn(usize) -> CpuReason + Sync,
    ) -> Self {
        let others = answers.places.par_iter().zip(bodies).zip(goals).enumerate();
        let others = others.filter(|(_, ((place, _), _))| place.is_none());
        let solved = others.map_init(Solver::default, |solver, (index, ((_, body), goals))| {
            let mut body = body.clone();
            let result = solve_alone(solver, &mut body, goals, &options.options, reason(index));
            let found = result.iter().flat_map(|solved| &solved.report.goals);
            let errors = found.map(GoalErrors::from).collect();
            (index, OnCpu { body, result, errors })
        });
        let on_cpu = solved.collect();
        Self { bodies, goals, options, groups, answers, on_cpu }
    }

    /// Returns the number of problems.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Returns whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Returns the errors of a problem's goals, in the order of the goals. They are the errors before a polish, and so are the outcomes. The
    /// result is empty if the problem does not exist, or if the CPU has found it to be invalid. [`GpuBatch::pose`] then returns the error.
    pub fn errors(&self, index: usize) -> &[GoalErrors] {
        let Some((block, number)) = self.block(index) else {
            return self.on_cpu.get(&index).map(|solved| solved.errors.as_slice()).unwrap_or_default();
        };
        let goals = self.goals.get(index).map_or(0, Vec::len);
        block.errors.get(number * goals..(number + 1) * goals).unwrap_or_default()
    }

    /// Returns whether a problem reaches all of its goals before a polish. The report of [`GpuBatch::pose`] is the one after the polish,
    /// which may reach a goal that was missed before.
    pub fn reached(&self, index: usize) -> bool {
        let errors = self.errors(index);
        !errors.is_empty() && errors.iter().all(|goal| goal.outcome == Outcome::Reached)
    }

    /// Returns which processor solved a problem, or `None` if the problem does not exist or is invalid. A polish takes place only when the
    /// body is posed, so it does not count.
    pub fn solved_by(&self, index: usize) -> Option<SolvedBy> {
        match self.block(index) {
            Some(_) => Some(SolvedBy::Gpu),
            None => self.on_cpu.get(&index)?.result.as_ref().ok().map(|solved| solved.by.clone()),
        }
    }

    /// Returns the number of problems that the CPU measured, because rounding errors could have changed their outcomes.
    pub fn measured_again(&self) -> usize {
        self.answers.measured_again
    }

    /// Replaces a body by the problem's body in its solved pose. The pose is the one that [`GpuSolver::solve_many`] finds, and the report is
    /// measured in double precision. The CPU continues from the pose if the options contain a polish. Returns `None` if the problem does
    /// not exist.
    ///
    /// # Errors
    /// The same errors as [`Solver::solve`]. The body is then unchanged.
    ///
    /// [`GpuSolver::solve_many`]: super::GpuSolver::solve_many
    pub fn pose(&self, index: usize, body: &mut Body) -> Option<Result<Solved, SolveError>> {
        self.pose_with(&mut Solver::default(), index, body)
    }

    /// Poses all bodies like [`GpuBatch::pose`]. Surplus bodies are ignored.
    ///
    /// The batch borrows the bodies that it solved, so pose copies of them. Copies share their links. Once the batch is no longer used, the
    /// copies can replace the bodies:
    ///
    /// ```
    /// use sinew_render::gpu_ik::{GpuOptions, GpuSolver};
    /// use sinew_character::ik::{Body, Goal, Link, LinkIndex};
    /// use sinew_character::glam::{DAffine3, DVec3};
    /// use sinew_render::{AdapterChoice, Gpu};
    ///
    /// let mut solver = GpuSolver::new(&Gpu::new(&AdapterChoice::Cpu)?);
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    /// let mut arms = vec![Body::new(links, DAffine3::IDENTITY)?; 10];
    /// let goals = vec![vec![Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0))]; 10];
    /// let batch = solver.solve_batch(&arms, &goals, &GpuOptions::default());
    /// let mut posed = arms.clone();
    /// for solved in batch.pose_all(&mut posed) {
    ///     assert!(solved?.report.reached());
    /// }
    /// arms = posed;
    /// # assert_eq!(arms.len(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Each body has its own result, with the same errors as [`Solver::solve`].
    pub fn pose_all(&self, bodies: &mut [Body]) -> Vec<Result<Solved, SolveError>> {
        let bodies = bodies.par_iter_mut().enumerate();
        let posed =
            bodies.map_init(Solver::default, |solver, (index, body)| self.pose_with(solver, index, body));
        // Only surplus bodies have no result, and they come last.
        posed.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn pose_with(
        &self,
        solver: &mut Solver,
        index: usize,
        body: &mut Body,
    ) -> Option<Result<Solved, SolveError>> {
        let Some((block, number)) = self.block(index) else {
            let solved = self.on_cpu.get(&index)?;
            if solved.result.is_ok() {
                body.clone_from(&solved.body);
            }
            return Some(solved.result.clone());
        };
        let (start, goals) = (self.bodies.get(index)?, self.goals.get(index)?);
        let group = self.groups.get(block.group)?;
        body.clone_from(start);
        let answer = Answer::of(&block.answers, block.size, number);
        Some(Ok(pose(solver, group, answer, body, goals, &self.options)))
    }

    fn block(&self, index: usize) -> Option<(&AnsweredBlock, usize)> {
        let (block, number) = (*self.answers.places.get(index)?)?;
        Some((self.answers.blocks.get(block)?, number))
    }
}
