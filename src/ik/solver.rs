//! The driver, the same for all methods: start, pass, measure, keep the best, stop.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};

use super::ccd::Ccd;
use super::chain::{Chain, End};
use super::fabrik::Fabrik;
use super::fused::Fused;
use super::jacobian::Jacobian;
use super::optimize::Optimize;
use super::options::DEFAULT_TOLERANCE;
use super::particle::Particles;
use super::random::Random;
use super::tree::Tree;
use super::{
    Body, CcdOptions, Goal, GoalOutcome, JacobianOptions, Link, Method, Options, Outcome, Report, SolveError,
    Start, full_body, two_bone,
};

/// A solve has stalled when this many passes …
const STALL_PASSES: usize = 16;
/// … have not brought the error below this share of what it was.
const STALL_SHARE: f64 = 0.99;
/// Radians by which a line is bent, one after the other, when a pass finds nothing to turn.
const BENDS: [f64; 2] = [0.05, 0.5];
/// Radians from the border of its limit at which a joint counts as limited.
const AT_BORDER: f64 = 1e-6;

/// Solves, and keeps its buffers for the next time. Same input, same bits.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    chain: Chain,
    tree: Tree,
    work: Work,
    asked: (Vec<DQuat>, DVec3),
    best: Vec<DQuat>,
    best_root: DVec3,
    last: Solved,
    report: Report,
}

/// What methods keep from pass to pass.
#[derive(Clone, Debug, Default)]
struct Work {
    ccd: Ccd,
    particles: Particles,
    fabrik: Fabrik,
    jacobian: Jacobian,
    fused: Fused,
    optimize: Optimize,
    /// Radians below which a turn cannot matter.
    smallest: f64,
}

/// The last question and its answer.
#[derive(Clone, Debug, Default)]
struct Solved {
    shape: Option<Arc<[Link]>>,
    placed: (DAffine3, DQuat),
    start: (Vec<DQuat>, DVec3),
    answer: (Vec<DQuat>, DVec3),
    goals: Vec<Goal>,
    options: Option<Options>,
}

/// Where a solve stands.
struct Progress {
    iterations: usize,
    /// Least weighted error so far.
    best: f64,
    /// Whether that pose meets every goal.
    done: bool,
}

impl Solver {
    /// Turns the body's links until the goals are met as nearly as the method can.
    ///
    /// A question whose start and goals are those of the last one, or that starts from its answer, gets the last
    /// answer unchanged: nothing creeps.
    ///
    /// # Errors
    /// [`SolveError`] for a goal whose link does not exist or whose numbers are not finite, for a tolerance that is
    /// not positive, or for a body that the method cannot treat; the body is then untouched.
    pub fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Result<&Report, SolveError> {
        for (index, goal) in goals.iter().enumerate() {
            goal.check(index, body)?;
        }
        let tolerances = [options.tolerance.unwrap_or(1.0), options.angle_tolerance];
        if let Some(&tolerance) = tolerances.iter().find(|t| !(t.is_finite() && **t > 0.0)) {
            return Err(SolveError::Tolerance { tolerance });
        }
        if self.last.answers(body, goals, options) {
            body.rotations_mut().copy_from_slice(&self.last.answer.0);
            body.set_root(self.last.answer.1);
            return Ok(&self.report);
        }
        let warm = options.start == Start::Current && self.last.is_answer(body);
        self.asked.0.clear();
        self.asked.0.extend_from_slice(body.rotations());
        self.asked.1 = body.root();
        if options.start == Start::Rest {
            body.reset();
        }
        if self.solve_chain(body, goals, options, warm) {
            self.last.ask(body, &self.asked, goals, options);
            self.last.take(body);
            return Ok(&self.report);
        }
        self.tree.set(body, goals, options.limits);
        self.tree.angle_tolerance = options.angle_tolerance;
        let method = match self.choose(goals, options.method) {
            Ok(method) => method,
            Err(error) => {
                body.rotations_mut().copy_from_slice(&self.asked.0);
                body.set_root(self.asked.1);
                return Err(error);
            }
        };
        self.tree.root_moves = method == Method::FullBody && options.root_motion;
        self.last.ask(body, &self.asked, goals, options);
        let restarts = if warm { 0 } else { options.restarts };
        let progress = self.run(method, options, restarts);
        self.tree.write(body);
        self.last.take(body);
        self.fill_report(method, &progress, options);
        Ok(&self.report)
    }

