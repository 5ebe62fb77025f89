//! A camera that turns around a place.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::camera::{AUTO_FOV_Y, Bounds, Camera};

/// Radians a pixel.
const TURN: f32 = 0.006;
/// Just short of straight down, where "up" would have no meaning.
const STEEPEST: f32 = 1.54;
/// Share of the distance that one step of the wheel takes away.
const ZOOM: f32 = 0.12;

/// Where the camera is, told from what it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orbit {
    /// World metres.
    pub target: Vec3,
    /// Metres.
    pub distance: f32,
    /// Radians around +Y; 0: the camera stands on +Z of the target.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
    /// Metres: the size of what it turns around, which says how near and how far it may go.
    pub radius: f32,
}

impl Orbit {
    /// From the front and a little above, all of a box in sight.
    pub fn framing(bounds: &Bounds, aspect: f32) -> Self {
        let (target, radius) = bounds.sphere();
        let mut orbit = Self { target, distance: 1.0, yaw: 0.42, pitch: 0.16, radius };
        orbit.frame(bounds, aspect);
        orbit
    }

    /// Shows all of a box from where it looks now.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f32) {
        let (target, radius) = bounds.sphere();
        (self.target, self.radius) = (target, radius);
        self.distance = radius / sine(aspect);
    }

    /// Keeps in sight what is, in a picture of another shape.
    pub fn reshape(&mut self, from: f32, to: f32) {
        self.distance *= sine(from) / sine(to);
    }

    /// Turns by pixels.
    pub fn turn(&mut self, by: Vec2) {
        self.yaw = (self.yaw - by.x * TURN) % std::f32::consts::TAU;
        self.pitch = (self.pitch + by.y * TURN).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves by pixels of a picture that is `height` high, so that what is in the middle stays under the pointer.
    pub fn pan(&mut self, by: Vec2, height: f32) {
        let metres = 2.0 * self.distance * (AUTO_FOV_Y * 0.5).tan() / height.max(1.0);
        let back = self.back();
        let right = Vec3::Y.cross(back).normalize_or_zero();
        self.target += (back.cross(right) * by.y - right * by.x) * metres;
        self.keep_near();
    }

    /// Nearer, keeping a world position under the pointer.
    pub fn zoom(&mut self, steps: f32, pivot: Vec3) {
        let wanted = self.distance * (1.0 - ZOOM).powf(steps.clamp(-20.0, 20.0));
        let distance = wanted.clamp(self.radius * 0.02, self.radius * 60.0);
        self.target = pivot + (self.target - pivot) * (distance / self.distance);
        self.distance = distance;
        self.keep_near();
    }

    /// Whether there is a camera like this.
    pub(super) fn is_sound(&self) -> bool {
        let lengths = [self.distance, self.radius];
        self.target.is_finite()
            && lengths.into_iter().all(|l| l.is_finite() && l > 0.0)
            && self.yaw.is_finite()
            && self.pitch.abs() <= STEEPEST
    }

    /// Towards the camera, a unit vector.
    pub fn back(&self) -> Vec3 {
        let (sin, cos) = self.yaw.sin_cos();
        Vec3::new(sin * self.pitch.cos(), self.pitch.sin(), cos * self.pitch.cos())
    }

    /// The camera itself, its depth range around some bounds.
    pub fn camera(&self, bounds: &Bounds) -> Camera {
        let position = self.target + self.back() * self.distance;
        let mut camera =
            Camera { position, target: self.target, up: Vec3::Y, fov_y: AUTO_FOV_Y, near: 0.01, far: 100.0 };
        camera.set_depth_range(bounds);
        camera.near = camera.near.min(self.distance * 0.1);
        camera
    }

    /// Far away, single precision has no digits left for a character.
    fn keep_near(&mut self) {
        self.target = self.target.clamp_length_max(self.radius * 1e3 + 1e3);
    }
}

/// Sine of half the lesser of the two angles that a picture shows; `aspect`: its width over its height.
fn sine(aspect: f32) -> f32 {
    let tangent = (AUTO_FOV_Y * 0.5).tan() * aspect.clamp(0.05, 1.0);
    tangent.atan().sin()
}
