//! `MOTION`: a line of numbers a frame.

use glam::{DQuat, DVec3, Quat, Vec3};

use super::super::{Channel as ClipChannel, Clip, Interpolation, Values};
use super::Fault;
use super::hierarchy::{Channel, Hierarchy, Joint};
use super::words::{Words, number, quoted};

/// Seconds a frame where a file does not say, or says what cannot be.
const USUAL_FRAME_TIME: f64 = 1.0 / 30.0;
/// Seconds a frame that can be.
pub(crate) const FRAME_TIMES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
/// The least that a number takes in the text: a digit, and what divides it from the next.
const NUMBER_BYTES: usize = 2;

/// The frames of a file, as keys of the joints that they move, in metres.
#[derive(Debug)]
pub(super) struct Motion {
    frame_time: f64,
    /// Metres a unit of the file.
    metres: f64,
    frames: usize,
    tracks: Vec<Track>,
}

/// A joint's keys, as far as it has channels for them.
#[derive(Debug)]
struct Track {
    node: usize,
    /// In units of the file.
    offset: DVec3,
    channels: Vec<Channel>,
    /// Where their numbers stand in a frame.
    first: usize,
    translations: Option<Vec<Vec3>>,
    rotations: Option<Vec<Quat>>,
}

/// What stands before the frames.
#[derive(Default)]
struct Head {
    /// `Frames:`, whatever it says.
    frames: Option<f64>,
    frame_time: Option<f64>,
}

/// Reads what follows the word MOTION; `None`: no frame. `metres`: a unit of the file.
pub(super) fn read(
    words: &mut Words<'_>,
    hierarchy: &Hierarchy,
    metres: f64,
    warnings: &mut Vec<String>,
) -> Result<Option<Motion>, Fault> {
    let mut head = Head::default();
    let mut line = words.next_line();
    while line.is_some_and(|(_, text)| head.take(text)) {
        line = words.next_line();
    }
    let width = hierarchy.channels.len();
    let frame_time = head.frame_time(warnings);
    // Both what is said and what can be there bound it.
    let there =
        (words.bytes_left() + line.map_or(0, |(_, text)| text.len())) / NUMBER_BYTES / width.max(1) + 1;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is bounded")]
    let room = head.frames.map_or(0, |said| said.clamp(0.0, 1e15) as usize).min(there);
    let mut motion = Motion { frame_time, metres, frames: 0, tracks: tracks(hierarchy, room) };
    let mut reader = Reader { width, ..Reader::default() };
    while let Some((line, text)) = line_or(&mut line, words) {
        reader.line(line, text, &mut motion)?;
    }
    reader.finish(&motion, warnings)?;
    #[expect(clippy::cast_precision_loss, reason = "a text holds fewer frames than that")]
    let counted = motion.frames as f64;
    match head.frames {
        Some(said) if said != counted => {
            warnings.push(format!("Frames: says {said}, but {counted} are there"));
        }
        None => warnings.push(format!("there is no number of frames: {counted} are there")),
        Some(_) => {}
    }
    Ok((motion.frames > 0).then_some(motion))
}

/// The line that was read already, else the next.
fn line_or<'a>(read: &mut Option<(usize, &'a str)>, words: &mut Words<'a>) -> Option<(usize, &'a str)> {
    read.take().or_else(|| words.next_line())
}

impl Head {
    /// Whether a line is of the head; an empty one may stand anywhere.
    fn take(&mut self, text: &str) -> bool {
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
        // What is no number is as good as nothing.
        *value = Some(words.next().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN));
        true
    }

    fn frame_time(&self, warnings: &mut Vec<String>) -> f64 {
        match self.frame_time {
            Some(time) if FRAME_TIMES.contains(&time) => time,
            Some(time) => {
                warnings.push(format!("Frame Time: {time} cannot be: taken as a thirtieth of a second"));
                USUAL_FRAME_TIME
            }
            None => {
                warnings.push("there is no Frame Time: taken as a thirtieth of a second".to_owned());
                USUAL_FRAME_TIME
            }
        }
    }
}

