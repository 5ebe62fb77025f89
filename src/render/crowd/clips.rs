//! Clips in the form that the GPU samples.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};

use crate::asset::{Channel, Character, Clip, Interpolation, Values};

use super::types::NONE;

/// `ClipInfo` in `shaders/crowd/advance.wgsl`: how a clip plays and moves its character.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ClipInfo {
    /// Velocity of the character in its own space, in metres per second.
    pub(crate) stride: Vec3,
    /// Duration in seconds.
    pub(crate) seconds: f32,
    /// Displacement of the character each time the clip starts over, in metres in its own space.
    pub(crate) jump: Vec3,
    /// Unused.
    pub(crate) reserved: f32,
}

/// Shortest duration in seconds of a clip that moves its character, so that velocities are finite.
const SHORTEST: f32 = 1e-3;

impl ClipInfo {
    /// Returns how many times the clip is played in a time in seconds.
    pub(super) fn cycles(&self, time: f32) -> f32 {
        time / self.seconds.max(SHORTEST)
    }

    /// Returns the velocity of the character in its own space in metres per second, averaged over the clip if it has root motion.
    pub(super) fn velocity(&self) -> Vec3 {
        self.stride + self.jump / self.seconds.max(SHORTEST)
    }
}

/// `Track` in `shaders/crowd/sample.wgsl`: the keys of one property of a joint.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Track {
    /// Index of the track's first key time.
    pub(crate) first_time: u32,
    /// Number of keys, at least one.
    pub(crate) keys: u32,
    /// Index of the track's first value.
    pub(crate) first_value: u32,
    /// How values between keys are interpolated: 0 for steps, 1 for linear interpolation and 2 for cubic splines.
    pub(crate) interpolation: u32,
}

/// The clips of a character. Properties without a track keep their rest values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clips {
    /// The clips.
    pub(crate) infos: Vec<ClipInfo>,
    /// For each clip and each joint, the tracks of translation, rotation and scale, or [`NONE`].
    pub(crate) channels: Vec<[u32; 4]>,
    /// For each clip and each morph weight, the track of the weight, or [`NONE`].
    pub(crate) weight_channels: Vec<u32>,
    /// All tracks.
    pub(crate) tracks: Vec<Track>,
    /// Key times in seconds.
    pub(crate) times: Vec<f32>,
    /// Values at the keys, or three vectors per key for cubic splines: in-tangent, value, out-tangent.
    pub(crate) values: Vec<Vec4>,
}

impl Clips {
    /// Converts all clips of a character. `slots` contains the position of each node in the list of joints, or `None` if the
    /// node is not a joint. `joints` is the length of that list.
    pub(super) fn new(character: &Character, slots: &[Option<usize>], joints: usize) -> Self {
        let mut clips = Self::default();
        let weights = character.skeleton.rest_weights.len();
        for clip in &character.clips {
            clips.infos.push(ClipInfo { seconds: clip.seconds, ..ClipInfo::default() });
            let (first_channel, first_weight) = (clips.channels.len(), clips.weight_channels.len());
            clips.channels.resize(first_channel + joints, [NONE; 4]);
            clips.weight_channels.resize(first_weight + weights, NONE);
            let mut timelines = vec![None; clip.timelines.len()];
            for channel in &clip.channels {
                let Some(times) = clips.times_of(clip, channel.timeline, &mut timelines) else { continue };
                let slot = slots.get(channel.node).copied().flatten();
                let entry = slot.map(|slot| first_channel + slot);
                match &channel.values {
                    Values::Translation(v) => {
                        clips.add(channel, times, entry, 0, v.iter().map(|v| v.extend(0.0)));
                    }
                    Values::Rotation(v) => {
                        clips.add(channel, times, entry, 1, v.iter().map(|q| Vec4::from(*q)));
                    }
                    Values::Scale(v) => clips.add(channel, times, entry, 2, v.iter().map(|v| v.extend(0.0))),
                    Values::Weights(v) => {
                        let Some(node) = character.skeleton.nodes.get(channel.node) else { continue };
                        let range = node.morph_weights.clone();
                        for (index, weight) in range.clone().enumerate() {
                            let values = v.iter().skip(index).step_by(range.len().max(1));
                            let track = clips.track(channel, times, values.map(|x| Vec4::X * *x));
                            if let Some(entry) = clips.weight_channels.get_mut(first_weight + weight) {
                                *entry = track;
                            }
                        }
                    }
                }
            }
        }
        clips
    }

    /// Returns the range of a timeline's key times. The times are stored on first use.
    fn times_of(&mut self, clip: &Clip, timeline: usize, known: &mut [Option<[u32; 2]>]) -> Option<[u32; 2]> {
        let known = known.get_mut(timeline)?;
        if known.is_none() {
            let times = clip.timelines.get(timeline)?;
            *known = Some([to_u32(self.times.len()), to_u32(times.len())]);
            self.times.extend_from_slice(times);
        }
        *known
    }

    /// Adds the track of a joint's property. If several channels animate the same property, the last channel is used, as in the
    /// player.
    fn add(
        &mut self,
        channel: &Channel,
        times: [u32; 2],
        entry: Option<usize>,
        property: usize,
        values: impl Iterator<Item = Vec4>,
    ) {
        let Some(entry) = entry else { return };
        let track = self.track(channel, times, values);
        if let Some(slot) = self.channels.get_mut(entry).and_then(|tracks| tracks.get_mut(property)) {
            *slot = track;
        }
    }

    fn track(
        &mut self,
        channel: &Channel,
        [first_time, keys]: [u32; 2],
        values: impl Iterator<Item = Vec4>,
    ) -> u32 {
        let interpolation = match channel.interpolation {
            Interpolation::Step => 0,
            Interpolation::Linear => 1,
            Interpolation::CubicSpline => 2,
        };
        let first_value = to_u32(self.values.len());
        self.values.extend(values);
        self.tracks.push(Track { first_time, keys, first_value, interpolation });
        to_u32(self.tracks.len() - 1)
    }
}

/// Converts a count or an index for the GPU. A value that exceeds 32 bits becomes the maximum. A count this large would not fit into a
/// buffer anyway, and creating the buffer checks its size.
pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
