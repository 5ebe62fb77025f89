//! The solve loop that all methods share: prepare, iterate, measure, keep the best pose, stop.

use glam::{DQuat, DVec3};

use super::methods::ccd::Ccd;
use super::methods::fabrik::Fabrik;
use super::methods::fused::Fused;
use super::methods::jacobian::{Jacobian, is_free_chain};
use super::methods::optimize::Optimize;
use super::methods::particle::Particles;
use super::methods::{full_body, two_bone};
use super::options::DEFAULT_TOLERANCE;
use super::random::Random;
use super::tree::{Measure, Tree};
use super::{Balance, Method, OptimizeOptions, Options, Swivel};

/// A solve stalls if this many iterations do not reduce the error below [`STALL_RATIO`] times its previous value.
const STALL_ITERATIONS: usize = 16;
/// Fraction of its previous value below which the error of a solve must fall within [`STALL_ITERATIONS`] iterations.
const STALL_RATIO: f64 = 0.99;
/// Angles in radians by which a straight chain is bent when an iteration does not change its error. They are tried in
/// order.
const BEND_ANGLES: [f64; 2] = [0.05, 0.5];
/// Upper bound for the tolerance of pinned goals, as a fraction of the chain's length.
const PIN_TOLERANCE: f64 = 2e-5;

/// Runs the iterations of a solve and keeps the buffers of all methods.
#[derive(Clone, Debug, Default)]
pub(super) struct Driver {
    ccd: Ccd,
    particles: Particles,
    fabrik: Fabrik,
    jacobian: Jacobian,
    fused: Fused,
    optimize: Optimize,
    best: Vec<DQuat>,
    best_root: DVec3,
    /// The largest position errors before the first iteration and after each iteration. Filled only if
    /// [`Options::record`] is set.
    pub(super) history: Vec<f64>,
}

/// The progress of a running solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Number of iterations so far.
    pub(super) iterations: usize,
    /// The method that found the best pose.
    pub(super) method: Method,
    best: Option<Measure>,
}

impl Progress {
    fn is_done(&self) -> bool {
        self.best.is_some_and(|b| b.done)
    }
}

impl Driver {
    /// Iterates until the error no longer falls, and restarts from other poses if necessary. Leaves the best pose in
    /// the tree.
    ///
    /// If `auto` is set and the closed form for limbs misses a goal that is within reach, damped least squares takes
    /// over. If `bend` is set, the joints are bent a little before the first iteration.
    pub(super) fn run(
        &mut self,
        tree: &mut Tree,
        method: Method,
        options: &Options,
        restarts: usize,
        (auto, bend): (bool, bool),
    ) -> Progress {
        self.set_tolerances(tree, options);
        self.history.clear();
        self.jacobian.set_start(tree);
        self.optimize.set_start(tree);
        let mut progress = Progress { iterations: 0, method, best: None };
        let has_weight = tree.tasks.iter().any(|t| t.weight > 0.0);
        if !has_weight || options.iterations == 0 {
            self.keep_best(tree, &mut progress);
            return progress;
        }
        if method == Method::TwoBone {
            self.record(tree, options);
            self.solve_limb(tree, options, &mut progress);
            if progress.is_done() || !auto || out_of_reach(tree) {
                self.record(tree, options);
                return self.finish(tree, progress);
            }
        }
        let method = if method == Method::TwoBone { Method::Dls } else { method };
        tree.swivel();
        let out_of_reach = out_of_reach(tree);
        let budgeted = is_budgeted(tree, method, options);
        let too_far = out_of_reach && !budgeted && tree.tasks.len() == 1 && tree.lengths(0).too_far();
        if too_far {
            self.keep_best(tree, &mut progress);
            tree.straighten();
        }
        if method == Method::Optimize && options.optimize != OptimizeOptions::default() {
            self.minimise(tree, options, &mut progress);
            return self.finish(tree, progress);
        }
        self.iterate(tree, method, options, (too_far, bend || too_far), &mut progress);
        for seed in 0..if budgeted { 0 } else { restarts } {
            if progress.is_done() || out_of_reach || progress.iterations >= options.iterations {
                break;
            }
            if method == Method::Ccd && self.ccd.has_stopped() {
                break;
            }
            randomise(tree, seed);
            self.iterate(tree, method, options, (false, true), &mut progress);
        }
        self.finish(tree, progress)
    }

