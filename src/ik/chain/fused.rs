//! The fused method on a free chain. The algorithm is that of [`crate::ik::methods::fused`].

use glam::DVec3;

use crate::ik::methods::limb::{Limb, LimbGoal, solve_limb};

use super::{Chain, ChainOutcome};

/// The closed form is skipped if the target is nearer to the base than this fraction of the reach and the end is
/// nearer to the target than [`CLOSE`].
const NEAR: f64 = 0.25;
/// Distance of the end from the target, as a fraction of the reach, below which the closed form can be skipped
/// ([`NEAR`]).
const CLOSE: f64 = 0.1;

impl Chain {
    /// Runs the fused method: the closed form with the two halves as the bones of a limb, then damped least squares
    /// for the remaining error.
    pub(in crate::ik) fn fuse(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let end = self.end_now;
        self.record_error(end.distance(target));
        if end.distance_squared(target) <= tolerance * tolerance {
            return ChainOutcome::Reached(0);
        }
        if !self.is_folded_near(target)
            && self.solve_halves(target, end)
            && self.end_now.distance_squared(target) <= tolerance * tolerance
        {
            self.record_error(self.end_now.distance(target));
            return ChainOutcome::Reached(1);
        }
        match self.damped(target, tolerance, iterations) {
            ChainOutcome::Reached(more) => ChainOutcome::Reached((more + 1).min(iterations)),
            ChainOutcome::Stuck => ChainOutcome::Stuck,
        }
    }

    /// Runs the closed form for limbs alone. If the target is out of reach, the chain comes as near as possible, and is
    /// stuck there.
    pub(super) fn close(&mut self, target: DVec3, tolerance: f64) -> ChainOutcome {
        self.record_error(self.distance_to(target));
        if self.end_now.distance_squared(target) <= tolerance * tolerance {
            return ChainOutcome::Reached(0);
        }
        self.turn_halves(target, self.end_now);
        let error = self.distance_to(target);
        self.record_error(error);
        if error <= tolerance { ChainOutcome::Reached(1) } else { ChainOutcome::Stuck }
    }

    /// Returns whether the target is near the base and the end is near the target. The closed form would then turn the
    /// chain strongly for a small gain.
    pub(super) fn is_folded_near(&self, target: DVec3) -> bool {
        let reach2 = self.reach * self.reach;
        target.length_squared() < NEAR * NEAR * reach2
            && self.end_now.distance_squared(target) < CLOSE * CLOSE * reach2
    }

    /// Moves the end to the target by turning the two halves of the chain like the bones of a limb. The limb keeps
    /// its bend direction, and a straight one bends as the chain does at rest. Returns false if the lengths of the
    /// halves do not allow it.
    fn solve_halves(&mut self, target: DVec3, end: DVec3) -> bool {
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        let lower = end - upper;
        let (a2, b2, d2) = (upper.length_squared(), lower.length_squared(), target.length_squared());
        let along = 0.5 * (d2 + a2 - b2);
        if a2 * d2 <= along * along {
            return false;
        }
        self.turn_halves(target, end);
        true
    }

    /// Turns the two halves of the chain like the bones of a limb that reaches for the target.
    fn turn_halves(&mut self, target: DVec3, end: DVec3) {
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        let limb = Limb { upper, lower: end - upper, bend: self.bend_now() };
        let [first, second] = solve_limb(&limb, &LimbGoal { target, pole: DVec3::ZERO });
        self.turn_all(0..self.middle, first);
        self.turn_all(self.middle..self.vectors.len(), second);
        self.end_now = self.vectors.iter().sum();
    }
}
