//! What a puppet does over time, as a clip: motions, and whatever is solved on top of them; clips of other characters,
//! put on this one.

use std::ops::Range;

use crate::asset::{Channel, Character, Clip, Interpolation, Transform, Values};
use crate::motion::{Playhead, Retarget, RetargetError};
use crate::pose::Pose;
use crate::puppet::{GoalReport, Puppet, PuppetError};
use crate::rig::Rig;

/// A clip of another character is sampled so many times a second, unless its own keys are as far apart.
const RATE: f32 = 60.0;
/// No clip has more frames.
pub const MOST_FRAMES: usize = 1 << 20;

/// Poses in order of time, which become a clip.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    times: Vec<f32>,
    poses: Vec<Pose>,
}

impl Recorder {
    /// A pose at a time in seconds. One before the last, or at its time, is left out, and so is one of other nodes.
    pub fn push(&mut self, time: f32, pose: &Pose) {
        let later = self.times.last().is_none_or(|last| time > *last);
        let first = self.poses.first();
        let alike = first
            .is_none_or(|p| (p.locals.len(), p.weights.len()) == (pose.locals.len(), pose.weights.len()));
        if later && alike && time.is_finite() && self.times.len() < MOST_FRAMES {
            self.times.push(time);
            self.poses.push(pose.clone());
        }
    }

    /// Whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Everything that is not always at rest as channels on one timeline, from its first pose at 0 on.
    pub fn clip(self, character: &Character, name: &str) -> Clip {
        let Self { mut times, poses } = self;
        let start = times.first().copied().unwrap_or(0.0);
        times.iter_mut().for_each(|t| *t -= start);
        let mut channels = Vec::new();
        let nodes = &character.skeleton.nodes;
        for (node, n) in nodes.iter().enumerate() {
            let locals = || poses.iter().filter_map(|p| p.locals.get(node));
            let mut add = |moved: bool, values: Values| {
                if moved {
                    channels.push(Channel {
                        node,
                        timeline: 0,
                        interpolation: Interpolation::Linear,
                        values,
                    });
                }
            };
            let Transform { translation, rotation, scale } = n.rest;
            let moved = locals().any(|l| l.translation != translation);
            add(moved, Values::Translation(locals().map(|l| l.translation).collect()));
            let moved = locals().any(|l| l.rotation != rotation);
            add(moved, Values::Rotation(locals().map(|l| l.rotation).collect()));
            let moved = locals().any(|l| l.scale != scale);
            add(moved, Values::Scale(locals().map(|l| l.scale).collect()));
            let range = n.morph_weights.clone();
            let weights = || poses.iter().filter_map(|p| p.weights.get(range.clone()));
            let rest = character.skeleton.rest_weights.get(range.clone());
            let moved = !range.is_empty() && weights().any(|w| Some(w) != rest);
            add(moved, Values::Weights(weights().flatten().copied().collect()));
        }
        let seconds = times.last().copied().unwrap_or(0.0);
        Clip { name: Some(name.to_owned()), seconds, timelines: vec![times], channels }
    }
}

/// A puppet's motion and all that is solved on top of it, sampled so many times a second from one time to another, both
/// included, and how its goals were met in each frame. It is left at the last time.
///
/// # Errors
/// [`PuppetError`] of the first frame that cannot be posed.
pub fn bake(
    puppet: &mut Puppet,
    times: Range<f32>,
    rate: f32,
    name: &str,
) -> Result<(Clip, Vec<GoalReport>), PuppetError> {
    let (mut recorder, mut reports) = (Recorder::default(), Vec::new());
    for time in frames(times, rate) {
        puppet.time = time;
        reports.extend(puppet.update()?);
        recorder.push(time, puppet.pose());
    }
    Ok((recorder.clip(puppet.character(), name), reports))
}

/// The clips of a source as clips of a target: retargeted, with feet where they shall be.
///
/// # Errors
/// [`RetargetError`] where the one cannot be put on the other.
pub fn retargeted(source: &Character, target: &Character, rig: &Rig) -> Result<Vec<Clip>, RetargetError> {
    let mut retarget = Retarget::new(source, target)?;
    let mut puppet = Puppet::with_rig(target.clone(), target.default_scene, rig.clone());
    let one = |(index, clip): (usize, &Clip)| {
        let (mut recorder, mut head, mut holds) = (Recorder::default(), Playhead::default(), Vec::new());
        let mut from = Pose::rest(&source.skeleton);
        let mut to = Pose::rest(&target.skeleton);
        for time in own_frames(clip) {
            from.reset(&source.skeleton);
            head.sample(clip, time, &source.skeleton, &mut from);
            retarget.pose(&from, &mut to, &mut holds);
            puppet.follow(&to, &holds);
            recorder.push(time, puppet.pose());
        }
        let name = clip.name.clone().unwrap_or_else(|| format!("#{index}"));
        recorder.clip(target, &name)
    };
    Ok(source.clips.iter().enumerate().map(one).collect())
}

/// The times of the keys where all channels share them, as in captured motion; else even ones.
fn own_frames(clip: &Clip) -> Vec<f32> {
    match clip.timelines.as_slice() {
        [times] if times.len() > 1 && times.len() <= MOST_FRAMES => times.clone(),
        _ => frames(0.0..clip.seconds, RATE),
    }
}

/// Times from the first to the last, the last one too.
pub fn frames(times: Range<f32>, rate: f32) -> Vec<f32> {
    let (start, end, rate) = (f64::from(times.start), f64::from(times.end), f64::from(rate));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a small count")]
    let whole = ((end - start) * rate + 1e-4).floor().clamp(0.0, MOST_FRAMES as f64) as u32;
    #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
    let mut all: Vec<f32> = (0..=whole).map(|i| (start + f64::from(i) / rate) as f32).collect();
    if all.last().is_some_and(|last| f64::from(*last) < end - 0.01 / rate) {
        all.push(times.end);
    }
    all
}
