//! A perspective camera, bounding boxes, and automatic framing of a character.

use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec3};

/// A perspective camera in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position in metres.
    pub position: Vec3,
    /// The point at the centre of the image, in metres.
    pub target: Vec3,
    /// The up direction. It may have any length except zero, but must not be parallel to the line of sight.
    pub up: Vec3,
    /// Vertical field of view in radians.
    pub fov_y: f32,
    /// Distance of the near plane in metres.
    pub near: f32,
    /// Distance of the far plane in metres.
    pub far: f32,
}

/// Direction from the target to the camera for automatic framing.
const AUTO_DIRECTION: Vec3 = Vec3::new(0.6, 0.35, 1.0);
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
    /// Returns the bounding box of some points. Points that are not finite are ignored.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Self::default();
        bounds.extend(points);
        bounds
    }

    /// Extends the box to contain some points. Points that are not finite are ignored.
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

    /// Returns centre and radius of the bounding sphere of the box. An empty box counts as a point at the origin, and a
    /// radius of zero is replaced by one.
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
        Self { position, target, up, fov_y, near: distance / 100.0, far: distance + 10.0 * radius }
    }

    /// Returns the view matrix. The camera looks along −Z in view space.
    pub fn view_from_world(&self) -> Mat4 {
        view::look_at_mat4(self.position, self.target, self.up)
    }

    /// Returns the product of projection and view matrix. Depth is 0 at the near plane and 1 at the far plane, as in
    /// wgpu.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        proj::directx::perspective(self.fov_y, aspect, self.near, self.far) * self.view_from_world()
    }
}
