//! The CPU twin of `shaders/occlusion.wgsl`: whether the depths of an image hide a sphere. Only tests use it.

use glam::{Mat4, UVec2, Vec2, Vec3, Vec4, uvec2, vec2};

/// The constants of the shader.
pub(crate) const MOST_TEXELS: u32 = 4;
pub(crate) const GROWTH: f32 = 1.01;
pub(crate) const DEPTH_MARGIN: f32 = 2e-6;
pub(crate) const PIXEL_MARGIN: f32 = 1.0;
pub(crate) const NEAREST: f32 = 1.25;
/// Bits of the state of an instance.
pub(crate) const VISIBLE: u32 = 1;
pub(crate) const DRAWN: u32 = 2;

/// The farthest depths of squares of pixels.
#[derive(Clone, Debug)]
pub(crate) struct Pyramid {
    /// Width and height of the image in pixels.
    area: UVec2,
    levels: Vec<Level>,
}

/// A level of a pyramid.
#[derive(Clone, Debug)]
struct Level {
    size: UVec2,
    /// The depths row by row.
    depths: Vec<f32>,
}

impl Level {
    /// Returns the depth of a texel, or 0 outside of the level.
    fn depth(&self, at: UVec2) -> f32 {
        let is_inside = at.cmplt(self.size).all();
        if is_inside { self.depths[(at.y * self.size.x + at.x) as usize] } else { 0.0 }
    }

    /// Returns the level whose texels are twice as wide.
    fn halved(&self) -> Self {
        let size = (self.size + 1) / 2;
        let farthest = |at: UVec2| {
            let four = [uvec2(0, 0), uvec2(1, 0), uvec2(0, 1), uvec2(1, 1)];
            four.map(|corner| self.depth(at * 2 + corner)).into_iter().fold(0.0, f32::max)
        };
        let texels = (0..size.y).flat_map(|y| (0..size.x).map(move |x| uvec2(x, y)));
        Self { size, depths: texels.map(farthest).collect() }
    }
}

impl Pyramid {
    /// Returns the pyramid of an image with the farthest depth of each pixel, row by row.
    pub(crate) fn new((width, height): (u32, u32), depths: Vec<f32>) -> Self {
        let area = uvec2(width, height);
        let mut level = Level { size: area, depths };
        let mut levels = Vec::new();
        loop {
            level = level.halved();
            levels.push(level.clone());
            if level.size.max_element() <= MOST_TEXELS {
                return Self { area, levels };
            }
        }
    }

    /// Returns whether nearer surfaces cover all pixels that a sphere may cover.
    pub(crate) fn hides(&self, clip_from_world: &Mat4, center: Vec3, radius: f32) -> bool {
        let radius = GROWTH * radius;
        let [x_row, y_row, z_row, w_row] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        if w_row.dot(center.extend(1.0)) < NEAREST * radius * w_row.truncate().length() {
            return false;
        }
        let area = self.area.as_vec2();
        let range = |row: Vec4| range_of(row, w_row, center, radius);
        let x = (0.5 + 0.5 * range(x_row)) * area.x;
        let y = (0.5 - 0.5 * vec2(range(y_row).y, range(y_row).x)) * area.y;
        let depth = range(z_row).x - DEPTH_MARGIN;
        let pixel = |at: Vec2| at.clamp(Vec2::ZERO, area - 1.0).as_uvec2();
        let mut from_texel = pixel(vec2(x.x, y.x) - PIXEL_MARGIN) >> 1_u32;
        let mut to_texel = pixel(vec2(x.y, y.y) + PIXEL_MARGIN) >> 1_u32;
        let mut level = 0;
        while level + 1 < self.levels.len() && (to_texel - from_texel).max_element() >= MOST_TEXELS {
            (from_texel, to_texel, level) = (from_texel >> 1_u32, to_texel >> 1_u32, level + 1);
        }
        let rows = from_texel.y..=to_texel.y;
        let texels = rows.flat_map(|v| (from_texel.x..=to_texel.x).map(move |u| uvec2(u, v)));
        let deepest = texels.map(|at| self.levels[level].depth(at)).fold(0.0, f32::max);
        depth > deepest
    }
}

