//! Options of the fused method.

use sinew_base::api::with_methods;

/// The additional task ΔH of the fused method, which uses the freedom that the goal leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Correction {
    /// Eqs. 15 and 16, the improved method: repeats the part of the last step that follows its interpolated midpoint.
    #[default]
    Midpoint,
    /// Eq. 14, the method before the improvement: a pull towards the middle angles of the joints.
    MidAngle,
}

/// Options of the fused method of Li & Peng 2013.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct FusedOptions {
    /// The additional task.
    pub correction: Correction,
    /// α of eq. 16, 0 to 1: the position of the midpoint between the rotations before the last step (0) and after it
    /// (1). At 1 the additional task of [`Correction::Midpoint`] is zero.
    pub alpha: f64,
    /// αᵢ of eq. 15 for the first joint, -1 to 1. The weights of the joints between the first and the last one are
    /// interpolated. [`Correction::MidAngle`] ignores these weights.
    ///
    /// With positive weights, as in the printed eq. 15, [`Correction::Midpoint`] continues the last step. Negative
    /// weights pull the pose back towards the midpoint instead, similar to eq. 14, so the joints turn less.
    pub first_weight: f64,
    /// αᵢ of eq. 15 for the last joint, -1 to 1.
    pub last_weight: f64,
}

with_methods!(FusedOptions {
    with_correction(correction: Correction),
    with_alpha(alpha: f64),
    with_first_weight(first_weight: f64),
    with_last_weight(last_weight: f64),
});

impl Default for FusedOptions {
    fn default() -> Self {
        Self { correction: Correction::default(), alpha: 0.5, first_weight: 0.5, last_weight: 0.5 }
    }
}
