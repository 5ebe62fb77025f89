//! The directions from which the surroundings are seen.

use std::f32::consts::PI;

use bytemuck::Zeroable;
use glam::{Mat4, Vec3, Vec4};

use super::super::gpu_types::{AmbientOcclusion, OcclusionView};

/// Number of directions, as in `shaders/ambient_occlusion.wgsl`. Each step of the result is then at most three hundredths, which is not
/// visible.
pub(super) const DIRECTIONS: usize = 128;
/// Width of a map in texels.
pub(super) const WIDTH: u32 = 512;
/// Distance in texels by which a point is moved away from its surface, so that the surface does not hide it. A comparison reads texels
/// up to one and a half texels away.
const OFFSET: f32 = 1.5;

/// Returns evenly spread directions (a spherical Fibonacci lattice, Swinbank & Purser 2006).
fn directions() -> [Vec3; DIRECTIONS] {
    let golden_angle = PI * (3.0 - 5.0_f32.sqrt());
    #[expect(clippy::cast_precision_loss, reason = "a few directions")]
    std::array::from_fn(|i| {
        let y = 1.0 - (2.0 * i as f32 + 1.0) / DIRECTIONS as f32;
        let (sin, cos) = (i as f32 * golden_angle).sin_cos();
        let level = (1.0 - y * y).sqrt();
        Vec3::new(level * cos, y, level * sin)
    })
}

/// Returns what the shader needs to look up points in maps of a sphere, and the matrix of each map from world space to its clip space.
pub(super) fn views((center, radius): (Vec3, f32)) -> (AmbientOcclusion, [Mat4; DIRECTIONS]) {
    // The border stays empty, because points beyond it read its texels.
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let texels = WIDTH as f32;
    let reach = radius.max(1e-6) * (1.0 + 4.0 / texels);
    let mut lookup = AmbientOcclusion::zeroed();
    lookup.scale = [OFFSET * 2.0 * reach / texels, 0.5 / reach, 1.0 / radius.max(1e-6), 0.0];
    let mut matrices = [Mat4::ZERO; DIRECTIONS];
    for ((towards, matrix), view) in directions().into_iter().zip(&mut matrices).zip(&mut lookup.views) {
        let (right, up) = towards.any_orthonormal_pair();
        // Rows of an orthographic projection. Depth is zero where it is nearest to the viewer.
        let row =
            |axis: Vec3, scale: f32, middle: f32| (axis * scale).extend(middle - axis.dot(center) * scale);
        let (x, y) = (row(right, 1.0 / reach, 0.0), row(up, 1.0 / reach, 0.0));
        let z = row(towards, -0.5 / reach, 0.5);
        *matrix = Mat4::from_cols(x, y, z, Vec4::W).transpose();
        // In a texture, y increases downwards, and the corner is at zero.
        let (u, v) = (x * 0.5 + Vec4::W * 0.5, y * -0.5 + Vec4::W * 0.5);
        *view = OcclusionView { u: u.into(), v: v.into(), towards: towards.extend(z.w).into() };
    }
    (lookup, matrices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_evenly_spread() {
        let all = directions();
        assert!(all.iter().all(|d| d.is_normalized()));
        // The mean over any hemisphere of the cosine is a half, and its sum over all directions a quarter of their number.
        for normal in [Vec3::Y, Vec3::X, Vec3::new(-0.6, 0.0, 0.8), Vec3::new(0.48, -0.6, 0.64)] {
            let sum: f32 = all.iter().map(|d| d.dot(normal).max(0.0)).sum();
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let expected = DIRECTIONS as f32 / 4.0;
            assert!((sum / expected - 1.0).abs() < 0.01, "{normal}: {sum}");
        }
    }

    #[test]
    fn lookups_match_the_matrices() {
        let sphere = (Vec3::new(1.0, -2.0, 0.5), 3.0);
        let (lookup, matrices) = views(sphere);
        for (view, matrix) in lookup.views.iter().zip(matrices) {
            for point in [sphere.0, Vec3::ZERO, Vec3::new(2.0, -1.5, -0.7)] {
                let clip = matrix.project_point3(point);
                let [u, v, towards] = [view.u, view.v, view.towards].map(Vec4::from_array);
                let found = Vec3::new(
                    u.dot(point.extend(1.0)),
                    v.dot(point.extend(1.0)),
                    towards.w - lookup.scale[1] * towards.truncate().dot(point),
                );
                let expected = Vec3::new(clip.x * 0.5 + 0.5, 0.5 - clip.y * 0.5, clip.z);
                assert!(found.distance(expected) < 1e-5, "{found} {expected}");
                assert!((0.0..=1.0).contains(&clip.z) && clip.x.abs() <= 1.0 && clip.y.abs() <= 1.0);
            }
            // Winding is preserved.
            assert!(matrix.determinant() < 0.0);
        }
    }
}
