//! What a pull on a line of time makes of a motion.

use crate::asset::Clip;
use crate::motion::{Bar, Edit, Motion};

use super::{Grip, Item, end, insert};

/// Seconds that a bar lasts at least, and that an edit grows and wanes.
const SHORTEST: f32 = 0.05;

/// Where what is pulled comes to rest.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Snap {
    /// Times that draw it, seconds.
    pub(in super::super) marks: Vec<f32>,
    /// From how far, seconds.
    pub(in super::super) reach: f32,
    /// Where no mark is near, multiples of so many seconds.
    pub(in super::super) step: f32,
}

impl Snap {
    /// The marks of a motion for one of its grips: ends of the other bars, times of the other edits, the playhead; for
    /// the last moment of a bar also where its clips have gone through once.
    pub(in super::super) fn new(
        motion: &Motion,
        clips: &[Clip],
        grip: Option<Grip>,
        playhead: Option<f32>,
    ) -> Self {
        let item = grip.map(Grip::item);
        let others = motion.bars.iter().enumerate().filter(|(i, _)| item != Some(Item::Bar(*i)));
        let mut marks: Vec<f32> = others.flat_map(|(_, b)| [b.start, end(b, clips)]).collect();
        let others = motion.edits.iter().enumerate().filter(|(i, _)| item != Some(Item::Edit(*i)));
        marks.extend(others.map(|(_, e)| e.time));
        marks.extend(playhead);
        if let Some(Grip::Last(Item::Bar(i))) = grip
            && let Some(bar) = motion.bars.get(i).filter(|b| b.speed != 0.0)
        {
            let left = if bar.speed < 0.0 { begins(bar, clips) } else { bar.cycle(clips) - bar.from };
            marks.push(bar.start + left / bar.speed.abs());
        }
        Self { marks, reach: 0.05, step: 0.1 }
    }

    /// What to add so that one of some times rests: on the nearest mark within reach, else the first of them on a step.
    fn shift<const N: usize>(&self, times: [f32; N]) -> f32 {
        let pairs = times.iter().flat_map(|t| self.marks.iter().map(move |m| m - t));
        let nearest = pairs.min_by(|a, b| a.abs().total_cmp(&b.abs())).filter(|d| d.abs() <= self.reach);
        let first = times.first().copied().unwrap_or_default();
        nearest.unwrap_or_else(|| (first / self.step).round() * self.step - first)
    }

    /// Where a time comes to rest.
    pub(in super::super) fn rest(&self, time: f32) -> f32 {
        time + self.shift([time])
    }
}

/// What a pull of a grip by some seconds makes of a motion, and what the grip's item is there: bars stay in the order
/// in which they start. A grip that is not there changes nothing.
pub(in super::super) fn drag(
    motion: &Motion,
    clips: &[Clip],
    grip: Grip,
    by: f32,
    snap: Option<&Snap>,
) -> (Motion, Item) {
    let (mut motion, item) = (motion.clone(), grip.item());
    if !by.is_finite() {
        return (motion, item);
    }
    let rest = |time: f32| snap.map_or(time, |s| s.rest(time));
    match item {
        Item::Bar(place) if place < motion.bars.len() => {
            let mut bar = motion.bars.remove(place);
            match grip {
                Grip::Whole(_) => {
                    let to = bar.start + by;
                    let ends = [to, to + bar.length(clips)];
                    bar.start = (to + snap.map_or(0.0, |s| s.shift(ends))).max(0.0);
                }
                Grip::First(_) => bar = beginning(&bar, clips, rest(bar.start + by)),
                Grip::Last(_) => {
                    let seconds = rest(end(&bar, clips) + by) - bar.start;
                    bar.seconds = Some(seconds.max(SHORTEST));
                }
            }
            let place = insert(&mut motion.bars, bar);
            (motion, Item::Bar(place))
        }
        Item::Edit(place) => {
            if let Some(edit) = motion.edits.get_mut(place) {
                let Edit { time, before, after, .. } = *edit;
                match grip {
                    Grip::Whole(_) => edit.time = rest(time + by).max(0.0),
                    Grip::First(_) => edit.before = (time - rest(time - before + by)).max(SHORTEST),
                    Grip::Last(_) => edit.after = (rest(time + after + by) - time).max(SHORTEST),
                }
            }
            (motion, item)
        }
        Item::Bar(_) => (motion, item),
    }
}

/// Where in its clips a bar begins, clip seconds.
fn begins(bar: &Bar, clips: &[Clip]) -> f32 {
    if bar.speed < 0.0 && bar.from == 0.0 { bar.cycle(clips) } else { bar.from }
}

/// A bar that starts at another time and from then on shows what it did. It cannot start before its clip does, unless
/// that starts again.
fn beginning(bar: &Bar, clips: &[Clip], to: f32) -> Bar {
    let (cycle, last) = (bar.cycle(clips), end(bar, clips));
    let begins = begins(bar, clips);
    let before = if bar.speed < 0.0 { cycle - begins } else { begins };
    let stands = bar.speed == 0.0;
    let earliest = if bar.again || stands { 0.0 } else { bar.start - before / bar.speed.abs() };
    let earliest = earliest.clamp(0.0, bar.start.max(0.0));
    let to = to.min(last - SHORTEST).max(earliest);
    if to == bar.start {
        return bar.clone();
    }
    let from = begins + (to - bar.start) * bar.speed;
    let from = if bar.again && cycle > 0.0 { from.rem_euclid(cycle) } else { from.max(0.0) };
    Bar { start: to, seconds: Some((last - to).max(0.0)), from, ..bar.clone() }
}
