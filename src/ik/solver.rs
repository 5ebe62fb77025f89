//! The driver, the same for all methods: start, pass, measure, keep the best, stop.

use std::fmt;
use std::str::FromStr;

use glam::{DAffine3, DQuat};

use super::particle::Particles;
use super::tree::Tree;
use super::{Body, Goal, GoalOutcome, Link, Outcome, Report, SolveError, ccd};

/// Passes, unless asked otherwise.
pub const DEFAULT_ITERATIONS: usize = 100;
/// Tolerance, unless asked otherwise, as a share of the longest chain's length.
const DEFAULT_TOLERANCE: f64 = 1e-4;
/// A solve has stalled when this many passes …
const STALL_PASSES: usize = 16;
/// … have not brought the error below this share of what it was.
const STALL_SHARE: f64 = 0.99;
/// Radians by which a line is bent, one after the other, when a pass finds nothing to turn.
const BENDS: [f64; 2] = [0.05, 0.5];

/// How goals are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Cyclic coordinate descent.
    #[default]
    Ccd,
    /// Particles on springs, rotations fitted to them.
    Particle,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Ccd, Self::Particle];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ccd => "ccd",
            Self::Particle => "particle",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|m| m.name() == name)
            .ok_or_else(|| format!("no method is called {name}; there are {}", known()))
    }
}

/// The pose that a solve starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The body's rotations as they are.
    #[default]
    Current,
    /// The rest rotations: the answer depends on the goals alone.
    Rest,
}

/// How a solve is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// By which method.
    pub method: Method,
    /// Passes at most.
    pub iterations: usize,
    /// World metres within which a goal counts as reached; `None`: a ten-thousandth of the longest chain.
    pub tolerance: Option<f64>,
    /// From where.
    pub start: Start,
    /// Whether the report tells the error of each pass.
    pub record: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::default(),
            iterations: DEFAULT_ITERATIONS,
            tolerance: None,
            start: Start::default(),
            record: false,
        }
    }
}

/// Solves, and keeps its buffers for the next time. Same input, same bits.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    tree: Tree,
    particles: Particles,
    best: Vec<DQuat>,
    last: Solved,
    report: Report,
}

