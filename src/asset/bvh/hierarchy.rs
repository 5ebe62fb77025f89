//! `HIERARCHY`: the joints, and which number of a frame moves what of which.

use std::ops::Range;

use glam::DVec3;

use super::words::{Words, quoted};
use super::{Fault, end_site_name};

/// What is known of a joint, or of an End Site, before its place among nodes.
#[derive(Debug)]
pub(super) struct Joint {
    pub(super) name: Option<String>,
    pub(super) parent: Option<usize>,
    /// From its parent, in units of the file.
    pub(super) offset: DVec3,
    /// Where its channels stand in [`Hierarchy::channels`].
    pub(super) channels: Range<usize>,
}

/// What one number of a frame says of its joint, about an axis: 0, 1, 2 for X, Y, Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Position(usize),
    Rotation(usize),
}

#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    /// In file order, parents before their children.
    pub(super) joints: Vec<Joint>,
    /// In the order of a frame's numbers.
    pub(super) channels: Vec<Channel>,
    /// Whether the word MOTION follows.
    pub(super) has_motion: bool,
}

/// Between a joint's braces.
struct Open {
    joint: usize,
    is_end: bool,
    /// The line in which it begins.
    line: usize,
    has_offset: bool,
    has_channels: bool,
    ends: usize,
}

/// Reads up to the word MOTION, or to the end of the text.
pub(super) fn read(words: &mut Words<'_>, warnings: &mut Vec<String>) -> Result<Hierarchy, Fault> {
    match words.next() {
        Some(word) if is(word, "HIERARCHY") => {}
        Some(word) => {
            return Err(Fault::new(words.line(), format!("{} where HIERARCHY begins", quoted(word))));
        }
        None => return Err(Fault::new(words.line(), "the file is empty")),
    }
    let mut hierarchy = Hierarchy::default();
    let mut open: Vec<Open> = Vec::new();
    let mut homeless = Homeless::default();
    while let Some(word) = words.next() {
        let line = words.line();
        match open.last_mut() {
            None if is(word, "ROOT") => open.push(hierarchy.begin(words, None)?),
            None if is(word, "MOTION") => {
                hierarchy.has_motion = true;
                break;
            }
            None => return Err(Fault::new(line, format!("{} where ROOT or MOTION begins", quoted(word)))),
            Some(inner) if word == "}" => {
                homeless.count(inner);
                open.pop();
            }
            Some(inner) if is(word, "OFFSET") => hierarchy.offset(words, inner)?,
            Some(inner) if is(word, "CHANNELS") => hierarchy.channels(words, inner)?,
            Some(inner) if !inner.is_end && (is(word, "JOINT") || is(word, "End")) => {
                let parent = (inner.joint, is(word, "End").then_some(inner.ends));
                inner.ends += usize::from(parent.1.is_some());
                open.push(hierarchy.begin(words, Some(parent))?);
            }
            Some(inner) => {
                let label = hierarchy.label(inner);
                return Err(Fault::new(line, format!("{} has no place in {label}", quoted(word))));
            }
        }
    }
    if let Some(inner) = open.last() {
        let label = hierarchy.label(inner);
        return Err(Fault::new(words.line(), format!("the text ends within {label} of line {}", inner.line)));
    }
    if hierarchy.joints.is_empty() {
        return Err(Fault::new(words.line(), "there is no ROOT"));
    }
    warnings.extend(homeless.warning());
    Ok(hierarchy)
}

impl Hierarchy {
    /// A joint's name and its brace. `above`: its parent, and for an End Site how many its parent has already.
    fn begin(&mut self, words: &mut Words<'_>, above: Option<(usize, Option<usize>)>) -> Result<Open, Fault> {
        let line = words.line();
        let given = words.name();
        let parent = above.map(|(parent, _)| parent);
        let end = above.and_then(|(_, ends)| ends);
        let name = match end {
            Some(ends) => {
                parent.and_then(|p| Some(end_site_name(self.joints.get(p)?.name.as_deref()?, ends)))
            }
            None => given.map(str::to_owned),
        };
        let here = self.channels.len();
        let open = Open {
            joint: self.joints.len(),
            is_end: end.is_some(),
            line,
            has_offset: false,
            has_channels: false,
            ends: 0,
        };
        self.joints.push(Joint { name, parent, offset: DVec3::ZERO, channels: here..here });
        words.brace("{", &self.label(&open))?;
        Ok(open)
    }