    /// Forgets the last question and its answer; buffers stay.
    pub fn forget(&mut self) {
        self.last = Solved::default();
        self.chain.forget();
    }

    /// The quick way for a lone position on a chain of free joints. False where it is none, or leads nowhere: the body
    /// is then as it was.
    fn solve_chain(&mut self, body: &mut Body, goals: &[Goal], options: &Options, warm: bool) -> bool {
        let method = if options.method == Method::Auto { Method::Dls } else { options.method };
        let quick = match method {
            Method::Dls | Method::Fused => true,
            Method::Ccd => options.ccd == CcdOptions::default(),
            Method::Particle => options.stiffness >= 1.0 && goals.iter().all(|g| g.weight >= 1.0),
            Method::Fabrik => goals.iter().all(|g| g.weight >= 1.0),
            _ => false,
        };
        let quick = quick
            && options.jacobian == JacobianOptions::default()
            && !options.record
            && self.chain.takes(body, goals, options.limits);
        let Some(target) = goals.first().and_then(|g| g.position).filter(|_| quick) else { return false };
        let out = body.world_from_base().matrix3;
        // Tolerances are world metres.
        let Some(scale) = body.even_scale() else { return false };
        let place = body.base_from_world().transform_point3(target);
        let tolerance = options.tolerance.map_or(DEFAULT_TOLERANCE * self.chain.reach, |t| t / scale);
        let way = place - self.chain.base(body);
        let iterations = if self.chain.too_far(way) {
            self.chain.straighten(body, way);
            1
        } else {
            if !(warm && self.chain.is_loaded()) {
                self.chain.load(body);
            }
            // A little below the tolerance: rounding on the way to rotations and back must not undo it.
            let (near, passes) = (tolerance * (1.0 - 1e-9), options.iterations);
            if self.chain.too_near(way) {
                return false;
            }
            let end = match method {
                Method::Ccd => self.chain.descend(way, near, passes),
                Method::Particle => self.chain.relax(way, near, passes),
                Method::Fabrik => self.chain.reach_both_ways(way, near, passes),
                Method::Fused => self.chain.fuse(way, near, passes),
                _ => self.chain.damped(way, near, passes),
            };
            match end {
                End::Stuck => {
                    self.chain.forget();
                    return false;
                }
                End::Reached(0) => 0,
                End::Reached(passes) => {
                    self.chain.write(body);
                    passes
                }
            }
        };
        let error = (out * (place - self.chain.tip())).length();
        let outcome = if error <= tolerance * scale { Outcome::Reached } else { Outcome::OutOfReach };
        let report = &mut self.report;
        report.goals.clear();
        report.goals.push(GoalOutcome { outcome, position_error: Some(error), orientation_error: None });
        report.limited.clear();
        report.history.clear();
        (report.method, report.iterations) = (method, iterations);
        true
    }

    /// The method that solves.
    fn choose(&self, goals: &[Goal], method: Method) -> Result<Method, SolveError> {
        match method {
            Method::TwoBone => two_bone::joints(&self.tree).map(|_| method),
            Method::Auto if goals.len() > 1 || goals.iter().any(|g| g.pinned) => Ok(Method::FullBody),
            Method::Auto if two_bone::joints(&self.tree).is_ok() => Ok(Method::TwoBone),
            Method::Auto => Ok(Method::Dls),
            _ => Ok(method),
        }
    }

