//! Goals in, an answer and the truth about it out.

use super::chain::{Chain, End};
use super::driver::{Driver, Progress};
use super::memo::{Memo, Stance, stand};
use super::options::DEFAULT_TOLERANCE;
use super::style::Styled;
use super::tree::Tree;
use super::{
    Body, CcdOptions, Goal, GoalOutcome, JacobianOptions, LimbOptions, Method, Options, Outcome, Report,
    SolveError, Start, two_bone,
};

/// Radians from the border of its limit at which a joint counts as limited.
const AT_BORDER: f64 = 1e-6;
/// What [`Method::Style`] says where it has none.
const NO_STYLE: &str = "it needs a style, learned from postures, or examples";

/// Solves, and keeps its buffers for the next time. Same input, same bits.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    chain: Chain,
    tree: Tree,
    driver: Driver,
    asked: Stance,
    memo: Memo,
    style: Option<Styled>,
    report: Report,
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
        options.check(body, goals)?;
        let style = self.styled(body, options)?;
        let is_answer = self.memo.is_answer(body);
        if self.memo.answers(body, is_answer, goals, options) {
            self.memo.recall(body);
            return Ok(&self.report);
        }
        self.asked.0.clear();
        self.asked.0.extend_from_slice(body.rotations());
        self.asked.1 = body.root();
        // A drag must not jump: what goes on from the last answer starts nowhere else.
        let goes_on = options.start == Start::Current && is_answer;
        if options.start == Start::Rest {
            body.reset();
        }
        if let Some(styled) = style {
            self.solve_style(body, goals, options, &styled)?;
        } else if !self.solve_chain(body, goals, options, goes_on) {
            let restarts = if goes_on && self.memo.moved() { 0 } else { options.restarts };
            if let Err(error) = self.solve_tree(body, goals, options, restarts) {
                stand(body, &self.asked);
                return Err(error);
            }
        }
        self.memo.take(body, &mut self.asked, goals, options);
        Ok(&self.report)
    }

    /// What the last solve came to.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Forgets the last question and its answer; buffers stay.
    pub fn forget(&mut self) {
        self.memo = Memo::default();
    }

    /// Gives the style that [`Method::Style`] poses in, or takes it away. Where it is another than before, the last
    /// question and its answer are forgotten.
    pub fn set_style(&mut self, style: Option<Styled>) {
        if self.style != style {
            self.style = style;
            self.forget();
        }
    }

    /// The style, where the method needs one.
    fn styled(&self, body: &Body, options: &Options) -> Result<Option<Styled>, SolveError> {
        if options.method != Method::Style {
            return Ok(None);
        }
        let why = match &self.style {
            None => Some(NO_STYLE),
            Some(styled) => styled.fault(body.links().len()),
        };
        let unsuited = |why| SolveError::Unsuited { method: Method::Style, why };
        why.map_or_else(|| Ok(self.style.clone()), |why| Err(unsuited(why)))
    }

    /// The posture of a style or of examples that is nearest to the goals; from there full-body takes what is left.
    fn solve_style(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        styled: &Styled,
    ) -> Result<(), SolveError> {
        let steps = styled.pose(body, goals, options);
        let rest = Options { method: Method::FullBody, ..*options };
        if let Err(error) = self.solve_tree(body, goals, &rest, 0) {
            stand(body, &self.asked);
            return Err(error);
        }
        (self.report.method, self.report.iterations) = (Method::Style, self.report.iterations + steps);
        Ok(())
    }

    /// Any body, any goals.
    fn solve_tree(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        restarts: usize,
    ) -> Result<(), SolveError> {
        self.chain.forget();
        let tree = &mut self.tree;
        tree.set(body, goals, options.limits);
        tree.angle_tolerance = options.angle_tolerance;
        let method = options.chosen(tree, goals)?;
        tree.root_moves = method == Method::FullBody && options.root_motion;
        let auto = options.method == Method::Auto;
        // Rest is straight, or at a border, often enough to bend it before anything is tried. A posture that was led
        // somewhere would be shaken, as would a drag's first.
        let bend = options.restarts > 0 && body.is_at_rest();
        let progress = self.driver.run(tree, method, options, restarts, (auto, bend));
        tree.write(body);
        self.fill_report(&progress, options);
        Ok(())
    }

    /// The quick way for a lone position on a chain of free joints. False where it is none, or leads nowhere: the body
    /// is then as it was. `goes_on`: it stands as the last answer has it.
    fn solve_chain(&mut self, body: &mut Body, goals: &[Goal], options: &Options, goes_on: bool) -> bool {
        let plain = options.jacobian == JacobianOptions::default() && options.iterations > 0;
        if !(plain && self.chain.takes(body, goals, options.limits)) {
            return false;
        }
        let method = match options.method {
            Method::Auto if self.chain.is_limb() => Method::TwoBone,
            Method::Auto => Method::Dls,
            method => method,
        };
        let quick = match method {
            Method::Dls | Method::Fused => true,
            Method::TwoBone => self.chain.is_limb() && options.limb == LimbOptions::default(),
            Method::Ccd => options.ccd == CcdOptions::default(),
            Method::Particle => options.stiffness >= 1.0,
            Method::Fabrik => true,
            _ => false,
        };
        // Tolerances are world metres.
        let scale = body.even_scale().filter(|_| quick);
        let Some((target, scale)) = goals.first().and_then(|g| g.position).zip(scale) else { return false };
        let place = body.base_from_world().transform_point3(target);
        let tolerance = options.tolerance.map_or(DEFAULT_TOLERANCE * self.chain.reach, |t| t / scale);
        let way = place - self.chain.base(body);
        self.chain.record = options.record;
        self.chain.errors.clear();
        let iterations = if self.chain.too_far(way) {
            if options.record {
                self.chain.load(body, goes_on);
                self.chain.note(self.chain.away(way));
            }
            self.chain.straighten(body, way);
            self.chain.note(self.chain.tip().distance(place));
            1
        } else if self.chain.too_near(way) {
            return false;
        } else {
            self.chain.load(body, goes_on);
            // A little below the tolerance: rounding on the way to rotations and back must not undo it.
            let (near, passes) = (tolerance * (1.0 - 1e-9), options.iterations);
            let end = match method {
                Method::Ccd => self.chain.descend(way, near, passes),
                Method::Particle => self.chain.relax(way, near, passes),
                Method::Fabrik => self.chain.reach_both_ways(way, near, passes),
                Method::Fused | Method::TwoBone => self.chain.fuse(way, near, passes),
                _ => self.chain.damped(way, near, passes),
            };
            match end {
                End::Stuck => return false,
                End::Reached(0) => 0,
                End::Reached(passes) => {
                    self.chain.write(body);
                    passes
                }
            }
        };
        let error = (body.world_from_base().matrix3 * (place - self.chain.tip())).length();
        let outcome = if error <= tolerance * scale { Outcome::Reached } else { Outcome::OutOfReach };
        let report = &mut self.report;
        report.goals.clear();
        report.goals.push(GoalOutcome { outcome, position_error: Some(error), orientation_error: None });
        report.limited.clear();
        report.history.clear();
        report.history.extend(self.chain.errors.iter().map(|e| e * scale));
        (report.method, report.iterations) = (method, iterations);
        true
    }

    fn fill_report(&mut self, progress: &Progress, options: &Options) {
        let (tree, report) = (&self.tree, &mut self.report);
        report.limited.clear();
        let limited = tree.joints.iter().filter(|j| j.is_at_border(AT_BORDER));
        report.limited.extend(limited.map(|j| j.link));
        let spent = progress.iterations >= options.iterations && progress.method != Method::TwoBone;
        let outcome = |tip: usize| {
            if tree.is_reached(tip) {
                Outcome::Reached
            } else if tree.is_out_of_reach(tip) {
                Outcome::OutOfReach
            } else if tree.above(tip).any(|j| tree.joints[j].is_at_border(AT_BORDER)) {
                Outcome::BlockedByLimits
            } else if spent {
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
        report.history.clone_from(&self.driver.history);
        (report.method, report.iterations) = (progress.method, progress.iterations);
    }
}

impl Options {
    /// What [`Solver::solve`] would refuse, said without solving.
    pub fn refusal(&self, body: &Body, goals: &[Goal]) -> Option<SolveError> {
        let asked = || {
            self.check(body, goals)?;
            let mut tree = Tree::default();
            tree.set(body, goals, self.limits);
            self.chosen(&tree, goals)
        };
        asked().err()
    }

    /// Goals and tolerances that mean something.
    fn check(&self, body: &Body, goals: &[Goal]) -> Result<(), SolveError> {
        for (index, goal) in goals.iter().enumerate() {
            goal.check(index, body)?;
        }
        let tolerances = [self.tolerance.unwrap_or(1.0), self.angle_tolerance];
        match tolerances.into_iter().find(|t| !(t.is_finite() && *t > 0.0)) {
            Some(tolerance) => Err(SolveError::Tolerance { tolerance }),
            None => Ok(()),
        }
    }

    /// The method that solves a tree.
    fn chosen(&self, tree: &Tree, goals: &[Goal]) -> Result<Method, SolveError> {
        Ok(match self.method {
            Method::TwoBone => two_bone::joints(tree).map(|_| Method::TwoBone)?,
            Method::Auto if goals.len() > 1 || goals.iter().any(|g| g.pinned) => Method::FullBody,
            Method::Auto if two_bone::joints(tree).is_ok() => Method::TwoBone,
            Method::Auto => Method::Dls,
            method @ Method::Style => return Err(SolveError::Unsuited { method, why: NO_STYLE }),
            method => method,
        })
    }
}
