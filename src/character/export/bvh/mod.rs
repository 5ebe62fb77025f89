//! Writes clips as BVH, a text format for motion capture. [`crate::asset::bvh`] reads it.
//!
//! In BVH, all rotations are zero in the rest pose, and the axes of every joint are then parallel to the world axes. Each joint is
//! therefore written with its world rotation from the rest pose, relative to its parent's rotation. Offsets are the differences between
//! rest positions in the world, so they include any scale and rotation of the ancestors. Joints that are translated get position channels
//! too.

mod joints;
mod world_rotations;

use std::fmt::Write;

use glam::DVec3;

use crate::asset::bvh::{FRAME_TIMES, LARGEST};
use crate::asset::{Character, Clip, Values};
use crate::motion::euler::Angles;
use crate::motion::{Playhead, euler};
use crate::pose::Pose;

use joints::{BvhJoint, BvhJoints};
use world_rotations::WorldRotations;

/// Maximum number of values in a file. A file with this many values takes several gigabytes.
const MAX_VALUES: f64 = 2.7e8;
/// Number of decimal places of angles in degrees. The resolution is 1.7e-8 radians.
const ANGLE_DECIMALS: usize = 6;
/// A joint counts as translated if its distance from its offset exceeds this fraction of the skeleton's size.
const MIN_MOVEMENT: f64 = 1e-6;
/// Resolution of lengths, relative to the skeleton's size.
const LENGTH_RESOLUTION: f64 = 1e-8;
/// A scale that changes by less than this counts as constant.
const MIN_SCALE_CHANGE: f32 = 1e-4;

/// The range of frame rates that the reader accepts.
const RATES: std::ops::RangeInclusive<f64> = 1.0 / *FRAME_TIMES.end()..=1.0 / *FRAME_TIMES.start();

/// A BVH file, and warnings about the data of the clip that BVH cannot store.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhOutput {
    /// Content of the file.
    pub text: String,
    /// One line for each kind of data that was lost.
    pub warnings: Vec<String>,
}

/// An error that occurred while a clip was written as BVH.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhError {
    /// The character has no nodes.
    #[error("a BVH file needs at least one joint, but the character has no nodes")]
    NoJoint,
    /// The frame rate is out of range.
    #[error("frame rate {0} is out of range; must be from {start} to {end} frames per second", start = RATES.start(), end = RATES.end())]
    Rate(f64),
    /// The unit is not a positive number.
    #[error("length unit {0} m is invalid; must be greater than 0")]
    Units(f64),
    /// The file would be too large.
    #[error("{frames} frames of {joints} joints are too many for a BVH file")]
    TooLong {
        /// Number of frames at the requested rate.
        frames: f64,
        /// Number of joints.
        joints: usize,
    },
    /// A position or rotation is infinite or NaN.
    #[error("frame {frame}: joint \"{joint}\": position or rotation is not finite")]
    NotFinite {
        /// Index of the frame, from 0.
        frame: usize,
        /// Name of the joint.
        joint: String,
    },
    /// A joint is farther from its parent or from the origin than the reader accepts.
    #[error("joint \"{joint}\": position is larger than {LARGEST:e} units")]
    TooLarge {
        /// Name of the joint.
        joint: String,
    },
}

/// Returns the frame rate of a clip with evenly spaced keys, such as a clip that was read from BVH. If several frame
/// times give exactly these keys, the one with the fewest digits is chosen. Returns `None` for other clips.
pub fn rate(clip: &Clip) -> Option<f64> {
    let times = clip.timelines.iter().max_by_key(|times| times.len())?;
    if times.first() != Some(&0.0) || times.last() == Some(&0.0) {
        return None;
    }
    // The product of the frame time and i must round to the time of key i in single precision.
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    for (i, &time) in times.iter().enumerate().skip(1) {
        let middle = |other: f32| f64::from(time).midpoint(f64::from(other));
        #[expect(clippy::cast_precision_loss, reason = "a clip has fewer keys than that")]
        let frames = i as f64;
        least = least.max(middle(time.next_down()) / frames);
        most = most.min(middle(time.next_up()) / frames);
    }
    let mean = least.midpoint(most);
    let mut rounded = (0..17).filter_map(|digits| format!("{mean:.digits$e}").parse::<f64>().ok());
    let step = rounded.find(|step| (least..=most).contains(step))?;
    (step.is_normal() && (1.0 / step).is_normal()).then(|| 1.0 / step)
}

