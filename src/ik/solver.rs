//! The solver, which poses a body to meet goals and reports the result.

mod clear;
mod report;
mod select;

use super::chain::FreeChain;
use super::custom_solve;
use super::driver::{ClearSearch, Driver, Progress, Task};
use super::equilibrium::EquilibriumSolver;
use super::last_solve::{BodyPose, LastSolve};
use super::methods::style::BoundPrior;
use super::options::DEFAULT_TOLERANCE;
use super::outcome::Multipliers;
use super::trace::Stage;
use super::tree::Tree;
use super::{Body, Goal, GoalOutcome, Holds, Method, Options, Outcome, Report, SolveError, Start, StepKind};
use report::fill_report;
use select::NO_STYLE;

/// Error message of [`Method::Style`] for bodies with prismatic joints.
const NO_DISPLACEMENTS: &str = "styles and examples contain no displacements of prismatic joints";

/// An IK solver, which reuses its buffers from solve to solve. The same input gives bit-identical results.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    chain: FreeChain,
    tree: Tree,
    driver: Driver,
    start: BodyPose,
    last: LastSolve,
    style: Option<BoundPrior>,
    equilibrium: EquilibriumSolver,
    multipliers: Multipliers,
    clear: Box<ClearSearch>,
    report: Report,
}

impl Solver {
    /// Turns the links of a body until the goals are met as closely as the method can.
    ///
    /// The result depends only on the arguments and the style, not on earlier solves. The exception is
    /// [`Start::Continue`], for drags.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Method, Options, Outcome, Solver};
    ///
    /// // A chain of eight links, 0.1 m apart, that points up.
    /// let joints = (1..=8).map(|index| Link::child(LinkIndex(index - 1), DVec3::Y * 0.1));
    /// let links = std::iter::once(Link::base()).chain(joints).collect();
    /// let mut tentacle = Body::new(links, DAffine3::IDENTITY)?;
    ///
    /// let target = DVec3::new(0.3, 0.4, 0.2);
    /// let options = Options::default().with_method(Method::Fabrik);
    /// let mut solver = Solver::default();
    /// let report = solver.solve(&mut tentacle, &[Goal::position(LinkIndex(8), target)], &options)?;
    /// assert_eq!((report.goals[0].outcome, report.method), (Outcome::Reached, Method::Fabrik));
    /// let tip = tentacle.world_from_link(LinkIndex(8)).ok_or("link 8 is missing")?.translation;
    /// assert!(tip.distance(target) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolveError`] if a goal's link does not exist, if a goal contains an invalid number, if a tolerance or the
    /// characteristic length is not positive, or if the method does not apply to the body or the goals. The body is then
    /// unchanged.
    pub fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Result<&Report, SolveError> {
        options.check(body, goals)?;
        let style = self.checked_style(body, options)?;
        let continues = options.start == Start::Continue;
        // A figure that has not yet converged continues its solve, even if the goals have not changed. This does not
        // apply to a limb that is solved afterwards.
        let goes_on = is_whole_body(body, options) && self.equilibrium.is_unfinished();
        if continues && !goes_on && self.last.answers(body, goals, options) {
            self.last.recall(body);
            // Nothing moves.
            self.report.trace.clear();
            return Ok(&self.report);
        }
        self.start.store(body);
        self.report.trace.clear();
        self.report.held_by = Holds::default();
        if options.trace {
            self.driver.recorder.begin(body);
        }
        if options.start == Start::Rest {
            body.reset();
        }
        let restarts = if continues { 0 } else { options.restarts };
        let is_result = continues && self.last.is_result(body);
        let solved = if let Some(bound_prior) = style {
            self.solve_style(body, goals, options, &bound_prior)
        } else if is_whole_body(body, options) {
            self.solve_figure(body, goals, options, restarts)
        } else if options.method == Method::Custom {
            self.solve_custom(body, goals, options)
        } else if !options.textbook && self.chain.solve(body, goals, options, is_result, &mut self.report) {
            if options.trace { self.trace_chain(body, goals, options, restarts) } else { Ok(()) }
        } else {
            self.solve_tree(body, goals, options, restarts)
        };
        if let Err(error) = solved {
            self.driver.recorder.stop();
            self.start.apply(body);
            return Err(error);
        }
        if options.trace {
            let mut before = body.clone();
            self.start.apply(&mut before);
            self.driver.recorder.finish(before, body, goals, &mut self.report.trace);
        }
        if continues {
            self.last.store(body, goals, options);
        } else {
            self.last.reset();
        }
        Ok(&self.report)
    }

    /// Returns the report of the last solve.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Discards the last problem and its result, so that the next [`Start::Continue`] solves again. The buffers are
    /// kept.
    pub fn reset(&mut self) {
        self.last.reset();
        self.equilibrium.reset();
    }

    /// Sets the style for [`Method::Style`], or removes it. A style that differs from the previous one
    /// [resets](Solver::reset) the solver.
    pub fn set_style(&mut self, style: Option<BoundPrior>) {
        if self.style != style {
            self.style = style;
            self.reset();
        }
    }

    /// Returns the style if the method needs one.
    fn checked_style(&self, body: &Body, options: &Options) -> Result<Option<BoundPrior>, SolveError> {
        if options.method != Method::Style {
            return Ok(None);
        }
        let style = self.style.as_ref().ok_or(NO_STYLE);
        let checked = style.and_then(|style| style.validate(body.links().len()));
        let checked = checked.and_then(|()| match body.displacements() {
            [] => Ok(()),
            _ => Err(NO_DISPLACEMENTS),
        });
        checked.map_err(|why| SolveError::Unsuited { method: Method::Style, why })?;
        Ok(self.style.clone())
    }