    fn record(&mut self, tree: &Tree, options: &Options) {
        if options.record {
            self.history.push(tree.largest_error());
        }
    }

    /// Restores the best pose.
    fn finish(&mut self, tree: &mut Tree, progress: Progress) -> Progress {
        for (joint, &rotation) in tree.joints.iter_mut().zip(&self.best) {
            joint.rotation = rotation;
        }
        tree.root = self.best_root;
        tree.forward();
        progress
    }

    /// Runs the closed form for limbs. If the result is worse than the start pose because of limits, the start pose is
    /// kept. With softening, a swivel or a pole the closed form is always used, because the requested pose need not
    /// have the smallest error.
    fn solve_limb(&mut self, tree: &mut Tree, options: &Options, progress: &mut Progress) {
        let plain = options.limb.soften == 0.0 && options.limb.swivel == Swivel::Keep;
        if plain && tree.tasks.iter().all(|t| t.pole.is_none()) {
            self.keep_best(tree, progress);
        }
        two_bone::solve(tree, &options.limb);
        self.keep_best(tree, progress);
        progress.iterations += 1;
    }

    fn set_tolerances(&mut self, tree: &mut Tree, options: &Options) {
        for task in &mut tree.tasks {
            task.tolerance = options.tolerance.unwrap_or(DEFAULT_TOLERANCE * task.length);
            if task.pinned {
                task.tolerance = task.tolerance.min(PIN_TOLERANCE * task.length);
            }
        }
    }

    /// Iterates from one start pose until the goals are met, the error no longer falls, or the iteration limit is
    /// reached.
    fn iterate(
        &mut self,
        tree: &mut Tree,
        method: Method,
        options: &Options,
        (too_far, bend): (bool, bool),
        progress: &mut Progress,
    ) {
        self.prepare(method, tree);
        // Damped least squares itself bends a free chain that is straight.
        let is_damped = matches!(method, Method::Dls | Method::Fused | Method::FullBody);
        let bend = too_far || bend && !(is_damped && is_free_chain(tree));
        // If only the base moves, there is no joint to bend.
        let straight = is_budgeted(tree, method, options) || tree.joints.is_empty();
        let (mut bends, mut mark) = (if straight { [].iter() } else { BEND_ANGLES.iter() }, f64::INFINITY);
        let (mut last, mut least) = (f64::INFINITY, f64::INFINITY);
        for pass in 0.. {
            let sum = self.keep_best(tree, progress);
            least = least.min(sum);
            self.record(tree, options);
            if progress.is_done() || progress.iterations >= options.iterations {
                break;
            }
            if is_damped && self.jacobian.is_stuck() {
                break;
            }
            // No method finds a direction to turn in on a straight chain. The error then stays the same to the last
            // digits.
            if method == Method::Ccd && self.ccd.stops(&options.ccd, sum) {
                break;
            }
            let stuck = if pass == 0 { bend } else { (sum - last).abs() <= 1e-9 * last };
            last = sum;
            if stuck && (too_far || bends.len() == 0 && pass > 0) {
                break;
            }
            progress.iterations += 1;
            if let Some(&angle) = stuck.then(|| bends.next()).flatten() {
                tree.bend(angle);
                self.prepare(method, tree);
                continue;
            }
            if pass % STALL_ITERATIONS == STALL_ITERATIONS - 1 {
                if least > STALL_RATIO * STALL_RATIO * mark {
                    break;
                }
                mark = least;
            }
            self.pass(method, tree, options);
            progress.method = method;
            tree.swivel();
        }
        if tree.tasks.iter().any(|t| t.pinned) && !progress.is_done() {
            self.jacobian.restore_pins(tree);
            self.keep_best(tree, progress);
        }
    }

