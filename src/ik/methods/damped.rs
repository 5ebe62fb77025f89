//! Damped least squares: Wampler 1986; Nakamura & Hanafusa 1986. The loop is the same for every representation of a body.
//! [`DampedProblem`] is implemented by the free chain (with running sums and a 3×3 matrix) and by the tree (with a Jacobian of any size).

use glam::{DQuat, DVec3};

use crate::damping::Damping;
use crate::rotation::{any_perpendicular, shortest_arc};

/// A step that leaves at least this fraction of the squared error is rejected. The gain must exceed rounding errors.
const PROGRESS: f64 = 1.0 - 1e-9;
/// A step that leaves less than this fraction of the squared error is followed by another one with the same matrix.
const CONTINUE: f64 = 0.01;

/// A target counts as far to the side if the cosine of the angle at the base, between the end and the target, is at
/// most this value.
const SIDE: f64 = 0.9;
/// A chain turns as a whole only if the squared distance from the base to the target is at least this fraction of the
/// squared distance from the base to the chain's end.
const WHOLE_TURN: f64 = 0.95;
/// A nearly straight chain is bent before its first step. It is nearly straight if the reach minus the distance of
/// the end from the base is at most this fraction of the reach minus the distance of the target.
const STRAIGHT: f64 = 1e-3;
/// Number of steps after which a free chain is bent into a circular arc if its target is farther from the base than
/// [`STRETCHED`] times the reach. Such a target requires an almost straight chain. If the chain has many joints, steps
/// often overshoot there. Little is lost by the arc, because all poses that reach the target are similar.
const ARC_STEPS: usize = 24;
const STRETCHED: f64 = 0.98;
/// Bounds of half the angle of an arc in Newton's method, in radians: just above a straight line and below a full circle. The first guess,
/// a series that is accurate for flat arcs, is at most [`FIRST_HALF_ANGLE`].
const HALF_ANGLES: [f64; 2] = [1e-9, 3.1];
const FIRST_HALF_ANGLE: f64 = 3.0;

/// A body and its goals, in the pose after the last tentative step.
pub(crate) trait DampedProblem {
    /// Returns the weighted sum of squared errors of the current pose.
    fn cost(&self) -> f64;
    /// Returns whether the goals are met in the current pose.
    fn is_done(&self) -> bool;
    /// Moves a free chain with a single target position out of poses from which steps make little progress. It uses
    /// [`swing`], and also [`Arch`] if the chain [is straight](is_straight). Returns whether the chain was bent into an
    /// arc.
    fn start(&mut self) -> bool;
    /// Bends a free chain into an arc if its target is [far out](is_stretched). Returns whether the chain was bent.
    fn arch(&mut self) -> bool;
    /// Makes the current pose the start of the next steps, and measures its errors and its Jacobian.
    fn measure(&mut self);
    /// Takes a tentative step with `boost` times the normal λ². If `again` is set, the step corrects the remaining
    /// error with the Jacobian and the damping of the last step. The two steps together then count as one step from the
    /// measured pose.
    fn step(&mut self, boost: f64, again: bool);
    /// Keeps the last tentative step.
    fn accept(&mut self);
    /// Returns to the measured pose.
    fn reject(&mut self);
}

/// The state of the iterations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Damped {
    /// Factor for λ².
    damping: Damping,
    /// Cost of the measured pose, and cost before the last step. They differ if the last step reused the matrix of the
    /// step before it.
    measured: f64,
    last: f64,
    steps: usize,
    arched: bool,
}

impl Damped {
    /// Evaluates the last tentative step and takes another one. Takes no step if the goals are met before the first
    /// step, or if the iterations are stuck.
    #[inline(always)]
    pub(crate) fn pass(&mut self, problem: &mut impl DampedProblem) {
        let is_first = self.steps == 0;
        let cost = problem.cost();
        // While steps leave little error, the next step uses the same matrix, as in Broyden 1965.
        let again = !is_first && cost < CONTINUE * self.last;
        if is_first {
            self.arched = problem.start();
            if problem.is_done() {
                return;
            }
            self.measure(problem);
        } else if !again {
            self.judge(problem, cost);
            if self.is_stuck() {
                return;
            }
        }
        if !again && self.steps >= ARC_STEPS && !self.arched && problem.arch() {
            (self.arched, self.damping) = (true, Damping::default());
            self.measure(problem);
        }
        self.steps += 1;
        self.last = if again { cost } else { self.measured };
        problem.step(self.damping.value(), again);
    }

