//! Spherical linear interpolation in single precision without trigonometry: the CPU twin of `slerp` in `shaders/rotation.wgsl`.

use glam::{Quat, Vec4};

use super::single::normalize;

/// The factors of the series in [`sine_ratio`]: i² and 1 / (i(2i + 1)), from the last term to the first.
const FACTORS: [(f32, f32); 8] = [
    (64.0, 1.0 / 136.0),
    (49.0, 1.0 / 105.0),
    (36.0, 1.0 / 78.0),
    (25.0, 1.0 / 55.0),
    (16.0, 1.0 / 36.0),
    (9.0, 1.0 / 21.0),
    (4.0, 1.0 / 10.0),
    (1.0, 1.0 / 3.0),
];

/// Returns sin(tθ)/sin θ from x = 1 − cos θ by its power series (Eberly 2011, "A fast and accurate algorithm for computing
/// SLERP", eq. 12). θ is at most 45°.
fn sine_ratio(t: f32, x: f32) -> f32 {
    let s = t * t;
    t * FACTORS.iter().fold(1.0, |inner, (i_squared, divisor)| 1.0 + (i_squared - s) * divisor * x * inner)
}

/// Returns the spherical linear interpolation along the shorter arc (Shoemake 1985), with `t` from 0 to 1.
pub fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let (a, b) = (Vec4::from(a), Vec4::from(b));
    let end = if a.dot(b) < 0.0 { -b } else { b };
    let middle = Vec4::from(normalize(a + end));
    let (first, last, u) = if t > 0.5 { (middle, end, 2.0 * t - 1.0) } else { (a, middle, 2.0 * t) };
    let chord = last - first;
    let x = 0.5 * chord.dot(chord);
    normalize(first * sine_ratio(1.0 - u, x) + last * sine_ratio(u, x))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slerp_without_trigonometry_matches_its_definition(
            axis in prop::array::uniform3(-1.0_f32..1.0), angle in 0.0_f32..3.1, t in 0.0_f32..=1.0,
        ) {
            let axis = Vec3::from(axis).try_normalize().unwrap_or(Vec3::X);
            let a = Quat::from_rotation_y(0.7);
            let b = a * Quat::from_axis_angle(axis, angle);
            let exact = a.as_dquat() * glam::DQuat::from_axis_angle(axis.as_dvec3(), f64::from(angle * t));
            let difference = (slerp(a, b, t).as_dquat() * exact.conjugate()).xyz().length();
            prop_assert!(difference < 2e-6, "{difference}");
        }
    }
}