/// Gathers numbers into frames.
#[derive(Default)]
struct Reader {
    /// Of the frame that is not whole yet.
    numbers: Vec<f64>,
    width: usize,
    /// The first line with numbers, and how many: if it is a frame, each line is one; else frames run on over lines.
    first: Option<(usize, usize)>,
    /// Lines with numbers.
    lines: usize,
    /// The last line that ended within a frame though each should be one.
    cut: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str, motion: &mut Motion) -> Result<(), Fault> {
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return Ok(());
        }
        // Only the last line may be cut off.
        if let Some(cut) = self.cut {
            return Err(self.miscounted(cut, self.numbers.len()));
        }
        let mut count = 0;
        for word in words {
            let value = number(word, line)?;
            count += 1;
            if self.width == 0 {
                return Err(Fault::new(line, format!("{} where no joint has channels", quoted(word))));
            }
            self.numbers.push(value);
            if self.numbers.len() == self.width {
                motion.push(&self.numbers, line)?;
                self.numbers.clear();
            }
        }
        self.lines += 1;
        let (_, first) = *self.first.get_or_insert((line, count));
        if first == self.width && count > first {
            return Err(self.miscounted(line, count));
        }
        if first == self.width && count < first {
            self.cut = Some(line);
        }
        Ok(())
    }

    fn miscounted(&self, line: usize, count: usize) -> Fault {
        Fault::new(line, format!("{count} numbers where a frame has {}", self.width))
    }

    fn finish(&self, motion: &Motion, warnings: &mut Vec<String>) -> Result<(), Fault> {
        let (there, width) = (self.numbers.len(), self.width);
        if there == 0 {
            return Ok(());
        }
        match self.first {
            // Neither a frame a line, nor whole frames over lines.
            Some((line, count)) if count % width != 0 && (count > width || self.lines > 1) => {
                Err(self.miscounted(line, count))
            }
            _ => {
                let frame = motion.frames;
                warnings.push(format!("frame {frame} is cut off after {there} of {width} numbers: left out"));
                Ok(())
            }
        }
    }
}

/// The joints that have channels, with room for some frames.
fn tracks(hierarchy: &Hierarchy, room: usize) -> Vec<Track> {
    let track = |(node, joint): (usize, &Joint)| {
        let channels = hierarchy.channels.get(joint.channels.clone()).unwrap_or_default().to_vec();
        let turns = channels.iter().any(|c| matches!(c, Channel::Rotation(_)));
        let moves = channels.iter().any(|c| matches!(c, Channel::Position(_)));
        Track {
            node,
            offset: joint.offset,
            first: joint.channels.start,
            channels,
            translations: moves.then(|| Vec::with_capacity(room)),
            rotations: turns.then(|| Vec::with_capacity(room)),
        }
    };
    hierarchy.joints.iter().enumerate().filter(|(_, j)| !j.channels.is_empty()).map(track).collect()
}

impl Motion {
    fn push(&mut self, numbers: &[f64], line: usize) -> Result<(), Fault> {
        for track in &mut self.tracks {
            let own = numbers.get(track.first..track.first + track.channels.len());
            let own = own.ok_or_else(|| Fault::new(line, "a frame is too short"))?;
            track.push(own, self.metres);
        }
        self.frames += 1;
        Ok(())
    }

    /// The clip, all of it on one timeline.
    pub(super) fn clip(self) -> Clip {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "seconds are single"
        )]
        let times: Vec<f32> = (0..self.frames).map(|i| (i as f64 * self.frame_time) as f32).collect();
        let mut channels = Vec::new();
        for track in self.tracks {
            let channel = |values| ClipChannel {
                node: track.node,
                timeline: 0,
                interpolation: Interpolation::Linear,
                values,
            };
            channels.extend(track.translations.map(|t| channel(Values::Translation(t))));
            channels.extend(track.rotations.map(|r| channel(Values::Rotation(r))));
        }
        Clip { name: None, seconds: times.last().copied().unwrap_or(0.0), timelines: vec![times], channels }
    }
}

impl Track {
    /// A frame's numbers of this joint.
    fn push(&mut self, numbers: &[f64], metres: f64) {
        let (mut place, mut turned) = (self.offset.to_array(), DQuat::IDENTITY);
        for (channel, &value) in self.channels.iter().zip(numbers) {
            match *channel {
                Channel::Position(axis) => place[axis] = value,
                Channel::Rotation(axis) => {
                    // Whole turns taken off in degrees, where they are exact.
                    let angle = (value % 360.0).to_radians();
                    turned *= DQuat::from_axis_angle(DVec3::AXES[axis], angle);
                }
            }
        }
        if let Some(translations) = &mut self.translations {
            translations.push((DVec3::from_array(place) * metres).as_vec3());
        }
        if let Some(rotations) = &mut self.rotations {
            rotations.push(turned.normalize().as_quat().normalize());
        }
    }
}
