//! Rays, for example through a pixel of an image.

use glam::{Mat4, Vec2, Vec3};

use super::{Camera, Projection};

/// A ray in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The origin, in metres.
    pub origin: Vec3,
    /// The direction, a unit vector.
    pub direction: Vec3,
}

impl Ray {
    /// Returns the ray from the camera through a pixel. `size` is the size of the image in pixels. Returns `None` if
    /// the image is empty or the camera is invalid.
    pub fn through(camera: &Camera, pixel: Vec2, size: Vec2) -> Option<Self> {
        let ndc = Vec2::new(pixel.x / size.x * 2.0 - 1.0, 1.0 - pixel.y / size.y * 2.0);
        let world_from_clip: Mat4 = camera.clip_from_world(size.x / size.y).inverse();
        let (origin, direction) = match camera.projection {
            Projection::Perspective { .. } => {
                let through = world_from_clip.project_point3(ndc.extend(0.5));
                (camera.position, (through - camera.position).normalize_or_zero())
            }
            Projection::Orthographic { .. } => {
                (world_from_clip.project_point3(ndc.extend(0.0)), camera.direction())
            }
        };
        let is_valid = size.min_element() >= 1.0
            && origin.is_finite()
            && direction.is_finite()
            && direction != Vec3::ZERO;
        is_valid.then_some(Self { origin, direction })
    }

    /// Returns the intersection with a plane, or `None` if it is not in front of the origin.
    ///
    /// ```
    /// use glam::{Vec2, Vec3};
    /// use sinew_base::view::{Camera, Ray};
    ///
    /// // The middle of the image shows the target of the camera, which is on the ground.
    /// let camera = Camera::around(Vec3::X, 1.0, Vec3::ONE, Vec3::Y, 0.8, 1.0);
    /// let ray = Ray::through(&camera, Vec2::splat(50.0), Vec2::splat(100.0)).ok_or("no ray")?;
    /// let ground = ray.intersect_plane(Vec3::ZERO, Vec3::Y).ok_or("the ray misses the ground")?;
    /// assert!(ground.abs_diff_eq(Vec3::X, 1e-3));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn intersect_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let along = (point - self.origin).dot(normal) / self.direction.dot(normal);
        (along.is_finite() && along > 0.0).then(|| self.origin + along * self.direction)
    }

    /// Returns the point of a line that is nearest to the ray. `axis` is the direction of the line, a unit vector.
    /// Returns `None` if the line and the ray are nearly parallel.
    pub fn nearest_on_line(&self, point: Vec3, axis: Vec3) -> Option<Vec3> {
        let cosine = axis.dot(self.direction);
        let slope = 1.0 - cosine * cosine;
        let between = point - self.origin;
        let along = (cosine * self.direction.dot(between) - axis.dot(between)) / slope;
        (slope > 1e-4 && along.is_finite()).then(|| point + along * axis)
    }

    /// Returns the distance in metres to a two-sided triangle, and the barycentric coordinates of the hit (Möller and Trumbore
    /// 1997). Returns `None` if the ray misses the triangle.
    pub fn hit_triangle(&self, [a, b, c]: [Vec3; 3]) -> Option<(f32, Vec3)> {
        let (ab, ac) = (b - a, c - a);
        let p = self.direction.cross(ac);
        let determinant = ab.dot(p);
        let from = self.origin - a;
        let u = from.dot(p) / determinant;
        let q = from.cross(ab);
        let v = self.direction.dot(q) / determinant;
        let distance = ac.dot(q) / determinant;
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0;
        (inside && distance.is_finite()).then(|| (distance, Vec3::new(1.0 - u - v, u, v)))
    }
}
