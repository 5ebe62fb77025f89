//! Bakes the motion of a puppet, including solved goals, into a clip, and retargets clips of other characters.

use std::ops::Range;

use crate::asset::{Character, Clip, NotFinite};
use crate::files::Progress;
use crate::motion::{Playhead, Recorder, Retarget, RetargetError, RetargetedFrame};
use crate::pose::{Pose, world_matrix};
use crate::puppet::{GoalReport, Puppet, PuppetError};
use crate::rig::{self, Hinges, Rig};

mod around;
mod corrections;
mod face;
mod file;
mod passing;
mod planted;
mod source;

use corrections::{replace_excursions, smooth_changes};
use face::FaceTransfer;
pub(crate) use file::rate_of_keys;
pub use file::{BakedClip, ClipFile, ClipFileError, ClipFormat, rate_of};
pub use source::{Source, SourceError, unique_clip_name};

/// Frame rate at which clips of other characters are sampled, in frames per second. A clip whose channels share all key
/// times is sampled at these times instead.
const RATE: f32 = 60.0;
/// Number of times that the changes of retargeted poses are smoothed and the contacts are restored.
const ROUNDS: usize = 4;
/// Limit for the motion of a standing foot when its leg is put back on its path, in metres at human size.
const STILL: f32 = 5e-3;
/// Maximum number of frames of a clip.
pub const MAX_FRAMES: usize = 1 << 20;

/// Samples a puppet's motion and the goals that are solved on top of it. Returns the clip and the reports of all
/// goals, pins and contacts in all frames.
///
/// `times` is the range in seconds, including its end, and `rate` is the number of frames per second. Between key poses that
/// plant feet, more frames are added where the feet would otherwise slide. Springs, if they are on, settle in the first pose for
/// [`PuppetOptions::settle_seconds`](crate::puppet::PuppetOptions::settle_seconds). Afterwards, the puppet is at the time of the last
/// frame.
///
/// ```
/// use sinew_character::export::bake::bake;
/// use sinew_character::glam::DVec3;
/// use sinew_character::{asset, puppet::{Puppet, Target}};
///
/// // While the character walks, its hand stays at one height.
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
/// puppet.play(2, 0.0);
/// puppet.targets.push(Target::new(hand).with_position(DVec3::new(0.3, 1.2, 0.3)));
/// let (clip, reports) = bake(&mut puppet, 0.0..0.5, 20.0, "carry")?;
/// assert_eq!((clip.name.as_deref(), clip.seconds), (Some("carry"), 0.5));
/// // Eleven frames with one goal each.
/// assert_eq!(reports.len(), 11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The [`PuppetError`] of the first frame that cannot be posed.
pub fn bake(
    puppet: &mut Puppet,
    times: Range<f32>,
    rate: f32,
    name: &str,
) -> Result<(Clip, Vec<GoalReport>), PuppetError> {
    Ok(bake_while(puppet, times, rate, name, |_| true)?.unwrap_or_default())
}

/// Does the same as [`bake`], but calls `goes_on` before each frame with the completed fraction, from 0 to 1. Returns `None` if
/// `goes_on` returns false.
///
/// # Errors
/// Same as [`bake`].
pub fn bake_while(
    puppet: &mut Puppet,
    times: Range<f32>,
    rate: f32,
    name: &str,
    mut goes_on: impl FnMut(f32) -> bool,
) -> Result<Option<(Clip, Vec<GoalReport>)>, PuppetError> {
    puppet.options.shows_held = false;
    let mut recorder = Recorder::new(&puppet.character().skeleton);
    let mut reports = Vec::new();
    let length = (times.end - times.start).max(f32::MIN_POSITIVE);
    let start = times.start;
    let mut clock = puppet.start_springs(start)?;
    // A motion with keys or contacts is posed twice. The first pass finds its frames.
    let parts: f32 = if planted::is_refined(puppet) { 2.0 } else { 1.0 };
    let done = |time: f32| ((time - start) / length).clamp(0.0, 1.0) / parts;
    let Some(times) = planted::frame_times(puppet, times, rate, |time| goes_on(done(time))) else {
        return Ok(None);
    };
    for time in times {
        if !goes_on(1.0 - 1.0 / parts + done(time)) {
            return Ok(None);
        }
        reports.extend_from_slice(puppet.update_at(time, &mut clock)?);
        recorder.push(f64::from(time), puppet.pose());
    }
    let clip = recorder.clip(&puppet.character().skeleton, Some(name.to_owned()));
    Ok(Some((clip.unwrap_or_default(), reports)))
}

/// The clips of a source, retargeted to another character.
#[derive(Clone, Debug, Default)]
pub struct RetargetedClips {
    /// The clips.
    pub clips: Vec<Clip>,
    /// The reports of all contacts in all frames of all clips.
    pub contacts: Vec<GoalReport>,
    /// Missing and ignored data of a take, one line each.
    pub warnings: Vec<String>,
}