    /// Passes until nothing is gained, from other starts too if need be; leaves the best pose in the tree.
    fn run(&mut self, method: Method, options: &Options, restarts: usize) -> Progress {
        self.set_tolerances(options);
        self.report.history.clear();
        let mut progress = Progress { iterations: 0, best: f64::INFINITY, done: false };
        if method == Method::TwoBone {
            // A closed form has one answer, which need not be the one with the least error: softened, or swivelled.
            two_bone::solve(&mut self.tree, &options.limb);
            self.keep_best(&mut progress);
            progress.iterations = 1;
            return progress;
        }
        self.tree.swivel();
        let out_of_reach = self.out_of_reach();
        let too_far = out_of_reach && self.tree.tips.len() == 1 && self.tree.lengths(0).too_far();
        if too_far {
            self.keep_best(&mut progress);
            self.tree.straighten();
        }
        self.descend(method, options, too_far, &mut progress);
        for seed in 0..restarts {
            let spent = progress.iterations >= options.iterations;
            if progress.done || out_of_reach || spent {
                break;
            }
            self.scatter(seed);
            self.descend(method, options, false, &mut progress);
        }
        for (joint, &rotation) in self.tree.joints.iter_mut().zip(&self.best) {
            joint.rotation = rotation;
        }
        self.tree.root = self.best_root;
        self.tree.forward();
        progress
    }

    fn set_tolerances(&mut self, options: &Options) {
        self.work.smallest = f64::INFINITY;
        for tip in &mut self.tree.tips {
            tip.tolerance = options.tolerance.unwrap_or(DEFAULT_TOLERANCE * tip.length);
            // A tenth of the tolerance at the end of the chain, as an angle.
            let angle = if tip.length > 0.0 { 0.1 * tip.tolerance / tip.length } else { 0.0 };
            self.work.smallest = self.work.smallest.min(angle);
        }
    }

    /// Passes from one start until the goals are met, or nothing is gained, or the passes are spent.
    fn descend(&mut self, method: Method, options: &Options, too_far: bool, progress: &mut Progress) {
        self.work.prepare(method, &self.tree);
        let (mut bends, mut mark, mut last, mut least) =
            (BENDS.iter(), f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for pass in 0.. {
            let sum = self.keep_best(progress);
            least = least.min(sum);
            if options.record {
                self.report.history.push(self.tree.largest_error());
            }
            if progress.done || progress.iterations >= options.iterations {
                break;
            }
            // On a line no joint sees where to turn: the error stays what it was, to the last digits.
            let stuck = (sum - last).abs() <= 1e-9 * last;
            last = sum;
            if stuck && (too_far || bends.len() == 0) {
                break;
            }
            if let Some(&angle) = stuck.then(|| bends.next()).flatten() {
                self.tree.bend(angle);
                self.work.prepare(method, &self.tree);
                progress.iterations += 1;
                continue;
            }
            if pass % STALL_PASSES == STALL_PASSES - 1 {
                if least > STALL_SHARE * STALL_SHARE * mark {
                    break;
                }
                mark = least;
            }
            self.work.pass(method, &mut self.tree, options);
            self.tree.swivel();
            progress.iterations += 1;
        }
    }

    /// Another start: every joint turned somewhere within its limit, always the same way for the same number.
    fn scatter(&mut self, seed: usize) {
        let mut random = Random(seed as u64);
        for joint in &mut self.tree.joints {
            let turn = DQuat::from_scaled_axis(random.turn(1.0));
            joint.rotation = joint.allowed((joint.centre() * turn).normalize());
        }
        self.tree.forward();
    }

    /// Measures the pose, keeps it if it is the best so far, and gives its weighted error.
    fn keep_best(&mut self, progress: &mut Progress) -> f64 {
        let (sum, done) = self.tree.errors();
        if sum < progress.best || progress.best.is_infinite() || (done && !progress.done) {
            (progress.best, progress.done) = (sum, done);
            self.best.clear();
            self.best.extend(self.tree.joints.iter().map(|j| j.rotation));
            self.best_root = self.tree.root;
        }
        sum
    }

    /// Whether some goal that counts cannot be met.
    fn out_of_reach(&self) -> bool {
        let tree = &self.tree;
        (0..tree.tips.len()).any(|tip| tree.tips[tip].weight > 0.0 && tree.is_out_of_reach(tip))
    }

    fn fill_report(&mut self, method: Method, progress: &Progress, options: &Options) {
        let (tree, report) = (&self.tree, &mut self.report);
        report.limited.clear();
        let limited = tree.joints.iter().filter(|j| j.is_at_border(AT_BORDER));
        report.limited.extend(limited.map(|j| j.link));
        let spent = progress.iterations >= options.iterations;
        let outcome = |tip: usize| {
            if tree.is_reached(tip) {
                Outcome::Reached
            } else if tree.is_out_of_reach(tip) {
                Outcome::OutOfReach
            } else if tree.above(tip).any(|j| tree.joints[j].is_at_border(AT_BORDER)) {
                Outcome::BlockedByLimits
            } else if spent && method != Method::TwoBone {
                Outcome::Iterations
            } else {
                Outcome::Stalled
            }
        };
        let goal = |tip| GoalOutcome {
            outcome: outcome(tip),
            position_error: tree.error(tip),
            orientation_error: tree.angle_error(tip),
        };
        report.goals.clear();
        report.goals.extend((0..tree.tips.len()).map(goal));
        (report.method, report.iterations) = (method, progress.iterations);
    }
}

impl Work {
    /// Readies a method for the pose that the tree is in.
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

