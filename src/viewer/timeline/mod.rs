//! The model of the timeline: which parts of a motion can be dragged, and the motion that results. This module neither
//! draws nor changes the session.

use crate::asset::{Character, Clip};
use crate::motion::{Bar, Motion};

mod drag;
mod ruler;
#[cfg(test)]
mod tests;

pub(super) use drag::{Snap, drag};
pub(super) use ruler::Ruler;

/// An item that can be selected, by its index in the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Bar(usize),
    Edit(usize),
}

/// A part of an item that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    /// The whole item: moves a strip or an edit in time.
    Whole(Item),
    /// The start of a strip, which trims it without moving its poses in time, or the start of an edit's window.
    First(Item),
    /// The end of a strip or of an edit's window.
    Last(Item),
}

impl Grip {
    /// Returns the item to which the grip belongs.
    pub(super) fn item(self) -> Item {
        let (Self::Whole(item) | Self::First(item) | Self::Last(item)) = self;
        item
    }
}

impl Item {
    /// Returns whether the motion contains the item.
    pub(super) fn is_in(self, motion: &Motion) -> bool {
        match self {
            Self::Bar(i) => i < motion.bars.len(),
            Self::Edit(i) => i < motion.edits.len(),
        }
    }
}

/// Returns the motion without an item.
pub(super) fn without(motion: &Motion, item: Item) -> Motion {
    let mut motion = motion.clone();
    match item {
        Item::Bar(i) if i < motion.bars.len() => drop(motion.bars.remove(i)),
        Item::Edit(i) if i < motion.edits.len() => drop(motion.edits.remove(i)),
        _ => {}
    }
    motion
}

/// Returns the motion with a clip added after its last strip, and the new item. The two strips crossfade over
/// [`Motion::overlap`]. `feet` are node indices.
pub(super) fn with_clip(
    motion: &Motion,
    character: &Character,
    feet: &[usize],
    clip: usize,
) -> (Motion, Item) {
    let (mut bar, clips) = (Bar::new(clip), &character.clips);
    let bars = motion.bars.iter().enumerate();
    let last = bars.max_by(|(_, a), (_, b)| end(a, clips).total_cmp(&end(b, clips)));
    if let Some((index, last)) = last {
        let overlap = motion.overlap(index, &bar, character, feet);
        bar.start = (end(last, clips) - overlap).max(0.0);
    }
    let mut motion = motion.clone();
    let index = insert(&mut motion.bars, bar);
    (motion, Item::Bar(index))
}

/// Returns the motion with one strip replaced.
pub(super) fn with_bar(motion: &Motion, index: usize, bar: Bar) -> Motion {
    let mut motion = motion.clone();
    if let Some(slot) = motion.bars.get_mut(index) {
        *slot = bar;
    }
    motion
}

/// Returns the time at which a strip ends, in seconds.
pub(super) fn end(bar: &Bar, clips: &[Clip]) -> f32 {
    bar.start + bar.length(clips)
}

/// Returns the latest end of the motion, its strips and its edits in seconds.
pub(super) fn extent(motion: &Motion, clips: &[Clip]) -> f32 {
    let bars = motion.bars.iter().map(|b| end(b, clips));
    let edits = motion.edits.iter().map(|e| e.time + e.after);
    let ends = bars.chain(edits).chain([motion.seconds(clips)]);
    ends.filter(|t| t.is_finite()).fold(0.0, f32::max)
}

/// Returns the length in seconds of the crossfade from the previous strip into a strip.
pub(super) fn overlap(motion: &Motion, index: usize, clips: &[Clip]) -> f32 {
    let before = index.checked_sub(1).and_then(|b| motion.bars.get(b));
    let (Some(before), Some(bar)) = (before, motion.bars.get(index)) else { return 0.0 };
    (end(before, clips) - bar.start).clamp(0.0, bar.length(clips))
}

/// Inserts a strip in the order of start times and returns its index.
fn insert(bars: &mut Vec<Bar>, bar: Bar) -> usize {
    let index = bars.iter().position(|b| b.start > bar.start).unwrap_or(bars.len());
    bars.insert(index, bar);
    index
}
