//! Random rotations within a limit.

use std::f64::consts::{PI, TAU};

use glam::DQuat;
use sinew_base::Random;

use super::Limit;

/// Returns a random rotation within a limit, or `None` if the joint has no range to draw from, because it is free or does not turn.
/// `angle` draws an angle between a minimum and a maximum. The points in the ellipse of a cone are evenly distributed.
pub fn random_rotation(
    limit: &Limit,
    random: &mut Random,
    angle: impl Fn(&mut Random, f64, f64) -> f64,
) -> Option<DQuat> {
    match *limit {
        Limit::Free | Limit::Locked | Limit::Prismatic { .. } => None,
        Limit::Hinge { axis, min, max } => Some(DQuat::from_axis_angle(axis, angle(random, min, max))),
        Limit::Cone { axis, side, swing, twist: [min, max] } => {
            let (around, away) = (TAU * random.unit(), random.unit().sqrt());
            let (sin, cos) = around.sin_cos();
            let swing = side * (swing[0] * away * cos) + axis.cross(side) * (swing[1] * away * sin);
            Some(DQuat::from_scaled_axis(swing) * DQuat::from_axis_angle(axis, angle(random, min, max)))
        }
        Limit::Euler { order, min, max } => {
            let [a, b, c] = std::array::from_fn(|i| angle(random, min[i], max[i]));
            Some(DQuat::from_euler(order, a, b, c))
        }
    }
}

/// Returns a random angle within a range, at most half a turn from its middle.
pub fn random_angle(random: &mut Random, min: f64, max: f64) -> f64 {
    let (middle, half) = (0.5 * (min + max), (0.5 * (max - min)).min(PI));
    random.range(middle - half, middle + half)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, EulerRot};

    use super::*;

    #[test]
    fn random_rotations_are_within_the_limit_and_fill_it() {
        let limits = [
            Limit::Hinge { axis: DVec3::X, min: -0.2, max: 2.4 },
            Limit::Hinge { axis: DVec3::Z, min: -4.0, max: 4.0 },
            Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.1, 0.6], twist: [-0.7, 0.4] },
            Limit::Euler { order: EulerRot::ZXY, min: [-0.8, -0.5, -1.0], max: [0.3, 0.9, 1.2] },
        ];
        let mut random = Random(3);
        for limit in limits {
            let rotations: Vec<DQuat> =
                (0..500).filter_map(|_| random_rotation(&limit, &mut random, random_angle)).collect();
            assert_eq!(rotations.len(), 500, "{limit:?}");
            assert!(rotations.iter().all(|q| limit.limit_violation(*q) < 1e-9), "{limit:?}");
            let is_far = |q: &&DQuat| limit.centre().angle_between(**q) > 0.5;
            assert!(rotations.iter().filter(is_far).count() > 100, "{limit:?}");
        }
        for limit in [Limit::Free, Limit::Locked, Limit::prismatic(DVec3::X, 0.0..=1.0)] {
            assert_eq!(random_rotation(&limit, &mut random, random_angle), None);
        }
    }
}
