//! Reads the `MOTION` section, which has one line of numbers per frame.

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Values};
use crate::files::Progress;

use super::LineError;
use super::hierarchy::{BvhChannel, BvhJoint, Hierarchy};
use super::words::{Words, number, quoted};

/// Default frame time in seconds, for files with a missing or invalid frame time.
const DEFAULT_FRAME_TIME: f64 = 1.0 / 30.0;
/// Valid frame times in seconds.
pub(crate) const FRAME_TIMES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
/// Minimum length of a number in the text, in bytes: one digit and a separator.
const NUMBER_BYTES: usize = 2;

/// The keys of all joints that have channels. Lengths are in metres.
#[derive(Debug)]
pub(super) struct BvhMotion {
    frame_time: f64,
    /// Length of one unit of the file in metres.
    metres: f64,
    frames: usize,
    tracks: Vec<JointKeys>,
}

/// Position and rotation keys of one joint. A property without channels has no keys.
#[derive(Debug)]
struct JointKeys {
    node: usize,
    /// Rest offset in units of the file.
    offset: DVec3,
    channels: Vec<BvhChannel>,
    /// Index of the joint's first number in a frame.
    first: usize,
    translations: Option<Vec<Vec3>>,
    rotations: Option<Vec<Quat>>,
}

/// Header of the MOTION section.
#[derive(Default)]
struct MotionHeader {
    /// The value of `Frames:`, or NaN if it is not a number.
    frames: Option<f64>,
    frame_time: Option<f64>,
}

/// Reads the text after the word MOTION. Returns `None` if there is no frame. `metres` is the length of a unit.
pub(super) fn read(
    words: &mut Words<'_>,
    hierarchy: &Hierarchy,
    metres: f64,
    warnings: &mut Vec<String>,
    progress: &Progress,
) -> Result<Option<BvhMotion>, LineError> {
    let mut header = MotionHeader::default();
    let mut line = words.next_line();
    while line.is_some_and(|(_, text)| header.read(text)) {
        line = words.next_line();
    }
    let width = hierarchy.channels.len();
    let frame_time = header.frame_time(warnings);
    // The capacity is the declared number of frames, but at most the number of frames that fit into the rest of the
    // text.
    let fitting =
        (words.bytes_left() + line.map_or(0, |(_, text)| text.len())) / NUMBER_BYTES / width.max(1) + 1;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates, and the result is bounded"
    )]
    let capacity = header.frames.map_or(0, |declared| declared.clamp(0.0, 1e15) as usize).min(fitting);
    let mut motion = BvhMotion { frame_time, metres, frames: 0, tracks: tracks(hierarchy, capacity) };
    let mut reader = FrameReader { width, ..FrameReader::default() };
    while let Some((line, text)) = line_ahead_or_next(&mut line, words) {
        reader.read_line(line, text, &mut motion, progress)?;
    }
    reader.finish(&motion, warnings)?;
    #[expect(clippy::cast_precision_loss, reason = "a text has far fewer frames than 2^53")]
    let counted = motion.frames as f64;
    match header.frames {
        Some(declared) if declared != counted => {
            warnings.push(format!("\"Frames:\" is {declared}, but the file has {counted} frames"));
        }
        None => warnings.push(format!("\"Frames:\" is missing, but the file has {counted} frames")),
        Some(_) => {}
    }
    Ok((motion.frames > 0).then_some(motion))
}

/// Returns the line that was read ahead, if any, or else the next line.
fn line_ahead_or_next<'a>(
    read: &mut Option<(usize, &'a str)>,
    words: &mut Words<'a>,
) -> Option<(usize, &'a str)> {
    read.take().or_else(|| words.next_line())
}

impl MotionHeader {
    /// Reads a line of the header. Returns false if the line does not belong to the header. Empty lines are skipped.
    fn read(&mut self, text: &str) -> bool {
        let mut words = text.split(|c: char| c.is_whitespace() || c == ':').filter(|w| !w.is_empty());
        let Some(first) = words.next() else { return true };
        let value = if first.eq_ignore_ascii_case("frames") {
            &mut self.frames
        } else if first.eq_ignore_ascii_case("frame")
            && words.next().is_some_and(|w| w.eq_ignore_ascii_case("time"))
        {
            &mut self.frame_time
        } else {
            return false;
        };
        // A value that is not a number becomes NaN, which causes a warning.
        *value = Some(words.next().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN));
        true
    }

    fn frame_time(&self, warnings: &mut Vec<String>) -> f64 {
        match self.frame_time {
            Some(time) if FRAME_TIMES.contains(&time) => time,
            Some(time) => {
                warnings.push(format!("\"Frame Time:\" of {time} is invalid, so 1/30 s is used"));
                DEFAULT_FRAME_TIME
            }
            None => {
                warnings.push("\"Frame Time:\" is missing, so 1/30 s is used".to_owned());
                DEFAULT_FRAME_TIME
            }
        }
    }
}

/// Collects numbers into frames.
#[derive(Default)]
struct FrameReader {
    /// Numbers of the frame that is being read.
    numbers: Vec<f64>,
    width: usize,
    /// Line number of the first numeric line, and how many values it contains. If that line contains exactly one frame,
    /// all other lines must also contain exactly one.
    first: Option<(usize, usize)>,
    /// Number of lines with numbers.
    lines: usize,
    /// In a file with one frame per line, the number of a line that has fewer values than a frame. Only the last line may be too short.
    short_line: Option<usize>,
}