    /// One pass of a method.
    fn pass(&mut self, method: Method, tree: &mut Tree, options: &Options) {
        match method {
            Method::Ccd => self.ccd.pass(tree, &options.ccd, self.smallest),
            Method::Particle => self.particles.pass(tree, options.stiffness),
            Method::Fabrik => self.fabrik.pass(&mut self.particles, tree),
            Method::Fused => {
                if self.fused.is_due() {
                    self.fused.start(tree);
                } else {
                    let additional = self.fused.additional(tree);
                    self.jacobian.pass(tree, method, &options.jacobian, Some(additional));
                }
            }
            Method::Optimize => self.optimize.pass(&mut self.jacobian, tree, &options.optimize),
            Method::FullBody => {
                full_body::pass(&mut self.jacobian, tree, &options.jacobian, options.root_motion);
            }
            _ => self.jacobian.pass(tree, method, &options.jacobian, None),
        }
    }
}

impl Solved {
    /// Takes over the answer.
    fn take(&mut self, body: &Body) {
        self.answer.0.clear();
        self.answer.0.extend_from_slice(body.rotations());
        self.answer.1 = body.root();
    }

    /// Whether a body stands as the last answer left it.
    fn is_answer(&self, body: &Body) -> bool {
        self.answer.0 == body.rotations() && self.answer.1 == body.root()
    }

    /// Whether this is the answer to a question, or where the question starts from.
    fn answers(&self, body: &Body, goals: &[Goal], options: &Options) -> bool {
        let from_start = self.start.0 == body.rotations() && self.start.1 == body.root();
        let from_answer = options.start == Start::Current && self.is_answer(body);
        (from_start || from_answer)
            && self.goals == goals
            && self.options.as_ref() == Some(options)
            && self.placed == (body.world_from_base(), body.world_from_base_rotation())
            && self.shape.as_ref().is_some_and(|s| Arc::ptr_eq(s, body.shape()) || s[..] == body.shape()[..])
    }

    /// Takes over a question; its answer is not known yet.
    fn ask(&mut self, body: &Body, start: &(Vec<DQuat>, DVec3), goals: &[Goal], options: &Options) {
        if !self.shape.as_ref().is_some_and(|s| Arc::ptr_eq(s, body.shape())) {
            self.shape = Some(Arc::clone(body.shape()));
        }
        self.placed = (body.world_from_base(), body.world_from_base_rotation());
        self.start.0.clone_from(&start.0);
        self.start.1 = start.1;
        self.answer.0.clear();
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.options = Some(*options);
    }
}
