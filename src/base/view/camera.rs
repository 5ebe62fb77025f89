//! Cameras, bounding boxes, and automatic framing of a character.

use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec3};

/// The projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Distant objects appear smaller.
    Perspective {
        /// Vertical field of view in radians.
        fov_y: f32,
    },
    /// The apparent size of objects does not depend on their distance.
    Orthographic {
        /// Height of the visible part of the world in metres.
        height: f32,
    },
}

/// A camera in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position in metres.
    pub position: Vec3,
    /// The point at the centre of the image, in metres.
    pub target: Vec3,
    /// The up direction. It may have any length except zero, but must not be parallel to the line of sight.
    pub up: Vec3,
    /// The projection.
    pub projection: Projection,
    /// Distance of the near plane in metres.
    pub near: f32,
    /// Distance of the far plane in metres.
    pub far: f32,
}

/// Direction from the target to the camera for automatic framing. It need not be a unit vector.
pub const AUTO_DIRECTION: Vec3 = Vec3::new(0.6, 0.35, 1.0);
/// Vertical field of view for automatic framing, in radians.
pub const AUTO_FOV_Y: f32 = std::f32::consts::FRAC_PI_4;

/// An axis-aligned box in world space. It is empty until a point is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The minimum corner.
    pub lo: Vec3,
    /// The maximum corner.
    pub hi: Vec3,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { lo: Vec3::INFINITY, hi: Vec3::NEG_INFINITY }
    }
}

impl Bounds {
    /// Returns the bounding box of the given points. Points that are not finite are ignored.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Self::default();
        bounds.extend(points);
        bounds
    }

    /// Extends the box to contain the given points. Points that are not finite are ignored.
    pub fn extend(&mut self, points: impl IntoIterator<Item = Vec3>) {
        for p in points {
            if p.is_finite() {
                self.lo = self.lo.min(p);
                self.hi = self.hi.max(p);
            }
        }
    }

    /// Returns whether the box is empty.
    pub fn is_empty(&self) -> bool {
        self.lo.x > self.hi.x
    }

    /// Returns the centre and the radius of the bounding sphere of the box. An empty box counts as a point at the
    /// origin, and a radius of zero is replaced by one.
    pub fn sphere(&self) -> (Vec3, f32) {
        if self.is_empty() {
            return (Vec3::ZERO, 1.0);
        }
        // Halve first, because the difference of two large numbers can overflow.
        let (lo, hi) = (self.lo * 0.5, self.hi * 0.5);
        let radius = (hi - lo).length();
        (lo + hi, if radius > 0.0 { radius } else { 1.0 })
    }
}

impl Camera {
    /// Returns a camera that shows a whole box. The bounding sphere of the box fills the narrower of the horizontal and
    /// the vertical field of view. `fov_y` is in radians, and `aspect` is width / height.
    ///
    /// ```
    /// use glam::Vec3;
    /// use sinew_base::view::{AUTO_FOV_Y, Bounds, Camera};
    ///
    /// let bounds = Bounds::around([Vec3::new(-0.5, 0.0, -0.2), Vec3::new(0.5, 1.8, 0.2)]);
    /// let camera = Camera::framing(&bounds, AUTO_FOV_Y, 16.0 / 9.0);
    /// let clip_from_world = camera.clip_from_world(16.0 / 9.0);
    /// for corner in [bounds.lo, bounds.hi] {
    ///     let clip = clip_from_world.project_point3(corner);
    ///     assert!(clip.x.abs() < 1.0 && clip.y.abs() < 1.0 && (0.0..1.0).contains(&clip.z));
    /// }
    /// ```
    pub fn framing(bounds: &Bounds, fov_y: f32, aspect: f32) -> Self {
        let (target, radius) = bounds.sphere();
        Self::around(target, radius, AUTO_DIRECTION, Vec3::Y, fov_y, aspect)
    }

    /// Sets the near and far planes so that a whole box is visible from the current position.
    pub fn set_depth_range(&mut self, bounds: &Bounds) {
        let (center, radius) = bounds.sphere();
        let distance = self.position.distance(center);
        self.near = distance.max(radius) / 100.0;
        self.far = distance + 10.0 * radius;
    }

