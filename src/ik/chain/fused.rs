//! The fused method on a free chain. The algorithm is that of [`crate::ik::methods::fused`].

use glam::{DMat3, DQuat, DVec3};

use crate::ik::methods::damped::damping;
use crate::ik::methods::fused::{FusedPose, can_reach, wants_closed_form};
use crate::ik::methods::jacobian::LARGEST_TURN;
use crate::ik::methods::limb::{Limb, LimbGoal, solve_limb};
use crate::ik::rotation::rotation_vector;
use crate::ik::tree::retract;
use crate::ik::{Body, Correction, FusedOptions};

use super::stall::StallDetector;
use super::{Chain, ChainOutcome};

/// The closed form of a limb is skipped if the target is nearer to the base than this fraction of the reach and the end
/// is nearer to the target than [`CLOSE`]. The closed form would then turn the chain strongly for a small gain.
const NEAR: f64 = 0.25;
/// Distance of the end from the target, as a fraction of the reach, below which the closed form can be skipped
/// ([`NEAR`]).
const CLOSE: f64 = 0.1;

impl Chain {
    /// Runs the fused method.
    ///
    /// If the two halves of the chain cannot reach the target in closed form, the midpoint would be that of differential
    /// steps alone. These turn no joint in the freedom that the goal leaves, so damped least squares does the same.
    pub(in crate::ik) fn fuse(
        &mut self,
        body: &Body,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
        options: &FusedOptions,
    ) -> ChainOutcome {
        let end = self.end_now;
        let closed_form = wants_closed_form(end, target, self.reach);
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        if closed_form && options.correction == Correction::Midpoint && !can_reach(upper, end - upper, target)
        {
            return self.damped(target, tolerance, iterations);
        }
        if options.correction == Correction::MidAngle {
            self.rests.clear();
            self.rests.extend(self.links.iter().map(|&link| body.links()[link].rest));
        }
        // Before the first step of a solve there is no last turn.
        self.turns.fill(DVec3::ZERO);
        let mut steps = std::mem::take(&mut self.fused);
        steps.start(closed_form);
        let mut stall = StallDetector::new();
        let mut outcome = ChainOutcome::Stuck;
        for iteration in 0..=iterations {
            let error = self.end_now.distance(target);
            self.record_error(error);
            if error <= tolerance {
                outcome = ChainOutcome::Reached(iteration);
                break;
            }
            if stall.is_stalled(error) || steps.is_stuck() {
                break;
            }
            steps.iterate(&mut ChainPose { chain: self, target }, options);
        }
        self.fused = steps;
        outcome
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
    /// its bend direction, and a straight one bends as the chain does at rest. Returns the turns of both halves, or
    /// `None` if the lengths of the halves do not allow it.
    fn solve_halves(&mut self, target: DVec3, end: DVec3) -> Option<[DQuat; 2]> {
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        let lower = end - upper;
        if !can_reach(upper, lower, target) {
            return None;
        }
        Some(self.turn_halves(target, end))
    }

    /// Turns the two halves of the chain like the bones of a limb that reaches for the target. Returns the
    /// turns of both halves.
    fn turn_halves(&mut self, target: DVec3, end: DVec3) -> [DQuat; 2] {
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        let limb = Limb { upper, lower: end - upper, bend: self.bend_now() };
        let [first, second] = solve_limb(&limb, &LimbGoal { target, pole: DVec3::ZERO });
        self.turn_all(0..self.middle, first);
        self.turn_all(self.middle..self.vectors.len(), second);
        self.end_now = self.vectors.iter().sum();
        [first, second]
    }
}

/// A chain on its way to a target, which is relative to the base.
///
/// `Chain::turns` contains the last turns θᵢ − θᵢ₋₁. `Chain::next` and `Chain::spins_before` contain the stored pose.
struct ChainPose<'a> {
    chain: &'a mut Chain,
    target: DVec3,
}

impl ChainPose<'_> {
    fn store(&mut self) {
        self.chain.next.clone_from(&self.chain.vectors);
        self.chain.spins_before.clone_from(&self.chain.spins);
        self.chain.turns.fill(DVec3::ZERO);
    }

    /// Stores the arm of each joint and returns J Jᵀ = Σ |r|² I − r rᵀ over the arms r.
    fn measure(&mut self) -> DMat3 {
        self.chain.measure_arms();
        let mut sum = DMat3::ZERO;
        for &r in &self.chain.arms {
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            sum += DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer;
        }
        sum
    }
}

impl FusedPose for ChainPose<'_> {
    fn joint_count(&self) -> usize {
        self.chain.vectors.len()
    }

    fn cost(&self) -> f64 {
        self.chain.end_now.distance_squared(self.target)
    }

    fn apply_closed_form(&mut self) {
        self.store();
        let end = self.chain.end_now;
        if let Some([first, second]) = self.chain.solve_halves(self.target, end) {
            let middle = self.chain.middle;
            self.chain.turns[0] = rotation_vector(first);
            self.chain.turns[middle] = rotation_vector(second * first.conjugate());
        }
    }

    fn last_turn(&self, joint: usize) -> DVec3 {
        self.chain.turns[joint]
    }

    fn turn_to_middle(&self, joint: usize) -> DVec3 {
        let spins = &self.chain.spins;
        let frame = joint.checked_sub(1).map_or(DQuat::IDENTITY, |parent| spins[parent]);
        rotation_vector((frame * self.chain.rests[joint] * spins[joint].conjugate()).normalize())
    }

    fn step(&mut self, additional: &[DVec3], boost: f64) {
        self.store();
        let error = (self.target - self.chain.end_now).clamp_length_max(self.chain.reach);
        #[expect(clippy::cast_precision_loss, reason = "chains are short")]
        let lambda2 =
            boost * damping(self.chain.links.len() as f64, error.length_squared(), self.chain.reach);
        let system = self.measure() + DMat3::from_diagonal(DVec3::splat(lambda2));
        let chain = &mut *self.chain;
        // A turn ω of a joint moves the end by ω × r, so Jᵀ y = r × y.
        let moved: DVec3 = additional.iter().zip(&chain.arms).map(|(h, r)| h.cross(*r)).sum();
        let y = system.inverse() * (error - moved);
        let mut largest = 0.0_f64;
        for ((turn, h), r) in chain.turns.iter_mut().zip(additional).zip(&chain.arms) {
            *turn = *h + r.cross(y);
            largest = largest.max(turn.length_squared());
        }
        let scale = if largest > LARGEST_TURN * LARGEST_TURN { LARGEST_TURN / largest.sqrt() } else { 1.0 };
        // Each joint turns in its own frame, which the joints above it have turned before.
        let mut above = DQuat::IDENTITY;
        let mut end = DVec3::ZERO;
        for ((turn, vector), spin) in chain.turns.iter_mut().zip(&mut chain.vectors).zip(&mut chain.spins) {
            let own = retract(*turn * scale);
            *turn = above * rotation_vector(own);
            above *= own;
            *vector = above * *vector;
            *spin = above * *spin;
            end += *vector;
        }
        chain.end_now = end;
    }

    fn undo(&mut self) {
        std::mem::swap(&mut self.chain.vectors, &mut self.chain.next);
        std::mem::swap(&mut self.chain.spins, &mut self.chain.spins_before);
        self.chain.end_now = self.chain.vectors.iter().sum();
    }
}
