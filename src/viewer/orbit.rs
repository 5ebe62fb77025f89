//! A camera that orbits a target.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::view::{AUTO_FOV_Y, Bounds, Camera};

/// Radians per pixel.
const RADIANS_PER_PIXEL: f32 = 0.006;
/// Fraction of the distance by which one step of the wheel moves the camera closer.
const ZOOM_STEP: f32 = 0.12;

/// Position of a camera relative to its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orbit {
    /// The point that the camera looks at, in world metres.
    pub target: Vec3,
    /// Distance from the target in metres.
    pub distance: f32,
    /// Angle around +Y in radians. At 0 the camera is on the +Z side of the target.
    pub yaw: f32,
    /// Angle above the horizon in radians.
    pub pitch: f32,
    /// Radius of the subject in metres. It limits the distance of the camera.
    pub radius: f32,
}

impl Orbit {
    /// Maximum pitch in radians. It is just below a right angle, at which the camera looks straight down and "up" is
    /// undefined.
    pub(in crate::viewer) const MAX_PITCH: f32 = 1.54;

    /// Shows a box completely, from the front and slightly above.
    pub fn framing(bounds: &Bounds, aspect: f32) -> Self {
        let (target, radius) = bounds.sphere();
        let mut orbit = Self { target, distance: 1.0, yaw: 0.42, pitch: 0.16, radius };
        orbit.frame(bounds, aspect);
        orbit
    }

    /// Shows a box completely, from the current direction.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f32) {
        let (target, radius) = bounds.sphere();
        (self.target, self.radius) = (target, radius);
        self.distance = radius / half_fov_sine(aspect);
    }

    /// Keeps the subject in view when the aspect ratio changes.
    pub fn reshape(&mut self, from: f32, to: f32) {
        self.distance *= half_fov_sine(from) / half_fov_sine(to);
    }

    /// Orbits by a pointer movement in pixels.
    pub fn turn(&mut self, by: Vec2) {
        self.yaw = (self.yaw - by.x * RADIANS_PER_PIXEL) % std::f32::consts::TAU;
        self.pitch = (self.pitch + by.y * RADIANS_PER_PIXEL).clamp(-Self::MAX_PITCH, Self::MAX_PITCH);
    }

    /// Pans by pixels in a view of the given height. The target follows the pointer exactly.
    pub fn pan(&mut self, by: Vec2, height: f32) {
        let metres = 2.0 * self.distance * (AUTO_FOV_Y * 0.5).tan() / height.max(1.0);
        let back = self.back();
        let right = Vec3::Y.cross(back).normalize_or_zero();
        self.target += (back.cross(right) * by.y - right * by.x) * metres;
        self.limit_target();
    }

    /// Zooms in by `steps` of the wheel and keeps `pivot` at the same position on screen.
    pub fn zoom(&mut self, steps: f32, pivot: Vec3) {
        let wanted = self.distance * (1.0 - ZOOM_STEP).powf(steps.clamp(-20.0, 20.0));
        let distance = wanted.clamp(self.radius * 0.02, self.radius * 60.0);
        self.target = pivot + (self.target - pivot) * (distance / self.distance);
        self.distance = distance;
        self.limit_target();
    }

    /// Returns whether all values are finite and in range.
    pub(in crate::viewer) fn is_valid(&self) -> bool {
        let lengths = [self.distance, self.radius];
        self.target.is_finite()
            && lengths.into_iter().all(|l| l.is_finite() && l > 0.0)
            && self.yaw.is_finite()
            && self.pitch.abs() <= Self::MAX_PITCH
    }

    /// Returns the unit vector from the target to the camera.
    pub fn back(&self) -> Vec3 {
        let (sin, cos) = self.yaw.sin_cos();
        Vec3::new(sin * self.pitch.cos(), self.pitch.sin(), cos * self.pitch.cos())
    }

    /// Returns the camera. Its depth range covers `bounds`.
    pub fn camera(&self, bounds: &Bounds) -> Camera {
        let position = self.target + self.back() * self.distance;
        let mut camera =
            Camera { position, target: self.target, up: Vec3::Y, fov_y: AUTO_FOV_Y, near: 0.01, far: 100.0 };
        camera.set_depth_range(bounds);
        camera.near = camera.near.min(self.distance * 0.1);
        camera
    }

    /// Limits the target's distance from the origin, because single precision is too coarse for a character far from
    /// it.
    fn limit_target(&mut self) {
        self.target = self.target.clamp_length_max(self.radius * 1e3 + 1e3);
    }
}

/// Returns the sine of half the smaller field of view. `aspect` is width divided by height.
fn half_fov_sine(aspect: f32) -> f32 {
    let tangent = (AUTO_FOV_Y * 0.5).tan() * aspect.clamp(0.05, 1.0);
    tangent.atan().sin()
}