/// Retargets all clips of a source to a target, and solves the contact constraints of the feet. `rig` is the target's rig. Its bones
/// ([`Rig::bones`]) and those of the source's rig, which the user may have named, decide which joint follows which. The source's rig is
/// found as by [`rig::load`](crate::rig::load()). If `rig` has no bones, the bones of the target are recognised.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::export::{bake::retarget_clips, bvh};
/// use sinew_character::{asset, rig};
///
/// let mannequin = asset::mannequin()?;
/// let text = bvh::write(&mannequin, &mannequin.clips[2], 30.0, 0.01)?.text;
/// let source = asset::bvh::read(&text, Path::new("walk.bvh"), Some(0.01))?;
/// let done = retarget_clips(&source, &mannequin, &rig::detect(&mannequin))?;
/// assert_eq!(done.clips.len(), 1);
/// // The feet stay where they stand.
/// assert!(done.contacts.iter().all(|foot| foot.position_error.is_none_or(|metres| metres < 0.005)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SourceError`] if the source's rig file cannot be used, the characters cannot be matched, or a pose is not finite.
pub fn retarget_clips(
    source: &Character,
    target: &Character,
    rig: &Rig,
) -> Result<RetargetedClips, SourceError> {
    Ok(retarget_clips_with(matched(source, target, rig)?, source, target, rig)?)
}

/// Matches the joints of two characters by the bones of their rigs. `rig` is the target's rig.
fn matched(source: &Character, target: &Character, rig: &Rig) -> Result<Retarget, SourceError> {
    let from = rig::load(source, None).map_err(|e| SourceError::Rig(e.to_string()))?.bones;
    // A rig that was not loaded or detected may have no bones.
    let recognized = if rig.bones.is_empty() { rig::humanoid(target).ok() } else { None };
    let to = recognized.as_ref().unwrap_or(&rig.bones);
    Ok(Retarget::with_bones(source, &from, target, to)?)
}

/// Retargets all clips of a source with an existing [`Retarget`], and solves its contact constraints.
///
/// # Errors
/// [`RetargetError::NotFinite`] if a pose is not finite.
pub fn retarget_clips_with(
    retarget: Retarget,
    source: &Character,
    target: &Character,
    rig: &Rig,
) -> Result<RetargetedClips, RetargetError> {
    let done = retarget_clips_while(retarget, source, target, rig, &Progress::default())?;
    Ok(done.unwrap_or_default())
}

/// Does the same as [`retarget_clips_with`]. Returns `None` if it was stopped.
fn retarget_clips_while(
    mut retarget: Retarget,
    source: &Character,
    target: &Character,
    rig: &Rig,
    progress: &Progress,
) -> Result<Option<RetargetedClips>, RetargetError> {
    let mut reports = Vec::new();
    let is_by_names = retarget.is_by_names();
    let mut puppet = Puppet::with_rig(target.clone(), target.default_scene, rig.clone());
    // Bodies differ in width, so a hand beside one body may be inside another.
    puppet.options.solver.full_body.clear = true;
    let hinges = Hinges::new(&target.skeleton, rig);
    let mut faces = FaceTransfer::new(source, target);
    let retarget_clip = |(index, clip): (usize, &Clip)| {
        let mut recorder = Recorder::new(&target.skeleton);
        let (mut playhead, mut from) = (Playhead::default(), Pose::rest(&source.skeleton));
        let times = sample_times(clip);
        let mut frames = retarget.clip(source, clip, &times, target, &|| progress.is_stopped());
        for (&time, frame) in times.iter().zip(&mut frames) {
            from.reset(&source.skeleton);
            playhead.sample(clip, time, &source.skeleton, &mut from);
            frame.pose.weights.clone_from(&target.skeleton.rest_weights);
            faces.apply(target, &from, &mut frame.pose);
            if !is_by_names {
                hinges.align(&mut frame.pose);
            }
        }
        let solved = solve(&mut puppet, &frames, &times, &mut reports, progress);
        let poses = solved.map_err(|(time, source)| RetargetError::NotFinite {
            clip: index,
            time: time.to_string(),
            source,
        })?;
        for (time, pose) in times.into_iter().zip(poses) {
            recorder.push(f64::from(time), &pose);
        }
        let name = clip.name.clone().unwrap_or_else(|| format!("#{index}"));
        Ok(recorder.clip(&target.skeleton, Some(name)).unwrap_or_default())
    };
    let clips = source.clips.iter().enumerate().map(retarget_clip).collect::<Result<_, _>>()?;
    Ok((!progress.is_stopped()).then_some(RetargetedClips { clips, contacts: reports, warnings: Vec::new() }))
}

