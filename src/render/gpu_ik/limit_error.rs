//! The difference between limits in single and in double precision.

use std::f64::consts::PI;

use glam::DVec3;

use crate::ik::Limit;

/// Largest relative rounding error of a number in single precision.
const ROUNDING: f64 = 5.960464477539063e-8;
/// Bounds for each kind of limit, in rounding errors. See docs/decisions/gpu-batches.md. They hold for the least accurate divisions and
/// square roots that WGSL permits.
const HINGE: f64 = 32.0;
const CONE: f64 = 448.0;
const EULER: f64 = 256.0;
/// Bound for the comparison of an angle with the ends of its range, as a difference of cosines, in rounding errors. The necessary value is
/// 22.
const RANGE: f64 = 64.0;
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
            let ranges: [f64; 3] = std::array::from_fn(|i| range_error(min[i], max[i]));
            let middle = min[1].abs().max(max[1].abs()) + ranges[1];
            EULER * ROUNDING / cosine(middle) + ranges.iter().sum::<f64>()
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
    use crate::gpu_ik::structure::single;
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
            assert!(error > 1e-5 && error < 2e-4, "{error}");
        }
        assert!(limit_error(&Limit::Free) <= 0.0);
        let narrow = limit_error(&Limit::Hinge { axis: DVec3::Z, min: 0.2, max: 0.2 });
        assert!(narrow > 1e-3 && narrow < 1e-2, "{narrow}");
    }

    /// Divides and takes a square root with the largest errors that WGSL permits, and then applies a range of a single angle. The shader
    /// accepts angles that are too large, but by no more than the bound.
    #[test]
    fn inaccurate_divisions_exceed_a_range_by_at_most_its_bound() {
        for half_range in [0.0, 1e-4, 3e-3, 0.05, 0.4, 1.2] {
            let bound = range_error(-half_range, half_range);
            let end = single((0.5 * half_range).cos());
            let mut farthest = 0.0_f64;
            for step in 0..20_000 {
                let half = 0.5 * (half_range + 3.0 * bound * f64::from(step) / 20_000.0);
                let pair = [half.cos(), half.sin()].map(single);
                // A division may be off by 2.5 units in the last place, and a square root by 4.5.
                let length = f64::from(pair[0] * pair[0] + pair[1] * pair[1]).sqrt() * (1.0 - 9.0 * ROUNDING);
                let scaled = single(f64::from(pair[0]) / length * (1.0 + 5.0 * ROUNDING));
                if scaled >= end {
                    farthest = farthest.max(2.0 * half - half_range);
                }
            }
            assert!(farthest <= bound, "{half_range}: {farthest} is above {bound}");
            // A bound that is much larger would prevent decisions on the GPU.
            assert!(farthest > 0.1 * bound, "{half_range}: {farthest} is far below {bound}");
        }
    }
}
