//! Solves without collisions.

use crate::collision::{Clearance, CollisionBody, CollisionModel};
use crate::{Body, Goal, Hold, Options, Outcome, Report, SolveError, Start};

use super::Solver;

/// A pair holds the body back if its gap exceeds the margin by less than this, in metres.
const IN_THE_WAY: f64 = 2e-3;

impl Solver {
    /// Solves like [`Solver::solve`], and keeps the pairs of a collision model apart by at least its margin.
    ///
    /// If the plain result is free of collisions, it is the result. Otherwise, bounded steps lead from the start pose to the goals around
    /// the obstacles. They are steps of damped least squares in which the gaps between shapes are inequalities (Faverjon & Tournassoud 1987).
    /// If they fail, they are repeated from random poses, unless the solve continues a drag.
    ///
    /// A goal counts as reached only if the pose is free of collisions. If something is in the way, its outcome is
    /// [`Outcome::BlockedByContact`], and [`Report::held_by`] contains the pairs. The trace contains only the plain solve.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, BodyCapsule, CollisionModel, Goal, Limit, Link, LinkIndex, Obstacle, Options, Solver};
    ///
    /// // A planar arm of three bones reaches behind a ball.
    /// let hinge = Limit::hinge(DVec3::Z, -2.8..=2.8);
    /// let base = Link::base().with_limit(hinge);
    /// let bones = (1..=3).map(|i| Link::child(LinkIndex(i - 1), DVec3::X * 0.4).with_limit(hinge));
    /// let mut arm = Body::new(std::iter::once(base).chain(bones).collect(), DAffine3::IDENTITY)?;
    /// let bone = |link| BodyCapsule { link: LinkIndex(link), ends: [DVec3::ZERO, DVec3::X * 0.4], radius: 0.03 };
    /// let mut model = CollisionModel::new(&arm, (0..3).map(bone).collect())?;
    /// model.add_obstacle(Obstacle::sphere(DVec3::new(0.5, 0.35, 0.0), 0.15))?;
    /// let goals = [Goal::position(LinkIndex(3), DVec3::new(0.6, 0.65, 0.0))];
    /// let mut solver = Solver::default();
    /// let report = solver.solve_clear(&mut arm, &goals, &Options::default(), &model)?;
    /// assert!(report.reached());
    /// assert!(model.clearance(&arm).is_some_and(|nearest| nearest.distance >= 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Solver::solve`], and [`SolveError::CollisionModel`] if the model belongs to a body with another number of links. The
    /// body is then unchanged.
    pub fn solve_clear(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        model: &CollisionModel,
    ) -> Result<&Report, SolveError> {
        let (expected, found) = (model.link_count(), body.links().len());
        if expected != found {
            return Err(SolveError::CollisionModel { expected, found });
        }
        let start = body.clone();
        self.solve(body, goals, options)?;
        let is_clear = |nearest: &Option<Clearance>| nearest.is_none_or(|n| n.distance >= model.margin());
        // A drag must not pass through a thin obstacle.
        let is_drag = options.start == Start::Continue && is_clear(&model.clearance(&start));
        let nearest = if is_drag { model.clearance_between(&start, body) } else { model.clearance(body) };
        if is_clear(&nearest) {
            return Ok(&self.report);
        }
        let is_reachable = self.report.reached();
        let iterations = self.report.iterations;
        *body = start;
        if options.start == Start::Rest {
            body.reset();
        }
        if options.limits {
            body.follow_leaders();
        }
        self.last.reset();
        self.chain.discard_pose();
        self.tree.set(body, goals, options);
        self.driver.history.clear();
        let progress = self.clear.run(&mut self.tree, body, options, model, is_reachable);
        self.report_tree(&progress);
        self.report.iterations += iterations;
        let nearest = model.clearance(body);
        self.blame(&nearest, is_clear(&nearest), is_reachable, model.margin());
        Ok(&self.report)
    }

    /// Changes the outcome of goals that a collision holds back.
    fn blame(&mut self, nearest: &Option<Clearance>, is_clear: bool, is_reachable: bool, margin: f64) {
        let in_the_way = nearest.filter(|nearest| nearest.distance < margin + IN_THE_WAY);
        let Some(Clearance { pair, .. }) = in_the_way else { return };
        let mut is_held = false;
        for goal in &mut self.report.goals {
            if !is_clear || is_reachable && goal.outcome != Outcome::Reached {
                (goal.outcome, is_held) = (Outcome::BlockedByContact, true);
            }
        }
        if is_held {
            match pair {
                [CollisionBody::Link(a), CollisionBody::Link(b)] => self.report.held_by.add(Hold::Body(a, b)),
                [CollisionBody::Link(link), CollisionBody::Obstacle(obstacle)] => {
                    self.report.held_by.add(Hold::Obstacle(link, obstacle));
                }
                _ => {}
            }
        }
    }
}
