//! A motion on a line of time: what there can be taken hold of, and what a pull makes of it. Nothing here draws, and
//! nothing here changes a session: what comes of it is another motion.

use crate::asset::{Character, Clip};
use crate::motion::{Bar, Motion};

mod drag;
mod ruler;
#[cfg(test)]
mod tests;

pub(super) use drag::{Snap, drag};
pub(super) use ruler::Ruler;

/// What can be selected, by its place in the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Bar(usize),
    Edit(usize),
}

/// What can be pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    /// The whole: a bar starts, or an edit is, at another time.
    Whole(Item),
    /// A bar's first moment, which shows what it showed; the first moment of an edit's window.
    First(Item),
    /// A bar's last moment; the last moment of an edit's window.
    Last(Item),
}

impl Grip {
    /// Of what it is a part.
    pub(super) fn item(self) -> Item {
        let (Self::Whole(item) | Self::First(item) | Self::Last(item)) = self;
        item
    }
}

impl Item {
    /// Whether the motion has it.
    pub(super) fn is_in(self, motion: &Motion) -> bool {
        match self {
            Self::Bar(i) => i < motion.bars.len(),
            Self::Edit(i) => i < motion.edits.len(),
        }
    }
}

/// The motion without something.
pub(super) fn without(motion: &Motion, item: Item) -> Motion {
    let mut motion = motion.clone();
    match item {
        Item::Bar(i) if i < motion.bars.len() => drop(motion.bars.remove(i)),
        Item::Edit(i) if i < motion.edits.len() => drop(motion.edits.remove(i)),
        _ => {}
    }
    motion
}

/// The motion with a clip after its last bar, which passes into it as [`Motion::overlap`] says. `feet`: nodes.
pub(super) fn with_clip(
    motion: &Motion,
    character: &Character,
    feet: &[usize],
    clip: usize,
) -> (Motion, Item) {
    let (mut bar, clips) = (Bar::new(clip), &character.clips);
    let bars = motion.bars.iter().enumerate();
    let last = bars.max_by(|(_, a), (_, b)| end(a, clips).total_cmp(&end(b, clips)));
    if let Some((place, last)) = last {
        let overlap = motion.overlap(place, &bar, character, feet);
        bar.start = (end(last, clips) - overlap).max(0.0);
    }
    let mut motion = motion.clone();
    let place = insert(&mut motion.bars, bar);
    (motion, Item::Bar(place))
}

/// The motion with another bar in the place of one.
pub(super) fn with_bar(motion: &Motion, place: usize, bar: Bar) -> Motion {
    let mut motion = motion.clone();
    if let Some(there) = motion.bars.get_mut(place) {
        *there = bar;
    }
    motion
}

/// Where a bar ends, seconds.
pub(super) fn end(bar: &Bar, clips: &[Clip]) -> f32 {
    bar.start + bar.length(clips)
}

/// Where anything on the line ends, seconds.
pub(super) fn extent(motion: &Motion, clips: &[Clip]) -> f32 {
    let bars = motion.bars.iter().map(|b| end(b, clips));
    let edits = motion.edits.iter().map(|e| e.time + e.after);
    let ends = bars.chain(edits).chain([motion.seconds(clips)]);
    ends.filter(|t| t.is_finite()).fold(0.0, f32::max)
}

/// Seconds over which a bar comes in, while the one before it goes.
pub(super) fn overlap(motion: &Motion, place: usize, clips: &[Clip]) -> f32 {
    let before = place.checked_sub(1).and_then(|b| motion.bars.get(b));
    let (Some(before), Some(bar)) = (before, motion.bars.get(place)) else { return 0.0 };
    (end(before, clips) - bar.start).clamp(0.0, bar.length(clips))
}

/// Puts a bar where it belongs by its start; its place.
fn insert(bars: &mut Vec<Bar>, bar: Bar) -> usize {
    let place = bars.iter().position(|b| b.start > bar.start).unwrap_or(bars.len());
    bars.insert(place, bar);
    place
}
