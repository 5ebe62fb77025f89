//! Reads the `HIERARCHY` section: the joints, and the channel to which each number of a frame belongs.

use std::ops::Range;

use glam::DVec3;

use crate::files::Progress;

use super::words::{Words, quoted};
use super::{LineError, end_site_name};

/// A joint or an End Site.
#[derive(Debug)]
pub(super) struct BvhJoint {
    pub(super) name: Option<String>,
    pub(super) parent: Option<usize>,
    /// Offset from the parent joint, in units of the file.
    pub(super) offset: DVec3,
    /// Range of the joint's channels in [`Hierarchy::channels`].
    pub(super) channels: Range<usize>,
}

/// The property that a number of a frame sets. The axis is 0, 1 or 2 for X, Y or Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BvhChannel {
    Position(usize),
    Rotation(usize),
}

#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    /// All joints in file order, parents before their children.
    pub(super) joints: Vec<BvhJoint>,
    /// All channels in the order of the numbers of a frame.
    pub(super) channels: Vec<BvhChannel>,
    /// Whether a MOTION section follows.
    pub(super) has_motion: bool,
}

/// A joint or an End Site that is still being read.
struct OpenBlock {
    joint: usize,
    is_end: bool,
    /// Number of the line where the block starts.
    line: usize,
    has_offset: bool,
    has_channels: bool,
    ends: usize,
}

/// Reads the text up to the word MOTION or up to the end of the text.
pub(super) fn read(
    words: &mut Words<'_>,
    warnings: &mut Vec<String>,
    progress: &Progress,
) -> Result<Hierarchy, LineError> {
    match words.next() {
        Some(word) if eq_keyword(word, "HIERARCHY") => {}
        Some(word) => {
            return Err(LineError::new(words.line(), format!("expected HIERARCHY, found {}", quoted(word))));
        }
        None => return Err(LineError::new(words.line(), "the file is empty")),
    }
    let mut hierarchy = Hierarchy::default();
    let mut open: Vec<OpenBlock> = Vec::new();
    let mut missing_offsets = MissingOffsets::default();
    while let Some(word) = words.next() {
        progress.check()?;
        let line = words.line();
        match open.last_mut() {
            None if eq_keyword(word, "ROOT") => open.push(hierarchy.begin(words, None)?),
            None if eq_keyword(word, "MOTION") => {
                hierarchy.has_motion = true;
                break;
            }
            None => {
                return Err(LineError::new(line, format!("expected ROOT or MOTION, found {}", quoted(word))));
            }
            Some(block) if word == "}" => {
                missing_offsets.count(block);
                open.pop();
            }
            Some(block) if eq_keyword(word, "OFFSET") => hierarchy.offset(words, block)?,
            Some(block) if eq_keyword(word, "CHANNELS") => hierarchy.channels(words, block)?,
            Some(block) if !block.is_end && (eq_keyword(word, "JOINT") || eq_keyword(word, "End")) => {
                let parent = (block.joint, eq_keyword(word, "End").then_some(block.ends));
                block.ends += usize::from(parent.1.is_some());
                open.push(hierarchy.begin(words, Some(parent))?);
            }
            Some(block) => {
                let label = hierarchy.label(block);
                return Err(LineError::new(line, format!("unexpected {} in {label}", quoted(word))));
            }
        }
    }
    if let Some(block) = open.last() {
        let label = hierarchy.label(block);
        return Err(LineError::new(
            words.line(),
            format!("the file ends inside {label}, which starts in line {}", block.line),
        ));
    }
    if hierarchy.joints.is_empty() {
        return Err(LineError::new(words.line(), "the file has no ROOT"));
    }
    warnings.extend(missing_offsets.warning());
    Ok(hierarchy)
}

