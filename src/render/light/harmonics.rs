//! Light that matt surfaces collect, as spherical harmonics (Ramamoorthi & Hanrahan 2001, "An efficient representation for
//! irradiance environment maps").

use std::f32::consts::PI;

use glam::Vec3;

/// Returns the first nine basis functions, without their normalisation.
fn basis(d: Vec3) -> [f32; 9] {
    let Vec3 { x, y, z } = d;
    [1.0, x, y, z, x * y, y * z, x * z, 3.0 * y * y - 1.0, x * x - z * z]
}

/// The squared normalisation of each basis function, times the factor by which a cosine lobe changes its band, divided by π.
const SCALE: [f32; 9] = {
    let (linear, quadratic) = (2.0 / (4.0 * PI), 15.0 / (16.0 * PI));
    [
        1.0 / (4.0 * PI),
        linear,
        linear,
        linear,
        quadratic,
        quadratic,
        quadratic,
        5.0 / (64.0 * PI),
        15.0 / (64.0 * PI),
    ]
};

/// Returns the harmonics of light from a list of directions with solid angles and radiances. The irradiance is divided by π, so that a
/// constant radiance of one results in one.
pub(super) fn project(light: impl Iterator<Item = (Vec3, f32, Vec3)>) -> [Vec3; 9] {
    let mut sums = [[0.0_f64; 3]; 9];
    for (direction, solid_angle, radiance) in light {
        for (sum, value) in sums.iter_mut().zip(basis(direction)) {
            for (sum, radiance) in sum.iter_mut().zip(radiance.to_array()) {
                *sum += f64::from(value * solid_angle) * f64::from(radiance);
            }
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "the GPU has single precision")]
    std::array::from_fn(|i| Vec3::from_array(sums[i].map(|sum| sum as f32)) * SCALE[i])
}
