//! Damped least squares on a free chain.
//!
//! J Jᵀ is Σ |r|² I − r rᵀ over the arms r from each joint to the end. It is a 3×3 matrix for any length of the
//! chain. With y = (J Jᵀ + λ²I)⁻¹ e, the orientation of a joint changes by (Σ r) × y, where the sum covers the arms
//! of the joint itself and of those above it. So a step is a running sum, the solution of three equations, and one
//! product per joint. As long as a step leaves little error, the next step reuses the same sums and the same matrix
//! (like Broyden 1965 along the direction of the step).

use glam::{DQuat, DVec3};
use wide::f64x2;

use crate::ik::lanes::{Lanes, Quaternion, Vec3};
use crate::ik::rotation::{any_perpendicular, shortest_arc};

use super::{Chain, ChainOutcome};

/// λ² of damped least squares as a fraction of the squared error.
const DAMPING: f64 = 0.1;
/// A target counts as far to the side if the cosine of the angle at the base, between the end and the target, is at
/// most this.
const SIDE: f64 = 0.9;
/// A chain turns as a whole only if the squared distance from the base to the target is at least this fraction of the
/// squared distance from the base to the chain's end.
const WHOLE_TURN: f64 = 0.95;
/// A nearly straight chain is bent before its first step. It is nearly straight if the reach minus the distance of
/// the end from the base is at most this fraction of the reach minus the distance of the target.
const STRAIGHT: f64 = 1e-3;
/// Number of iterations after which a chain is bent into a circular arc if its target is farther from the base than
/// [`STRETCHED`] times the reach. Such a target requires an almost straight chain. If the chain has many joints, steps
/// often overshoot there. The arc loses little, because all poses that reach the target are similar.
const ARC_ITERATIONS: usize = 24;
const STRETCHED: f64 = 0.98;
/// Number of consecutive rejected steps after which a chain counts as stuck.
const REJECTIONS: usize = 10;
/// A step that leaves at least this fraction of the squared error is rejected.
const PROGRESS: f64 = 0.999_999;

/// A step that leaves less than this fraction of the squared error is followed by another one with the same matrix.
const CONTINUE: f64 = 0.01;

impl Chain {
    /// Runs damped least squares until the end is within `tolerance` of a target. `tolerance` and `target` are in
    /// base space, and `target` is relative to the base.
    pub(in crate::ik) fn damped(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let tolerance2 = tolerance * tolerance;
        self.record_error(self.distance_to(target));
        if self.end_now.distance_squared(target) <= tolerance2 {
            return ChainOutcome::Reached(0);
        }
        self.swing(target);
        let mut arched = self.is_straight(target);
        if arched {
            self.arch(target);
        }
        let mut state = self.measure(target);
        if state.error2 <= tolerance2 {
            self.record_error(state.error2.sqrt());
            return ChainOutcome::Reached(1);
        }
        let (mut boost, mut failed, mut iteration) = (1.0, 0, 0);
        while iteration < iterations {
            if iteration >= ARC_ITERATIONS && !arched && target.length() > STRETCHED * self.reach {
                self.arch(target);
                state = self.measure(target);
                (arched, boost, failed) = (true, 1.0, 0);
            }
            let inverse = state.inverse(boost * DAMPING);
            let (mut half, mut last2) = (DVec3::ZERO, state.error2);
            let mut error = state.error;
            loop {
                let more = inverse.times(error) * 0.5;
                half += more;
                error = target - self.try_turns(half);
                iteration += 1;
                let error2 = error.length_squared();
                self.record_error(error2.sqrt());
                let quick = error2 < CONTINUE * last2;
                last2 = error2;
                if error2 <= tolerance2 || !quick || iteration == iterations {
                    break;
                }
            }
            if last2 < PROGRESS * state.error2 {
                self.take_turns(target - error);
                if last2 <= tolerance2 {
                    return ChainOutcome::Reached(iteration);
                }
                state = self.measure(target);
                (boost, failed) = (f64::max(1.0, boost * 0.25), 0);
            } else if failed == REJECTIONS {
                return ChainOutcome::Stuck;
            } else {
                // The step was too long, so the damping increases.
                (boost, failed) = (boost * 8.0, failed + 1);
            }
        }
        ChainOutcome::Stuck
    }

