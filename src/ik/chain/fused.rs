//! The fused method on a free chain. For the algorithm, see [`crate::methods::fused`].

use glam::{DQuat, DVec3};
use wide::f64x2;

use crate::damping::lambda2;
use crate::lanes::{Lanes, Quaternion, Vec3};
use crate::methods::fused::{FusedPose, can_reach, wants_closed_form};
use crate::methods::jacobian::LARGEST_TURN;
use crate::methods::limb::{Limb, LimbGoal, solve_limb};
use crate::rotation::rotation_vector;
use crate::tree::retract;
use crate::{Body, Correction, FusedOptions};

use super::damped::ArmSums;
use super::pose::{joint_vectors, multiply};
use super::stall::StallDetector;
use super::{ChainOutcome, FreeChain};

/// The closed form of a limb is skipped if the target is nearer to the base than this fraction of the reach and the end is
/// nearer to the target than [`CLOSE`]. The closed form would then cause large rotations for a small gain.
const NEAR: f64 = 0.25;
/// Distance of the end from the target, as a fraction of the reach, below which the closed form can be skipped
/// ([`NEAR`]).
const CLOSE: f64 = 0.1;

impl FreeChain {
    /// Runs the fused method.
    ///
    /// If the two halves of the chain cannot reach the target in closed form, the midpoint would result only from
    /// differential steps. Differential steps ignore the freedom that the goal leaves. They would amount to damped
    /// least squares, so damped least squares runs instead.
    pub(crate) fn fuse(
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
        // Before the first step of a solve, there are no turns of a previous step.
        self.arcs.fill(DQuat::IDENTITY);
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

    /// Runs only the closed form for limbs. If the target is out of reach, the chain moves as near to it as possible, and
    /// the outcome is `Stuck`.
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

    /// Returns whether the target is near the base and the end is near the target. The closed form would then cause large
    /// rotations for a small gain.
    pub(super) fn is_folded_near(&self, target: DVec3) -> bool {
        let reach2 = self.reach * self.reach;
        target.length_squared() < NEAR * NEAR * reach2
            && self.end_now.distance_squared(target) < CLOSE * CLOSE * reach2
    }

    /// Moves the end to the target by turning the two halves of the chain like the bones of a limb. The limb keeps its
    /// bend direction. A straight limb bends in the direction in which the rest pose is bent. Returns the turns of both
    /// halves, or `None` if the lengths of the halves do not allow this.
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

/// A chain that is being solved for a target. The target is relative to the base.
///
/// `FreeChain::next` and `FreeChain::orientations_before` contain the stored pose. `FreeChain::arcs` contains, in base space, the
/// rotation of each joint since the stored pose, combined with the rotations of all joints above it.
struct ChainPose<'a> {
    chain: &'a mut FreeChain,
    target: DVec3,
}

impl ChainPose<'_> {
    /// Returns J Jᵀ = Σ |r|² I − r rᵀ over the arms r from the joints to the end, and the displacement of the end by the
    /// additional turns.
    fn measure(&self, additional: Option<&[DVec3]>) -> (ArmSums, DVec3) {
        let chain = &*self.chain;
        let (mut sums, mut moved, mut arm) = (ArmSums::default(), DVec3::ZERO, chain.end_now);
        match additional {
            Some(additional) => {
                for (vector, turn) in chain.vectors.iter().zip(additional) {
                    sums.add(arm);
                    moved += turn.cross(arm);
                    arm -= *vector;
                }
            }
            None => {
                for vector in &chain.vectors {
                    sums.add(arm);
                    arm -= *vector;
                }
            }
        }
        (sums, moved)
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
        let chain = &mut *self.chain;
        chain.next.clone_from(&chain.vectors);
        chain.orientations_before.clone_from(&chain.orientations);
        let end = chain.end_now;
        if let Some([first, second]) = chain.solve_halves(self.target, end) {
            chain.arcs[..chain.middle].fill(first);
            chain.arcs[chain.middle..].fill(second);
        }
    }

    fn last_turns(&self, turns: &mut Vec<DVec3>) {
        let arcs = &self.chain.arcs;
        let Some((&first, below)) = arcs.split_first() else { return };
        turns.clear();
        turns.push(rotation_vector(first));
        let above = arcs.as_chunks::<2>().0;
        let (below, last) = below.as_chunks::<2>();
        for (above, below) in above.iter().zip(below) {
            match turns_between::<f64x2, 2>(above, below) {
                // `Vec::extend` is not inlined.
                Some(both) => {
                    let [first, second] = both.each();
                    turns.push(first);
                    turns.push(second);
                }
                None => {
                    turns.extend(above.iter().zip(below).map(|(a, b)| rotation_vector(*b * a.conjugate())));
                }
            }
        }
        if let ([last], Some(above)) = (last, arcs.len().checked_sub(2).map(|i| arcs[i])) {
            turns.push(rotation_vector(*last * above.conjugate()));
        }
    }

