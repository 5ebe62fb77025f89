//! Rotations in axes that are partly reflected by a negative scale.

use glam::{DQuat, DVec3};

/// Returns a rotation expressed in partly reflected axes: S R S for S = diag(signs).
#[inline]
pub(super) fn reflect(signs: DVec3, q: DQuat) -> DQuat {
    let v = reflect_axis(signs, q.xyz());
    DQuat::from_xyzw(v.x, v.y, v.z, q.w)
}

/// Returns a rotation axis expressed in partly reflected axes.
#[inline]
pub(super) fn reflect_axis(signs: DVec3, axis: DVec3) -> DVec3 {
    axis * signs * (signs.x * signs.y * signs.z)
}
