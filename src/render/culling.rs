//! Determines which spheres and boxes a camera or a light cannot see.

use glam::{Mat4, Vec3, Vec4};

use crate::view::Bounds;

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
    fn sees_sphere(&self, center: Vec3, radius: f32) -> bool {
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