    /// Accepts or rejects the last step by its cost, and adapts the damping.
    #[inline(always)]
    fn judge(&mut self, problem: &mut impl DampedProblem, cost: f64) {
        if self.is_stuck() {
            return;
        }
        // A NaN cost is not an improvement.
        if cost < PROGRESS * self.measured {
            problem.accept();
            self.damping.accept_marquardt();
            self.measure(problem);
        } else {
            problem.reject();
            self.damping.reject_marquardt();
        }
    }

    #[inline(always)]
    fn measure(&mut self, problem: &mut impl DampedProblem) {
        problem.measure();
        self.measured = problem.cost();
    }

    /// Returns whether many consecutive steps were rejected.
    #[inline(always)]
    pub(crate) fn is_stuck(&self) -> bool {
        self.damping.is_stuck()
    }

    /// Returns whether a tentative step has been neither accepted nor rejected yet.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.steps > 0 && !self.is_stuck()
    }
}

/// Returns the rotation of a whole chain about its base towards a target that is far to the side, or `None` if the
/// target is not far to the side. This rotation prevents iterations from folding and unfolding the chain. A chain that
/// must fold to reach the target is left alone. `end` and `target` are relative to the base.
#[inline]
pub(crate) fn swing(end: DVec3, target: DVec3) -> Option<DQuat> {
    let (end2, target2) = (end.length_squared(), target.length_squared());
    let is_aside = target2 >= WHOLE_TURN * end2 && end.dot(target) <= SIDE * (end2 * target2).sqrt();
    is_aside.then(|| shortest_arc(end, target, any_perpendicular(end)))
}

/// Returns whether a chain is much straighter than the target requires. In a straight chain, no joint has a direction
/// to turn in, and in a nearly straight chain the direction is inaccurate. `end` and `target` are relative to the base.
#[inline]
pub(crate) fn is_straight(reach: f64, end: DVec3, target: DVec3) -> bool {
    reach - end.length() <= STRAIGHT * (reach - target.length())
}

/// Returns whether only an almost straight chain reaches a target, which is relative to the base.
#[inline]
pub(crate) fn is_stretched(reach: f64, target: DVec3) -> bool {
    target.length() > STRETCHED * reach
}

/// A circular arc of links from the base of a chain to its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arch {
    /// The shortest arc from the end to the target.
    turn: DQuat,
    /// Unit vectors: towards the target, along the normal of the arc's plane, and within the plane at right angles to
    /// the target's direction.
    way: DVec3,
    axis: DVec3,
    across: DVec3,
    /// Half of the angle of the arc, in radians.
    half_angle: f64,
    reach: f64,
    passed: f64,
}

impl Arch {
    /// Returns the arc for a chain with links of total length `reach`. `end` and `target` are relative to the base, and
    /// `bend` is the axis about which the chain bends. Returns `None` if the plane of the arc is undefined.
    pub(crate) fn new(reach: f64, end: DVec3, target: DVec3, bend: DVec3) -> Option<Self> {
        let way = target.try_normalize()?;
        let turn = shortest_arc(end, target, any_perpendicular(end));
        let axis = (turn * bend).reject_from_normalized(way).try_normalize()?;
        // Solves sin x / x = chord / arc for half the angle x of the arc by Newton's method, starting from the first
        // term of the series.
        let chord = target.length() / reach;
        let mut x = (6.0 * (1.0 - chord)).sqrt().min(FIRST_HALF_ANGLE);
        for _ in 0..3 {
            let (sin, cos) = x.sin_cos();
            let slope = (cos - sin / x) / x;
            x = (x - (sin / x - chord) / slope).clamp(HALF_ANGLES[0], HALF_ANGLES[1]);
        }
        Some(Self { turn, way, axis, across: axis.cross(way), half_angle: x, reach, passed: 0.0 })
    }

    /// Places the next link on the arc. Returns the link's new vector and its rotation.
    #[inline]
    pub(crate) fn lay(&mut self, link: DVec3, length: f64) -> (DVec3, DQuat) {
        let angle = self.half_angle * (1.0 - (2.0 * self.passed + length) / self.reach);
        self.passed += length;
        let (sin, cos) = angle.sin_cos();
        // The chain bends about the axis towards its end, so the first link leans to the opposite side.
        let there = (self.way * cos - self.across * sin) * length;
        (there, shortest_arc(self.turn * link, there, self.axis) * self.turn)
    }
}
