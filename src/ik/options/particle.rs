//! Options of particle inverse kinematics.

use crate::api::with_methods;

/// Options of particle inverse kinematics.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct ParticleOptions {
    /// Fraction of a spring's error that one relaxation corrects, 0 to 1. The default is 1.
    pub stiffness: f64,
    /// Number of sweeps over the springs in one iteration, at least 1. The joints are fitted to the particles once per iteration.
    /// The default is 8, because a fit costs as much as several sweeps.
    pub sweeps: usize,
    /// Whether the founding formula is used exactly as stated: m = (P₁ − P₀)(½ − ½ d / ‖P₁ − P₀‖) for each spring, one
    /// sweep from the tips to the root per iteration, and joints that are fitted from rest at the end. Limits and
    /// orientation goals then apply only in this fit, and `sweeps` has no effect. The default is `false`.
    pub exact: bool,
}

with_methods!(ParticleOptions {
    with_stiffness(stiffness: f64),
    with_sweeps(sweeps: usize),
    with_exact(exact: bool),
});

impl Default for ParticleOptions {
    fn default() -> Self {
        Self { stiffness: 1.0, sweeps: 8, exact: false }
    }
}
