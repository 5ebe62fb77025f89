//! Recorded motion: keys of node transforms and morph weights over time.

use glam::{Quat, Vec3};

/// A named motion. Every index and length in it is checked on loading, every number is finite.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// The file's name for it.
    pub name: Option<String>,
    /// Time of the last key of all channels, seconds. The clip runs from 0 to here.
    pub seconds: f32,
    /// Key times, seconds, never falling, at least one key each. Channels share them.
    pub timelines: Vec<Vec<f32>>,
    /// What moves.
    pub channels: Vec<Channel>,
}

/// One property of one node over time.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Index of the node that it moves.
    pub node: usize,
    /// Index into [`Clip::timelines`].
    pub timeline: usize,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// The values at the keys.
    pub values: Values,
}

/// How values between keys are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The last key's value holds.
    Step,
    /// A straight line; for rotations the shorter great arc at constant speed.
    Linear,
    /// Hermite splines. Three values a key: in-tangent, value, out-tangent.
    CubicSpline,
}

/// Values at the keys: one a key (three for cubic splines).
#[derive(Clone, Debug)]
pub enum Values {
    /// Metres.
    Translation(Vec<Vec3>),
    /// Unit quaternions (as the file has them for cubic splines, whose tangents belong to them).
    Rotation(Vec<Quat>),
    /// Factors.
    Scale(Vec<Vec3>),
    /// As many weights a key (or tangent) as the node's mesh has morph targets.
    Weights(Vec<f32>),
}
