//! Options of the closed form for limbs.

use glam::DVec3;

use crate::api::with_methods;

/// The swivel of a limb, its rotation about the line from its first joint to its end. A target position does not
/// determine it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Swivel {
    /// The current swivel, unless the goal has a pole.
    #[default]
    Keep,
    /// The swivel of the rest pose.
    Standard,
    /// The swivel of an arm: the elbow points straight back while the arm hangs down. Any other arm is in the pose into
    /// which the shortest arc carries the hanging one, so that the elbow points down if the hand is in front (Oshita
    /// 2021, "Inverse kinematics", analytical solution). An arm that points straight up has no such pose, and nearby
    /// the elbow turns fast.
    Arm,
    /// The swivel of a leg: the knee points to the front while the leg hangs down, and is carried along as for
    /// [`Swivel::Arm`]. [`Body::set_facing`](crate::ik::Body::set_facing) defines the front.
    Leg,
    /// An angle relative to the swivel of the rest pose, radians.
    Angle(f64),
    /// An angle relative to the swivel of the rest pose that depends on the target: `at_base + slope · (target −
    /// base) / length`, in radians, with the vectors in base space.
    Follow {
        /// Angle for a target at the base, radians.
        at_base: f64,
        /// Gradient of the angle with respect to the target's position, radians per limb length.
        slope: DVec3,
    },
}

/// Options of the closed form for limbs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct LimbOptions {
    /// Swivel of the limb.
    pub swivel: Swivel,
    /// Softening near full stretch: the limb slows down over this last fraction of its length. 0 means no softening.
    pub soften: f64,
}

with_methods!(LimbOptions {
    with_swivel(swivel: Swivel),
    with_soften(soften: f64),
});
