//! Rotation vectors, and angles on the circle.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

pub(super) use sinew_base::mathematics::any_perpendicular;
pub use sinew_base::mathematics::{best_fit, inverse_fit, shortest_arc};

/// Two links count as bent if the sine of the angle between them is at least this. Rounded numbers in files bend straight limbs by smaller
/// angles.
pub(super) const BENT: f64 = 1e-3;
/// [`rotation_vector`] uses a series if the squared tangent of half the angle is at most this.
const SMALL_ANGLE: f64 = 0.01;

/// Returns the rotation vector of a rotation, with an angle within ±π.
#[inline]
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let square = q.xyz().length_squared();
    if square == 0.0 {
        return DVec3::ZERO;
    }
    if square <= SMALL_ANGLE * q.w * q.w {
        // This computes atan(x) / x to the last bit. Most joints turn only a little in a step, and calls to the arctangent function would
        // take much of the time.
        let t = square / (q.w * q.w);
        let series = 1.0 / 9.0 + t * (-1.0 / 11.0 + t * (1.0 / 13.0 - t / 15.0));
        let series = 1.0 + t * (-1.0 / 3.0 + t * (1.0 / 5.0 + t * (-1.0 / 7.0 + t * series)));
        return q.xyz() * (2.0 * series / q.w);
    }
    let length = square.sqrt();
    q.xyz() * (2.0 * length.atan2(q.w) / length)
}

/// Wraps an angle within ±3π to ±π.
#[inline]
pub(super) fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
