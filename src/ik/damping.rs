//! The damping λ² of least-squares steps: its size, and how it changes when a step is accepted or rejected.
//!
//! A damped step solves (A + λ²I) x = b (Levenberg 1944, "A method for the solution of certain non-linear problems in least squares").
//! More damping makes the step shorter. Every loop that adapts its damping uses a [`Damping`] with one of three
//! rules:
//!
//! - Marquardt 1963, "An algorithm for least-squares estimation of nonlinear parameters": constant factors, × ¼ and × 8. Damped least
//!   squares, the fused method, and solves without collisions.
//! - Nielsen 1999, "Damping parameter in Marquardt's method", section 2: an accepted step multiplies λ² by a smooth function of its gain,
//!   and rejected steps multiply it by 2, 4, 8 and so on. Optimisation, and the restoration of pins.
//! - Fletcher 1971, "A modified Marquardt subroutine for non-linear least squares": constant factors for ranges of the gain. Whole bodies.

/// λ² of a step towards goals as a fraction of the squared error, per joint that moves the effector. Measured on the sets of `sinew
/// bench`: on free chains of 2 to 50 joints and on the limited bodies, values from 0.006 to 0.015 need the fewest iterations. If λ² did
/// not grow with the number of joints, 0.02 would be best for three joints and 0.2 for fifty.
pub const ERROR_SHARE: f64 = 0.01;
/// The part of a joint that a hinge counts as: it has one of the three degrees of freedom of a ball joint.
pub const HINGE_FREEDOM: f64 = 1.0 / 3.0;
/// λ² of all levels of tasks except the goals, as a fraction of their squared error.
pub(crate) const LEVEL_SHARE: f64 = 0.02;
/// λ² of the step that decides an outcome, as a fraction of the error times the length of the chain. The curvature of the error as a
/// joint turns has about this magnitude, so no step exceeds the range of the linear model.
pub(crate) const OUTCOME_SHARE: f64 = 0.2;
/// Lower bound of λ² as a fraction of the squared length of the longest chain. This bound keeps the matrix of a straight chain invertible.
/// It is a hundred times the rounding error of J W Jᵀ, and lets the last steps converge like Newton's method.
pub(crate) const FLOOR: f64 = 1e-14;
/// Like [`FLOOR`], for steps with bounds. It keeps their programs well conditioned.
pub(crate) const BOUNDED_FLOOR: f64 = 1e-9;

/// Factors of Marquardt's rule after rejected and accepted steps.
const MORE: f64 = 8.0;
const LESS: f64 = 0.25;
/// The first damping of whole bodies. A rejected step leaves at least this damping.
const FIRST: f64 = 1e-3;
/// Largest damping of whole bodies with which a solve begins.
const LARGEST_FIRST: f64 = 1.0;

/// Returns λ² of a step towards goals, in base-space metres squared. It falls with the error (Chan & Lawrence 1988; Sugihara 2011, eq. 19).
/// `joints` is the number of joints that move the effector, `error2` the squared error, and `length` the length of the chain. J W Jᵀ is a
/// sum over the joints, so λ² must grow with their number to damp chains of all lengths alike.
#[inline]
pub(crate) fn lambda2(joints: f64, error2: f64, length: f64) -> f64 {
    ERROR_SHARE * joints * error2 + FLOOR * length * length
}

/// Why a step of a whole body is rejected.
#[derive(Clone, Copy)]
pub(crate) enum Rejection {
    /// It gains too little.
    Gain,
    /// Its matrix is indefinite, or it is not finite.
    Undefined,
    /// It is too long. Contains its length as a multiple of the maximum.
    Long(f64),
}

/// The damping of a loop of steps, and how often it has rejected a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damping {
    /// λ², or the factor by which a loop multiplies its λ².
    value: f64,
    range: [f64; 2],
    /// Consecutive rejected steps.
    rejections: i32,
    /// The loop is stuck after this number of consecutive rejected steps, or if the damping exceeds the limit.
    tries: i32,
    limit: f64,
}

impl Default for Damping {
    /// Returns the damping of damped least squares. It is 8¹⁰ times as large before the last try.
    fn default() -> Self {
        Self::with_tries(11)
    }
}