impl FrameReader {
    fn read_line(
        &mut self,
        line: usize,
        text: &str,
        motion: &mut BvhMotion,
        progress: &Progress,
    ) -> Result<(), LineError> {
        progress.check()?;
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return Ok(());
        }
        // Only the last line may be incomplete.
        if let Some(short_line) = self.short_line {
            return Err(self.wrong_count(short_line, self.numbers.len()));
        }
        let mut count = 0;
        for word in words {
            let value = number(word, line)?;
            count += 1;
            if self.width == 0 {
                return Err(LineError::new(
                    line,
                    format!("unexpected {} because no joint has channels", quoted(word)),
                ));
            }
            self.numbers.push(value);
            if self.numbers.len() == self.width {
                progress.check()?;
                motion.push(&self.numbers, line)?;
                self.numbers.clear();
            }
        }
        self.lines += 1;
        let (_, first) = *self.first.get_or_insert((line, count));
        if first == self.width && count > first {
            return Err(self.wrong_count(line, count));
        }
        if first == self.width && count < first {
            self.short_line = Some(line);
        }
        Ok(())
    }

    fn wrong_count(&self, line: usize, count: usize) -> LineError {
        LineError::new(line, format!("expected {} numbers for a frame, found {count}", self.width))
    }

    fn finish(&self, motion: &BvhMotion, warnings: &mut Vec<String>) -> Result<(), LineError> {
        let (count, width) = (self.numbers.len(), self.width);
        if count == 0 {
            return Ok(());
        }
        match self.first {
            // The first line does not consist of whole frames, and it is not the only line.
            Some((line, first)) if first % width != 0 && (first > width || self.lines > 1) => {
                Err(self.wrong_count(line, first))
            }
            _ => {
                let frame = motion.frames;
                warnings.push(format!("frame {frame} has only {count} of {width} numbers and is ignored"));
                Ok(())
            }
        }
    }
}

/// Returns empty keys for each joint that has channels, with capacity for the given number of frames.
fn tracks(hierarchy: &Hierarchy, capacity: usize) -> Vec<JointKeys> {
    let track = |(node, joint): (usize, &BvhJoint)| {
        let channels = hierarchy.channels.get(joint.channels.clone()).unwrap_or_default().to_vec();
        let rotates = channels.iter().any(|c| matches!(c, BvhChannel::Rotation(_)));
        let translates = channels.iter().any(|c| matches!(c, BvhChannel::Position(_)));
        JointKeys {
            node,
            offset: joint.offset,
            first: joint.channels.start,
            channels,
            translations: translates.then(|| Vec::with_capacity(capacity)),
            rotations: rotates.then(|| Vec::with_capacity(capacity)),
        }
    };
    hierarchy.joints.iter().enumerate().filter(|(_, j)| !j.channels.is_empty()).map(track).collect()
}

impl BvhMotion {
    fn push(&mut self, numbers: &[f64], line: usize) -> Result<(), LineError> {
        for track in &mut self.tracks {
            let joint_numbers = numbers.get(track.first..track.first + track.channels.len());
            let joint_numbers =
                joint_numbers.ok_or_else(|| LineError::new(line, "the frame is too short"))?;
            track.push(joint_numbers, self.metres);
        }
        self.frames += 1;
        Ok(())
    }

    /// Converts the motion to a clip with a single timeline.
    pub(super) fn clip(self) -> Clip {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "seconds are single"
        )]
        let times: Vec<f32> = (0..self.frames).map(|i| (i as f64 * self.frame_time) as f32).collect();
        let mut channels = Vec::new();
        for track in self.tracks {
            let channel = |values| Channel {
                node: track.node,
                timeline: 0,
                interpolation: Interpolation::Linear,
                values,
            };
            channels.extend(track.translations.map(|t| channel(Values::Translation(t))));
            channels.extend(track.rotations.map(|r| channel(Values::Rotation(r))));
        }
        Clip {
            name: None,
            seconds: times.last().copied().unwrap_or(0.0),
            timelines: vec![times],
            channels,
            ..Clip::default()
        }
    }
}

impl JointKeys {
    /// Adds the keys of one frame to this joint.
    fn push(&mut self, numbers: &[f64], metres: f64) {
        let (mut position, mut rotation) = (self.offset.to_array(), DQuat::IDENTITY);
        for (channel, &value) in self.channels.iter().zip(numbers) {
            match *channel {
                BvhChannel::Position(axis) => position[axis] = value,
                BvhChannel::Rotation(axis) => {
                    // Full turns are removed before the conversion to radians because the remainder is exact in degrees.
                    let angle = (value % 360.0).to_radians();
                    rotation *= DQuat::from_axis_angle(DVec3::AXES[axis], angle);
                }
            }
        }
        if let Some(translations) = &mut self.translations {
            translations.push((DVec3::from_array(position) * metres).as_vec3());
        }
        if let Some(rotations) = &mut self.rotations {
            rotations.push(rotation.normalize().as_quat().normalize());
        }
    }
}