    /// Computes the running sums of the arms and the system of a step.
    fn measure(&mut self, target: DVec3) -> StepSystem {
        let (mut arm, mut passed) = (self.end_now, DVec3::ZERO);
        let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
        for (vector, out) in self.vectors.iter().zip(&mut self.passed) {
            passed += arm;
            *out = passed;
            squares += arm * arm;
            products += arm * DVec3::new(arm.y, arm.z, arm.x);
            arm -= *vector;
        }
        let error = target - self.end_now;
        StepSystem { squares, products, error, error2: error.length_squared() }
    }

    /// Returns the position of the end after tentative turns. Each joint turns by the cross product of its running
    /// sum with twice `half`.
    fn try_turns(&mut self, half: DVec3) -> DVec3 {
        let (passed, last_passed) = self.passed.as_chunks::<2>();
        let (vectors, last_vector) = self.vectors.as_chunks::<2>();
        let (turns, last_turn) = self.turns.as_chunks_mut::<2>();
        let (next, last_next) = self.next.as_chunks_mut::<2>();
        let [even, odd] = turned::<f64x2, 2>(half, passed, vectors, turns, next).each();
        let (passed, vectors) = (last_passed.as_chunks::<1>().0, last_vector.as_chunks::<1>().0);
        let (turns, next) = (last_turn.as_chunks_mut::<1>().0, last_next.as_chunks_mut::<1>().0);
        let [last] = turned::<f64, 1>(half, passed, vectors, turns, next).each();
        even + odd + last
    }

    /// Applies the last tentative turns.
    fn take_turns(&mut self, end: DVec3) {
        std::mem::swap(&mut self.vectors, &mut self.next);
        self.end_now = end;
        let (turns, last_turn) = self.turns.as_chunks::<2>();
        let (spins, last_spin) = self.spins.as_chunks_mut::<2>();
        spin::<f64x2, 2>(turns, spins);
        spin::<f64, 1>(last_turn.as_chunks::<1>().0, last_spin.as_chunks_mut::<1>().0);
    }

    /// Turns the whole chain about its base towards a target that is far to the side. Without this, iterations would
    /// fold and unfold the chain. A chain that must fold to reach the target is left alone.
    fn swing(&mut self, target: DVec3) {
        let effector = self.end_now;
        let (end2, target2) = (effector.length_squared(), target.length_squared());
        if target2 < WHOLE_TURN * end2 || effector.dot(target) > SIDE * (end2 * target2).sqrt() {
            return;
        }
        let arc = shortest_arc(effector, target, any_perpendicular(effector));
        self.turn_all(0..self.vectors.len(), arc);
        self.end_now = arc * effector;
    }

    /// Returns the axis about which the chain bends at rest, carried along with its first joint, in base space.
    pub(super) fn bend_now(&self) -> DVec3 {
        self.spins.first().copied().unwrap_or(DQuat::IDENTITY) * self.bend
    }

    /// Computes the arms and returns the position of the end relative to the base.
    pub(super) fn measure_arms(&mut self) -> DVec3 {
        let mut arm = DVec3::ZERO;
        for (vector, out) in self.vectors.iter().zip(&mut self.arms).rev() {
            arm += *vector;
            *out = arm;
        }
        arm
    }

    /// Returns whether the chain is much straighter than the target requires. On a straight line no joint has a
    /// direction to turn in, and near one the direction is inaccurate.
    fn is_straight(&self, target: DVec3) -> bool {
        self.reach - self.end_now.length() <= STRAIGHT * (self.reach - target.length())
    }

    /// Bends the chain into a circular arc from the base to the target.
    fn arch(&mut self, target: DVec3) {
        let (effector, distance) = (self.end_now, target.length());
        let Some(way) = target.try_normalize() else { return };
        let arc = shortest_arc(effector, target, any_perpendicular(effector));
        let axis = (arc * self.bend_now()).reject_from_normalized(way);
        let Some(axis) = axis.try_normalize() else { return };
        // Solves sin x / x = chord / arc for half the angle x of the arc by Newton's method, starting from the first
        // term of the series.
        let chord = distance / self.reach;
        let mut x = (6.0 * (1.0 - chord)).sqrt().min(3.0);
        for _ in 0..3 {
            let (sin, cos) = x.sin_cos();
            let slope = (cos - sin / x) / x;
            x = (x - (sin / x - chord) / slope).clamp(1e-9, 3.1);
        }
        let (mut passed, across) = (0.0, axis.cross(way));
        for ((vector, spin), &length) in self.vectors.iter_mut().zip(&mut self.spins).zip(&self.lengths) {
            let angle = x * (1.0 - (2.0 * passed + length) / self.reach);
            passed += length;
            let (sin, cos) = angle.sin_cos();
            // The chain bends about the axis towards its end, so the first link leans to the opposite side.
            let there = (way * cos - across * sin) * length;
            let now = arc * *vector;
            *spin = shortest_arc(now, there, axis) * arc * *spin;
            *vector = there;
        }
        self.end_now = self.vectors.iter().sum();
    }
}

