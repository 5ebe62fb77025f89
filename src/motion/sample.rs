//! A clip at a time.

use std::ops::{Add, Mul};

use glam::{Quat, Vec4};

use crate::asset::{Channel, Clip, Interpolation, Skeleton, Values};
use crate::pose::Pose;

use super::interpolate::{hermite, slerp};

/// Where a clip is being played: remembers the last keys, so that playing on finds the next ones without a search.
/// Results depend on the time alone. It serves one clip; give each its own.
#[derive(Clone, Debug, Default)]
pub struct Playhead {
    cursors: Vec<Cursor>,
}

/// A place on a timeline.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The last key at or before the time, but not the last of all if there are two.
    key: usize,
    /// From that key (0) to the next (1).
    u: f32,
    /// From that key to the next.
    seconds: f32,
}

impl Playhead {
    /// Writes every channel of a clip, at a time in seconds, into a pose; what the clip does not move stays as it is.
    /// Times before a channel's first key and after its last take that key's value.
    ///
    /// The clip belongs to the skeleton. Allocates on the first call only. If two channels move the same property,
    /// the later one counts.
    pub fn sample(&mut self, clip: &Clip, time: f32, skeleton: &Skeleton, pose: &mut Pose) {
        self.cursors.resize(clip.timelines.len(), Cursor::default());
        for (cursor, times) in self.cursors.iter_mut().zip(&clip.timelines) {
            cursor.seek(times, time);
        }
        for channel in &clip.channels {
            let cursor = self.cursors[channel.timeline];
            write(channel, cursor, skeleton, pose);
        }
    }
}

impl Cursor {
    fn seek(&mut self, times: &[f32], time: f32) {
        let last = times.len().saturating_sub(1);
        // A time that is no number counts as the start.
        if last == 0 || time.is_nan() || time <= times[0] {
            *self = Self::default();
            return;
        }
        if time >= times[last] {
            // The end of the last segment, so that every interpolation takes the last key.
            *self = Self { key: last - 1, u: 1.0, seconds: 0.0 };
            return;
        }
        let holds = |k: usize| times[k] <= time && time < times[k + 1];
        // Playing forward stays on a key or steps to the next one; anything else is a search.
        let hint = self.key.min(last - 1);
        if holds(hint) {
            self.key = hint;
        } else if hint + 1 < last && holds(hint + 1) {
            self.key = hint + 1;
        } else {
            self.key = times.partition_point(|&t| t <= time) - 1;
        }
        self.seconds = times[self.key + 1] - times[self.key];
        self.u = (time - times[self.key]) / self.seconds;
    }

    /// The key whose value holds in STEP interpolation.
    fn step(&self) -> usize {
        if self.u >= 1.0 { self.key + 1 } else { self.key }
    }
}

fn write(channel: &Channel, cursor: Cursor, skeleton: &Skeleton, pose: &mut Pose) {
    let Some(local) = pose.locals.get_mut(channel.node) else { return };
    match &channel.values {
        Values::Translation(v) => local.translation = vector(v, channel.interpolation, cursor),
        Values::Scale(v) => local.scale = vector(v, channel.interpolation, cursor),
        Values::Rotation(v) => local.rotation = rotation(v, channel.interpolation, cursor),
        Values::Weights(v) => {
            let range = skeleton.nodes[channel.node].morph_weights.clone();
            if let Some(out) = pose.weights.get_mut(range) {
                weights(v, channel.interpolation, cursor, out);
            }
        }
    }
}

fn vector<V: Copy + Add<Output = V> + Mul<f32, Output = V>>(
    values: &[V],
    interpolation: Interpolation,
    at: Cursor,
) -> V {
    match interpolation {
        Interpolation::Step => values[at.step()],
        _ if at.u == 0.0 && interpolation == Interpolation::Linear => values[at.key],
        Interpolation::Linear => values[at.key] * (1.0 - at.u) + values[at.key + 1] * at.u,
        Interpolation::CubicSpline => cubic(at, |i| values[i]),
    }
}

fn rotation(values: &[Quat], interpolation: Interpolation, at: Cursor) -> Quat {
    match interpolation {
        Interpolation::Step => values[at.step()],
        _ if at.u == 0.0 && interpolation == Interpolation::Linear => values[at.key],
        Interpolation::Linear => slerp(values[at.key], values[at.key + 1], at.u),
        Interpolation::CubicSpline => {
            let sum = cubic(at, |i| Vec4::from(values[i]));
            Quat::from_vec4(sum.try_normalize().unwrap_or(Vec4::W))
        }
    }
}

fn weights(values: &[f32], interpolation: Interpolation, at: Cursor, out: &mut [f32]) {
    let n = out.len();
    for (i, out) in out.iter_mut().enumerate() {
        *out = match interpolation {
            Interpolation::Step => values[at.step() * n + i],
            Interpolation::Linear if at.u == 0.0 => values[at.key * n + i],
            Interpolation::Linear => {
                values[at.key * n + i] * (1.0 - at.u) + values[(at.key + 1) * n + i] * at.u
            }
            Interpolation::CubicSpline => cubic(at, |key_part| values[key_part * n + i]),
        };
    }
}

/// A Hermite segment. Each key has three parts: in-tangent, value, out-tangent.
fn cubic<V: Copy + Add<Output = V> + Mul<f32, Output = V>>(at: Cursor, part: impl Fn(usize) -> V) -> V {
    let first = at.key * 3;
    if at.u == 0.0 {
        return part(first + 1);
    }
    if at.u >= 1.0 {
        return part(first + 4);
    }
    let [value, out_tangent, next_value, in_tangent] = hermite(at.u, at.seconds);
    part(first + 1) * value
        + part(first + 2) * out_tangent
        + part(first + 4) * next_value
        + part(first + 3) * in_tangent
}