/// Writes a clip of a character as BVH, sampled at `fps` frames per second.
///
/// The file contains the joints of the skins, the nodes that the clip moves, and all their ancestors. Without a skin it
/// contains all nodes. Names are written on one line and without braces. `units` is the length of one unit of the file
/// in metres.
///
/// ```
/// use sinew_character::{asset, export::bvh};
///
/// let mannequin = asset::mannequin()?;
/// // Centimetres, at 30 frames per second.
/// let output = bvh::write(&mannequin, &mannequin.clips[3], 30.0, 0.01)?;
/// assert!(output.text.starts_with("HIERARCHY\nROOT"));
/// assert!(output.text.contains("\nFrame Time: 0.033333"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BvhError`].
pub fn write(character: &Character, clip: &Clip, fps: f64, units: f64) -> Result<BvhOutput, BvhError> {
    if !RATES.contains(&fps) {
        return Err(BvhError::Rate(fps));
    }
    if !(units.is_normal() && units > 0.0) {
        return Err(BvhError::Units(units));
    }
    let mut joints = BvhJoints::collect(character, clip);
    if joints.list.is_empty() {
        return Err(BvhError::NoJoint);
    }
    let rest = WorldRotations::new(&character.skeleton);
    let count = (f64::from(clip.seconds) * fps).round() + 1.0;
    #[expect(clippy::cast_precision_loss, reason = "only compared with a limit")]
    if count * 6.0 * joints.list.len() as f64 > MAX_VALUES {
        return Err(BvhError::TooLong { frames: count, joints: joints.list.len() });
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let frames = ClipFrames { character, clip, rest, fps, count: count as usize };
    let size = frames.size(&joints);
    // The first pass finds the joints that are translated, and the second pass writes the frames.
    frames.each(|_, rotations| {
        for joint in &mut joints.list {
            let moved = rotations.position(joint.node, joint.parent) - joint.offset(&frames.rest);
            joint.moves |= joint.parent.is_none() || moved.abs().max_element() > MIN_MOVEMENT * size;
        }
        Ok(())
    })?;
    let in_units = |joint: &BvhJoint, position: DVec3| {
        let too_large = || BvhError::TooLarge { joint: character.skeleton.label(joint.node) };
        let position = position / units;
        if position.abs().max_element() <= LARGEST { Ok(position) } else { Err(too_large()) }
    };
    for joint in &joints.list {
        in_units(joint, joint.offset(&frames.rest))?;
    }
    let decimals = decimals(size / units);
    let mut text = joints.hierarchy(&frames.rest, units, decimals, character.units.is_some());
    let step = format!("{:.12}", 1.0 / fps);
    let step = if step.contains('.') { step.trim_end_matches('0').trim_end_matches('.') } else { &step };
    // Writing to a string cannot fail.
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {step}\n", frames.count);
    let mut before: Vec<Angles> = vec![[0.0; 3]; joints.list.len()];
    frames.each(|frame, rotations| {
        let mut gap = "";
        for (joint, before) in joints.list.iter().zip(&mut before).filter(|(j, _)| !j.is_end()) {
            let position = rotations.position(joint.node, joint.parent);
            let rotation = rotations.rotation(joint.node, joint.parent);
            if !(position.is_finite() && rotation.is_finite()) {
                let joint = character.skeleton.label(joint.node);
                return Err(BvhError::NotFinite { frame, joint });
            }
            if joint.moves {
                for value in in_units(joint, position)?.to_array() {
                    number(&mut text, &mut gap, value, decimals);
                }
            }
            *before = euler::nearest(rotation, *before);
            for angle in *before {
                number(&mut text, &mut gap, angle.to_degrees(), ANGLE_DECIMALS);
            }
        }
        text.push('\n');
        Ok(())
    })?;
    Ok(BvhOutput { text, warnings: losses(character, clip) })
}

/// Writes a number after a separator. A negative zero is written without its sign.
fn number(text: &mut String, gap: &mut &str, value: f64, decimals: usize) {
    let start = text.len() + gap.len();
    let _ = write!(text, "{gap}{value:.decimals$}");
    if text
        .get(start..)
        .is_some_and(|n| n.starts_with('-') && !n.contains(|c: char| ('1'..='9').contains(&c)))
    {
        text.remove(start);
    }
    *gap = " ";
}

/// Returns the number of decimal places to write for lengths. `size` is the size of the skeleton in units of the file.
fn decimals(size: f64) -> usize {
    let required = -(size * LENGTH_RESOLUTION).log10();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 3 and 15")]
    let decimals = if required.is_finite() { required.ceil().clamp(3.0, 15.0) as usize } else { 6 };
    decimals
}

/// The frames of a clip.
struct ClipFrames<'a> {
    character: &'a Character,
    clip: &'a Clip,
    /// The rest pose.
    rest: WorldRotations,
    fps: f64,
    count: usize,
}

impl ClipFrames<'_> {
    fn each(
        &self,
        mut use_frame: impl FnMut(usize, &WorldRotations) -> Result<(), BvhError>,
    ) -> Result<(), BvhError> {
        let skeleton = &self.character.skeleton;
        let (mut playhead, mut pose) = (Playhead::default(), Pose::rest(skeleton));
        let mut rotations = self.rest.clone();
        for frame in 0..self.count {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "seconds are single"
            )]
            let time = (frame as f64 / self.fps) as f32;
            playhead.sample(self.clip, time, skeleton, &mut pose);
            rotations.pose(skeleton, &pose);
            use_frame(frame, &rotations)?;
        }
        Ok(())
    }

    /// Returns the longest side of the joints' bounding box in the rest pose, in metres, or 1 if it is zero.
    fn size(&self, joints: &BvhJoints) -> f64 {
        let positions =
            joints.list.iter().map(|j| self.rest.position(j.node, None)).filter(|p| p.is_finite());
        let bounds = positions.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
        bounds.map(|(lo, hi)| (hi - lo).max_element()).filter(|s| *s > 0.0).unwrap_or(1.0)
    }
}

/// Returns warnings about the data of a clip that BVH cannot store.
fn losses(character: &Character, clip: &Clip) -> Vec<String> {
    let mut scaled = Vec::new();
    let mut has_morph_weights = false;
    for channel in &clip.channels {
        match &channel.values {
            Values::Scale(v)
                if v.iter().any(|s| v.first().is_some_and(|f| !s.abs_diff_eq(*f, MIN_SCALE_CHANGE))) =>
            {
                scaled.push(channel.node);
            }
            Values::Weights(v) => has_morph_weights |= v.iter().any(|w| *w != 0.0),
            _ => {}
        }
    }
    let scaled = scaled.first().map(|&node| {
        let (label, count) = (character.skeleton.label(node), scaled.len());
        format!(
            "BVH cannot store scale; animated scales (nodes: {count}, first: {label:?}) only affect joint positions"
        )
    });
    let morph_weights =
        has_morph_weights.then(|| "BVH cannot store morph weights; they are left out".to_owned());
    scaled.into_iter().chain(morph_weights).collect()
}
