//! Samples and blends the clips of a character: the CPU twin of `shaders/crowd/sample.wgsl` and
//! `shaders/crowd/sample_weights.wgsl`.
//!
//! There are two differences from [`Playhead`](crate::motion::Playhead). The search for the key of a track does not start
//! from the last key, and rotations are interpolated without trigonometry.

use glam::{Quat, Vec4};

use crate::mathematics::single::normalize;
use crate::mathematics::single_slerp::slerp;
use crate::shared::hermite;

use super::clips::{Clips, Track};
use super::types::{CrowdJoint, CrowdLayer, Local, NONE};

/// A position between two keys.
#[derive(Clone, Copy)]
struct Cursor {
    /// The last key at or before the time. If the track has several keys, this key is never the track's last key.
    key: usize,
    /// Position between this key (0) and the next key (1).
    u: f32,
    /// Time from this key to the next key, in seconds.
    seconds: f32,
}

/// Writes the local transforms of all joints of a character.
pub(super) fn sample(layers: &[CrowdLayer], clips: &Clips, joints: &[CrowdJoint], locals: &mut [Local]) {
    for (index, (rest, local)) in joints.iter().zip(locals).enumerate() {
        let mut sum = Local::new(rest.rest_rotation, rest.rest_translation, rest.rest_scale);
        for layer in layers {
            let mask = rest.masks.get(layer.mask as usize).copied().unwrap_or(1.0);
            let weight = layer.weight * mask;
            if layer.clip as usize >= clips.infos.len() || weight <= 0.0 {
                continue;
            }
            let next = sample_joint(clips, layer, joints.len(), index, rest);
            if weight >= 1.0 {
                sum = next;
            } else {
                sum.rotation = slerp(sum.rotation, next.rotation, weight);
                sum.translation = sum.translation.lerp(next.translation, weight);
                sum.scale = sum.scale.lerp(next.scale, weight);
            }
        }
        *local = sum;
    }
}

/// Writes the morph weights of a character.
pub(super) fn sample_weights(layers: &[CrowdLayer], clips: &Clips, rest: &[f32], weights: &mut [f32]) {
    for (index, (&rest_weight, weight)) in rest.iter().zip(weights).enumerate() {
        let mut sum = rest_weight;
        for layer in layers {
            // A mask selects joints, and morph weights do not belong to a joint.
            if layer.clip as usize >= clips.infos.len() || layer.weight <= 0.0 || layer.mask != NONE {
                continue;
            }
            let track = clips.weight_channels.get(layer.clip as usize * rest.len() + index);
            let next = track.and_then(|&track| clips.tracks.get(track as usize));
            let next = next.map_or(rest_weight, |track| clips.vector(track, layer.time).x);
            sum += (next - sum) * layer.weight;
        }
        *weight = sum;
    }
}

/// Returns the transform of joint `index` in the clip of a layer. `joints` is the number of joints.
fn sample_joint(clips: &Clips, layer: &CrowdLayer, joints: usize, index: usize, rest: &CrowdJoint) -> Local {
    let mut local = Local::new(rest.rest_rotation, rest.rest_translation, rest.rest_scale);
    let Some(channel) = clips.channels.get(layer.clip as usize * joints + index) else { return local };
    let track = |property: usize| clips.tracks.get(*channel.get(property)? as usize);
    if let Some(track) = track(0) {
        local.translation = clips.vector(track, layer.time).truncate();
    }
    if let Some(track) = track(1) {
        local.rotation = clips.rotation(track, layer.time);
    }
    if let Some(track) = track(2) {
        local.scale = clips.vector(track, layer.time).truncate();
    }
    local
}

impl Clips {
    /// Returns the smallest and the largest value of each morph weight, at rest and in all clips. Blends of clips are between them. `rest`
    /// contains the rest weights.
    pub(super) fn weight_ranges(&self, rest: &[f32]) -> Vec<[f32; 2]> {
        let mut ranges: Vec<[f32; 2]> = rest.iter().map(|&weight| [weight; 2]).collect();
        for clip in self.weight_channels.chunks_exact(rest.len().max(1)) {
            for (range, &track) in ranges.iter_mut().zip(clip) {
                let Some(track) = self.tracks.get(track as usize) else { continue };
                let [low, high] = self.range(track);
                *range = [range[0].min(low), range[1].max(high)];
            }
        }
        ranges
    }

    /// Returns a lower and an upper bound for the first component of a track.
    fn range(&self, track: &Track) -> [f32; 2] {
        let value = |index: usize| self.value(track.first_value as usize + index).x;
        let time = |key: usize| self.times.get(track.first_time as usize + key).copied().unwrap_or_default();
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        let mut add = |value: f32| range = [range[0].min(value), range[1].max(value)];
        let keys = track.keys as usize;
        for key in 0..keys {
            if track.interpolation != 2 {
                add(value(key));
                continue;
            }
            let [in_tangent, at, out_tangent] = [0, 1, 2].map(|part| value(3 * key + part));
            // A cubic segment is a Bézier curve, which stays between its control points: the keys, and a point a third of the time before and
            // after each key.
            let third = |other: usize| (time(other) - time(key)) / 3.0;
            add(at);
            add(at + third(key.saturating_sub(1)) * in_tangent);
            add(at + third((key + 1).min(keys - 1)) * out_tangent);
        }
        range
    }