/// Turns each joint about (running sum) × `half`, and stores the turns and the turned vectors. Returns the sum of the
/// turned vectors.
#[inline(always)]
fn turned<L: Lanes<N>, const N: usize>(
    half: DVec3,
    passed: &[[DVec3; N]],
    vectors: &[[DVec3; N]],
    turns: &mut [[DVec3; N]],
    next: &mut [[DVec3; N]],
) -> Vec3<L> {
    let half = Vec3::<L>::splat(half);
    let mut sum = Vec3::splat(DVec3::ZERO);
    for (((passed, vector), out), next) in passed.iter().zip(vectors).zip(turns).zip(next) {
        let (passed, vector) = (Vec3::gather(passed, |p| *p), Vec3::gather(vector, |v| *v));
        let turn = passed.cross(half);
        // Cayley transform: a rotation by 2 atan |turn| about `turn` without a square root.
        let scale = L::splat(2.0) * (L::splat(1.0) + turn.dot(turn)).inverse();
        let across = turn.cross(vector);
        let vector = vector.plus(across.plus(turn.cross(across)).times(scale));
        (*out, *next) = (turn.each(), vector.each());
        sum = sum.plus(vector);
    }
    sum
}

/// Applies turns to orientations. The resulting quaternions are not normalised.
fn spin<L: Lanes<N>, const N: usize>(turns: &[[DVec3; N]], spins: &mut [[DQuat; N]]) {
    for (turns, spins) in turns.iter().zip(spins) {
        let (turn, spin) = (Vec3::<L>::gather(turns, |t| *t), Quaternion::gather(spins));
        let axis = spin.axis();
        let xyz = axis.plus(turn.times(spin.w)).plus(turn.cross(axis));
        *spins = Quaternion::new(xyz, spin.w - turn.dot(axis)).each();
    }
}

/// The sums over the arms, and the error.
#[derive(Clone, Copy, Debug)]
struct StepSystem {
    /// Σ x², y², z².
    squares: DVec3,
    /// Σ xy, yz, zx.
    products: DVec3,
    error: DVec3,
    error2: f64,
}

impl StepSystem {
    /// Returns (J Jᵀ + λ²I)⁻¹, where λ² is `damping` times the squared error.
    fn inverse(&self, damping: f64) -> Symmetric {
        let trace = self.squares.x + self.squares.y + self.squares.z + damping * self.error2;
        Symmetric { diagonal: DVec3::splat(trace) - self.squares, off: -self.products }.inverse()
    }
}

/// A symmetric 3×3 matrix, stored as its diagonal and the entries xy, yz, zx.
#[derive(Clone, Copy, Debug)]
struct Symmetric {
    diagonal: DVec3,
    off: DVec3,
}

impl Symmetric {
    fn inverse(self) -> Self {
        let (DVec3 { x: a, y: d, z: f }, DVec3 { x: xy, y: yz, z: zx }) = (self.diagonal, self.off);
        let diagonal = DVec3::new(d * f - yz * yz, a * f - zx * zx, a * d - xy * xy);
        let off = DVec3::new(zx * yz - xy * f, xy * zx - a * yz, xy * yz - d * zx);
        let inverse = 1.0 / (a * diagonal.x + xy * off.x + zx * off.z);
        Self { diagonal: diagonal * inverse, off: off * inverse }
    }

    fn times(self, v: DVec3) -> DVec3 {
        let DVec3 { x: xy, y: yz, z: zx } = self.off;
        self.diagonal * v + DVec3::new(xy * v.y + zx * v.z, xy * v.x + yz * v.z, zx * v.x + yz * v.y)
    }
}