    /// Returns a camera that shows a whole sphere. `direction` is the direction from the target to the camera. `fov_y`
    /// is in radians, and `aspect` is width / height.
    pub fn around(target: Vec3, radius: f32, direction: Vec3, up: Vec3, fov_y: f32, aspect: f32) -> Self {
        let fov_x = 2.0 * ((fov_y * 0.5).tan() * aspect).atan();
        let distance = radius / (fov_x.min(fov_y) * 0.5).sin();
        let position = target + distance * direction.normalize();
        let projection = Projection::Perspective { fov_y };
        Self { position, target, up, projection, near: distance / 100.0, far: distance + 10.0 * radius }
    }

    /// Returns the view matrix. The camera looks along −Z in view space.
    pub fn view_from_world(&self) -> Mat4 {
        view::look_at_mat4(self.position, self.target, self.up)
    }

    /// Returns the product of the projection matrix and the view matrix. Depth is 0 at the near plane and 1 at the far
    /// plane, as in wgpu.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let clip_from_view = match self.projection {
            Projection::Perspective { fov_y } => {
                proj::directx::perspective(fov_y, aspect, self.near, self.far)
            }
            Projection::Orthographic { height } => {
                let (x, y) = (height * aspect * 0.5, height * 0.5);
                proj::directx::orthographic(-x, x, -y, y, self.near, self.far)
            }
        };
        clip_from_view * self.view_from_world()
    }

    /// Returns the viewing direction at the centre of the image, as a unit vector.
    pub fn direction(&self) -> Vec3 {
        (self.target - self.position).normalize_or_zero()
    }

    /// Returns the viewing direction at a point, as a unit vector.
    pub fn direction_to(&self, point: Vec3) -> Vec3 {
        match self.projection {
            Projection::Perspective { .. } => (point - self.position).normalize_or_zero(),
            Projection::Orthographic { .. } => self.direction(),
        }
    }

    /// Returns the height of the visible area at the depth of a point, in metres.
    pub fn height_at(&self, point: Vec3) -> f32 {
        match self.projection {
            Projection::Perspective { fov_y } => {
                let depth = (point - self.position).dot(self.direction()).max(self.near);
                2.0 * depth * (fov_y * 0.5).tan()
            }
            Projection::Orthographic { height } => height,
        }
    }

    /// Returns whether the camera sees the upper side of a horizontal plane at `height`, in metres.
    pub fn is_above(&self, height: f32) -> bool {
        match self.projection {
            Projection::Perspective { .. } => self.position.y > height,
            Projection::Orthographic { .. } => self.direction().y < 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a perspective and an orthographic camera that show the same part of the plane through their target.
    fn cameras() -> [Camera; 2] {
        let bounds = Bounds::around([Vec3::NEG_ONE, Vec3::ONE]);
        let perspective = Camera::framing(&bounds, AUTO_FOV_Y, 1.6);
        let height = perspective.height_at(perspective.target);
        [perspective, Camera { projection: Projection::Orthographic { height }, ..perspective }]
    }

    #[test]
    fn projections_agree_in_the_plane_of_the_target() {
        let [perspective, orthographic] = cameras();
        let up = perspective.view_from_world().transpose().y_axis.truncate();
        let point = perspective.target + 0.3 * up;
        let [a, b] = [perspective, orthographic].map(|c| c.clip_from_world(1.6).project_point3(point));
        assert!(a.truncate().distance(b.truncate()) < 1e-5, "{a} {b}");
        assert!((0.0..=1.0).contains(&a.z) && (0.0..=1.0).contains(&b.z), "{a} {b}");
    }

    #[test]
    fn depth_changes_sizes_only_in_perspective() {
        let [perspective, orthographic] = cameras();
        let nearer = perspective.target - perspective.direction() * 0.5;
        assert!(perspective.height_at(nearer) < perspective.height_at(perspective.target) * 0.95);
        let heights = [nearer, orthographic.target].map(|point| orthographic.height_at(point).to_bits());
        assert_eq!(heights[0], heights[1]);
    }
}