    #[inline]
    fn turn_to_middle(&self, joint: usize) -> DVec3 {
        let orientations = &self.chain.orientations;
        let frame = joint.checked_sub(1).map_or(DQuat::IDENTITY, |parent| orientations[parent]);
        rotation_vector((frame * self.chain.rests[joint] * orientations[joint].conjugate()).normalize())
    }

    fn step(&mut self, additional: Option<&[DVec3]>, boost: f64) {
        let (sums, moved) = self.measure(additional);
        let chain = &mut *self.chain;
        let error = (self.target - chain.end_now).clamp_length_max(chain.reach);
        #[expect(clippy::cast_precision_loss, reason = "chains are short")]
        let lambda2 = boost * lambda2(chain.links.len() as f64, error.length_squared(), chain.reach);
        let y = sums.inverse(lambda2).times(error - moved);
        // A turn ω of a joint moves the end by ω × r, so Jᵀ y = r × y.
        let (mut largest, mut arm) = (0.0_f64, chain.end_now);
        for (joint, (turn, vector)) in chain.turns.iter_mut().zip(&chain.vectors).enumerate() {
            let own = arm.cross(y);
            *turn = additional.and_then(|a| a.get(joint)).map_or(own, |a| *a + own);
            largest = largest.max(turn.length_squared());
            arm -= *vector;
        }
        let scale = if largest > LARGEST_TURN * LARGEST_TURN { LARGEST_TURN / largest.sqrt() } else { 1.0 };
        // Each joint turns in its own frame, which the joints above it have already turned.
        let mut above = DQuat::IDENTITY;
        for (turn, arc) in chain.turns.iter().zip(&mut chain.arcs) {
            above = multiply(above, retract(*turn * scale));
            *arc = above;
        }
        // After the swap, the previous pose is in `next` and `orientations_before`.
        std::mem::swap(&mut chain.vectors, &mut chain.next);
        std::mem::swap(&mut chain.orientations, &mut chain.orientations_before);
        chain.orientations.resize(chain.orientations_before.len(), DQuat::IDENTITY);
        let (arcs, last_arc) = chain.arcs.as_chunks::<2>();
        let (old, last_old) = chain.next.as_chunks::<2>();
        let (new, last_new) = chain.vectors.as_chunks_mut::<2>();
        let [even, odd] = joint_vectors::<f64x2, 2>(arcs, old, new).each();
        let last_new = last_new.as_chunks_mut::<1>().0;
        let [last] =
            joint_vectors::<f64, 1>(last_arc.as_chunks::<1>().0, last_old.as_chunks::<1>().0, last_new)
                .each();
        chain.end_now = even + odd + last;
        for ((arc, old), new) in
            chain.arcs.iter().zip(&chain.orientations_before).zip(&mut chain.orientations)
        {
            *new = multiply(*arc, *old);
        }
    }

    fn undo(&mut self) {
        std::mem::swap(&mut self.chain.vectors, &mut self.chain.next);
        std::mem::swap(&mut self.chain.orientations, &mut self.chain.orientations_before);
        self.chain.end_now = self.chain.vectors.iter().sum();
    }
}

/// Squared tangent of a quarter of the largest angle for which [`turns_between`] uses its continued fraction. The turns
/// of a step are smaller: [`retract`] maps [`LARGEST_TURN`] to 2 atan(1/2).
const SMALL: f64 = 0.057;

/// Returns the rotation vectors from the unit quaternions in `from` to the unit quaternions in `to`, like
/// [`rotation_vector`]. Returns `None` if a rotation is large.
///
/// If t is the tangent of a quarter of the angle, the vector is the axis times 4 atan(t). atan(t)/t is the eighth
/// convergent of its continued fraction 1/(1 + t²/(3 + 4t²/(5 + …))) (Abramowitz & Stegun 1964, 4.4.43). The error of this
/// convergent is below 2e-15 here.
#[inline(always)]
pub(super) fn turns_between<L: Lanes<N>, const N: usize>(
    from: &[DQuat; N],
    to: &[DQuat; N],
) -> Option<Vec3<L>> {
    let (from, to) = (Quaternion::<L>::gather(from), Quaternion::<L>::gather(to));
    let (a, b, c) = (from.axis(), to.axis(), L::splat);
    let w = to.w * from.w + b.dot(a);
    let t = a.cross(b).plus(b.times(from.w)).minus(a.times(to.w)).times((c(1.0) + w).inverse());
    let z = t.dot(t);
    if !L::all_above([(w, c(0.0)), (c(SMALL), z)]) {
        return None;
    }
    let z2 = z * z;
    let top = c(34_459_425.0)
        + c(61_486_425.0) * z
        + z2 * (c(33_648_615.0) + c(5_742_495.0) * z + c(147_456.0) * z2);
    let bottom = c(34_459_425.0)
        + c(72_972_900.0) * z
        + z2 * (c(51_081_030.0) + c(13_097_700.0) * z + c(893_025.0) * z2);
    Some(t.times(c(4.0) * top * bottom.inverse()))
}
