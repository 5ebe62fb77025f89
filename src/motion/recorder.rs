//! Poses over time become a clip.

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Skeleton, Values};
use crate::pose::Pose;

/// The most numbers that a recording holds: the rotations of 60 joints at 120 Hz for almost three hours. It stops there
/// instead of filling the memory.
const MOST: usize = 300_000_000;

/// Writes poses down with their times and makes a clip of them.
///
/// What does not change takes no room: a property has one value until it changes for the first time.
#[derive(Clone, Debug)]
pub struct Recorder {
    rest: Pose,
    start: f64,
    times: Vec<f32>,
    nodes: Vec<NodeTracks>,
    weights: Vec<Track<f32>>,
    /// Numbers in all tracks.
    size: usize,
}

/// The properties of a node.
#[derive(Clone, Debug, Default)]
struct NodeTracks {
    translation: Track<Vec3>,
    rotation: Track<Quat>,
    scale: Track<Vec3>,
}

/// A property's values: one that stands for all frames so far, or one a frame.
#[derive(Clone, Debug)]
struct Track<V>(Vec<V>);

impl<V> Default for Track<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Copy + PartialEq> Track<V> {
    /// Adds the value of the frame after `frames` others; how many values it has gained.
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

    /// The value of a frame.
    fn at(&self, frame: usize) -> Option<V> {
        if self.0.len() == 1 { self.0.first() } else { self.0.get(frame) }.copied()
    }

    /// The values, and whether one stands for all; `None` where it is at rest throughout.
    fn finish(mut self, rest: V, wrap: impl Fn(Vec<V>) -> Values) -> Option<(bool, Values)> {
        let still = self.0.len() == 1;
        let rests = still && self.0.first() == Some(&rest);
        self.0.shrink_to_fit();
        (!rests && !self.0.is_empty()).then(|| (still, wrap(self.0)))
    }
}