impl Hierarchy {
    /// Reads a joint's name and opening brace. `above` is the joint's parent and, for an End Site, the number of End
    /// Sites that the parent has so far.
    fn begin(
        &mut self,
        words: &mut Words<'_>,
        above: Option<(usize, Option<usize>)>,
    ) -> Result<OpenBlock, LineError> {
        let line = words.line();
        let text_name = words.name();
        let parent = above.map(|(parent, _)| parent);
        let end = above.and_then(|(_, ends)| ends);
        let name = match end {
            Some(ends) => {
                parent.and_then(|p| Some(end_site_name(self.joints.get(p)?.name.as_deref()?, ends)))
            }
            None => text_name.map(str::to_owned),
        };
        let first_channel = self.channels.len();
        let open = OpenBlock {
            joint: self.joints.len(),
            is_end: end.is_some(),
            line,
            has_offset: false,
            has_channels: false,
            ends: 0,
        };
        self.joints.push(BvhJoint {
            name,
            parent,
            offset: DVec3::ZERO,
            channels: first_channel..first_channel,
        });
        words.brace("{", &self.label(&open))?;
        Ok(open)
    }

    fn offset(&mut self, words: &mut Words<'_>, block: &mut OpenBlock) -> Result<(), LineError> {
        if std::mem::replace(&mut block.has_offset, true) {
            return Err(LineError::new(words.line(), format!("second OFFSET in {}", self.label(block))));
        }
        let mut next = || words.number("OFFSET");
        let offset = DVec3::new(next()?, next()?, next()?);
        if let Some(joint) = self.joints.get_mut(block.joint) {
            joint.offset = offset;
        }
        Ok(())
    }

    fn channels(&mut self, words: &mut Words<'_>, block: &mut OpenBlock) -> Result<(), LineError> {
        if std::mem::replace(&mut block.has_channels, true) {
            return Err(LineError::new(words.line(), format!("second CHANNELS in {}", self.label(block))));
        }
        let word = words.next().unwrap_or_default();
        let count: usize = word.parse().map_err(|_| {
            LineError::new(
                words.line(),
                format!("CHANNELS must be followed by a number of channels, found {}", quoted(word)),
            )
        })?;
        if block.is_end && count > 0 {
            return Err(LineError::new(words.line(), format!("{} cannot have channels", self.label(block))));
        }
        let start = self.channels.len();
        let mut positions = [false; 3];
        for read in 0..count {
            let word = words.next().unwrap_or_default();
            let channel = BvhChannel::parse(word).ok_or_else(|| {
                let cause = format!("CHANNELS: {} is not a channel, after {read} of {count}", quoted(word));
                LineError::new(words.line(), cause)
            })?;
            if let BvhChannel::Position(axis) = channel
                && positions.get_mut(axis).is_none_or(|is_used| std::mem::replace(is_used, true))
            {
                return Err(LineError::new(words.line(), format!("CHANNELS: {} is repeated", quoted(word))));
            }
            self.channels.push(channel);
        }
        if let Some(joint) = self.joints.get_mut(block.joint) {
            joint.channels = start..self.channels.len();
        }
        Ok(())
    }

    /// Returns the name of an open block for messages.
    fn label(&self, open: &OpenBlock) -> String {
        let kind = if open.is_end { "End Site" } else { "joint" };
        match self.joints.get(open.joint).and_then(|j| j.name.as_deref()) {
            Some(name) => format!("{kind} {}", quoted(name)),
            None => format!("{kind} #{}", open.joint),
        }
    }
}

impl BvhChannel {
    /// Parses a channel such as `Xposition` or `Zrotation`, ignoring case.
    fn parse(word: &str) -> Option<Self> {
        let axis = match word.as_bytes().first()?.to_ascii_uppercase() {
            b'X' => 0,
            b'Y' => 1,
            b'Z' => 2,
            _ => return None,
        };
        let kind = word.get(1..)?;
        if eq_keyword(kind, "position") {
            Some(Self::Position(axis))
        } else {
            eq_keyword(kind, "rotation").then_some(Self::Rotation(axis))
        }
    }
}

/// The number of joints without an OFFSET, and the line of the first such joint.
#[derive(Default)]
struct MissingOffsets {
    count: usize,
    line: usize,
}

impl MissingOffsets {
    fn count(&mut self, closed: &OpenBlock) {
        if !closed.has_offset {
            self.line = if self.count == 0 { closed.line } else { self.line };
            self.count += 1;
        }
    }

    fn warning(&self) -> Option<String> {
        let warning = format!(
            "line {}: joints without an OFFSET are placed at their parent ({} in total)",
            self.line, self.count
        );
        (self.count > 0).then_some(warning)
    }
}

fn eq_keyword(word: &str, keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword)
}
