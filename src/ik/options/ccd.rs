//! Options of cyclic coordinate descent.

use sinew_base::api::with_methods;

/// Largest factor for over-relaxation. Successive over-relaxation diverges if the factor is 2 or more (Ostrowski 1954;
/// Reich 1949).
const MAX_RELAXATION: f64 = 1.95;
/// Smallest factor for damping. A factor of 0 would not turn any joint.
const MIN_RELAXATION: f64 = 0.01;

/// Options of cyclic coordinate descent: the order of the joints, the form of a turn, and the maximum rotations.
///
/// [`Link::ccd_budget`](crate::Link::ccd_budget) sets the maximum rotation of an individual joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct CcdOptions {
    /// Whether joints turn in order from the base to the tip instead of from the tip to the base.
    pub base_first: bool,
    /// Whether every second iteration turns the joints in the opposite order.
    pub alternating: bool,
    /// Maximum rotation of a joint in one step, in radians.
    #[cfg_attr(feature = "serde", serde(with = "cap"))]
    pub step: f64,
    /// Maximum rotation of a joint in a whole solve, in radians.
    #[cfg_attr(feature = "serde", serde(with = "cap"))]
    pub budget: f64,
    /// Whether the maximum step is multiplied by the number of the joint, counted from the tip, as in MMD.
    pub growing: bool,
    /// Fraction of each turn that is applied, from 0.01 to 1.95. A value below 1 damps the turns, so that more joints share the motion
    /// (Welman 1993, section 4.2.3). A value above 1 is successive over-relaxation, which needs fewer iterations near full stretch (Young
    /// 1954). The default is 1.
    pub relaxation: f64,
    /// Whether each turn is linearised: the rotation vector is ω = l × Δp / L², with the vector l from the joint to the
    /// effector, the vector Δp from the effector to the target, and the length L of the chain. Except for the constant
    /// factor, this is the formula of Oshita's lecture (Kyushu Institute of Technology, 2021). Joints far from the end
    /// turn more than joints near it.
    pub linear: bool,
    /// Whether the turns of an iteration are repeated by all joints together if this reduces the error. This is the
    /// pattern move of Hooke & Jeeves 1961. Each repetition that reduces the error doubles the size of the next one.
    pub extrapolate: bool,
    /// Whether the solve ends as soon as an iteration does not reduce the error, as in MMD. Such a solve never
    /// restarts.
    pub early_stop: bool,
}

with_methods!(CcdOptions {
    with_base_first(base_first: bool),
    with_alternating(alternating: bool),
    with_step(step: f64),
    with_budget(budget: f64),
    with_growing(growing: bool),
    with_relaxation(relaxation: f64),
    with_linear(linear: bool),
    with_extrapolate(extrapolate: bool),
    with_early_stop(early_stop: bool),
});

impl Default for CcdOptions {
    fn default() -> Self {
        Self {
            base_first: false,
            alternating: false,
            step: f64::INFINITY,
            budget: f64::INFINITY,
            growing: false,
            relaxation: 1.0,
            linear: false,
            extrapolate: false,
            early_stop: false,
        }
    }
}

/// Serialises a maximum that may be infinite. Text formats cannot represent infinity, so it is written as a missing
/// value.
#[cfg(feature = "serde")]
mod cap {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(cap: &f64, to: S) -> Result<S::Ok, S::Error> {
        cap.is_finite().then_some(*cap).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

impl CcdOptions {
    /// Returns options that imitate the IK of MikuMikuDance (MMD): the maximum step grows from the tip, and the solve
    /// ends when the error no longer falls. Use them with [`Start::Rest`](super::Start::Rest).
    pub fn mmd(step: f64) -> Self {
        Self { step, growing: true, early_stop: true, ..Self::default() }
    }

    /// Returns whether an iteration, counted from zero, turns the joints from the base to the tip.
    pub(crate) fn is_base_first(&self, iteration: usize) -> bool {
        self.base_first != (self.alternating && iteration % 2 == 1)
    }

    /// Returns whether every turn is applied in full.
    pub(crate) fn has_full_turns(&self) -> bool {
        self.step.is_infinite() && self.budget.is_infinite() && !self.linear && self.factor() == 1.0
    }

    /// Returns the fraction of a turn that is applied: [`relaxation`](Self::relaxation), or the nearest valid value.
    pub(crate) fn factor(&self) -> f64 {
        if self.relaxation.is_nan() { 1.0 } else { self.relaxation.clamp(MIN_RELAXATION, MAX_RELAXATION) }
    }
}
