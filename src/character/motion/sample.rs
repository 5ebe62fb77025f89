//! Samples a clip at a given time.

use std::ops::{Add, Mul};

use glam::{Quat, Vec4};

use crate::asset::{Channel, Clip, Interpolation, PropertyTrack, Skeleton, Values};
use crate::pose::Pose;

use super::interpolate::{hermite, slerp};

/// Samples a clip and caches its current keys, so that forward playback finds the next keys without a search.
///
/// The cache does not affect results. Use one playhead for each clip.
#[derive(Clone, Debug, Default)]
pub struct Playhead {
    cursors: Vec<Cursor>,
}

/// A position in a list of key times.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The last key at or before the time. If there are at least two keys, this is never the last key of the list.
    key: usize,
    /// Position between that key (0) and the next (1).
    u: f32,
    /// Time from that key to the next, in seconds.
    seconds: f32,
}

impl Playhead {
    /// Writes the values of a clip's channels at a time in seconds into a pose. Properties without a channel keep their
    /// values. Before its first key and after its last key, a channel has the value of that key.
    ///
    /// The clip must belong to the skeleton. Only the first call allocates. If two channels animate the same property,
    /// the later one is used.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::motion::Playhead;
    /// use sinew_character::pose::Pose;
    ///
    /// let character = asset::mannequin()?;
    /// let walk = character.clips.iter().find(|clip| clip.name.as_deref() == Some("walk"));
    /// let walk = walk.ok_or("the clip walk does not exist")?;
    /// let mut playhead = Playhead::default();
    /// let (mut first, mut middle, mut last) =
    ///     (Pose::rest(&character.skeleton), Pose::rest(&character.skeleton), Pose::rest(&character.skeleton));
    /// playhead.sample(walk, 0.0, &character.skeleton, &mut first);
    /// playhead.sample(walk, 0.5 * walk.seconds, &character.skeleton, &mut middle);
    /// playhead.sample(walk, walk.seconds, &character.skeleton, &mut last);
    /// // The walk is a loop. In its middle, the other leg is in front.
    /// let thigh = character.skeleton.find("leftUpperLeg").ok_or("no thigh")?;
    /// let angle = |pose: &Pose| first.locals[thigh].rotation.angle_between(pose.locals[thigh].rotation);
    /// assert!(angle(&last) < 0.01 && angle(&middle) > 0.3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample(&mut self, clip: &Clip, time: f32, skeleton: &Skeleton, pose: &mut Pose) {
        self.cursors.resize(clip.timelines.len(), Cursor::default());
        for (cursor, times) in self.cursors.iter_mut().zip(&clip.timelines) {
            cursor.seek(times, time);
        }
        for channel in &clip.channels {
            let cursor = self.cursors[channel.timeline];
            write(channel, cursor, skeleton, pose);
        }
        for PropertyTrack { first, count, timeline, interpolation, values } in &clip.properties {
            let out = pose.weights.get_mut(*first..first.saturating_add(*count));
            if let Some((out, cursor)) = out.zip(self.cursors.get(*timeline)) {
                weights(values, *interpolation, *cursor, out);
            }
        }
    }
}

impl Playhead {
    /// Allocates memory for clips with at most this many timelines.
    pub(super) fn reserve(&mut self, timelines: usize) {
        self.cursors.reserve(timelines.saturating_sub(self.cursors.len()));
    }
}

impl Cursor {
    fn seek(&mut self, times: &[f32], time: f32) {
        let last = times.len().saturating_sub(1);
        // NaN is treated as the start.
        if last == 0 || time.is_nan() || time <= times[0] {
            *self = Self::default();
            return;
        }
        if time >= times[last] {
            // At the end of the last segment, every interpolation method returns the last key.
            *self = Self { key: last - 1, u: 1.0, seconds: 0.0 };
            return;
        }
        let contains = |k: usize| times[k] <= time && time < times[k + 1];
        // Forward playback stays in a segment or enters the next one. Other times need a search.
        let hint = self.key.min(last - 1);
        if contains(hint) {
            self.key = hint;
        } else if hint + 1 < last && contains(hint + 1) {
            self.key = hint + 1;
        } else {
            self.key = times.partition_point(|&t| t <= time) - 1;
        }
        self.seconds = times[self.key + 1] - times[self.key];
        self.u = (time - times[self.key]) / self.seconds;
    }

    /// Returns the index of the key whose value is used by STEP interpolation.
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

/// Interpolates a cubic Hermite segment. Each key has three parts: in-tangent, value, out-tangent.
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
