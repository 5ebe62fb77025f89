//! Interpolates between two keys.

use glam::{Quat, Vec4};

/// The power series is used if 1 − cos θ is at most this, where θ is half of the rotation angle. This holds for
/// rotations up to about 51.7°. The terms after the sixth factor are then smaller than single precision resolves.
const SERIES: f32 = 0.1;
/// Two factors of the series are enough if 1 − cos θ is at most this. This holds for rotations below 8°, and so for
/// nearly all pairs of successive keys.
const SHORT_SERIES: f32 = 0.0025;

/// Spherical linear interpolation of unit quaternions along the shorter arc (Shoemake 1985), with `t` from 0 to 1.
///
/// Keys of a clip are usually close together. For them, sin(tθ)/sin θ is computed from its power series in 1 − cos θ
/// (Eberly 2011, "A fast and accurate algorithm for computing SLERP", eq. 12), which needs no trigonometric function:
/// u₀ = t, uᵢ = uᵢ₋₁ · (i² − t²) / (i(2i + 1)) · (1 − cos θ).
pub(crate) fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let (a, b) = (Vec4::from(a), Vec4::from(b));
    let dot = a.dot(b);
    let (b, x) = if dot < 0.0 { (-b, 1.0 + dot) } else { (b, 1.0 - dot) };
    let blended = if x <= SHORT_SERIES {
        a * sine_ratio::<2>(1.0 - t, x) + b * sine_ratio::<2>(t, x)
    } else if x <= SERIES {
        a * sine_ratio::<6>(1.0 - t, x) + b * sine_ratio::<6>(t, x)
    } else {
        // The angle computed from both chords is accurate even where the cosine is not.
        let theta = 2.0 * (a - b).length().atan2((a + b).length());
        (a * ((1.0 - t) * theta).sin() + b * (t * theta).sin()) / theta.sin()
    };
    Quat::from_vec4(blended.normalize())
}

/// Computes sin(tθ)/sin θ from x = 1 − cos θ with the first term of its series and `TERMS` more.
fn sine_ratio<const TERMS: usize>(t: f32, x: f32) -> f32 {
    /// i² and 1 / (i(2i + 1)).
    const FACTORS: [(f32, f32); 6] = [
        (1.0, 1.0 / 3.0),
        (4.0, 1.0 / 10.0),
        (9.0, 1.0 / 21.0),
        (16.0, 1.0 / 36.0),
        (25.0, 1.0 / 55.0),
        (36.0, 1.0 / 78.0),
    ];
    let square = t * t;
    // Horner's scheme: t(1 + c₁(1 + c₂(1 + …))).
    let factors = FACTORS.iter().take(TERMS).rev();
    t * factors.fold(1.0, |inner, (i_squared, divisor)| 1.0 + inner * ((i_squared - square) * divisor * x))
}

/// Returns the weights of a cubic Hermite segment (glTF 2.0, appendix C.4) of length `seconds` at `u`, which is from 0
/// to 1. They apply, in this order, to the value and the out-tangent of the first key, and to the value and the
/// in-tangent of the second key.
pub fn hermite(u: f32, seconds: f32) -> [f32; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, seconds * (u3 - 2.0 * u2 + u), 3.0 * u2 - 2.0 * u3, seconds * (u3 - u2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec4;
    use proptest::prelude::*;

    /// Computes slerp by its definition in double precision, as a reference.
    fn exact(a: Quat, b: Quat, t: f32) -> DVec4 {
        let (a, b) = (DVec4::from(a.as_dquat()), DVec4::from(b.as_dquat()));
        let b = if a.dot(b) < 0.0 { -b } else { b };
        let theta = 2.0 * (a - b).length().atan2((a + b).length());
        if theta < 1e-9 {
            return a.lerp(b, f64::from(t)).normalize();
        }
        let t = f64::from(t);
        (a * ((1.0 - t) * theta).sin() + b * (t * theta).sin()) / theta.sin()
    }

    proptest! {
        #[test]
        fn slerp_matches_its_definition(axis in prop::array::uniform3(-1.0_f32..1.0), angle in 0.0_f32..3.1, t in 0.0_f32..=1.0) {
            let axis = glam::Vec3::from(axis).try_normalize().unwrap_or(glam::Vec3::X);
            let a = Quat::from_rotation_y(0.7);
            let b = a * Quat::from_axis_angle(axis, angle);
            let difference = (Vec4::from(slerp(a, b, t)).as_dvec4() - exact(a, b, t)).length();
            prop_assert!(difference < 4e-7, "{difference}");
        }
    }

    #[test]
    fn slerp_takes_the_shorter_arc() {
        let b = Quat::from_rotation_x(0.2);
        let half = slerp(Quat::IDENTITY, -b, 0.5);
        assert!(half.dot(Quat::from_rotation_x(0.1)).abs() > 1.0 - 1e-6);
    }

    #[test]
    fn a_hermite_segment_starts_and_ends_on_its_keys() {
        assert_eq!(hermite(0.0, 3.0), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(hermite(1.0, 3.0), [0.0, 0.0, 1.0, 0.0]);
    }
}
