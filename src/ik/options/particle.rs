//! Options of particle inverse kinematics.

use sinew_base::api::with_methods;

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
}

with_methods!(ParticleOptions {
    with_stiffness(stiffness: f64),
    with_sweeps(sweeps: usize),
});

impl Default for ParticleOptions {
    fn default() -> Self {
        Self { stiffness: 1.0, sweeps: 8 }
    }
}
