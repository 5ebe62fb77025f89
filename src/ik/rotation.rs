//! Rotations as vectors and angles.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

pub(super) use crate::mathematics::any_perpendicular;
pub use crate::mathematics::{best_fit, shortest_arc};

/// Axis times angle, the angle within ±π.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let length = q.xyz().length();
    if length < 1e-12 { q.xyz() * 2.0 } else { q.xyz() * (2.0 * length.atan2(q.w) / length) }
}

/// The same angle within ±π, of one within ±3π.
pub(super) fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
