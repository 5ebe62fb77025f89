//! Poses over time become a clip.

use glam::Quat;

use crate::asset::{Channel, Clip, Interpolation, Skeleton, Transform, Values};
use crate::pose::Pose;

/// What a recording may hold, in transforms: 60 joints at 120 Hz for over an hour. It stops there instead of filling the memory.
const MOST: usize = 30_000_000;

/// Writes poses down with their times and makes a clip of them.
#[derive(Clone, Debug)]
pub struct Recorder {
    rest: Pose,
    start: f64,
    times: Vec<f32>,
    /// A frame after the other.
    locals: Vec<Transform>,
    weights: Vec<f32>,
}

impl Recorder {
    /// An empty recording for poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            rest: Pose::rest(skeleton),
            start: 0.0,
            times: Vec::new(),
            locals: Vec::new(),
            weights: Vec::new(),
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
            && self.locals.len() + self.weights.len() / 10 < MOST;
        let later = at.is_finite() && self.times.last().is_none_or(|last| at > *last);
        let finite = pose.weights.iter().all(|w| w.is_finite())
            && pose
                .locals
                .iter()
                .all(|l| l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite());
        if !(fits && later && finite) {
            return false;
        }
        self.start = start;
        self.times.push(at);
        self.locals.extend_from_slice(&pose.locals);
        self.weights.extend_from_slice(&pose.weights);
        true
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
    pub fn clip(&self, skeleton: &Skeleton, name: Option<String>) -> Option<Clip> {
        let seconds = *self.times.last()?;
        // What never changes has one key.
        let mut clip =
            Clip { name, seconds, timelines: vec![self.times.clone(), vec![0.0]], channels: Vec::new() };
        for (index, node) in skeleton.nodes.iter().enumerate() {
            let Some(rest) = self.rest.locals.get(index) else { continue };
            let locals = || self.locals.iter().skip(index).step_by(self.rest.locals.len());
            let mut add = |values: Option<(bool, Values)>| {
                clip.channels.extend(values.map(|(still, values)| Channel {
                    node: index,
                    timeline: usize::from(still),
                    interpolation: Interpolation::Linear,
                    values,
                }));
            };
            add(track(locals().map(|l| l.translation), rest.translation, Values::Translation));
            add(track(locals().map(|l| l.rotation), rest.rotation, |q| Values::Rotation(aligned(q))));
            add(track(locals().map(|l| l.scale), rest.scale, Values::Scale));
            let range = node.morph_weights.clone();
            let (Some(rest), width) = (self.rest.weights.get(range.clone()), self.rest.weights.len()) else {
                continue;
            };
            let frames = (0..self.times.len())
                .map(|f| self.weights.get(f * width + range.start..f * width + range.end));
            let morphs = frames.map(Option::unwrap_or_default);
            add(track(morphs, rest, |w| Values::Weights(w.concat())));
        }
        Some(clip)
    }
}

/// A property's values, and whether one stands for all; `None` where it is at rest throughout.
fn track<V: PartialEq + Copy>(
    values: impl Iterator<Item = V>,
    rest: V,
    wrap: impl Fn(Vec<V>) -> Values,
) -> Option<(bool, Values)> {
    let mut values: Vec<V> = values.collect();
    let first = *values.first()?;
    let still = values.iter().all(|v| *v == first);
    if still {
        values.truncate(1);
    }
    (!still || first != rest).then(|| (still, wrap(values)))
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
        assert!(recorder.clip(skeleton, None).is_none());
        for (frame, pose) in seen.poses.iter().enumerate() {
            assert!(recorder.push(100.0 + frame as f64 / 60.0, pose));
        }
        let clip = recorder.clip(skeleton, Some("take".to_owned())).unwrap();
        assert!((clip.seconds - 29.0 / 60.0).abs() < 1e-5 && recorder.frames() == 30);
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