    /// Poses the body in the posture of a style or of examples that is nearest to the goals. The full-body method then
    /// starts from this pose and meets the goals.
    fn solve_style(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        bound_prior: &BoundPrior,
    ) -> Result<(), SolveError> {
        let steps = bound_prior.pose(body, goals, options);
        let full_body = Options { method: Method::FullBody, ..*options };
        self.solve_tree(body, goals, &full_body, 0)?;
        (self.report.method, self.report.iterations) = (Method::Style, self.report.iterations + steps);
        Ok(())
    }

    /// Solves with the registered user-defined method.
    fn solve_custom(&mut self, body: &mut Body, goals: &[Goal], options: &Options) -> Result<(), SolveError> {
        self.chain.discard_pose();
        self.tree.set(body, goals, options);
        options.select_method(&self.tree, goals)?;
        let Driver { recorder, history, .. } = &mut self.driver;
        recorder.note_body(body, Stage { kind: StepKind::Start, ..Stage::default() });
        let progress = custom_solve::iterate(body, goals, options, &mut self.tree, recorder, history)?;
        self.report_tree(&progress);
        Ok(())
    }

    /// Poses a body that is a figure.
    fn solve_figure(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        restarts: usize,
    ) -> Result<(), SolveError> {
        let options = Options { method: Method::FullBody, ..*options };
        let Some(equilibrium) = self.equilibrium.solve(body, goals, &options) else {
            return self.solve_tree(body, goals, &options, restarts);
        };
        self.chain.discard_pose();
        // In a clip, joints may be beyond their limits. The figure solver leaves such joints where they are.
        self.tree.set_solved(body, goals, &options);
        self.tree.root_moves = true;
        Driver::set_tolerances(&mut self.tree, &options);
        if let Some(figure) = body.figure().filter(|_| options.tolerance.is_none()) {
            // The hips have no chain to derive a tolerance from, and the tolerance of a limb must not be smaller than
            // the tolerance of the trunk that carries it.
            let tolerance = DEFAULT_TOLERANCE * figure.parts.size;
            self.tree.tasks.iter_mut().for_each(|task| task.tolerance = task.tolerance.max(tolerance));
        }
        self.driver.history.clear();
        if options.record {
            self.driver.history.push(self.tree.largest_error());
        }
        let iterations = equilibrium.iterations;
        let progress =
            Progress { iterations, method: Method::FullBody, spent: iterations >= options.iterations };
        let Self { tree, driver, report, .. } = self;
        let evidence = |goal| equilibrium.evidence(self.equilibrium.is_beyond_bones(goal));
        fill_report(report, tree, &driver.history, &progress, evidence);
        let is_held = |goal: &GoalOutcome| !matches!(goal.outcome, Outcome::Reached | Outcome::OutOfReach);
        if report.goals.iter().any(is_held) {
            report.held_by = equilibrium.held_by;
        }
        Ok(())
    }

    /// Solves for any goals of any body.
    fn solve_tree(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        restarts: usize,
    ) -> Result<(), SolveError> {
        self.chain.discard_pose();
        // The rest pose is often straight or at a limit, so it is bent before the first iteration. Bending a pose that
        // was already solved, or the first pose of a drag, would make the body shake visibly.
        let bend = options.restarts > 0 && options.start != Start::Continue && body.is_at_rest();
        let progress = self.run(body, goals, options, restarts, bend)?;
        self.report_tree(&progress);
        Ok(())
    }

    /// Records the trace of a problem that was solved as a free chain, by solving it again on the tree. The chain and
    /// the tree run the same algorithms. `solved` is the solved body, which is not changed.
    fn trace_chain(
        &mut self,
        solved: &Body,
        goals: &[Goal],
        options: &Options,
        restarts: usize,
    ) -> Result<(), SolveError> {
        let mut twin = solved.clone();
        self.start.apply(&mut twin);
        if options.start == Start::Rest {
            twin.reset();
        }
        // For a target near the base, use the method to which the chain switched.
        let method = if options.method == Method::Auto { self.report.method } else { options.method };
        // The chain does not bend a straight pose before the first iteration, so the tree must not bend it either.
        self.run(&mut twin, goals, &Options { method, ..*options }, restarts, false).map(|_| ())
    }

    /// Solves on the tree, without a report. `bend` decides whether the pose is bent before the first iteration.
    fn run(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        restarts: usize,
        bend: bool,
    ) -> Result<Progress, SolveError> {
        let tree = &mut self.tree;
        if options.limits {
            body.follow_leaders();
        }
        tree.set(body, goals, options);
        let method = options.select_method(tree, goals)?;
        tree.root_moves = method == Method::FullBody && options.root_motion;
        let auto = options.method == Method::Auto;
        if self.driver.recorder.is_active() {
            tree.write(body);
            self.driver.recorder.note_body(body, Stage { kind: StepKind::Start, ..Stage::default() });
        }
        let progress = self.driver.run(tree, &Task { method, options, auto, bend, restarts });
        tree.write(body);
        if options.limits {
            body.follow_leaders();
        }
        Ok(progress)
    }
}

/// Returns whether a body is posed as a figure.
fn is_whole_body(body: &Body, options: &Options) -> bool {
    let method = matches!(options.method, Method::FullBody | Method::Auto);
    method && options.root_motion && !options.textbook && body.figure().is_some()
}
