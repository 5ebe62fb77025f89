//! What a puppet does over time, as a clip: motions, and whatever is solved on top of them; clips of other characters,
//! put on this one.

use std::ops::Range;

use crate::asset::{Character, Clip};
use crate::motion::{Playhead, Recorder, Retarget, RetargetError};
use crate::pose::Pose;
use crate::puppet::{GoalReport, Puppet, PuppetError};
use crate::rig::Rig;

mod source;

pub use source::{Source, SourceError, is_take, name_among};

/// A clip of another character is sampled so many times a second, unless its own keys are as far apart.
const RATE: f32 = 60.0;
/// No clip has more frames.
pub const MOST_FRAMES: usize = 1 << 20;

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
    let mut recorder = Recorder::new(&puppet.character().skeleton);
    let mut reports = Vec::new();
    for time in frames(times, rate) {
        puppet.time = time;
        reports.extend(puppet.update()?);
        recorder.push(f64::from(time), puppet.pose());
    }
    let clip = recorder.clip(&puppet.character().skeleton, Some(name.to_owned()));
    Ok((clip.unwrap_or_default(), reports))
}

/// The clips of a source as clips of a target: retargeted, with feet where they shall be.
///
/// # Errors
/// [`RetargetError`] where the one cannot be put on the other, or a pose is not finite.
pub fn retargeted(source: &Character, target: &Character, rig: &Rig) -> Result<Vec<Clip>, RetargetError> {
    retargeted_by(Retarget::new(source, target)?, source, target, rig)
}

/// The same by a [`Retarget`] of the two that is made already: what it holds is taken to its place.
///
/// # Errors
/// [`RetargetError::NotFinite`].
pub fn retargeted_by(
    mut retarget: Retarget,
    source: &Character,
    target: &Character,
    rig: &Rig,
) -> Result<Vec<Clip>, RetargetError> {
    let mut puppet = Puppet::with_rig(target.clone(), target.default_scene, rig.clone());
    let one = |(index, clip): (usize, &Clip)| {
        let (mut head, mut holds) = (Playhead::default(), Vec::new());
        let mut recorder = Recorder::new(&target.skeleton);
        let mut from = Pose::rest(&source.skeleton);
        let mut to = Pose::rest(&target.skeleton);
        for time in own_frames(clip) {
            from.reset(&source.skeleton);
            head.sample(clip, time, &source.skeleton, &mut from);
            retarget.pose(&from, &mut to, &mut holds);
            let followed = puppet.follow(&to, &holds);
            followed.map_err(|source| RetargetError::NotFinite {
                clip: index,
                time: time.to_string(),
                source,
            })?;
            recorder.push(f64::from(time), puppet.pose());
        }
        let name = clip.name.clone().unwrap_or_else(|| format!("#{index}"));
        Ok(recorder.clip(&target.skeleton, Some(name)).unwrap_or_default())
    };
    source.clips.iter().enumerate().map(one).collect()
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
