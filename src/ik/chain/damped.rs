//! Damped least squares on a free chain: a version of [`crate::methods::damped`] that is specialised for chains.
//!
//! J Jᵀ is Σ |r|² I − r rᵀ over the arms r from each joint to the end. It is a 3×3 matrix for a chain of any length.
//! With y = (J Jᵀ + λ²I)⁻¹ e, the orientation of a joint changes by (Σ r) × y, where the sum runs over the arms of the
//! joint itself and of the joints above it. A step therefore consists of a running sum, the solution of three
//! equations, and one product per joint.

use glam::{DQuat, DVec3};
use wide::f64x2;

use crate::damping::lambda2;
use crate::lanes::{Lanes, Quaternion, Vec3};
use crate::methods::damped::{Arch, Damped, DampedProblem, is_straight, is_stretched, swing};

use super::{ChainOutcome, FreeChain};

/// A chain that is being solved for a target. The methods are inlined, so that this state is kept in registers.
struct ChainProblem<'a> {
    chain: &'a mut FreeChain,
    /// The target relative to the base, in base space.
    target: DVec3,
    tolerance2: f64,
    /// The system of equations for the measured pose, and its inverse with damping.
    system: StepSystem,
    inverse: Symmetric,
    /// Half of y (see the module documentation), summed over the steps since the measured pose.
    half: DVec3,
    /// The error of the current pose.
    error: DVec3,
}

impl FreeChain {
    /// Runs damped least squares until the end is within `tolerance` of a target. `tolerance` and `target` are in
    /// base space, and `target` is relative to the base.
    pub(crate) fn damped(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let mut problem = ChainProblem::new(self, target, tolerance);
        problem.record();
        if problem.is_done() {
            return ChainOutcome::Reached(0);
        }
        let mut damped = Damped::default();
        for iteration in 1..=iterations {
            damped.pass(&mut problem);
            problem.record();
            if problem.is_done() {
                if damped.is_open() {
                    problem.accept();
                }
                return ChainOutcome::Reached(iteration);
            }
            if damped.is_stuck() {
                break;
            }
        }
        ChainOutcome::Stuck
    }
}

impl<'a> ChainProblem<'a> {
    #[inline(always)]
    fn new(chain: &'a mut FreeChain, target: DVec3, tolerance: f64) -> Self {
        let error = target - chain.end_now;
        let system = StepSystem::default();
        let tolerance2 = tolerance * tolerance;
        Self { chain, target, tolerance2, system, inverse: Symmetric::default(), half: DVec3::ZERO, error }
    }

    #[inline(always)]
    fn record(&mut self) {
        if self.chain.record {
            self.chain.errors.push(self.error.length());
        }
    }
}

impl DampedProblem for ChainProblem<'_> {
    #[inline(always)]
    fn cost(&self) -> f64 {
        self.error.length_squared()
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.cost() <= self.tolerance2
    }

    #[inline(always)]
    fn start(&mut self) -> bool {
        let is_bent = self.chain.start(self.target);
        self.error = self.target - self.chain.end_now;
        is_bent
    }

    #[inline(always)]
    fn arch(&mut self) -> bool {
        let is_bent = is_stretched(self.chain.reach, self.target) && self.chain.arch(self.target);
        self.error = self.target - self.chain.end_now;
        is_bent
    }

    #[inline(always)]
    fn measure(&mut self) {
        self.system = self.chain.measure(self.target);
    }

    #[inline(always)]
    fn step(&mut self, boost: f64, again: bool) {
        let mut error = self.error;
        if !again {
            error = self.system.error;
            self.inverse = self.system.sums.inverse(boost * self.system.damping);
            self.half = DVec3::ZERO;
        }
        self.half += self.inverse.times(error) * 0.5;
        self.error = self.target - self.chain.try_turns(self.half);
    }

    #[inline(always)]
    fn accept(&mut self) {
        self.chain.take_turns(self.target - self.error);
    }

    #[inline(always)]
    fn reject(&mut self) {
        self.error = self.target - self.chain.end_now;
    }
}

impl FreeChain {
    /// Computes the running sums of the arms and the system of a step.
    fn measure(&mut self, target: DVec3) -> StepSystem {
        let (mut arm, mut passed) = (self.end_now, DVec3::ZERO);
        let mut sums = ArmSums::default();
        for (vector, out) in self.vectors.iter().zip(&mut self.passed) {
            passed += arm;
            *out = passed;
            sums.add(arm);
            arm -= *vector;
        }
        // The tree clamps errors to the same length, which is the default in the Jacobian options.
        let error = (target - self.end_now).clamp_length_max(self.reach);
        #[expect(clippy::cast_precision_loss, reason = "chains are short")]
        let damping = lambda2(self.links.len() as f64, error.length_squared(), self.reach);
        StepSystem { sums, error, damping }
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
        let (orientations, last_orientation) = self.orientations.as_chunks_mut::<2>();
        apply_turns::<f64x2, 2>(turns, orientations);
        apply_turns::<f64, 1>(last_turn.as_chunks::<1>().0, last_orientation.as_chunks_mut::<1>().0);
    }

