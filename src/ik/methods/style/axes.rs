//! The world-space errors of a goal whose axes have different weights, and the gradients of these errors.

use glam::{DMat3, DQuat, DVec3};

use crate::Goal;
use crate::rotation::rotation_vector;
use crate::rotation_error::RotationError;

/// A weighted squared error, and half its negative gradient with respect to a motion of the link.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedError {
    pub(super) square: f64,
    /// The gradient with respect to a translation for a position error, or with respect to a turn for an orientation error.
    pub(super) pull: DVec3,
}

impl WeightedError {
    /// Returns the position error of a goal. `error` is the vector from the goal's point to its target.
    pub(super) fn position(goal: &Goal, error: DVec3) -> Self {
        let weights = goal.axes.position.effective_weights();
        if weights == DVec3::ONE {
            return Self { square: error.length_squared(), pull: error };
        }
        let world_from_axes = goal.axes.world_from_axes(goal.orientation);
        let along = world_from_axes.transpose() * error;
        Self { square: (weights * along).dot(along), pull: world_from_axes * (weights * along) }
    }

    /// Returns the orientation error of a goal whose link has the orientation `rotation`.
    pub(super) fn orientation(goal: &Goal, target: DQuat, rotation: DQuat) -> Self {
        let weights = goal.axes.orientation.effective_weights();
        let q = target.normalize() * rotation.conjugate();
        let is_even = weights == DVec3::splat(weights.x);
        if is_even {
            let error = rotation_vector(q);
            return Self { square: weights.x * error.length_squared(), pull: error * weights.x };
        }
        let world_from_axes: DMat3 = goal.axes.world_from_axes(goal.orientation);
        let along = world_from_axes.transpose() * q.xyz();
        let free = weights.cmpeq(DVec3::ZERO);
        let RotationError { error, reduction } =
            RotationError::new(DQuat::from_vec4(along.extend(q.w)).normalize(), free);
        let pull = world_from_axes * (reduction.transpose() * (weights * error));
        Self { square: (weights * error).dot(error), pull }
    }
}