/// The last question and its answer.
#[derive(Clone, Debug, Default)]
struct Solved {
    world_from_base: DAffine3,
    start: Vec<Link>,
    answer: Vec<Link>,
    goals: Vec<Goal>,
    options: Options,
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
    /// [`SolveError`] for a goal whose link does not exist or whose numbers are not finite, or for a tolerance that is
    /// not positive; the body is then untouched.
    pub fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Result<&Report, SolveError> {
        for (index, goal) in goals.iter().enumerate() {
            goal.check(index, body)?;
        }
        if let Some(tolerance) = options.tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            return Err(SolveError::Tolerance { tolerance });
        }
        if self.last.answers(body, goals, options) {
            for (index, link) in self.last.answer.iter().enumerate() {
                body.set_rotation(index, link.rotation);
            }
            return Ok(&self.report);
        }
        self.last.ask(body, goals, options);
        if options.start == Start::Rest {
            for index in 0..body.links().len() {
                body.set_rotation(index, body.links()[index].rest);
            }
        }
        self.tree.set(body, goals);
        let progress = self.run(options);
        self.tree.write(body);
        self.last.answer.extend_from_slice(body.links());
        self.fill_report(&progress, options);
        Ok(&self.report)
    }

    /// Passes until nothing is gained; leaves the best pose in the tree.
    fn run(&mut self, options: &Options) -> Progress {
        let mut smallest = f64::INFINITY;
        for tip in 0..self.tree.tips.len() {
            let length = self.tree.lengths(tip).world;
            let tolerance = options.tolerance.unwrap_or(DEFAULT_TOLERANCE * length);
            self.tree.tips[tip].tolerance = tolerance;
            // A tenth of the tolerance at the end of the chain, as an angle.
            smallest = smallest.min(if length > 0.0 { 0.1 * tolerance / length } else { 0.0 });
        }
        let mut progress = Progress { iterations: 0, best: f64::INFINITY, done: false };
        let out_of_reach = self.out_of_reach();
        if out_of_reach && self.tree.tips.len() == 1 && self.tree.lengths(0).too_far() {
            self.tree.straighten();
        }
        self.report.history.clear();
        self.prepare(options.method);
        let (mut bends, mut mark) = (BENDS.iter(), f64::INFINITY);
        loop {
            let (sum, done) = self.tree.errors();
            if options.record {
                self.report.history.push(self.tree.largest_error());
            }
            let before = progress.best;
            self.keep_best(&mut progress, sum, done);
            if progress.done || progress.iterations >= options.iterations {
                break;
            }
            // On a line no joint sees where to turn: the error stays what it was, to the last digits.
            let stuck = progress.iterations > 0 && sum >= before * (1.0 - 1e-9) && mark.is_infinite();
            if stuck && out_of_reach {
                break;
            }
            if let Some(&angle) = stuck.then(|| bends.next()).flatten() {
                self.tree.bend(angle);
                self.prepare(options.method);
                progress.iterations += 1;
                continue;
            }
            if progress.iterations % STALL_PASSES == STALL_PASSES - 1 {
                if progress.best > STALL_SHARE * STALL_SHARE * mark {
                    break;
                }
                mark = progress.best;
            }
            match options.method {
                Method::Ccd => ccd::pass(&mut self.tree, smallest),
                Method::Particle => self.particles.pass(&mut self.tree),
            }
            progress.iterations += 1;
        }
        for (joint, &rotation) in self.tree.joints.iter_mut().zip(&self.best) {
            joint.rotation = rotation;
        }
        self.tree.forward();
        progress
    }

    /// What a method keeps from pass to pass, for the pose that the tree is in.
    fn prepare(&mut self, method: Method) {
        match method {
            Method::Ccd => {}
            Method::Particle => self.particles.set(&self.tree),
        }
    }

    fn keep_best(&mut self, progress: &mut Progress, sum: f64, done: bool) {
        if sum < progress.best || progress.best.is_infinite() || (done && !progress.done) {
            (progress.best, progress.done) = (sum, done);
            self.best.clear();
            self.best.extend(self.tree.joints.iter().map(|j| j.rotation));
        }
    }

    /// Whether some goal that counts cannot be met.
    fn out_of_reach(&self) -> bool {
        let tree = &self.tree;
        (0..tree.tips.len()).any(|tip| tree.tips[tip].weight > 0.0 && tree.is_out_of_reach(tip))
    }

    fn fill_report(&mut self, progress: &Progress, options: &Options) {
        let spent = progress.iterations >= options.iterations;
        let tree = &self.tree;
        let outcome = |tip: usize| {
            if tree.error(tip) <= tree.tips[tip].tolerance {
                Outcome::Reached
            } else if tree.is_out_of_reach(tip) {
                Outcome::OutOfReach
            } else if spent {
                Outcome::Iterations
            } else {
                Outcome::Stalled
            }
        };
        let goal = |tip| GoalOutcome { outcome: outcome(tip), position_error: tree.error(tip) };
        self.report.goals.clear();
        self.report.goals.extend((0..tree.tips.len()).map(goal));
        (self.report.method, self.report.iterations) = (options.method, progress.iterations);
    }
}

impl Solved {
    /// Whether this is the answer to a question, or where the question starts from.
    fn answers(&self, body: &Body, goals: &[Goal], options: &Options) -> bool {
        let from_answer = options.start == Start::Current && self.answer == body.links();
        !self.answer.is_empty()
            && self.goals == goals
            && self.options == *options
            && self.world_from_base == body.world_from_base()
            && (self.start == body.links() || from_answer)
    }

    /// Takes over a question; its answer is not known yet.
    fn ask(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        self.answer.clear();
        self.start.clear();
        self.start.extend_from_slice(body.links());
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        (self.options, self.world_from_base) = (*options, body.world_from_base());
    }
}
