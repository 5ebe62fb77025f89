//! The solve loop that all methods share: start, iterate, measure, keep the best pose, stop, and restart.

mod arm;
mod candidate;
mod clear;
mod descent;
mod flat;
mod methods;
mod race;
mod scout;
mod seed;
mod settle;
mod textbook;

use super::methods::ccd::Ccd;
use super::methods::two_bone;
use super::options::DEFAULT_TOLERANCE;
use super::trace::{Order, Recorder, Stage};
use super::tree::{Tree, TreePose};
use super::{Limit, Method, OptimizeOptions, Options, Start, StepKind, Swivel};
use candidate::{Candidates, MARGIN};
pub(super) use clear::ClearSearch;
use descent::{Patience, is_quick};
use methods::Methods;
use textbook::Textbook;

/// Upper bound for the tolerance of pinned goals, as a fraction of the chain's length.
const PIN_TOLERANCE: f64 = 2e-5;

/// Runs the iterations of a solve and keeps the buffers of all methods.
#[derive(Clone, Debug, Default)]
pub(super) struct Driver {
    methods: Methods,
    textbook: Textbook,
    candidates: Candidates,
    seed: TreePose,
    /// The pose in which the solve started.
    start_pose: TreePose,
    /// For each task, whether its target is out of reach or its weight is zero.
    remote: Vec<bool>,
    /// For each joint, whether restarts turn it.
    turns: Vec<bool>,
    /// The remaining candidates in the search for targets out of reach.
    scouts: Vec<usize>,
    iterations: usize,
    /// Index of the current candidate.
    start: usize,
    /// Records every change of the pose if [`Options::trace`] is set.
    pub(super) recorder: Recorder,
    /// The largest position errors before the first iteration and after each iteration. Filled only if
    /// [`Options::record`] is set.
    pub(super) history: Vec<f64>,
}

/// Input of the driver for one solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) method: Method,
    pub(super) options: &'a Options,
    /// Whether damped least squares takes over if the closed form for limbs misses a goal.
    pub(super) auto: bool,
    /// Whether the joints are bent slightly before the first iteration.
    pub(super) bend: bool,
    /// Maximum number of restarts.
    pub(super) restarts: usize,
}

/// Result of the driver for one solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) iterations: usize,
    /// The method that found the pose.
    pub(super) method: Method,
    /// Whether the iteration limit ended the solve.
    pub(super) spent: bool,
}

impl Driver {
    /// Iterates until the goals are met or the error no longer falls, and restarts from other poses if necessary.
    /// Leaves the best pose in the tree.
    pub(super) fn run(&mut self, tree: &mut Tree, task: &Task<'_>) -> Progress {
        Self::set_tolerances(tree, task.options);
        self.history.clear();
        self.candidates.clear();
        (self.iterations, self.start) = (0, 0);
        if task.options.textbook {
            return self.follow_document(tree, task);
        }
        self.methods.set_start(tree);
        self.start_pose.store(tree);
        self.remote.clear();
        let is_remote = |t: usize| tree.tasks[t].weight == 0.0 || tree.is_out_of_reach(t);
        self.remote.extend((0..tree.tasks.len()).map(is_remote));
        let first = self.candidates.add();
        let has_weight = tree.tasks.iter().any(|t| t.weight > 0.0);
        if !has_weight || task.options.iterations == 0 {
            self.candidates.get_mut(first).keep(tree, task.method);
            return self.finish(tree, task);
        }
        let mut task = *task;
        let patient;
        if task.method == Method::TwoBone {
            self.solve_limb(tree, task.options);
            if !task.auto || self.candidates.is_done() || is_nearest(tree) {
                return self.finish(tree, &task);
            }
            task.method = Method::Dls;
        }
        tree.swivel();
        self.trace(tree, Order::BaseFirst, StepKind::Swivel);
        let budgeted = is_budgeted(tree, &task);
        if !budgeted && tree.tasks.len() == 1 && tree.lengths(0).too_far() && is_nearest(tree) {
            self.straighten(tree, &task);
        } else if task.method == Method::Optimize && task.options.optimize != OptimizeOptions::default() {
            self.minimise(tree, task.options);
        } else {
            task.restarts = if budgeted { 0 } else { task.restarts };
            // If there are no limits, a start with a slowly falling error still reaches its target. A restart would
            // make the pose jump.
            let limited = tree.joints.iter().any(|j| j.limit != Limit::Free);
            let patience = if limited && task.restarts > 0 { Patience::Brief } else { Patience::Full };
            self.descend(tree, &task, first, patience);
            let may_restart = task.restarts > 0 && !self.methods.has_stopped(task.method);
            if may_restart && !self.candidates.is_done() {
                if is_quick(&task) && self.is_arm(tree) {
                    patient = arm::patient(task.options);
                    task.restarts = task.restarts.saturating_mul(arm::RESTARTS);
                    task.options = &patient;
                }
                self.race(tree, &task);
            }
            if task.options.start == Start::Continue {
                self.settle(tree, &task);
            }
        }
        self.finish(tree, &task)
    }

