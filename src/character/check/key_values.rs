//! Access to the values of channels, without the tangents of splines.

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Values};

pub(super) fn key_count(clip: &Clip, channel: &Channel) -> usize {
    clip.timelines.get(channel.timeline).map_or(0, Vec::len)
}

/// Returns the rotations at the keys. Empty if the channel has no rotations.
pub(super) fn rotations(channel: &Channel) -> Vec<Quat> {
    match &channel.values {
        Values::Rotation(values) => at_keys(values, channel.interpolation),
        _ => Vec::new(),
    }
}

/// Returns the scales at the keys. Empty if the channel has no scales.
pub(super) fn scales(channel: &Channel) -> Vec<Vec3> {
    match &channel.values {
        Values::Scale(values) => at_keys(values, channel.interpolation),
        _ => Vec::new(),
    }
}

fn at_keys<T: Copy>(values: &[T], interpolation: Interpolation) -> Vec<T> {
    match interpolation {
        Interpolation::CubicSpline => values.iter().skip(1).step_by(3).copied().collect(),
        _ => values.to_vec(),
    }
}

/// Returns whether any of a key's values, including its tangents, meets a condition.
pub(super) fn value_error(channel: &Channel, key: usize, is_bad: impl Fn(f32) -> bool) -> bool {
    let per_key = if channel.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let range = key * per_key..(key + 1) * per_key;
    let vectors =
        |v: &[Vec3]| v.iter().skip(range.start).take(per_key).any(|v| v.to_array().into_iter().any(&is_bad));
    match &channel.values {
        Values::Translation(v) | Values::Scale(v) => vectors(v),
        Values::Rotation(v) => {
            v.iter().skip(range.start).take(per_key).any(|q| q.to_array().into_iter().any(&is_bad))
        }
        // The number of weights of a key depends on the mesh, so all weights of the channel are checked together with the first key.
        Values::Weights(v) => key == 0 && v.iter().copied().any(is_bad),
    }
}

/// Returns whether all values of a channel are equal, including tangents.
pub(super) fn is_constant(channel: &Channel) -> bool {
    const SAME: f32 = 1e-6;
    let vectors = |v: &[Vec3]| v.iter().all(|x| v.first().is_some_and(|first| x.abs_diff_eq(*first, SAME)));
    match &channel.values {
        Values::Translation(v) | Values::Scale(v) => vectors(v),
        Values::Rotation(v) => {
            v.iter().all(|q| v.first().is_some_and(|first| first.dot(*q).abs() > 1.0 - 1e-7))
        }
        Values::Weights(_) => false,
    }
}