/// Returns the smallest and the largest value of a coordinate in the image of a sphere that is in front of the eye.
fn range_of(row: Vec4, w_row: Vec4, center: Vec3, radius: f32) -> Vec2 {
    let [along, w] = [row, w_row].map(|row| row.dot(center.extend(1.0)));
    let [row, w_row] = [row, w_row].map(Vec4::truncate);
    let across = w * row - along * w_row;
    let turned = radius * row.cross(w_row);
    let middle = along * w - radius * radius * row.dot(w_row);
    let half = radius * (across.length_squared() - turned.length_squared()).max(0.0).sqrt();
    vec2(middle - half, middle + half) / (w * w - radius * radius * w_row.length_squared())
}

mod tests {
    use glam::vec3;
    use sinew_base::Random;

    use super::*;
    use crate::view::{Camera, Projection};

    const PROJECTIONS: [Projection; 2] =
        [Projection::Perspective { fov_y: 1.1 }, Projection::Orthographic { height: 6.0 }];

    fn camera(projection: Projection) -> Mat4 {
        let (position, target) = (vec3(1.0, 2.0, 3.0), vec3(4.0, 2.5, -3.0));
        let camera = Camera { position, target, up: Vec3::Y, projection, near: 0.1, far: 100.0 };
        camera.clip_from_world(1.5)
    }

    #[test]
    fn ranges_enclose_the_points_of_spheres_tightly() {
        let mut random = Random(3);
        let mut next = |low: f32, high: f32| random.range_f32(low, high);
        for projection in PROJECTIONS {
            let matrix = camera(projection);
            let world_from_clip = matrix.inverse();
            for _ in 0..200 {
                let at = vec3(next(-1.0, 1.0), next(-1.0, 1.0), next(0.9, 0.995));
                let (center, radius) = (world_from_clip.project_point3(at), next(0.05, 0.3));
                let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                for _ in 0..3000 {
                    let direction = vec3(next(-1.0, 1.0), next(-1.0, 1.0), next(-1.0, 1.0));
                    let point = matrix.project_point3(center + radius * direction.normalize_or(Vec3::X));
                    (low, high) = (low.min(point), high.max(point));
                }
                for axis in 0..3 {
                    let range = range_of(matrix.row(axis), matrix.row(3), center, radius);
                    let (found, size) = (vec2(low[axis], high[axis]), high[axis] - low[axis]);
                    // The points are not dense enough to reach the whole range.
                    let beyond = (range - found) * vec2(-1.0, 1.0);
                    let rounding = if axis == 2 { 2e-6 } else { 1e-5 };
                    assert!(beyond.min_element() > -rounding, "{range} {found}");
                    assert!(beyond.max_element() < 0.02 * size + rounding, "{range} {found}");
                }
            }
        }
    }

    #[test]
    fn a_wall_hides_what_is_behind_it_and_nothing_else() {
        let projection = Projection::Perspective { fov_y: std::f32::consts::FRAC_PI_2 };
        let (position, target) = (Vec3::ZERO, Vec3::NEG_Z);
        let camera = Camera { position, target, up: Vec3::Y, projection, near: 0.1, far: 100.0 };
        let matrix = camera.clip_from_world(1.0);
        // A wall at a distance of 5 metres covers the right half of the image.
        let wall = matrix.project_point3(vec3(0.0, 0.0, -5.0)).z;
        let depths = (0..64 * 64).map(|pixel| if pixel % 64 < 32 { 1.0 } else { wall }).collect();
        let pyramid = Pyramid::new((64, 64), depths);
        for (center, radius, is_hidden) in [
            (vec3(3.0, 0.0, -8.0), 0.5, true),
            (vec3(3.0, 0.0, -5.4), 0.5, false),
            (vec3(3.0, 0.0, -4.0), 0.5, false),
            (vec3(-3.0, 0.0, -8.0), 0.5, false),
            (vec3(0.0, 0.0, -8.0), 0.5, false),
            (vec3(20.0, 0.0, -25.0), 3.0, true),
            (vec3(0.2, 0.0, -0.3), 0.5, false),
        ] {
            assert_eq!(pyramid.hides(&matrix, center, radius), is_hidden, "{center}");
        }
    }
}
