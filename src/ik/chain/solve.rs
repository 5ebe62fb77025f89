//! Solves a single position goal of a free chain without building a tree.

use crate::ik::options::DEFAULT_TOLERANCE;
use crate::ik::{Body, Goal, GoalOutcome, JacobianOptions, LimbOptions, Method, Options, Outcome, Report};

use super::{Chain, ChainOutcome};

impl Chain {
    /// Solves for a single position goal of a chain of free joints without building a tree. Returns false, with the
    /// body unchanged, if the problem is not of that kind or the iterations get stuck. `continues` is whether the body
    /// is in the pose of the last result.
    pub(in crate::ik) fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        continues: bool,
        report: &mut Report,
    ) -> bool {
        let plain = options.jacobian == JacobianOptions::default() && options.iterations > 0;
        if !(plain && self.supports(body, goals, options.limits)) {
            return false;
        }
        let method = match options.method {
            Method::Auto if self.is_limb() => Method::TwoBone,
            Method::Auto => Method::Dls,
            method => method,
        };
        let is_supported = match method {
            Method::Dls | Method::Fused => true,
            Method::TwoBone => self.is_limb() && options.limb == LimbOptions::default(),
            Method::Ccd => self.supports_ccd(&options.ccd),
            Method::Particle => options.stiffness >= 1.0,
            Method::Fabrik => true,
            _ => false,
        };
        // Tolerances are world metres.
        let scale = body.uniform_scale().filter(|_| is_supported);
        let Some((target, scale)) = goals.first().and_then(|g| g.position).zip(scale) else { return false };
        let target = body.base_from_world().transform_point3(target);
        let tolerance = options.tolerance.map_or(DEFAULT_TOLERANCE * self.reach, |t| t / scale);
        let offset = target - self.base(body);
        self.record = options.record;
        self.errors.clear();
        let iterations = if self.too_far(offset) {
            if options.record {
                self.load(body, continues);
                self.record_error(self.distance_to(offset));
            }
            self.straighten(body, offset);
            self.record_error(self.effector().distance(target));
            1
        } else if self.too_near(offset) {
            return false;
        } else {
            self.load(body, continues);
            // The tolerance is reduced a little, because the conversion to rotations and back causes rounding errors.
            let (tolerance_inside, iterations) = (tolerance * (1.0 - 1e-9), options.iterations);
            let outcome = match method {
                Method::Ccd => self.descend(offset, tolerance_inside, iterations, &options.ccd),
                Method::Particle => self.relax(offset, tolerance_inside, iterations),
                Method::Fabrik => self.reach_both_ways(offset, tolerance_inside, iterations),
                Method::Fused | Method::TwoBone => self.fuse(offset, tolerance_inside, iterations),
                _ => self.damped(offset, tolerance_inside, iterations),
            };
            match outcome {
                ChainOutcome::Stuck => return false,
                ChainOutcome::Reached(0) => 0,
                ChainOutcome::Reached(iterations) => {
                    self.write(body);
                    iterations
                }
            }
        };
        let error = (body.world_from_base().matrix3 * (target - self.effector())).length();
        let outcome = if error <= tolerance * scale { Outcome::Reached } else { Outcome::OutOfReach };
        report.goals.clear();
        report.goals.push(GoalOutcome { outcome, position_error: Some(error), orientation_error: None });
        report.limited.clear();
        report.history.clear();
        report.history.extend(self.errors.iter().map(|e| e * scale));
        (report.method, report.iterations) = (method, iterations);
        true
    }
}
