//! Lights in a file.

use glam::Vec3;

/// A light on a node of the file (`KHR_lights_punctual`). Directional lights and spot lights shine along the node's −Z
/// axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// Name in the file.
    pub name: Option<String>,
    /// Node index.
    pub node: usize,
    /// Shape of the light.
    pub kind: LightKind,
    /// Linear RGB.
    pub color: Vec3,
    /// Brightness in lux for a directional light, or in candela for other lights.
    pub intensity: f32,
    /// Distance in metres beyond which the light has no effect, or `None` if it has no limit.
    pub range: Option<f32>,
}

/// Shape of a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel rays, like sunlight.
    Directional,
    /// Rays in all directions.
    Point,
    /// Rays in a cone. Angles are in radians from the axis of the cone.
    Spot {
        /// Angle at which the light begins to fade.
        inner: f32,
        /// Angle beyond which there is no light.
        outer: f32,
    },
}
