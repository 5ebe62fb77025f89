//! The directions from which the depth maps of ambient occlusion are drawn.

use std::f32::consts::PI;

use glam::{Mat4, Vec3, Vec4};

/// Number of directions, as in `shaders/ambient_occlusion.wgsl`. Each of them contributes at most three hundredths of the result, so steps
/// in the brightness are hardly visible.
pub(super) const DIRECTIONS: usize = 128;
/// Width of a map in texels, as in the shader.
pub(super) const WIDTH: u32 = 512;

/// Returns evenly spread directions (a spherical Fibonacci lattice, Swinbank & Purser 2006). None of them is vertical.
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

/// Returns the shader's parameters for maps of a sphere: their centre, and one divided by half their width in metres.
pub(crate) fn place((center, radius): (Vec3, f32)) -> [f32; 4] {
    // The border is left empty, because points outside the map read the texels of the border.
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let margin = 1.0 + 4.0 / WIDTH as f32;
    center.extend(1.0 / (radius.max(1e-6) * margin)).into()
}

/// Returns the matrix of each map of a sphere, from world space to the clip space of the map.
pub(super) fn views(sphere: (Vec3, f32)) -> [Mat4; DIRECTIONS] {
    let [x, y, z, scale] = place(sphere);
    let center = Vec3::new(x, y, z);
    directions().map(|towards| {
        let right = Vec3::Y.cross(towards).normalize();
        let up = towards.cross(right);
        // Rows of an orthographic projection. Depth is zero at the point nearest to the viewer.
        let row = |axis: Vec3, middle: f32| axis.extend(middle - axis.dot(center));
        let depth = row(towards * (-0.5 * scale), 0.5);
        Mat4::from_cols(row(right * scale, 0.0), row(up * scale, 0.0), depth, Vec4::W).transpose()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_evenly_spread() {
        let all = directions();
        assert!(all.iter().all(|d| d.is_normalized()));
        // The mean of the cosine over a hemisphere is one half, so its sum over the hemisphere is a quarter of the number of all
        // directions.
        for normal in [Vec3::Y, Vec3::X, Vec3::new(-0.6, 0.0, 0.8), Vec3::new(0.48, -0.6, 0.64)] {
            let sum: f32 = all.iter().map(|d| d.dot(normal).max(0.0)).sum();
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let expected = DIRECTIONS as f32 / 4.0;
            assert!((sum / expected - 1.0).abs() < 0.01, "{normal}: {sum}");
        }
    }

    /// Repeats the computation of the shader.
    #[test]
    fn the_shader_finds_points_in_the_maps() {
        let sphere = (Vec3::new(1.0, -2.0, 0.5), 3.0);
        let [x, y, z, scale] = place(sphere);
        let mut around = glam::Vec2::X;
        for (i, matrix) in views(sphere).into_iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let height = 1.0 - (2.0 * i as f32 + 1.0) / DIRECTIONS as f32;
            let level = (1.0 - height * height).sqrt();
            for point in [sphere.0, Vec3::ZERO, Vec3::new(2.0, -1.5, -0.7)] {
                let at = (point - Vec3::new(x, y, z)) * scale;
                let along = around.x * at.x + around.y * at.z;
                let right = around.y * at.x - around.x * at.z;
                let up = level * at.y - height * along;
                let depth = 0.5 - 0.5 * (height * at.y + level * along);
                let clip = matrix.project_point3(point);
                assert!(
                    Vec3::new(right, up, depth).distance(clip) < 2e-5,
                    "{i}: {right} {up} {depth} {clip}"
                );
                assert!((0.0..=1.0).contains(&clip.z) && clip.x.abs() <= 1.0 && clip.y.abs() <= 1.0);
            }
            // Winding is preserved.
            assert!(matrix.determinant() < 0.0);
            let (cos, sin) = (-0.737_368_9, 0.675_490_3);
            around = glam::Vec2::new(around.x * cos - around.y * sin, around.x * sin + around.y * cos);
        }
    }
}
