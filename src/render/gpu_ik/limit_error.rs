//! The difference between limits in single and in double precision.

use std::f64::consts::PI;

use glam::DVec3;

use crate::ik::Limit;

/// Largest relative rounding error of a number in single precision.
const ROUNDING: f64 = 5.960464477539063e-8;
/// Bounds for each kind of limit, in rounding errors. See docs/decisions/gpu-batches.md.
const HINGE: f64 = 48.0;
const CONE: f64 = 400.0;
const EULER: f64 = 360.0;
/// Bound for the comparison of an angle with the ends of its range, as a difference of cosines.
const RANGE: f64 = 8.0;
/// Maximum effect of an axis whose length is not exactly 1, or of two axes that are not exactly perpendicular.
const AXIS: f64 = 8.0;
/// If a cosine is below this value, the angles of a rotation are too inaccurate for a bound.
const SINGULAR: f64 = 1e-3;

/// Returns a bound of the angle, in radians, by which [`Limit::nearest`] turns a rotation to which a shader has applied the same limit.
pub(super) fn limit_error(limit: &Limit) -> f64 {
    let error = match *limit {
        Limit::Free | Limit::Locked | Limit::Prismatic { .. } => 0.0,
        Limit::Hinge { axis, min, max } => HINGE * ROUNDING + AXIS * deviation(axis) + range_error(min, max),
        Limit::Cone { axis, side, swing, twist } => {
            // The twist is undefined at a swing of half a turn.
            let swing = swing[0].max(swing[1]);
            let axes = deviation(axis) + deviation(side) + axis.dot(side).abs();
            (CONE * ROUNDING + AXIS * axes) / cosine(0.5 * swing) + range_error(twist[0], twist[1])
        }
        // The outer angles are undefined if the middle angle is a quarter turn.
        Limit::Euler { min, max, .. } => {
            let ranges: f64 = min.into_iter().zip(max).map(|(min, max)| range_error(min, max)).sum();
            EULER * ROUNDING / cosine(min[1].abs().max(max[1].abs())) + ranges
        }
    };
    // No rotation turns farther than half a turn.
    if error.is_finite() { error.min(PI) } else { PI }
}

/// Returns by how much an angle that the shader accepts may exceed its range, in radians. The shader compares the cosines of half the
/// angles from the middle of the range, which hardly change near zero.
fn range_error(min: f64, max: f64) -> f64 {
    let half = (0.25 * (max - min)).clamp(0.0, 0.5 * PI);
    let cosines = RANGE * ROUNDING;
    2.0 * (cosines / half.sin()).min((2.0 * cosines).sqrt())
}

fn deviation(axis: DVec3) -> f64 {
    (axis.length() - 1.0).abs()
}

/// Returns the cosine of an angle, or zero if the angle is singular or too large.
fn cosine(angle: f64) -> f64 {
    let cosine = angle.cos();
    if angle < 0.5 * PI && cosine > SINGULAR { cosine } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use glam::EulerRot;

    use super::*;
    use crate::ik::round_cone;

    #[test]
    fn limits_near_a_singularity_have_no_useful_bound() {
        let cone = |swing: f64| round_cone(DVec3::Y, swing, [-1.0, 1.0]);
        let euler = |middle: f64| Limit::Euler {
            order: EulerRot::XYZ,
            min: [-3.0, -0.1, -3.0],
            max: [3.0, middle, 3.0],
        };
        for limit in [cone(PI), euler(0.5 * PI), euler(3.0)] {
            let error = limit_error(&limit);
            assert!(error >= PI, "{limit:?}: {error}");
        }
        for limit in [cone(1.0), euler(1.0), Limit::Hinge { axis: DVec3::Z, min: -1.0, max: 1.0 }] {
            let error = limit_error(&limit);
            assert!(error > 2e-6 && error < 1e-4, "{error}");
        }
        assert!(limit_error(&Limit::Free) <= 0.0);
        let narrow = limit_error(&Limit::Hinge { axis: DVec3::Z, min: 0.2, max: 0.2 });
        assert!(narrow > 1e-3 && narrow < 1e-2, "{narrow}");
    }
}
