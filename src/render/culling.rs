//! Determines which spheres and boxes a camera or a light cannot see, and how small spheres are in the image.

use glam::{Mat4, Vec3, Vec4};

use crate::view::Bounds;

#[cfg(test)]
use super::gpu_types::{COARSE, Placed};

#[cfg(test)]
pub(super) mod occlusion;

/// The six planes around the visible volume. A point is inside if its dot product with each plane is not negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frustum([Vec4; 6]);

impl Frustum {
    /// Returns the planes of a view whose depth is from 0 to 1 (Gribb & Hartmann 2001).
    pub(super) fn new(clip_from_world: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        Self([w + x, w - x, w + y, w - y, z, w - z])
    }

    /// Returns the planes as the shader reads them.
    pub(super) fn planes(&self) -> [[f32; 4]; 6] {
        self.0.map(Into::into)
    }

    /// Returns whether part of a sphere may be visible, computed as in `shaders/cull.wgsl`.
    #[cfg(test)]
    pub(super) fn sees_sphere(&self, center: Vec3, radius: f32) -> bool {
        self.0.iter().all(|plane| plane.dot(center.extend(1.0)) >= -radius * plane.truncate().length())
    }

    /// Returns whether part of a box may be visible. An empty box means that the extent is unknown, so it counts as visible.
    pub(super) fn sees(&self, bounds: &Bounds) -> bool {
        // For each plane, only the corner that is furthest inside matters. Comparisons with NaN are false, so an invalid plane culls
        // nothing.
        bounds.is_empty()
            || !self.0.iter().any(|plane| {
                let inside = plane.truncate().cmpge(Vec3::ZERO);
                plane.dot(Vec3::select(inside, bounds.hi, bounds.lo).extend(1.0)) < 0.0
            })
    }
}

/// Returns the width of a pixel in metres as a linear function of the position, for an image of `size` pixels. It is the length that
/// appears as wide as a pixel if it is parallel to the image.
pub(super) fn pixel_width(clip_from_world: &Mat4, (width, height): (f32, f32)) -> Vec4 {
    let length = |row: usize| clip_from_world.row(row).truncate().length();
    let pixels_per_metre = (0.5 * width * length(0)).max(0.5 * height * length(1));
    clip_from_world.row(3) / pixels_per_metre.max(f32::MIN_POSITIVE)
}

