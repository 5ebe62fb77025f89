//! Rotations as three turns about Z, X and Y, continuous over time.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DMat3, DQuat};

/// Below this cosine of the middle angle the other two turn about one axis: only what they do together is known, and the
/// rest is the noise of poses in single precision.
const LOCKED: f64 = 3e-6;

/// Radians about Z, then X, then Y: the rotation is Rz · Rx · Ry, column vectors.
pub(super) type Angles = [f64; 3];

/// The angles of a unit quaternion that are nearest to those of the frame before.
///
/// Every rotation has two triples, (z, x, y) and (z + π, π − x, y + π), and whole turns more of each. Where x is a
/// quarter turn only z + y, or z − y, is known (gimbal lock): what it changes by is shared between both.
pub(super) fn nearest(rotation: DQuat, before: Angles) -> Angles {
    let m = DMat3::from_quat(rotation);
    let (up, across) = (m.y_axis.z, m.x_axis.z.hypot(m.z_axis.z));
    if across < LOCKED {
        let sign = up.signum();
        let together = m.x_axis.y.atan2(m.x_axis.x);
        let change = turned(together - (before[0] + sign * before[2])) / 2.0;
        return [before[0] + change, near(sign * FRAC_PI_2, before[1]), before[2] + sign * change];
    }
    let z = (-m.y_axis.x).atan2(m.y_axis.y);
    let x = up.atan2(across);
    let y = (-m.x_axis.z).atan2(m.z_axis.z);
    let candidates = [[z, x, y], [z + PI, PI - x, y + PI]];
    let candidates =
        candidates.map(|c| [near(c[0], before[0]), near(c[1], before[1]), near(c[2], before[2])]);
    let way = |c: &Angles| c.iter().zip(before).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let [first, second] = candidates;
    if way(&second) < way(&first) { second } else { first }
}

/// The angle, with as many whole turns as bring it nearest to another.
fn near(angle: f64, to: f64) -> f64 {
    to + turned(angle - to)
}

/// The same angle within half a turn of zero.
fn turned(angle: f64) -> f64 {
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
        fn angles_make_the_rotation_and_stay_near(
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
        fn steps_stay_small(angles in prop::array::uniform3(-9.0_f64..9.0), step in prop::array::uniform3(-0.01_f64..0.01)) {
            prop_assume!(angles[1].cos().abs() > 0.1);
            let next = [angles[0] + step[0], angles[1] + step[1], angles[2] + step[2]];
            let found = nearest(product(next), angles);
            for (a, b) in found.iter().zip(next) {
                prop_assert!((a - b).abs() < 1e-9, "{found:?} for {next:?}");
            }
        }

        #[test]
        fn a_locked_rotation_is_met_from_where_it_was(z in -9.0_f64..9.0, y in -9.0_f64..9.0, up: bool) {
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
