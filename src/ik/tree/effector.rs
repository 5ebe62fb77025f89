//! Effector tasks: a solve's goals in the form that the methods use.

use glam::{DMat3, DQuat, DVec3};

use crate::rotation::{any_perpendicular, rotation_vector, shortest_arc};

use super::term::Term;

/// An effector task: a point with a target position, and a frame with a target orientation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EffectorTask {
    /// The nearest joint above the effector, or `None` if no joint moves it.
    pub(crate) joint: Option<usize>,
    /// The topmost joint that moves no other effector.
    pub(crate) limb: Option<usize>,
    /// Position in the turned frame of `joint`, or in base space without a joint.
    pub(crate) local: DVec3,
    /// Orientation of the link in the frame of `local`.
    pub(super) local_rotation: DQuat,
    /// Position in base space.
    pub(crate) position: DVec3,
    /// Orientation of the link in base space.
    pub(crate) rotation: DQuat,
    /// Target position in base space. `None` if all of its axes are free.
    pub(crate) target: Option<DVec3>,
    /// Target orientation in base space. `None` if all of its axes are free.
    pub(crate) orientation: Option<DQuat>,
    /// The targets of the goal, even if all of their axes are free. They are needed to report the full errors.
    pub(super) stated: (Option<DVec3>, Option<DQuat>),
    /// The weights and tolerances of the position. Its error is measured in world space.
    pub(crate) position_term: Term,
    /// The weights and tolerances of the orientation. Its error is measured in base space.
    pub(crate) orientation_term: Term,
    /// For an orientation whose axes have different weights, the map of
    /// [`weighted_from_base`](super::term::TermAxes::weighted_from_base) in the current pose.
    pub(crate) turn_map: Option<DMat3>,
    /// An axis in the link's frame, and the point in base space at which it aims.
    pub(crate) aim: Option<(DVec3, DVec3)>,
    /// The orientation error and the aim error of the current pose, as rotation vectors in base space.
    /// [`Tree::forward_tips`](super::Tree::forward_tips) computes both.
    pub(crate) turn: DVec3,
    pub(crate) aim_turn: DVec3,
    /// Point in base space towards which the limb bends.
    pub(crate) pole: Option<DVec3>,
    pub(crate) weight: f64,
    pub(crate) pinned: bool,
    /// Tolerance of the position, in world metres.
    pub(crate) tolerance: f64,
    /// Length of the chain above the effector, in world metres.
    pub(crate) length: f64,
    /// Metres in base space that count as much as one radian of orientation error.
    pub(crate) radian: f64,
}

impl EffectorTask {
    /// Returns the orientation of the link in the turned frame of `joint`.
    pub(crate) fn local_rotation(&self) -> DQuat {
        self.local_rotation
    }

    /// Returns the rotation from the current to the target orientation as a rotation vector in base space, without turns
    /// about free axes.
    pub(crate) fn orientation_error(&self) -> Option<DVec3> {
        self.orientation.map(|target| self.rotation_error(target, self.rotation).0)
    }

    /// Returns the orientation error of a link with the orientation `rotation`, and the map of the axes.
    #[inline]
    pub(super) fn rotation_error(&self, target: DQuat, rotation: DQuat) -> (DVec3, Option<DMat3>) {
        match self.orientation_term.rotation_error(target, rotation) {
            Some((error, map)) => (error, Some(map)),
            None => (rotation_vector(target * rotation.conjugate()), None),
        }
    }

    #[inline]
    pub(crate) fn position_weight(&self) -> f64 {
        self.weight * self.position_term.weight
    }

    #[inline]
    pub(crate) fn orientation_weight(&self) -> f64 {
        self.weight * self.orientation_term.weight
    }

    /// Returns the allowed orientation, in base space, that is nearest to `rotation`. Without free axes, this is the target.
    #[inline]
    pub(crate) fn nearest_orientation(&self, rotation: DQuat) -> Option<DQuat> {
        let target = self.orientation?;
        match self.orientation_term.rotation_error(target, rotation) {
            Some((error, _)) => Some((DQuat::from_scaled_axis(error) * rotation).normalize()),
            None => Some(target),
        }
    }

    /// Returns the current and desired directions of the aiming axis, as unit vectors in base space.
    #[inline]
    pub(crate) fn aim_directions(&self) -> Option<(DVec3, DVec3)> {
        let (axis, at) = self.aim?;
        Some((self.rotation * axis, (at - self.position).try_normalize()?))
    }

    /// Returns the rotation from the current to the desired direction of the aiming axis as a rotation vector in base
    /// space.
    pub(crate) fn aim_error(&self) -> Option<DVec3> {
        let (now, wanted) = self.aim_directions()?;
        Some(rotation_vector(shortest_arc(now, wanted, any_perpendicular(now))))
    }
}