/// Returns the level of detail of an instance, computed as in `shaders/cull.wgsl`. `pixel` is a [`pixel_width`].
#[cfg(test)]
pub(super) fn level(pixel: Vec4, placed: &Placed, pixel_error: f32, errors: [f32; COARSE]) -> usize {
    let [x, y, z, radius] = placed.sphere;
    let width = pixel.dot(Vec4::new(x, y, z, 1.0)) - radius * pixel.truncate().length();
    errors.iter().rposition(|error| error * placed.scale <= pixel_error * width).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use glam::vec3;

    use super::*;
    use crate::view::{Camera, Projection};

    fn frustum(projection: Projection) -> Frustum {
        let camera = Camera {
            position: Vec3::ZERO,
            target: Vec3::NEG_Z,
            up: Vec3::Y,
            projection,
            near: 1.0,
            far: 10.0,
        };
        Frustum::new(&camera.clip_from_world(1.0))
    }

    fn cube(x: f32, y: f32, z: f32) -> Bounds {
        let center = vec3(x, y, z);
        Bounds { lo: center - 0.5, hi: center + 0.5 }
    }

    #[test]
    fn boxes_beside_behind_and_beyond_the_view_are_not_seen() {
        let frustum = frustum(Projection::Perspective { fov_y: std::f32::consts::FRAC_PI_2 });
        for seen in [cube(0.0, 0.0, -5.0), cube(5.3, 0.0, -5.0), cube(0.0, -5.3, -5.0), cube(0.0, 0.0, -0.6)]
        {
            assert!(frustum.sees(&seen), "{seen:?}");
        }
        for hidden in [cube(7.0, 0.0, -5.0), cube(0.0, 7.0, -5.0), cube(0.0, 0.0, 3.0), cube(0.0, 0.0, -11.0)]
        {
            assert!(!frustum.sees(&hidden), "{hidden:?}");
        }
        let everything = Bounds { lo: Vec3::splat(-1e6), hi: Vec3::splat(1e6) };
        assert!(frustum.sees(&everything) && frustum.sees(&Bounds::default()));
    }

    #[test]
    fn spheres_are_seen_where_boxes_around_them_are() {
        let frustum = frustum(Projection::Perspective { fov_y: std::f32::consts::FRAC_PI_2 });
        for (center, is_seen) in [
            (vec3(0.0, 0.0, -5.0), true),
            (vec3(5.5, 0.0, -5.0), true),
            (vec3(6.5, 0.0, -5.0), false),
            (Vec3::ZERO, false),
        ] {
            assert_eq!(frustum.sees_sphere(center, 0.6), is_seen, "{center}");
        }
    }

    #[test]
    fn a_pixel_is_as_wide_as_its_distance_requires() {
        let camera = Camera {
            position: vec3(1.0, 2.0, 3.0),
            target: vec3(4.0, 2.5, -3.0),
            up: Vec3::Y,
            projection: Projection::Perspective { fov_y: 1.0 },
            near: 0.1,
            far: 100.0,
        };
        let clip_from_world = camera.clip_from_world(16.0 / 9.0);
        let pixel = pixel_width(&clip_from_world, (1600.0, 900.0));
        let forward = (camera.target - camera.position).normalize();
        let side = forward.cross(Vec3::Y).normalize();
        let point = camera.position + 7.0 * forward + 0.5 * side;
        let width = pixel.dot(point.extend(1.0));
        assert!((width - 2.0 * 7.0 * 0.5_f32.tan() / 900.0).abs() < 1e-5, "{width}");
        // A segment of this length is a pixel wide.
        let [a, b] = [point, point + width * side].map(|p| clip_from_world.project_point3(p));
        assert!(((b - a).x * 800.0 - 1.0).abs() < 1e-3, "{a} {b}");
        let light = Camera { projection: Projection::Orthographic { height: 9.0 }, ..camera };
        let pixel = pixel_width(&light.clip_from_world(1.0), (450.0, 450.0));
        assert!((pixel.dot(point.extend(1.0)) - 0.02).abs() < 1e-6);
    }

    #[test]
    fn a_coarser_level_is_chosen_farther_away() {
        let pixel = Vec4::new(0.0, 0.0, -0.001, 0.0);
        let errors = [0.01, 0.03, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30];
        let placed = |z: f32, scale: f32| Placed { sphere: [0.0, 0.0, z, 1.0], scale, ..Placed::NOTHING };
        for (z, scale, pixel_error, expected) in [
            (-10.0, 1.0, 1.0, 0),
            (-12.0, 1.0, 1.0, 1),
            (-32.0, 1.0, 1.0, 2),
            (-1e6, 1.0, 1.0, 2),
            (-32.0, 2.0, 1.0, 1),
            (-10.0, 1.0, 4.0, 2),
            (-1e6, 1.0, 0.0, 0),
            (0.5, 1.0, 1.0, 0),
        ] {
            let found = level(pixel, &placed(z, scale), pixel_error, errors);
            assert_eq!(found, expected, "{z}, {scale}, {pixel_error}");
        }
    }

    #[test]
    fn an_orthographic_view_is_equally_wide_at_any_depth() {
        let frustum = frustum(Projection::Orthographic { height: 4.0 });
        for z in [-1.0, -5.0, -10.0] {
            for (x, y) in [(0.0, 0.0), (2.4, 0.0), (-2.4, 0.0), (0.0, 2.4), (0.0, -2.4)] {
                assert!(frustum.sees(&cube(x, y, z)), "{x}, {y}, {z}");
            }
            for (x, y) in [(2.6, 0.0), (-2.6, 0.0), (0.0, 2.6), (0.0, -2.6)] {
                assert!(!frustum.sees(&cube(x, y, z)), "{x}, {y}, {z}");
            }
        }
        assert!(!frustum.sees(&cube(0.0, 0.0, 0.0)) && !frustum.sees(&cube(0.0, 0.0, -11.0)));
    }
}