/// Solves the contacts of frames, and adds the reports. Returns fewer poses if it is stopped. Fails with the time of a pose that is not
/// finite.
///
/// Each of [`ROUNDS`] rounds smooths the changes that contacts and body clearance make to the poses, and then restores the contacts and the
/// clearance. After each round, the poses keep the contacts and clear the body, and their changes are smoother (alternating projections,
/// von Neumann 1950).
fn solve(
    puppet: &mut Puppet,
    frames: &[RetargetedFrame],
    times: &[f32],
    reports: &mut Vec<GoalReport>,
    progress: &Progress,
) -> Result<Vec<Pose>, (f32, NotFinite)> {
    let mut led = frames.to_vec();
    let (mut poses, mut own) = keep(puppet, &led, times, progress)?;
    let mut jumps = around::jumps(puppet, &led, &poses);
    for _ in 0..around::ROUNDS {
        if progress.is_stopped() || around::size(&jumps) == 0.0 {
            break;
        }
        around::turn_away(puppet, &jumps, times, &mut led);
        let (solved, other) = keep(puppet, &led, times, progress)?;
        let now = around::jumps(puppet, &led, &solved);
        if around::size(&now) < around::size(&jumps) {
            (poses, own, jumps) = (solved, other, now);
        }
    }
    reports.append(&mut own);
    Ok(poses)
}

/// Returns poses that keep the contacts and clear the body, and the reports of the contacts.
fn keep(
    puppet: &mut Puppet,
    frames: &[RetargetedFrame],
    times: &[f32],
    progress: &Progress,
) -> Result<(Vec<Pose>, Vec<GoalReport>), (f32, NotFinite)> {
    let contacts = passing::firm_contacts(puppet, frames, times, progress)?;
    let mut reports = Vec::new();
    let mut poses: Vec<Pose> = Vec::with_capacity(frames.len());
    for ((frame, contacts), &time) in
        frames.iter().zip(&contacts).zip(times).take_while(|_| !progress.is_stopped())
    {
        puppet.follow(&frame.pose, contacts).map_err(|source| (time, source))?;
        poses.push(puppet.pose().clone());
    }
    let free: Vec<&Pose> = frames.iter().map(|frame| &frame.pose).collect();
    for round in 1..=ROUNDS {
        smooth_changes(&free, &mut poses, times);
        for ((contacts, pose), &time) in
            contacts.iter().zip(&mut poses).zip(times).take_while(|_| !progress.is_stopped())
        {
            puppet.follow(pose, contacts).map_err(|source| (time, source))?;
            if round == ROUNDS {
                reports.extend_from_slice(puppet.reports());
            }
            pose.clone_from(puppet.pose());
        }
    }
    for leg in puppet.rig.legs() {
        // A standing foot must keep its place.
        let (character, still) =
            (puppet.character(), STILL * puppet.rig.body.as_ref().map_or(1.0, |b| b.size));
        let foot = |pose: &Pose| world_matrix(&character.skeleton, pose, leg.end()).translation;
        let keeps = |frame: usize, was: &Pose, is: &Pose| {
            let mut contacts = frames.get(frame).into_iter().flat_map(|frame| &frame.contacts);
            let swings = contacts.any(|contact| contact.yields && leg.joints.contains(&contact.node));
            swings || foot(was).distance(foot(is)) < still
        };
        replace_excursions(&leg.joints, &keeps, &free, &mut poses);
    }
    Ok((poses, reports))
}

/// Returns the key times of a clip if all channels share them, as in motion capture, and otherwise evenly spaced times.
fn sample_times(clip: &Clip) -> Vec<f32> {
    match clip.timelines.as_slice() {
        [times] if times.len() > 1 && times.len() <= MAX_FRAMES => times.clone(),
        _ => frames(0.0..clip.seconds, RATE),
    }
}

/// Returns evenly spaced frame times over a range in seconds, including its end. The last interval may be shorter.
///
/// ```
/// assert_eq!(sinew_character::export::bake::frames(1.0..2.25, 2.0), [1.0, 1.5, 2.0, 2.25]);
/// ```
pub fn frames(times: Range<f32>, rate: f32) -> Vec<f32> {
    let (start, end, rate) = (f64::from(times.start), f64::from(times.end), f64::from(rate));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a small count")]
    let intervals = ((end - start) * rate + 1e-4).floor().clamp(0.0, MAX_FRAMES as f64) as u32;
    #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
    let mut frames: Vec<f32> = (0..=intervals).map(|i| (start + f64::from(i) / rate) as f32).collect();
    if frames.last().is_some_and(|last| f64::from(*last) < end - 0.01 / rate) {
        frames.push(times.end);
    }
    frames
}