    fn offset(&mut self, words: &mut Words<'_>, inner: &mut Open) -> Result<(), Fault> {
        if std::mem::replace(&mut inner.has_offset, true) {
            return Err(Fault::new(words.line(), format!("a second OFFSET in {}", self.label(inner))));
        }
        let mut next = || words.number("OFFSET");
        let offset = DVec3::new(next()?, next()?, next()?);
        if let Some(joint) = self.joints.get_mut(inner.joint) {
            joint.offset = offset;
        }
        Ok(())
    }

    fn channels(&mut self, words: &mut Words<'_>, inner: &mut Open) -> Result<(), Fault> {
        if std::mem::replace(&mut inner.has_channels, true) {
            return Err(Fault::new(words.line(), format!("a second CHANNELS in {}", self.label(inner))));
        }
        let word = words.next().unwrap_or_default();
        let count: usize = word.parse().map_err(|_| {
            Fault::new(words.line(), format!("CHANNELS: {} is not a number of channels", quoted(word)))
        })?;
        if inner.is_end && count > 0 {
            return Err(Fault::new(words.line(), format!("{} cannot have channels", self.label(inner))));
        }
        let start = self.channels.len();
        let mut positions = [false; 3];
        for read in 0..count {
            let word = words.next().unwrap_or_default();
            let channel = Channel::of(word).ok_or_else(|| {
                let cause = format!("CHANNELS: {} is no channel, after {read} of {count}", quoted(word));
                Fault::new(words.line(), cause)
            })?;
            if let Channel::Position(axis) = channel
                && positions.get_mut(axis).is_none_or(|seen| std::mem::replace(seen, true))
            {
                return Err(Fault::new(words.line(), format!("CHANNELS: {} comes twice", quoted(word))));
            }
            self.channels.push(channel);
        }
        if let Some(joint) = self.joints.get_mut(inner.joint) {
            joint.channels = start..self.channels.len();
        }
        Ok(())
    }

    /// How messages name what is open.
    fn label(&self, open: &Open) -> String {
        let kind = if open.is_end { "End Site" } else { "joint" };
        match self.joints.get(open.joint).and_then(|j| j.name.as_deref()) {
            Some(name) => format!("{kind} {}", quoted(name)),
            None => format!("{kind} #{}", open.joint),
        }
    }
}

impl Channel {
    /// `Xposition`, `Zrotation`, in letters of any size.
    fn of(word: &str) -> Option<Self> {
        let axis = match word.as_bytes().first()?.to_ascii_uppercase() {
            b'X' => 0,
            b'Y' => 1,
            b'Z' => 2,
            _ => return None,
        };
        let kind = word.get(1..)?;
        if is(kind, "position") {
            Some(Self::Position(axis))
        } else {
            is(kind, "rotation").then_some(Self::Rotation(axis))
        }
    }
}

/// Joints without an OFFSET: their number, and the line of the first.
#[derive(Default)]
struct Homeless {
    count: usize,
    line: usize,
}

impl Homeless {
    fn count(&mut self, closed: &Open) {
        if !closed.has_offset {
            self.line = if self.count == 0 { closed.line } else { self.line };
            self.count += 1;
        }
    }

    fn warning(&self) -> Option<String> {
        let told = format!(
            "line {}: joints without an OFFSET are at their parent's place: {}",
            self.line, self.count
        );
        (self.count > 0).then_some(told)
    }
}

fn is(word: &str, keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword)
}
