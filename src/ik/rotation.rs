//! Rotation vectors, and angles on the circle.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

pub(super) use crate::mathematics::any_perpendicular;
pub use crate::mathematics::{best_fit, shortest_arc};

/// Two links bend if the sine of the angle between them is at least this. Rounded files bend straight limbs by less.
pub(super) const BENT: f64 = 1e-3;
/// Below this sine of half the angle, a rotation vector is twice the vector part of the quaternion to the last bit.
const SMALL_ANGLE: f64 = 1e-12;

/// Returns the rotation vector of a rotation, with an angle within ±π.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let length = q.xyz().length();
    if length < SMALL_ANGLE { q.xyz() * 2.0 } else { q.xyz() * (2.0 * length.atan2(q.w) / length) }
}

/// Wraps an angle within ±3π to ±π.
pub(super) fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
