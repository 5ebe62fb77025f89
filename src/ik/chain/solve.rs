//! Solves a single position goal of a free chain without building a tree.

use glam::DVec3;

use crate::options::DEFAULT_TOLERANCE;
use crate::outcome::Evidence;
use crate::{
    Body, Goal, GoalOutcome, JacobianOptions, JointParameters, LimbOptions, LinkIndex, Method, Options,
    ParticleOptions, Report, Secondary, Tolerance,
};

use super::{ChainOutcome, FreeChain};

/// Fraction by which the tolerance is reduced, because the conversion of the pose to rotations and back causes rounding
/// errors.
const ROUNDING: f64 = 1e-9;
/// The rounding errors of the links' scales must not move the end by more than this fraction of the tolerance.
const LARGEST_UNEVENNESS: f64 = 0.5;

struct ChainGoal {
    /// Target position relative to the base, in base space.
    target: DVec3,
    /// Tolerance of the position, in metres in world space.
    tolerance: f64,
    /// Tolerance of the position that the chain computes, in base space. If the computed position is within `inside`,
    /// the exact position is within `tolerance`.
    inside: f64,
    /// Upper bound for the world length of a unit vector in base space.
    scale: f64,
}

impl FreeChain {
    /// Solves for a single position goal of a chain of free joints without building a tree. Returns false, with the
    /// body unchanged, if this solver does not support the problem or the iterations get stuck. `continues` indicates
    /// whether the body is in the pose of the last result.
    pub(crate) fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        continues: bool,
        report: &mut Report,
    ) -> bool {
        #[cfg(test)]
        if super::tests::is_disabled() {
            return false;
        }
        if options.iterations == 0 || !self.supports(body, goals, options.limits) {
            return false;
        }
        let Some(goal) = self.goal(body, goals, options) else { return false };
        let Some(mut method) = self.method(options) else { return false };
        self.record = options.record;
        self.errors.clear();
        let (too_far, too_near) = (self.too_far(goal.target), self.too_near(goal.target));
        let iterations = if too_far && method != Method::TwoBone {
            if options.record {
                self.load(body, continues);
                self.record_error(self.distance_to(goal.target));
            }
            self.straighten(body, goal.target);
            self.record_error(self.distance_to(goal.target));
            1
        } else if too_near && method != Method::TwoBone {
            return false;
        } else {
            self.load(body, continues);
            // Near the base, the closed form would cause large rotations for a small gain.
            if options.method == Method::Auto && method == Method::TwoBone && self.is_folded_near(goal.target)
            {
                method = Method::Dls;
            }
            match self.run(body, method, &goal, options) {
                // The closed form brings a limb as near as possible to a target that is out of its reach.
                ChainOutcome::Stuck if method == Method::TwoBone && (too_far || too_near) => {
                    self.write(body);
                    1
                }
                ChainOutcome::Stuck => return false,
                ChainOutcome::Reached(0) => 0,
                ChainOutcome::Reached(iterations) => {
                    self.write(body);
                    iterations
                }
            }
        };
        self.fill_report(body, &goal, report);
        (report.method, report.iterations) = (method, iterations);
        true
    }

    /// Returns the goal relative to the base, or `None` if the placement of the body has shear or non-uniform scale, or
    /// if the tolerance is as small as the rounding errors of the scales.
    fn goal(&self, body: &Body, goals: &[Goal], options: &Options) -> Option<ChainGoal> {
        let scale = body.uniform_scale()?;
        let goal = goals.first()?;
        let target = body.base_from_world().transform_point3(goal.position?);
        let own = match goal.axes.position.tolerance {
            Some(Tolerance::Norm(own)) => Some(own),
            _ => options.tolerance,
        };
        let tolerance = own.unwrap_or(DEFAULT_TOLERANCE * self.reach * scale);
        let within = tolerance / scale;
        if self.unevenness > LARGEST_UNEVENNESS * within {
            return None;
        }
        let inside = (within - self.unevenness) * (1.0 - ROUNDING);
        Some(ChainGoal { target: target - self.base(body), tolerance, inside, scale })
    }

    /// Returns the method that solves the chain, or `None` if only the tree supports the requested method or its
    /// options.
    fn method(&self, options: &Options) -> Option<Method> {
        let method = match options.method {
            Method::Auto if self.is_limb() => Method::TwoBone,
            Method::Auto => Method::Dls,
            method => method,
        };
        let JacobianOptions { parameters, secondary, damping, clamp, .. } = options.jacobian;
        let is_supported = match method {
            Method::Dls | Method::Fused => {
                let plain = parameters == JointParameters::RotationVector && secondary == Secondary::None;
                #[expect(clippy::float_cmp, reason = "set, not computed")]
                let default = clamp == JacobianOptions::default().clamp && damping.is_none();
                plain && default
            }
            Method::TwoBone => self.is_limb() && options.limb == LimbOptions::default(),
            Method::Ccd => self.supports_ccd(&options.ccd),
            Method::Particle => options.particle == ParticleOptions::default(),
            Method::Fabrik => true,
            _ => false,
        };
        is_supported.then_some(method)
    }

    /// Runs a method on the loaded pose.
    fn run(&mut self, body: &Body, method: Method, goal: &ChainGoal, options: &Options) -> ChainOutcome {
        let &ChainGoal { target, inside, .. } = goal;
        match method {
            Method::Ccd => self.descend(target, inside, options.iterations, &options.ccd),
            Method::Particle => self.relax(target, inside, options.iterations),
            Method::Fabrik => self.reach_both_ways(target, inside, options.iterations, &options.fabrik),
            Method::Fused => self.fuse(body, target, inside, options.iterations, &options.fused),
            Method::TwoBone => self.close(target, inside),
            _ => self.damped(target, inside, options.iterations),
        }
    }

    /// Writes the errors of the solved body to the report. The caller sets the method and the iterations.
    fn fill_report(&mut self, body: &Body, goal: &ChainGoal, report: &mut Report) {
        let offset = if self.unevenness > 0.0 { self.exact_end(body) } else { self.end() };
        let error = (body.world_from_base().matrix3 * (goal.target - offset)).length();
        let beyond_bones = self.too_far(goal.target) || self.too_near(goal.target);
        let evidence = Evidence { reached: error <= goal.tolerance, beyond_bones, ..Evidence::default() };
        report.goals.clear();
        let position_error = Some(error);
        report.goals.push(GoalOutcome {
            outcome: evidence.outcome(),
            position_error,
            full_position_error: position_error,
            ..GoalOutcome::default()
        });
        report.limited.clear();
        report.history.clear();
        report.history.extend(self.errors.iter().map(|e| e * goal.scale));
        // Converting the intermediate errors with the scale of the placement is accurate to single precision. The last entry is the exact
        // error of the result.
        if let Some(last) = report.history.last_mut() {
            *last = error;
        }
    }

    /// Returns the position of the end relative to the base by forward kinematics of the body's links.
    fn exact_end(&self, body: &Body) -> DVec3 {
        let world = body.world_from_link(LinkIndex(self.end)).map(|m| m.transform_point3(self.offset));
        let end = world.map(|end| body.base_from_world().transform_point3(end) - self.base(body));
        end.unwrap_or(self.end())
    }
}
