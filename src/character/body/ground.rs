//! The ground on which a body stands.

use glam::Vec3;

/// Heights and normals of the ground, in world space.
pub trait Ground {
    /// Returns the height of the ground directly below or above a nearby point.
    fn height(&mut self, at: Vec3) -> f32;

    /// Returns the upward normal of the ground within `distance` of a point. The vector may have any length.
    fn normal(&mut self, at: Vec3, distance: f32) -> Vec3;
}