    /// Minimises a sum that contains other terms besides the goals' errors. The search therefore continues when the
    /// goals are met. The result is the pose with the smallest sum.
    fn minimise(&mut self, tree: &mut Tree, options: &Options, progress: &mut Progress) {
        let usable = |b: &Balance| b.support.is_finite() && b.weight.is_finite() && b.weight > 0.0;
        let balance = options.optimize.balance.filter(usable);
        self.jacobian.balance = balance.map(|b| (tree.to_base(b.support), b.weight));
        self.prepare(Method::Optimize, tree);
        while progress.iterations < options.iterations && !self.optimize.is_converged() {
            self.record(tree, options);
            self.pass(Method::Optimize, tree, options);
            progress.iterations += 1;
        }
        self.optimize.restore_best(tree);
        self.record(tree, options);
        self.jacobian.balance = None;
        progress.best = None;
        self.keep_best(tree, progress);
    }

    /// Measures the pose, stores it if it is the best so far, and returns its weighted error.
    fn keep_best(&mut self, tree: &Tree, progress: &mut Progress) -> f64 {
        let measure = tree.measure();
        if progress.best.is_none_or(|best| measure.is_better(&best)) {
            progress.best = Some(measure);
            self.best.clear();
            self.best.extend(tree.joints.iter().map(|j| j.rotation));
            self.best_root = tree.root;
        }
        measure.sum
    }

    /// Prepares a method for the current pose of the tree.
    fn prepare(&mut self, method: Method, tree: &Tree) {
        match method {
            Method::Ccd => self.ccd.set(tree),
            Method::Particle | Method::Fabrik => self.particles.set(tree),
            Method::Fused => {
                self.fused.set(tree);
                self.jacobian.set(tree);
            }
            Method::Optimize => {
                self.optimize.set(tree);
                self.jacobian.set(tree);
            }
            _ => self.jacobian.set(tree),
        }
    }

    /// Runs one iteration of a method.
    fn pass(&mut self, method: Method, tree: &mut Tree, options: &Options) {
        match method {
            Method::Ccd => self.ccd.pass(tree, &options.ccd),
            Method::Particle => self.particles.pass(tree, options.stiffness),
            Method::Fabrik => self.fabrik.pass(&mut self.particles, tree),
            Method::Fused if self.fused.is_due() => self.fused.start(tree),
            Method::Fused => {
                let additional = self.fused.additional(tree);
                self.jacobian.pass(tree, method, &options.jacobian, Some(additional));
            }
            Method::Optimize => self.optimize.pass(&mut self.jacobian, tree, &options.optimize),
            Method::FullBody => {
                full_body::pass(&mut self.jacobian, tree, &options.jacobian, options.root_motion);
            }
            _ => self.jacobian.pass(tree, method, &options.jacobian, None),
        }
    }
}

/// Moves every joint to a pseudo-random rotation within its limit. The same seed always gives the same pose.
fn randomise(tree: &mut Tree, seed: usize) {
    let mut random = Random(seed as u64);
    for joint in &mut tree.joints {
        let turn = DQuat::from_scaled_axis(random.turn(1.0));
        joint.rotation = joint.allowed((joint.centre() * turn).normalize());
    }
    tree.forward();
}

/// Returns whether joints may only turn by a given angle in the whole solve.
fn is_budgeted(tree: &Tree, method: Method, options: &Options) -> bool {
    method == Method::Ccd && Ccd::has_budgets(tree, &options.ccd)
}

/// Returns whether a goal with a positive weight is out of reach.
fn out_of_reach(tree: &Tree) -> bool {
    (0..tree.tasks.len()).any(|task| tree.tasks[task].weight > 0.0 && tree.is_out_of_reach(task))
}
