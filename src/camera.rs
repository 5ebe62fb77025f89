//! A perspective camera, and the rule that frames a character with it.

use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec3};

/// A perspective camera in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Metres.
    pub position: Vec3,
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// Which way is up in the picture; any length, not along the line of sight.
    pub up: Vec3,
    /// Vertical field of view, radians.
    pub fov_y: f32,
    /// Distance of the near plane, metres.
    pub near: f32,
    /// Distance of the far plane, metres.
    pub far: f32,
}

/// From where auto-framing looks, seen from the target.
const AUTO_DIRECTION: Vec3 = Vec3::new(0.6, 0.35, 1.0);
/// Auto-framing's vertical field of view, radians.
pub const AUTO_FOV_Y: f32 = std::f32::consts::FRAC_PI_4;

/// An axis-aligned box in world space; empty until a point is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least corner.
    pub lo: Vec3,
    /// Greatest corner.
    pub hi: Vec3,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { lo: Vec3::INFINITY, hi: Vec3::NEG_INFINITY }
    }
}

impl Bounds {
    /// The box around some points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Self::default();
        bounds.extend(points);
        bounds
    }

    /// Grows to hold some points. Points that are not finite do not count.
    pub fn extend(&mut self, points: impl IntoIterator<Item = Vec3>) {
        for p in points {
            if p.is_finite() {
                self.lo = self.lo.min(p);
                self.hi = self.hi.max(p);
            }
        }
    }

    /// Whether no finite point was added.
    pub fn is_empty(&self) -> bool {
        self.lo.x > self.hi.x
    }

    /// Centre and radius of the sphere around the box. Nothing at all is a point at the origin; a radius of zero
    /// counts as one.
    pub fn sphere(&self) -> (Vec3, f32) {
        if self.is_empty() {
            return (Vec3::ZERO, 1.0);
        }
        // Halves first: the difference of two large numbers may overflow where neither half does.
        let (lo, hi) = (self.lo * 0.5, self.hi * 0.5);
        let radius = (hi - lo).length();
        (lo + hi, if radius > 0.0 { radius } else { 1.0 })
    }
}

impl Camera {
    /// The camera that shows all of a box in a picture of some vertical field of view (radians) and aspect
    /// (width / height): its sphere fills the narrower of both fields of view.
    pub fn framing(bounds: &Bounds, fov_y: f32, aspect: f32) -> Self {
        let (target, radius) = bounds.sphere();
        Self::around(target, radius, AUTO_DIRECTION, Vec3::Y, fov_y, aspect)
    }

    /// Moves the near and far plane to where a camera that stands anywhere sees all of a box.
    pub fn set_depth_range(&mut self, bounds: &Bounds) {
        let (center, radius) = bounds.sphere();
        let distance = self.position.distance(center);
        self.near = distance.max(radius) / 100.0;
        self.far = distance + 10.0 * radius;
    }

    /// The camera that shows a sphere from a direction.
    pub fn around(target: Vec3, radius: f32, direction: Vec3, up: Vec3, fov_y: f32, aspect: f32) -> Self {
        let fov_x = 2.0 * ((fov_y * 0.5).tan() * aspect).atan();
        let distance = radius / (fov_x.min(fov_y) * 0.5).sin();
        let position = target + distance * direction.normalize();
        Self { position, target, up, fov_y, near: distance / 100.0, far: distance + 10.0 * radius }
    }

    /// View matrix: looks down −Z.
    pub fn view_from_world(&self) -> Mat4 {
        view::look_at_mat4(self.position, self.target, self.up)
    }

    /// View and projection, with depth from 0 (near) to 1 (far) as wgpu has it.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        proj::directx::perspective(self.fov_y, aspect, self.near, self.far) * self.view_from_world()
    }
}