    fn vector(&self, track: &Track, time: f32) -> Vec4 {
        let at = self.seek(track, time);
        match track.interpolation {
            _ if at.u <= 0.0 || at.u >= 1.0 => self.held(track, at),
            1 => {
                let first = track.first_value as usize + at.key;
                self.value(first) * (1.0 - at.u) + self.value(first + 1) * at.u
            }
            2 => self.cubic(track, at),
            _ => self.held(track, at),
        }
    }

    fn rotation(&self, track: &Track, time: f32) -> Quat {
        let at = self.seek(track, time);
        match track.interpolation {
            _ if at.u <= 0.0 || at.u >= 1.0 => normalize(self.held(track, at)),
            1 => {
                let first = track.first_value as usize + at.key;
                slerp(Quat::from_vec4(self.value(first)), Quat::from_vec4(self.value(first + 1)), at.u)
            }
            2 => normalize(self.cubic(track, at)),
            _ => normalize(self.held(track, at)),
        }
    }

    /// Finds the keys around a time. Before the first key and after the last key, the value is constant.
    fn seek(&self, track: &Track, time: f32) -> Cursor {
        let first = track.first_time as usize;
        let times = self.times.get(first..first + track.keys as usize).unwrap_or_default();
        let (Some(&start), Some(&end)) = (times.first(), times.last()) else {
            return Cursor { key: 0, u: 0.0, seconds: 0.0 };
        };
        let last = times.len() - 1;
        if last == 0 || time <= start || time.is_nan() {
            return Cursor { key: 0, u: 0.0, seconds: 0.0 };
        }
        if time >= end {
            return Cursor { key: last - 1, u: 1.0, seconds: 0.0 };
        }
        let key = times.partition_point(|&t| t <= time).saturating_sub(1).min(last - 1);
        let at = |key: usize| times.get(key).copied().unwrap_or_default();
        let seconds = at(key + 1) - at(key);
        Cursor { key, u: ((time - at(key)) / seconds).clamp(0.0, 1.0), seconds }
    }

    /// Returns the value of the last key at or before the time.
    fn held(&self, track: &Track, at: Cursor) -> Vec4 {
        let key = if at.u >= 1.0 { at.key + 1 } else { at.key };
        let offset = if track.interpolation == 2 { key * 3 + 1 } else { key };
        self.value(track.first_value as usize + offset)
    }

    /// Interpolates a cubic Hermite segment. Each key has three parts: in-tangent, value, out-tangent.
    fn cubic(&self, track: &Track, at: Cursor) -> Vec4 {
        let first = track.first_value as usize + at.key * 3;
        let [value, out_tangent, next_value, in_tangent] = hermite(at.u, at.seconds);
        self.value(first + 1) * value
            + self.value(first + 2) * out_tangent
            + self.value(first + 4) * next_value
            + self.value(first + 3) * in_tangent
    }

    fn value(&self, index: usize) -> Vec4 {
        self.values.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::types::LAYERS;

    /// Returns clips of one second that animate one weight with these keys.
    fn clips(tracks: &[(u32, &[f32])]) -> Clips {
        let mut clips = Clips { times: vec![0.0, 0.25, 1.0], ..Clips::default() };
        for (index, (interpolation, values)) in (0..).zip(tracks) {
            let first_value = clips.values.len() as u32;
            clips.tracks.push(Track { first_time: 0, keys: 3, first_value, interpolation: *interpolation });
            clips.values.extend(values.iter().map(|value| Vec4::X * *value));
            clips.weight_channels.push(index);
            clips.infos.push(Default::default());
        }
        clips
    }

    #[test]
    fn ranges_of_weights_contain_rest_weights_and_all_clips() {
        let linear: (u32, &[f32]) = (1, &[0.2, -0.5, 1.5]);
        // In-tangent, value, out-tangent.
        let cubic: (u32, &[f32]) = (2, &[9.0, 0.1, 30.0, 4.0, 0.4, -8.0, 20.0, 0.9, 7.0]);
        for (tracks, rest) in [
            (&[][..], 0.3),
            (&[linear][..], 0.0),
            (&[linear][..], 2.0),
            (&[cubic][..], 0.2),
            (&[linear, cubic][..], 0.0),
        ] {
            let clips = clips(tracks);
            let [range] = clips.weight_ranges(&[rest])[..] else { panic!("one weight") };
            let (mut low, mut high) = (rest, rest);
            for clip in 0..tracks.len() as u32 {
                for step in 0..=1000 {
                    let mut layers = [CrowdLayer::EMPTY; LAYERS];
                    layers[0] = CrowdLayer { clip, weight: 1.0, time: step as f32 * 1e-3, ..layers[0] };
                    let mut weights = [0.0];
                    sample_weights(&layers, &clips, &[rest], &mut weights);
                    (low, high) = (low.min(weights[0]), high.max(weights[0]));
                }
            }
            println!("{low} to {high} is in {range:?}");
            assert!(range[0] <= low + 1e-6 && range[1] >= high - 1e-6, "{low} to {high}: {range:?}");
            // The control points of a curve are not far from it.
            let slack = if tracks.contains(&cubic) { 2.0 * (high - low) } else { 1e-6 };
            assert!(range[0] >= low - slack && range[1] <= high + slack, "{low} to {high}: {range:?}");
        }
        // The curve leaves the interval of its keys.
        let [range] = clips(&[cubic]).weight_ranges(&[0.0])[..] else { panic!("one weight") };
        assert!(range[0] < -0.5 && range[1] > 1.2, "{range:?}");
    }
}
