//! Euler angles about Z, X and Y that are continuous over time.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DMat3, DQuat};

/// Gimbal lock occurs if the cosine of the middle angle is smaller than this. The other two angles are then rotations
/// about the same axis, and only their combination is known. In single-precision poses, rounding noise determines how
/// the combination is divided between them.
const GIMBAL_LOCK: f64 = 3e-6;

/// Angles about Z, X and Y in radians. The rotation is Rz · Rx · Ry with column vectors.
pub(crate) type Angles = [f64; 3];

/// Returns the angles of a unit quaternion that are nearest to the angles of the previous frame.
///
/// Every rotation has two triples of angles, (z, x, y) and (z + π, π − x, y + π). Any number of full turns may be added to each angle. If x
/// is a quarter turn, only z + y or z − y is known (gimbal lock). The change of this sum or difference is then divided equally between z
/// and y.
pub(crate) fn nearest(rotation: DQuat, before: Angles) -> Angles {
    let m = DMat3::from_quat(rotation);
    let (up, across) = (m.y_axis.z, m.x_axis.z.hypot(m.z_axis.z));
    if across < GIMBAL_LOCK {
        let sign = up.signum();
        let combined = m.x_axis.y.atan2(m.x_axis.x);
        let change = wrapped(combined - (before[0] + sign * before[2])) / 2.0;
        return [before[0] + change, unwrapped(sign * FRAC_PI_2, before[1]), before[2] + sign * change];
    }
    let z = (-m.y_axis.x).atan2(m.y_axis.y);
    let x = up.atan2(across);
    let y = (-m.x_axis.z).atan2(m.z_axis.z);
    let candidates = [[z, x, y], [z + PI, PI - x, y + PI]];
    let candidates = candidates
        .map(|c| [unwrapped(c[0], before[0]), unwrapped(c[1], before[1]), unwrapped(c[2], before[2])]);
    let distance = |c: &Angles| c.iter().zip(before).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let [first, second] = candidates;
    if distance(&second) < distance(&first) { second } else { first }
}

/// Adds the number of full turns that brings an angle nearest to `to`.
fn unwrapped(angle: f64, to: f64) -> f64 {
    to + wrapped(angle - to)
}

/// Wraps an angle to −π…π.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn product([z, x, y]: Angles) -> DQuat {
        DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y)
    }

    proptest! {
        #[test]
        fn angles_reproduce_the_rotation_and_stay_within_half_a_turn(
            angles in prop::array::uniform3(-9.0_f64..9.0), before in prop::array::uniform3(-20.0_f64..20.0)
        ) {
            let rotation = product(angles);
            let found = nearest(rotation, before);
            prop_assert!(product(found).dot(rotation).abs() > 1.0 - 1e-11, "{found:?}");
            for (a, b) in found.iter().zip(before) {
                prop_assert!((a - b).abs() <= PI + 1e-9, "{found:?}");
            }
        }

        #[test]
        fn small_steps_stay_small(angles in prop::array::uniform3(-9.0_f64..9.0), step in prop::array::uniform3(-0.01_f64..0.01)) {
            prop_assume!(angles[1].cos().abs() > 0.1);
            let next = [angles[0] + step[0], angles[1] + step[1], angles[2] + step[2]];
            let found = nearest(product(next), angles);
            for (a, b) in found.iter().zip(next) {
                prop_assert!((a - b).abs() < 1e-9, "{found:?} for {next:?}");
            }
        }

        #[test]
        fn a_gimbal_locked_rotation_stays_near_the_previous_angles(z in -9.0_f64..9.0, y in -9.0_f64..9.0, up: bool) {
            let quarter = if up { FRAC_PI_2 } else { -FRAC_PI_2 };
            let rotation = product([z, quarter, y]);
            let found = nearest(rotation, [z + 0.01, quarter * 0.99, y - 0.02]);
            prop_assert!(product(found).dot(rotation).abs() > 1.0 - 1e-11, "{found:?}");
            for (a, b) in found.iter().zip([z, quarter, y]) {
                prop_assert!((a - b).abs() < 0.03, "{found:?}");
            }
        }
    }
}