impl Recorder {
    /// An empty recording for poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = Pose::rest(skeleton);
        Self {
            start: 0.0,
            times: Vec::new(),
            nodes: vec![NodeTracks::default(); rest.locals.len()],
            weights: vec![Track::default(); rest.weights.len()],
            size: 0,
            rest,
        }
    }

    /// Adds a pose at a time in seconds; the first one's time becomes the clip's zero. False: not taken, because time has not advanced, the
    /// pose is another skeleton's, holds what is not finite, or the recording is full.
    pub fn push(&mut self, time: f64, pose: &Pose) -> bool {
        let start = if self.times.is_empty() { time } else { self.start };
        #[expect(clippy::cast_possible_truncation, reason = "clips count in single precision")]
        let at = (time - start) as f32;
        let fits = pose.locals.len() == self.rest.locals.len()
            && pose.weights.len() == self.rest.weights.len()
            && !self.is_full();
        let later = at.is_finite() && self.times.last().is_none_or(|last| at > *last);
        let finite = pose.weights.iter().all(|w| w.is_finite())
            && pose
                .locals
                .iter()
                .all(|l| l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite());
        if !(fits && later && finite) {
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

    /// Whether it takes no more poses.
    pub fn is_full(&self) -> bool {
        self.size >= MOST
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Seconds from the first frame to the last.
    pub fn seconds(&self) -> f32 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// The clip: linear between the frames, with a channel for whatever is not as at rest all the time. `None` without a frame.
    pub fn clip(self, skeleton: &Skeleton, name: Option<String>) -> Option<Clip> {
        let Self { rest, times, nodes, weights, .. } = self;
        let (seconds, frames) = (*times.last()?, times.len());
        // What never changes has one key.
        let mut clip = Clip { name, seconds, timelines: vec![times, vec![0.0]], channels: Vec::new() };
        let tracks = skeleton.nodes.iter().zip(rest.locals).zip(nodes);
        for (index, ((node, rest_local), tracks)) in tracks.enumerate() {
            let mut add = |values: Option<(bool, Values)>| {
                clip.channels.extend(values.map(|(still, values)| Channel {
                    node: index,
                    timeline: usize::from(still),
                    interpolation: Interpolation::Linear,
                    values,
                }));
            };
            add(tracks.translation.finish(rest_local.translation, Values::Translation));
            add(tracks.rotation.finish(rest_local.rotation, |q| Values::Rotation(aligned(q))));
            add(tracks.scale.finish(rest_local.scale, Values::Scale));
            let range = node.morph_weights.clone();
            let own = rest.weights.get(range.clone()).zip(weights.get(range));
            add(own.and_then(|(rest, tracks)| morphs(rest, tracks, frames)));
        }
        Some(clip)
    }
}

/// The weights of a node, frame by frame, and whether one frame stands for all; `None` where they are at rest throughout.
fn morphs(rest: &[f32], tracks: &[Track<f32>], frames: usize) -> Option<(bool, Values)> {
    let still = tracks.iter().all(|t| t.0.len() == 1);
    let rests = || tracks.iter().zip(rest).all(|(t, rest)| t.at(0) == Some(*rest));
    if tracks.is_empty() || still && rests() {
        return None;
    }
    let frames = 0..if still { 1 } else { frames };
    Some((still, Values::Weights(frames.flat_map(|f| tracks.iter().filter_map(move |t| t.at(f))).collect())))
}

/// The same rotations, each as the quaternion nearer to the one before: programs that interpolate without looking take the shorter way.
fn aligned(mut rotations: Vec<Quat>) -> Vec<Quat> {
    for i in 1..rotations.len() {
        if rotations[i].dot(rotations[i - 1]) < 0.0 {
            rotations[i] = -rotations[i];
        }
    }
    rotations
}

#[cfg(test)]
mod tests {
    use super::super::capture::tests::walk;
    use super::*;
    use crate::motion::Playhead;

    #[test]
    fn what_was_recorded_plays_back() {
        let seen = walk(0.5);
        let skeleton = &seen.character.skeleton;
        let mut recorder = Recorder::new(skeleton);
        assert!(recorder.clone().clip(skeleton, None).is_none());
        for (frame, pose) in seen.poses.iter().enumerate() {
            assert!(recorder.push(100.0 + frame as f64 / 60.0, pose));
        }
        assert_eq!(recorder.frames(), 30);
        let clip = recorder.clip(skeleton, Some("take".to_owned())).unwrap();
        assert!((clip.seconds - 29.0 / 60.0).abs() < 1e-5);
        let mut playhead = Playhead::default();
        for (frame, truth) in seen.poses.iter().enumerate() {
            let mut pose = Pose::rest(skeleton);
            playhead.sample(&clip, frame as f32 / 60.0, skeleton, &mut pose);
            for (a, b) in pose.locals.iter().zip(&truth.locals) {
                assert!(
                    a.translation.abs_diff_eq(b.translation, 1e-5)
                        && a.rotation.angle_between(b.rotation) < 2e-3
                );
            }
        }
        // What stands still has no channel, or one key.
        assert!(clip.channels.iter().all(|c| match &c.values {
            Values::Translation(v) | Values::Scale(v) => v.len() == clip.timelines[c.timeline].len(),
            Values::Rotation(v) => v.len() == clip.timelines[c.timeline].len(),
            Values::Weights(_) => true,
        }));
        assert!(!clip.channels.iter().any(|c| matches!(c.values, Values::Scale(_))));
    }

    #[test]
    fn what_will_not_do_is_not_taken() {
        let seen = walk(0.1);
        let skeleton = &seen.character.skeleton;
        let mut recorder = Recorder::new(skeleton);
        let pose = &seen.poses[0];
        assert!(!recorder.push(f64::NAN, pose));
        assert!(recorder.push(1.0, pose));
        assert!(!recorder.push(1.0, pose));
        assert!(!recorder.push(0.5, pose));
        assert!(!recorder.push(2.0, &Pose::default()));
        let mut odd = pose.clone();
        odd.locals[0].translation.x = f32::NAN;
        assert!(!recorder.push(2.0, &odd));
        assert_eq!(recorder.frames(), 1);
    }
}
