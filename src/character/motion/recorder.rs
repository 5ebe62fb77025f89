//! Records poses over time as a clip.

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, PropertyTrack, Skeleton, Values};
use crate::pose::Pose;

/// Maximum number of values in a recording, enough for the rotations of 60 joints at 120 Hz for almost three hours. Recording stops at this
/// limit so that it does not fill the memory.
const MAX_VALUES: usize = 300_000_000;

/// Records poses with their times and converts them to a clip.
///
/// A property that does not change needs little memory, because a single value is stored until it changes for the first
/// time.
#[derive(Clone, Debug)]
pub struct Recorder {
    rest: Pose,
    start: f64,
    times: Vec<f32>,
    nodes: Vec<NodeTracks>,
    weights: Vec<ValueTrack<f32>>,
    /// Number of values in all tracks.
    size: usize,
}

/// The recorded properties of a node.
#[derive(Clone, Debug, Default)]
struct NodeTracks {
    translation: ValueTrack<Vec3>,
    rotation: ValueTrack<Quat>,
    scale: ValueTrack<Vec3>,
}

/// The values of a property: one value for all frames so far, or one value per frame.
#[derive(Clone, Debug)]
struct ValueTrack<V>(Vec<V>);

impl<V> Default for ValueTrack<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Copy + PartialEq> ValueTrack<V> {
    /// Adds the value of the next frame, after `frames` earlier ones. Returns the number of values added.
    fn push(&mut self, frames: usize, value: V) -> usize {
        let before = self.0.len();
        match self.0.first() {
            Some(&first) if before == 1 && first == value => {}
            Some(&first) if before == 1 => {
                self.0.resize(frames, first);
                self.0.push(value);
            }
            _ => self.0.push(value),
        }
        self.0.len() - before
    }

    fn at(&self, frame: usize) -> Option<V> {
        if self.0.len() == 1 { self.0.first() } else { self.0.get(frame) }.copied()
    }

    /// Returns the values, and whether a single value applies to all frames. Returns `None` if the property has its
    /// rest value in all frames.
    fn finish(mut self, rest: V, wrap: impl Fn(Vec<V>) -> Values) -> Option<(bool, Values)> {
        let is_constant = self.0.len() == 1;
        let is_rest = is_constant && self.0.first() == Some(&rest);
        self.0.shrink_to_fit();
        (!is_rest && !self.0.is_empty()).then(|| (is_constant, wrap(self.0)))
    }
}

impl Recorder {
    /// Creates an empty recording for poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = Pose::rest(skeleton);
        Self {
            start: 0.0,
            times: Vec::new(),
            nodes: vec![NodeTracks::default(); rest.locals.len()],
            weights: vec![ValueTrack::default(); rest.weights.len()],
            size: 0,
            rest,
        }
    }

    /// Adds a pose at a time in seconds. The time of the first pose becomes time zero of the clip.
    ///
    /// Returns false and ignores the pose if it is not later than the previous pose, belongs to another skeleton or is not finite, or if
    /// the recording is full.
    pub fn push(&mut self, time: f64, pose: &Pose) -> bool {
        let start = if self.times.is_empty() { time } else { self.start };
        #[expect(clippy::cast_possible_truncation, reason = "clip times are single precision")]
        let at = (time - start) as f32;
        let fits = pose.locals.len() == self.rest.locals.len()
            && pose.weights.len() == self.rest.weights.len()
            && !self.is_full();
        let is_later = at.is_finite() && self.times.last().is_none_or(|last| at > *last);
        let is_finite = pose.weights.iter().all(|w| w.is_finite())
            && pose
                .locals
                .iter()
                .all(|l| l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite());
        if !(fits && is_later && is_finite) {
            return false;
        }
        let frames = self.times.len();
        self.start = start;
        self.times.push(at);
        self.size += 1;
        for (tracks, local) in self.nodes.iter_mut().zip(&pose.locals) {
            self.size += 3 * tracks.translation.push(frames, local.translation);
            self.size += 4 * tracks.rotation.push(frames, local.rotation);
            self.size += 3 * tracks.scale.push(frames, local.scale);
        }
        for (track, weight) in self.weights.iter_mut().zip(&pose.weights) {
            self.size += track.push(frames, *weight);
        }
        true
    }

    /// Returns whether the recording has reached its size limit.
    pub fn is_full(&self) -> bool {
        self.size >= MAX_VALUES
    }

    /// Number of recorded frames.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Time from the first frame to the last, in seconds.
    pub fn seconds(&self) -> f32 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Converts the recording to a clip with linear interpolation. A property gets a channel only if it differs from the rest pose at some
    /// time. Returns `None` if there are no frames.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::glam::Quat;
    /// use sinew_character::motion::Recorder;
    /// use sinew_character::pose::Pose;
    ///
    /// let skeleton = asset::mannequin()?.skeleton;
    /// let head = skeleton.find("head").ok_or("no head")?;
    /// let mut recorder = Recorder::new(&skeleton);
    /// for frame in 0..31_u16 {
    ///     let seconds = f32::from(frame) / 30.0;
    ///     let mut pose = Pose::rest(&skeleton);
    ///     pose.locals[head].rotation = Quat::from_rotation_y(seconds);
    ///     assert!(recorder.push(f64::from(seconds), &pose));
    /// }
    /// let clip = recorder.clip(&skeleton, Some("turn".to_owned())).ok_or("no frames")?;
    /// // Only the head has moved.
    /// assert_eq!((clip.channels.len(), clip.channels[0].node, clip.seconds), (1, head, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clip(self, skeleton: &Skeleton, name: Option<String>) -> Option<Clip> {
        let Self { rest, times, nodes, weights, .. } = self;
        let (seconds, frames) = (*times.last()?, times.len());
        // The second timeline is used for constant properties, which have a single key.
        let mut clip = Clip { name, seconds, timelines: vec![times, vec![0.0]], ..Clip::default() };
        let morphs = skeleton.nodes.iter().map(|node| node.morph_weights.end).max().unwrap_or_default();
        let tracks = skeleton.nodes.iter().zip(rest.locals).zip(nodes);
        for (index, ((node, rest_local), tracks)) in tracks.enumerate() {
            let mut add = |values: Option<(bool, Values)>| {
                clip.channels.extend(values.map(|(is_constant, values)| Channel {
                    node: index,
                    timeline: usize::from(is_constant),
                    interpolation: Interpolation::Linear,
                    values,
                }));
            };
            add(tracks.translation.finish(rest_local.translation, Values::Translation));
            add(tracks.rotation.finish(rest_local.rotation, |q| Values::Rotation(continuous(q))));
            add(tracks.scale.finish(rest_local.scale, Values::Scale));
            let range = node.morph_weights.clone();
            let node_weights = rest.weights.get(range.clone()).zip(weights.get(range));
            add(node_weights.and_then(|(rest, tracks)| morph_values(rest, tracks, frames)));
        }
        let others = rest.weights.iter().zip(&weights).enumerate().skip(morphs);
        for (first, (rest, track)) in others {
            let values = morph_values(std::slice::from_ref(rest), std::slice::from_ref(track), frames);
            let Some((is_constant, Values::Weights(values))) = values else { continue };
            clip.properties.push(PropertyTrack {
                first,
                count: 1,
                timeline: usize::from(is_constant),
                interpolation: Interpolation::Linear,
                values,
            });
        }
        Some(clip)
    }
}