    /// Returns the axis in base space about which the rest pose bends, rotated with the chain's first joint.
    pub(super) fn bend_now(&self) -> DVec3 {
        self.orientations.first().copied().unwrap_or(DQuat::IDENTITY) * self.bend
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

    /// Turns the chain as a whole towards a target that is far to the side, and bends it into an arc if it is straight.
    /// Returns whether the chain was bent.
    #[inline(never)]
    fn start(&mut self, target: DVec3) -> bool {
        if let Some(arc) = swing(self.end_now, target) {
            self.turn_all(0..self.vectors.len(), arc);
            self.end_now = arc * self.end_now;
        }
        is_straight(self.reach, self.end_now, target) && self.arch(target)
    }

    /// Bends the chain into a circular arc from the base to the target. Returns whether the chain was bent.
    #[inline(never)]
    fn arch(&mut self, target: DVec3) -> bool {
        let Some(mut arch) = Arch::new(self.reach, self.end_now, target, self.bend_now()) else {
            return false;
        };
        for ((vector, q), &length) in self.vectors.iter_mut().zip(&mut self.orientations).zip(&self.lengths) {
            let (there, turn) = arch.lay(*vector, length);
            *q = turn * *q;
            *vector = there;
        }
        self.end_now = self.vectors.iter().sum();
        true
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
#[inline]
fn apply_turns<L: Lanes<N>, const N: usize>(turns: &[[DVec3; N]], orientations: &mut [[DQuat; N]]) {
    for (turns, orientations) in turns.iter().zip(orientations) {
        let (turn, orientation) = (Vec3::<L>::gather(turns, |t| *t), Quaternion::gather(orientations));
        let axis = orientation.axis();
        let xyz = axis.plus(turn.times(orientation.w)).plus(turn.cross(axis));
        *orientations = Quaternion::new(xyz, orientation.w - turn.dot(axis)).each();
    }
}

/// The sums over the arms, the error, and the damping.
#[derive(Clone, Copy, Debug, Default)]
struct StepSystem {
    sums: ArmSums,
    error: DVec3,
    /// λ² of a step.
    damping: f64,
}

/// The sums over the arms from the joints to the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArmSums {
    /// Σ x², Σ y² and Σ z².
    squares: DVec3,
    /// Σ xy, Σ yz and Σ zx.
    products: DVec3,
}

impl ArmSums {
    #[inline(always)]
    pub(super) fn add(&mut self, arm: DVec3) {
        self.squares += arm * arm;
        self.products += arm * DVec3::new(arm.y, arm.z, arm.x);
    }

    /// Returns (J Jᵀ + λ²I)⁻¹, where λ² is `damping`. The matrix is positive definite, because λ² is positive.
    #[inline(always)]
    pub(super) fn inverse(&self, damping: f64) -> Symmetric {
        let trace = self.squares.x + self.squares.y + self.squares.z + damping;
        Symmetric { diagonal: DVec3::splat(trace) - self.squares, off: -self.products }.inverse()
    }
}

/// A symmetric 3×3 matrix, stored as its diagonal and the entries xy, yz, zx.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Symmetric {
    diagonal: DVec3,
    off: DVec3,
}

impl Symmetric {
    #[inline]
    fn inverse(self) -> Self {
        let (DVec3 { x: a, y: d, z: f }, DVec3 { x: xy, y: yz, z: zx }) = (self.diagonal, self.off);
        let diagonal = DVec3::new(d * f - yz * yz, a * f - zx * zx, a * d - xy * xy);
        let off = DVec3::new(zx * yz - xy * f, xy * zx - a * yz, xy * yz - d * zx);
        let inverse = 1.0 / (a * diagonal.x + xy * off.x + zx * off.z);
        Self { diagonal: diagonal * inverse, off: off * inverse }
    }

    #[inline]
    pub(super) fn times(self, v: DVec3) -> DVec3 {
        let DVec3 { x: xy, y: yz, z: zx } = self.off;
        self.diagonal * v + DVec3::new(xy * v.y + zx * v.z, xy * v.x + yz * v.z, zx * v.x + yz * v.y)
    }
}
