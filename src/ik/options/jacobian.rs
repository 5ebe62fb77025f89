//! Options of the Jacobian methods.

use sinew_base::api::with_methods;

/// The parameters that describe a joint's rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum JointParameters {
    /// Rotation vectors, applied to quaternions.
    #[default]
    RotationVector,
    /// Euler angles about the x axis, then the rotated y axis, then the twice rotated z axis.
    Euler,
}

/// The secondary task, which uses the freedom that the goals leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Secondary {
    /// No secondary task.
    #[default]
    None,
    /// Pull towards the rest pose.
    Rest,
    /// Pull towards the posture from [`Body::set_posture`](crate::Body::set_posture), or towards the rest pose if there
    /// is no such posture.
    Posture,
    /// Pull towards the midpoints of the joint limits.
    LimitCentres,
    /// Pull towards the pose in which the solve started.
    Start,
    /// Keep the centre of mass of the moving segments above or below the mean position of the pins, or the position of
    /// the base if there are no pins. Each segment between two joints has a mass proportional to its length.
    Balance,
}

/// Options of the Jacobian methods.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct JacobianOptions {
    /// Parametrisation of the joint rotations.
    pub parameters: JointParameters,
    /// Secondary task in the null space.
    pub secondary: Secondary,
    /// Fraction of the secondary task that one iteration applies.
    pub secondary_gain: f64,
    /// λ of damped least squares as a fraction of the chain's length. With `None`, λ falls with the error.
    pub damping: Option<f64>,
    /// Maximum error that one iteration tries to correct, as a fraction of the chain's length. Values of 0.02 to 0.1
    /// keep the steps in the range where the Jacobian is a good approximation, and keep the path of the effector almost
    /// straight. The default of 1 practically never limits a step. A smaller limit is rarely needed, because rejected steps are repeated
    /// with more damping.
    pub clamp: f64,
    /// Fixed step size of [`Method::JacobianTranspose`](super::Method::JacobianTranspose), θ += step · Jᵀe / l² with
    /// the chain's length l. With a step size of one, a hinge at the base of a straight chain turns to its target in
    /// about one step. `None` means the size that is optimal to first order (Buss 2004, eq. 8).
    pub step: Option<f64>,
}

with_methods!(JacobianOptions {
    with_parameters(parameters: JointParameters),
    with_secondary(secondary: Secondary),
    with_secondary_gain(secondary_gain: f64),
    with_damping(damping: impl Into<Option<f64>>),
    with_clamp(clamp: f64),
    with_step(step: impl Into<Option<f64>>),
});

impl Default for JacobianOptions {
    fn default() -> Self {
        Self {
            parameters: JointParameters::default(),
            secondary: Secondary::default(),
            secondary_gain: 0.2,
            damping: None,
            clamp: 1.0,
            step: None,
        }
    }
}
