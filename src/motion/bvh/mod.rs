//! A clip as BVH, the text that motion capture is exchanged in. [`crate::asset::bvh`] reads it.
//!
//! At rest all rotations of BVH are zero, and the axes of every joint are the world's. So what is written of a joint is
//! how it has turned from rest in the world, less what its parent has; offsets are what lies between joints at rest in
//! the world, which takes in whatever rotates and scales above them. Where a joint does not keep its offset, it has
//! position channels too.

mod aligned;
mod joints;

use std::fmt::Write;

use glam::DVec3;

use crate::asset::bvh::{FRAME_TIMES, LARGEST};
use crate::asset::{Character, Clip, Values};
use crate::pose::Pose;

use super::Playhead;
use super::euler::{self, Angles};
use aligned::Aligned;
use joints::{Joint, Joints};

/// As many numbers as a file may get: gigabytes.
const MOST_NUMBERS: f64 = 2.7e8;
/// Decimals of a degree: 1.7e-8 radians.
const ANGLE_DECIMALS: usize = 6;
/// A joint that is farther than this share of the skeleton's size from its offset has moved.
const MOVED: f64 = 1e-6;
/// Lengths are written to this share of the skeleton's size.
const LENGTH_DIGITS: f64 = 1e-8;
/// A scale that changes by less than this is constant.
const SCALED: f32 = 1e-4;

/// Frames per second whose frame time is read again.
const RATES: std::ops::RangeInclusive<f64> = 1.0 / *FRAME_TIMES.end()..=1.0 / *FRAME_TIMES.start();

/// A BVH file, and what of the clip it cannot hold, a line each.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// What was lost.
    pub warnings: Vec<String>,
}

/// Why a clip could not be written as BVH.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BvhError {
    /// The character has no node.
    #[error("a BVH file needs a joint, and there is none")]
    NoJoint,
    /// Not a rate.
    #[error("{0} frames per second is not a rate from {start} to {end}", start = RATES.start(), end = RATES.end())]
    Rate(f64),
    /// Not a length.
    #[error("a unit of {0} m is no length")]
    Units(f64),
    /// Beyond what a file should hold.
    #[error("{frames} frames of {joints} joints are too much for a BVH file")]
    TooLong {
        /// Frames at the rate that was asked for.
        frames: f64,
        /// Joints that would be written.
        joints: usize,
    },
    /// A number of a pose is infinite or NaN.
    #[error("frame {frame}: joint \"{joint}\": position or rotation is not finite")]
    NotFinite {
        /// The frame, from 0.
        frame: usize,
        /// The joint.
        joint: String,
    },
    /// A joint is farther from its parent, or from the origin, than what is read again.
    #[error("joint \"{joint}\": position is larger than {LARGEST:e} units")]
    TooLarge {
        /// The joint.
        joint: String,
    },
}

