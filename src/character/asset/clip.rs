//! Animation clips: keys of node transforms and morph weights over time.

use glam::{Quat, Vec3};

/// An animation clip. Loading checks every index and length, and ensures that every number is finite.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// Name in the file.
    pub name: Option<String>,
    /// Time of the last key in any channel, in seconds. The clip starts at 0.
    pub seconds: f32,
    /// Lists of key times in seconds. The times of a list never decrease, and no list is empty. Channels can share a
    /// list.
    pub timelines: Vec<Vec<f32>>,
    /// The animated properties of nodes.
    pub channels: Vec<Channel>,
    /// The other animated values of a pose.
    pub properties: Vec<PropertyTrack>,
}

/// An animated property of one node.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Index of the animated node.
    pub node: usize,
    /// Index into [`Clip::timelines`].
    pub timeline: usize,
    /// How values between keys are interpolated.
    pub interpolation: Interpolation,
    /// Values at the keys.
    pub values: Values,
}

/// Rotation keys of a channel that are not unit quaternions in the file. Loading normalises them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectedKeys {
    /// Index of the clip.
    pub clip: usize,
    /// Index of the animated node.
    pub node: usize,
    /// Number of corrected keys.
    pub count: usize,
    /// Times of the first and the last corrected key, in seconds.
    pub span: [f32; 2],
    /// Largest deviation of a quaternion's length from 1.
    pub error: f32,
}

/// Animated numbers of a pose that do not belong to a node. See [`PoseValue`](super::PoseValue).
#[derive(Clone, Debug)]
pub struct PropertyTrack {
    /// Index of the first number in [`Skeleton::rest_weights`](super::Skeleton::rest_weights).
    pub first: usize,
    /// Number of values.
    pub count: usize,
    /// Index into [`Clip::timelines`].
    pub timeline: usize,
    /// How values between keys are interpolated.
    pub interpolation: Interpolation,
    /// All values for each key or tangent.
    pub values: Vec<f32>,
}

/// How values between keys are interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the previous key.
    Step,
    /// A straight line. Rotations follow the shorter great arc at constant speed.
    Linear,
    /// Cubic Hermite splines with three values per key: in-tangent, value, out-tangent.
    CubicSpline,
}

/// Values at the keys: one value per key, or three for cubic splines.
#[derive(Clone, Debug)]
pub enum Values {
    /// Translations in metres.
    Translation(Vec<Vec3>),
    /// Unit quaternions. Values of cubic splines are not normalised, because their tangents would then no longer match.
    Rotation(Vec<Quat>),
    /// Scale factors.
    Scale(Vec<Vec3>),
    /// One weight per morph target of the node's mesh for each key or tangent.
    Weights(Vec<f32>),
}
