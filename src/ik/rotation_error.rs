//! The orientation error of a goal with free or differently weighted axes, and the derivative of this error.
//!
//! The error is a vector along the axes of the goal, and q is the rotation from the current to the target orientation.
//!
//! - No axis is free: the error is the rotation vector of q. Its derivative is the inverse of the right Jacobian of SO(3)
//!   (Chirikjian 2012, "Stochastic models, information theory, and Lie groups", volume 2, eq. 10.86).
//! - One axis a is free: turning about a must cost nothing, so the error is the swing of q, the shortest arc that turns
//!   q⁻¹a to a. The components of the rotation vector would be unsuitable. At large angles, they also contain the twist,
//!   and they jump where the angle passes π.
//! - Two axes are free: the error is the twist of q about the remaining axis k, 2 atan2(q·k, w).

use glam::{BVec3, DMat3, DQuat, DVec3};

use super::rotation::{any_perpendicular, rotation_vector, shortest_arc};

/// Lower bound for the sine of the swing angle. Without it, the derivative of the swing would grow without bound at half
/// a turn.
const LEAST_SINE: f64 = 0.05;
/// Lower bound for 1 + k·q⁻¹k in the derivative of the twist, for the same reason.
const LEAST_TWIST: f64 = 1e-3;
/// Angle in radians below which the inverse right Jacobian equals its value at zero, up to rounding.
const SMALL_ANGLE: f64 = 1e-4;

/// An orientation error and its derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct RotationError {
    /// The error along the axes, in radians. The error along free axes is zero.
    pub(super) error: DVec3,
    /// The reduction of the error per radian that the link turns. The turn is a rotation vector along the axes.
    pub(super) reduction: DMat3,
}

impl RotationError {
    /// Computes the error. `q` is the rotation from the current to the target orientation, as a rotation in the frame of
    /// the axes. At least one axis must count.
    pub(super) fn new(q: DQuat, free: BVec3) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let [x, y, z] = [free.x, free.y, free.z];
        match [x, y, z].into_iter().filter(|free| *free).count() {
            0 => Self::whole(q),
            1 => Self::swing(
                q,
                axes[if x {
                    0
                } else if y {
                    1
                } else {
                    2
                }],
            ),
            _ => Self::twist(
                q,
                axes[if !x {
                    0
                } else if !y {
                    1
                } else {
                    2
                }],
            ),
        }
    }

    fn whole(q: DQuat) -> Self {
        let error = rotation_vector(q);
        let angle = error.length();
        let cross = cross_matrix(error);
        // 1/θ² − (1 + cos θ) / (2θ sin θ), which is 1/θ² − cot(θ/2) / 2θ.
        let second = if angle > SMALL_ANGLE {
            (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle)
        } else {
            1.0 / 12.0
        };
        Self { error, reduction: DMat3::IDENTITY + cross * 0.5 + cross * cross * second }
    }

    /// Let r = θn be the rotation vector of the arc from c = q⁻¹a to a, and let ċ = ω × c. The derivative −∂r/∂ω is
    /// g (cos θ − c aᵀ) + (1 − g cos θ) n nᵀ, where g = θ / sin θ.
    fn swing(q: DQuat, free: DVec3) -> Self {
        let now = q.conjugate() * free;
        let error = rotation_vector(shortest_arc(now, free, any_perpendicular(now)));
        let angle = error.length();
        let normal = error.normalize_or_zero();
        let (sin, cos) = angle.sin_cos();
        let growth = if angle > SMALL_ANGLE { angle / sin.max(LEAST_SINE) } else { 1.0 };
        let sideways = (DMat3::IDENTITY * cos - outer(now, free)) * growth;
        Self { error, reduction: sideways + outer(normal, normal) * (1.0 - growth * cos) }
    }

    /// The twist changes at the rate −ω · (k + q⁻¹k) / (1 + k·q⁻¹k).
    fn twist(q: DQuat, axis: DVec3) -> Self {
        let q = if q.w < 0.0 { -q } else { q };
        let angle = 2.0 * q.xyz().dot(axis).atan2(q.w);
        let turned = q.conjugate() * axis;
        let rate = (axis + turned) / (1.0 + axis.dot(turned)).max(LEAST_TWIST);
        Self { error: axis * angle, reduction: outer(axis, rate) }
    }
}

/// Returns the matrix of the cross product with a vector.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Returns a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_base::Random;

    const STEP: f64 = 1e-6;

    fn masks() -> impl Iterator<Item = BVec3> {
        (0..7).map(|bits| BVec3::new(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0))
    }

    #[test]
    fn the_derivative_is_that_of_the_error() {
        let mut random = Random(3);
        for case in 0..300 {
            let q = DQuat::from_scaled_axis(random.turn(1.4));
            for free in masks() {
                let RotationError { error, reduction } = RotationError::new(q, free);
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let turned =
                        |step: f64| RotationError::new(q * DQuat::from_scaled_axis(-axis * step), free).error;
                    let measured = (turned(-STEP) - turned(STEP)) / (2.0 * STEP);
                    let difference = (reduction * axis - measured).length();
                    assert!(difference < 1e-6, "case {case}, {free:?}, {error}: {difference}");
                }
            }
        }
    }

    #[test]
    fn turns_about_a_free_axis_cost_nothing() {
        let mut random = Random(4);
        for _ in 0..300 {
            let angle = random.range(-3.1, 3.1);
            for (axis, free) in [
                (DVec3::X, BVec3::new(true, false, false)),
                (DVec3::Y, BVec3::new(false, true, false)),
                (DVec3::Z, BVec3::new(false, false, true)),
            ] {
                let tilt = DQuat::from_scaled_axis(random.turn(0.5));
                let alone = RotationError::new(DQuat::from_axis_angle(axis, angle), free).error;
                assert!(alone.length() < 1e-12, "{alone}");
                // A twist of the target about the free axis turns the error vector but does not change its size.
                let sizes = [tilt, DQuat::from_axis_angle(axis, angle) * tilt]
                    .map(|q| RotationError::new(q, free).error.length());
                assert!((sizes[0] - sizes[1]).abs() < 1e-12, "{sizes:?}");
            }
        }
    }

    #[test]
    fn errors_have_no_component_along_free_axes() {
        let mut random = Random(5);
        for _ in 0..100 {
            let q = DQuat::from_scaled_axis(random.turn(3.0));
            for free in masks() {
                let along = DVec3::select(free, RotationError::new(q, free).error, DVec3::ZERO);
                assert!(along.length() < 1e-12, "{free:?}: {along}");
            }
        }
    }
}