    /// Records the joints that have turned since the last call.
    #[inline]
    fn trace(&mut self, tree: &Tree, order: Order, kind: StepKind) {
        let Self { start, iterations: iteration, .. } = *self;
        self.recorder.note(tree, order, Stage { kind, start, iteration });
    }

    fn record(&mut self, tree: &Tree, options: &Options) {
        if options.record {
            self.history.push(tree.largest_error());
        }
    }

    /// Moves the tree to the best pose.
    fn finish(&mut self, tree: &mut Tree, task: &Task<'_>) -> Progress {
        let margin = margin(tree);
        let (iterations, spent) = (self.iterations, self.iterations >= task.options.iterations);
        let mut progress = Progress { iterations, method: task.method, spent };
        if let Some(best) = self.candidates.best(margin) {
            progress.method = best.method;
            best.pose.apply(tree);
        }
        self.trace(tree, Order::BaseFirst, StepKind::Result);
        // The closed form always completes, so the iteration limit does not end it.
        progress.spent &= progress.method != Method::TwoBone;
        progress
    }

    /// Runs the closed form for limbs. If the result is worse than the start pose because of limits, the start pose is
    /// kept. If there is softening, a swivel or a pole, the closed form is always used, because the requested pose need
    /// not have the smallest error.
    fn solve_limb(&mut self, tree: &mut Tree, options: &Options) {
        self.record(tree, options);
        let plain = options.limb.soften == 0.0 && options.limb.swivel == Swivel::Keep;
        if plain && tree.tasks.iter().all(|t| t.pole.is_none()) {
            self.candidates.get_mut(0).keep(tree, Method::TwoBone);
        }
        two_bone::solve(tree, &options.limb);
        self.candidates.get_mut(0).keep(tree, Method::TwoBone);
        self.iterations += 1;
        self.trace(tree, Order::Limb, StepKind::ClosedForm);
        self.record(tree, options);
    }

    /// Straightens a free chain towards a target out of reach. This gives the nearest pose without any iterations.
    fn straighten(&mut self, tree: &mut Tree, task: &Task<'_>) {
        self.candidates.get_mut(0).keep(tree, task.method);
        tree.straighten();
        self.trace(tree, Order::BaseFirst, StepKind::ClosedForm);
        self.candidates.get_mut(0).keep(tree, task.method);
        self.record(tree, task.options);
    }

    pub(super) fn set_tolerances(tree: &mut Tree, options: &Options) {
        for task in &mut tree.tasks {
            task.tolerance = options.tolerance.unwrap_or(DEFAULT_TOLERANCE * task.length);
            if task.pinned {
                task.tolerance = task.tolerance.min(PIN_TOLERANCE * task.length);
            }
        }
    }

    /// Minimises a sum that contains other terms besides the goals' errors. The search therefore continues when the
    /// goals are met. The result is the pose with the smallest sum.
    fn minimise(&mut self, tree: &mut Tree, options: &Options) {
        self.methods.start_minimising(tree, options);
        while self.iterations < options.iterations && !self.methods.is_minimal() {
            self.record(tree, options);
            self.iterations += 1;
            self.pass(Method::Optimize, tree, options);
        }
        self.methods.finish_minimising(tree);
        self.trace(tree, Order::BaseFirst, StepKind::Result);
        self.record(tree, options);
        let only = self.candidates.get_mut(0);
        only.measure = None;
        only.keep(tree, Method::Optimize);
    }
}

/// Returns whether joints have an angle budget for the whole solve.
fn is_budgeted(tree: &Tree, task: &Task<'_>) -> bool {
    task.method == Method::Ccd && Ccd::has_budgets(tree, &task.options.ccd)
}

/// Returns the distance by which a restart must be nearer to the goals than the first start, in metres in world space.
fn margin(tree: &Tree) -> f64 {
    MARGIN * tree.tasks.iter().map(|t| t.length).fold(0.0, f64::max)
}

/// Returns whether the closed form for a position out of reach gives the nearest pose: the chain is free, and the only
/// goal is a position.
fn is_nearest(tree: &Tree) -> bool {
    let [task] = &tree.tasks[..] else { return false };
    let is_position = task.orientation.is_none() && task.aim.is_none() && task.position_term.axes.is_none();
    is_position && tree.is_out_of_reach(0) && tree.joints.iter().all(|j| j.limit == Limit::Free)
}