/// Returns the morph weights of a node in frame order, and whether a single set of weights applies to all frames.
/// Returns `None` if the weights have their rest values in all frames.
fn morph_values(rest: &[f32], tracks: &[ValueTrack<f32>], frames: usize) -> Option<(bool, Values)> {
    let is_constant = tracks.iter().all(|t| t.0.len() == 1);
    let is_rest = || tracks.iter().zip(rest).all(|(t, rest)| t.at(0) == Some(*rest));
    if tracks.is_empty() || is_constant && is_rest() {
        return None;
    }
    let frames = 0..if is_constant { 1 } else { frames };
    let values = frames.flat_map(|f| tracks.iter().filter_map(move |t| t.at(f))).collect();
    Some((is_constant, Values::Weights(values)))
}

/// Flips the signs of quaternions so that each one is as close as possible to the previous one. Programs that interpolate without checking
/// the sign then follow the shorter arc.
fn continuous(mut rotations: Vec<Quat>) -> Vec<Quat> {
    for i in 1..rotations.len() {
        if rotations[i].dot(rotations[i - 1]) < 0.0 {
            rotations[i] = -rotations[i];
        }
    }
    rotations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Character, mannequin};
    use crate::motion::Playhead;

    /// Returns the built-in character and the poses of its first clip, sampled at 60 Hz.
    fn walk(frames: usize) -> (Character, Vec<Pose>) {
        let character = mannequin().unwrap();
        let mut playhead = Playhead::default();
        let pose = |frame: usize| {
            let mut pose = Pose::rest(&character.skeleton);
            playhead.sample(&character.clips[0], frame as f32 / 60.0, &character.skeleton, &mut pose);
            pose
        };
        let poses = (0..frames).map(pose).collect();
        (character, poses)
    }

    #[test]
    fn a_recording_plays_back_the_poses() {
        let (character, poses) = walk(30);
        let skeleton = &character.skeleton;
        let mut recorder = Recorder::new(skeleton);
        assert!(recorder.clone().clip(skeleton, None).is_none());
        for (frame, pose) in poses.iter().enumerate() {
            assert!(recorder.push(100.0 + frame as f64 / 60.0, pose));
        }
        assert_eq!(recorder.frames(), 30);
        let clip = recorder.clip(skeleton, Some("take".to_owned())).unwrap();
        assert!((clip.seconds - 29.0 / 60.0).abs() < 1e-5);
        let mut playhead = Playhead::default();
        for (frame, truth) in poses.iter().enumerate() {
            let mut pose = Pose::rest(skeleton);
            playhead.sample(&clip, frame as f32 / 60.0, skeleton, &mut pose);
            for (a, b) in pose.locals.iter().zip(&truth.locals) {
                assert!(
                    a.translation.abs_diff_eq(b.translation, 1e-5)
                        && a.rotation.angle_between(b.rotation) < 2e-3
                );
            }
        }
        // A constant property has no channel or a single key.
        assert!(clip.channels.iter().all(|c| match &c.values {
            Values::Translation(v) | Values::Scale(v) => v.len() == clip.timelines[c.timeline].len(),
            Values::Rotation(v) => v.len() == clip.timelines[c.timeline].len(),
            Values::Weights(_) => true,
        }));
        assert!(!clip.channels.iter().any(|c| matches!(c.values, Values::Scale(_))));
    }

    #[test]
    fn invalid_poses_and_times_are_refused() {
        let (character, poses) = walk(6);
        let skeleton = &character.skeleton;
        let mut recorder = Recorder::new(skeleton);
        let pose = &poses[0];
        assert!(!recorder.push(f64::NAN, pose));
        assert!(recorder.push(1.0, pose));
        assert!(!recorder.push(1.0, pose));
        assert!(!recorder.push(0.5, pose));
        assert!(!recorder.push(2.0, &Pose::default()));
        let mut invalid = pose.clone();
        invalid.locals[0].translation.x = f32::NAN;
        assert!(!recorder.push(2.0, &invalid));
        assert_eq!(recorder.frames(), 1);
    }
}
