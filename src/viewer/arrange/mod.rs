//! The model of the timeline editor: which parts of a motion can be dragged, and the motion that results from a drag.
//! This module neither draws anything nor changes the session.

use crate::asset::{Character, Clip};
use crate::motion::{Contact, Motion, Strip};

mod drag;
#[cfg(test)]
mod tests;

pub(crate) use drag::{Snap, drag};

/// A selectable item on the timeline, identified by its index in the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Strip(usize),
    Edit(usize),
    Contact(usize),
    /// The key of a goal.
    Goal(usize),
}

/// A part of an item that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grip {
    /// The whole item: moves a strip, an edit, a contact or a key in time.
    Whole(Item),
    /// The start of a strip, of an edit's window or of a contact. Dragging the start of a strip trims it without moving
    /// its poses in time.
    First(Item),
    /// The end of a strip, of an edit's window or of a contact.
    Last(Item),
}

impl Grip {
    pub(crate) fn item(self) -> Item {
        let (Self::Whole(item) | Self::First(item) | Self::Last(item)) = self;
        item
    }
}

impl Item {
    pub(crate) fn is_in(self, motion: &Motion) -> bool {
        match self {
            Self::Strip(i) => i < motion.strips.len(),
            Self::Edit(i) => i < motion.edits.len(),
            Self::Contact(i) => i < motion.contacts.len(),
            Self::Goal(i) => i < motion.goals.len(),
        }
    }
}

pub(crate) fn with_contact_replaced(motion: &Motion, index: usize, contact: Contact) -> Motion {
    let mut motion = motion.clone();
    if let Some(slot) = motion.contacts.get_mut(index) {
        *slot = contact;
    }
    motion
}

pub(crate) fn without(motion: &Motion, item: Item) -> Motion {
    let mut motion = motion.clone();
    match item {
        Item::Strip(i) if i < motion.strips.len() => drop(motion.strips.remove(i)),
        Item::Edit(i) if i < motion.edits.len() => drop(motion.edits.remove(i)),
        Item::Contact(i) if i < motion.contacts.len() => drop(motion.contacts.remove(i)),
        Item::Goal(i) if i < motion.goals.len() => drop(motion.goals.remove(i)),
        _ => {}
    }
    motion
}

/// Duration in seconds of the crossfade from key poses to the first strip.
const CROSSFADE: f32 = 0.4;

/// Returns the motion with a clip added after its last strip, and the new item. The two strips crossfade over
/// [`Motion::overlap`]. The first strip starts after the key poses. `feet` are node indices.
pub(crate) fn with_clip(
    motion: &Motion,
    character: &Character,
    feet: &[usize],
    clip: usize,
) -> (Motion, Item) {
    let (mut strip, clips) = (Strip::new(clip), &character.clips);
    let strips = motion.strips.iter().enumerate();
    let last = strips.max_by(|(_, a), (_, b)| end(a, clips).total_cmp(&end(b, clips)));
    if let Some((index, last)) = last {
        let overlap = motion.overlap(index, &strip, character, feet);
        strip.start = (end(last, clips) - overlap).max(0.0);
    } else if let Some(key) = motion.keys.last() {
        // The last key keeps its pose, and the strip fades in from that pose.
        strip.start = key.time;
        strip.fade_in = Some(CROSSFADE.min(strip.length(clips)));
    }
    let mut motion = motion.clone();
    // Without this, the duration that was set for the key poses could cut off the clip.
    motion.duration = motion.duration.map(|duration| duration.max(end(&strip, clips)));
    let index = insert(&mut motion.strips, strip);
    (motion, Item::Strip(index))
}

/// Returns the motion with one strip replaced.
pub(crate) fn with_strip(motion: &Motion, index: usize, strip: Strip) -> Motion {
    let mut motion = motion.clone();
    if let Some(slot) = motion.strips.get_mut(index) {
        *slot = strip;
    }
    motion
}

/// Returns the time at which a strip ends, in seconds.
pub(crate) fn end(strip: &Strip, clips: &[Clip]) -> f32 {
    strip.start + strip.length(clips)
}

/// Returns the time in seconds by which the motion, its strips, its edits, its contacts and its keys have all ended.
pub(crate) fn extent(motion: &Motion, clips: &[Clip]) -> f32 {
    let strips = motion.strips.iter().map(|s| end(s, clips));
    let edits = motion.edits.iter().map(|e| e.time + e.after);
    let keys = motion.keys.iter().map(|k| k.time);
    let contacts = motion.contacts.iter().map(|c| c.from.max(c.to));
    let goals = motion.goals.iter().map(|g| g.time);
    let ends = strips.chain(edits).chain(keys).chain(contacts).chain(goals).chain([motion.seconds(clips)]);
    ends.filter(|t| t.is_finite()).fold(0.0, f32::max)
}

/// Returns the duration in seconds of a strip's fade-in from the previous strip or from the key poses.
pub(crate) fn overlap(motion: &Motion, index: usize, clips: &[Clip]) -> f32 {
    let Some(strip) = motion.strips.get(index) else { return 0.0 };
    let before = match index.checked_sub(1) {
        Some(before) => motion.strips.get(before).map(|before| end(before, clips)),
        None => motion.keys.last().map(|key| key.time),
    };
    let overlap = strip.fade_in.or_else(|| Some(before? - strip.start));
    overlap.unwrap_or_default().clamp(0.0, strip.length(clips))
}

/// Returns the index of the strip that hides the key poses at a time. A strip keeps its last pose after its end.
pub(crate) fn hiding_strip(motion: &Motion, clips: &[Clip], time: f32) -> Option<usize> {
    let hides = |index: &usize| {
        let fade = overlap(motion, *index, clips);
        // Once its fade has ended, a strip hides everything below it.
        let is_later = |strip: &Strip| time > strip.start && time >= strip.start + fade;
        motion.strips.get(*index).is_some_and(is_later)
    };
    (0..motion.strips.len()).rev().find(hides)
}

/// Inserts a strip in the order of start times and returns its index.
fn insert(strips: &mut Vec<Strip>, strip: Strip) -> usize {
    let index = strips.iter().position(|s| s.start > strip.start).unwrap_or(strips.len());
    strips.insert(index, strip);
    index
}