/// Frames a second of a clip whose keys are a frame apart, as those of BVH files are: of all frame times that give these
/// very keys, the one with the fewest digits. `None`: the keys are not so.
pub fn rate(clip: &Clip) -> Option<f64> {
    let times = clip.timelines.iter().max_by_key(|times| times.len())?;
    if times.first() != Some(&0.0) || times.last() == Some(&0.0) {
        return None;
    }
    // Key i, in single precision, stands for all between the middles to its neighbours: so does i frame times.
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

/// A clip of a character as BVH, sampled at some frames a second.
///
/// The joints are those of the skins, what the clip moves and what stands above these; without a skin, all nodes. Names
/// become one line without braces. `units`: metres a unit of the file's lengths.
///
/// # Errors
/// [`BvhError`].
pub fn write(character: &Character, clip: &Clip, fps: f64, units: f64) -> Result<Written, BvhError> {
    if !RATES.contains(&fps) {
        return Err(BvhError::Rate(fps));
    }
    if !(units.is_normal() && units > 0.0) {
        return Err(BvhError::Units(units));
    }
    let mut joints = Joints::of(character, clip);
    if joints.list.is_empty() {
        return Err(BvhError::NoJoint);
    }
    let aligned = Aligned::new(&character.skeleton);
    let count = (f64::from(clip.seconds) * fps).round() + 1.0;
    #[expect(clippy::cast_precision_loss, reason = "a bound, not a count")]
    if count * 6.0 * joints.list.len() as f64 > MOST_NUMBERS {
        return Err(BvhError::TooLong { frames: count, joints: joints.list.len() });
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let frames = Frames { character, clip, aligned, fps, count: count as usize };
    let size = frames.size(&joints);
    // Once to see which joints leave their offsets, once to write.
    frames.each(|_, aligned| {
        for joint in &mut joints.list {
            let moved = aligned.place(joint.node, joint.parent) - joint.offset(&frames.aligned);
            joint.moves |= joint.parent.is_none() || moved.abs().max_element() > MOVED * size;
        }
        Ok(())
    })?;
    let place = |joint: &Joint, place: DVec3| {
        let large = || BvhError::TooLarge { joint: character.skeleton.label(joint.node) };
        let place = place / units;
        if place.abs().max_element() <= LARGEST { Ok(place) } else { Err(large()) }
    };
    for joint in &joints.list {
        place(joint, joint.offset(&frames.aligned))?;
    }
    let decimals = decimals(size / units);
    let mut text = joints.hierarchy(&frames.aligned, units, decimals, character.units.is_some());
    let step = format!("{:.12}", 1.0 / fps);
    let step = if step.contains('.') { step.trim_end_matches('0').trim_end_matches('.') } else { &step };
    // Writing to a string cannot fail.
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {step}\n", frames.count);
    let mut before: Vec<Angles> = vec![[0.0; 3]; joints.list.len()];
    frames.each(|frame, aligned| {
        let mut gap = "";
        for (joint, before) in joints.list.iter().zip(&mut before).filter(|(j, _)| !j.is_end()) {
            let (at, turn) =
                (aligned.place(joint.node, joint.parent), aligned.turn(joint.node, joint.parent));
            if !(at.is_finite() && turn.is_finite()) {
                let joint = character.skeleton.label(joint.node);
                return Err(BvhError::NotFinite { frame, joint });
            }
            if joint.moves {
                for value in place(joint, at)?.to_array() {
                    number(&mut text, &mut gap, value, decimals);
                }
            }
            *before = euler::nearest(turn, *before);
            for angle in *before {
                number(&mut text, &mut gap, angle.to_degrees(), ANGLE_DECIMALS);
            }
        }
        text.push('\n');
        Ok(())
    })?;
    Ok(Written { text, warnings: losses(character, clip) })
}

/// A number after what parts it from the one before, without a minus before zero.
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

/// Decimals that lengths need, for a skeleton of some size in units of the file.
fn decimals(size: f64) -> usize {
    let wanted = -(size * LENGTH_DIGITS).log10();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 3 and 15")]
    let decimals = if wanted.is_finite() { wanted.ceil().clamp(3.0, 15.0) as usize } else { 6 };
    decimals
}

/// A clip frame by frame.
struct Frames<'a> {
    character: &'a Character,
    clip: &'a Clip,
    /// Rest.
    aligned: Aligned,
    fps: f64,
    count: usize,
}

impl Frames<'_> {
    fn each(
        &self,
        mut use_frame: impl FnMut(usize, &Aligned) -> Result<(), BvhError>,
    ) -> Result<(), BvhError> {
        let skeleton = &self.character.skeleton;
        let (mut playhead, mut pose) = (Playhead::default(), Pose::rest(skeleton));
        let mut aligned = self.aligned.clone();
        for frame in 0..self.count {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "seconds are single"
            )]
            let time = (frame as f64 / self.fps) as f32;
            playhead.sample(self.clip, time, skeleton, &mut pose);
            aligned.pose(skeleton, &pose);
            use_frame(frame, &aligned)?;
        }
        Ok(())
    }

    /// The largest side of what the joints fill at rest, metres; 1 where that is nothing.
    fn size(&self, joints: &Joints) -> f64 {
        let places = joints.list.iter().map(|j| self.aligned.place(j.node, None)).filter(|p| p.is_finite());
        let bounds = places.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
        bounds.map(|(lo, hi)| (hi - lo).max_element()).filter(|s| *s > 0.0).unwrap_or(1.0)
    }
}

/// What of a clip BVH does not hold.
fn losses(character: &Character, clip: &Clip) -> Vec<String> {
    let mut scaled = Vec::new();
    let mut shapes = false;
    for channel in &clip.channels {
        match &channel.values {
            Values::Scale(v) if v.iter().any(|s| v.first().is_some_and(|f| !s.abs_diff_eq(*f, SCALED))) => {
                scaled.push(channel.node);
            }
            Values::Weights(v) => shapes |= v.iter().any(|w| *w != 0.0),
            _ => {}
        }
    }
    let scaled = scaled.first().map(|&node| {
        let (label, count) = (character.skeleton.label(node), scaled.len());
        format!("BVH holds no scale: that of {count} nodes, the first {label:?}, moves joints' places alone")
    });
    let shapes = shapes.then(|| "BVH holds no shapes: the morph weights are left out".to_owned());
    scaled.into_iter().chain(shapes).collect()
}