impl Damping {
    /// The fused method.
    pub(crate) const FUSED: Self = Self::with_tries(10);
    /// Solves without collisions. A start that is stuck is followed by others.
    pub(crate) const CLEAR: Self = Self::with_tries(7);
    /// The restoration of pins. A factor has no scale, so only the limit bounds it.
    pub(crate) const PINS: Self =
        Self { range: [0.0, f64::INFINITY], limit: 1e12, ..Self::with_tries(i32::MAX) };
    /// Whole bodies.
    pub(crate) const BODY: Self =
        Self { value: FIRST, range: [1e-6, f64::INFINITY], limit: 1e9, ..Self::with_tries(i32::MAX) };

    /// Creates a damping of 1 that is stuck after `tries` consecutive rejections.
    const fn with_tries(tries: i32) -> Self {
        Self { value: 1.0, range: [1.0, f64::INFINITY], rejections: 0, tries, limit: f64::INFINITY }
    }

    /// Creates the damping μ of an optimisation, in base-space metres squared. The squared length is an upper bound of the columns' squared
    /// lengths. The first μ follows eq. 3.14 of Madsen, Nielsen & Tingleff 2004, "Methods for non-linear least squares problems", with
    /// τ = 1e-3 for a start that need not be near the minimum. Above the limit, turns are below 1e-5 of the error, so no step gains
    /// anything. The range keeps the product of μ and the factors of one step finite.
    pub(crate) fn optimisation(length: f64) -> Self {
        let length2 = length * length;
        let range = [1e-16 * length2, 1e6 * length2];
        Self { value: 1e-3 * length * length, range, limit: 1e5 * length2, ..Self::with_tries(i32::MAX) }
    }

    #[inline(always)]
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Returns whether further steps are useless, because too many were rejected.
    #[inline(always)]
    pub(crate) fn is_stuck(&self) -> bool {
        self.rejections >= self.tries || self.value > self.limit
    }

    /// Accepts a step by Marquardt's rule.
    #[inline(always)]
    pub(crate) fn accept_marquardt(&mut self) {
        (self.value, self.rejections) = ((self.value * LESS).max(self.range[0]), 0);
    }

    /// Rejects a step by Marquardt's rule. Returns whether the loop is stuck.
    #[inline(always)]
    pub(crate) fn reject_marquardt(&mut self) -> bool {
        (self.value, self.rejections) = (self.value * MORE, self.rejections + 1);
        self.is_stuck()
    }

    /// Accepts a step by Nielsen's rule. The gain is infinite for the first pose of a loop, which leaves the damping as it is. If the gain
    /// is half of the predicted gain, the damping stays the same. It then equals the curvature that the errors of contradictory goals add,
    /// and a loop converges fast.
    pub(crate) fn accept_nielsen(&mut self, gain: f64, predicted: f64) {
        if gain.is_finite() {
            let ratio = if predicted > 0.0 { gain / predicted } else { 0.0 };
            self.value *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
        }
        self.rejections = 0;
        self.value = self.value.clamp(self.range[0], self.range[1]);
    }

    /// Rejects a step by Nielsen's rule: each consecutive rejection has twice the factor of the one before it. Returns whether the loop is
    /// stuck.
    pub(crate) fn reject_nielsen(&mut self) -> bool {
        self.rejections += 1;
        self.value = (self.value * 2.0_f64.powi(self.rejections)).clamp(self.range[0], self.range[1]);
        self.is_stuck()
    }

    /// Accepts a step by Fletcher's rule.
    pub(crate) fn accept_fletcher(&mut self, gain: f64, predicted: f64) {
        if gain > 0.7 * predicted {
            self.value = (self.value * 0.15).max(self.range[0]);
        } else if gain < 0.3 * predicted {
            self.value = (self.value * 3.0).max(FIRST);
        }
    }

    /// Rejects a step by Fletcher's rule. Returns whether the loop is stuck.
    pub(crate) fn reject_fletcher(&mut self, why: Rejection) -> bool {
        let (by, least) = match why {
            Rejection::Gain => (6.0, FIRST),
            Rejection::Undefined => (8.0, FIRST),
            Rejection::Long(times) => ((2.0 * times).min(100.0), 10.0 * FIRST),
        };
        self.value = (self.value * by).max(least);
        self.is_stuck()
    }

    /// Bounds the damping of whole bodies for the next solve.
    pub(crate) fn end_solve(&mut self) {
        self.value = self.value.clamp(self.range[0], LARGEST_FIRST);
    }
}
