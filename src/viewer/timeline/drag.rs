//! Applies a drag on the timeline to a motion.

use crate::asset::Clip;
use crate::motion::{Bar, Edit, Motion};

use super::{Grip, Item, end, insert};

/// Minimum length in seconds of a clip strip and of each side of an edit's window.
const MIN_SECONDS: f32 = 0.05;

/// The times to which a dragged part snaps.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Snap {
    /// Times to snap to in seconds.
    pub(in super::super) marks: Vec<f32>,
    /// Maximum distance to a mark in seconds.
    pub(in super::super) distance: f32,
    /// Step in seconds to snap to when no mark is near.
    pub(in super::super) step: f32,
}

impl Snap {
    /// Collects the marks for a grip: the ends of the other strips, the times of the other edits and the playhead. The
    /// end of a strip also snaps to the end of the first pass through its clips.
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
            let left = if bar.speed < 0.0 { clip_start(bar, clips) } else { bar.cycle(clips) - bar.from };
            marks.push(bar.start + left / bar.speed.abs());
        }
        Self { marks, distance: 0.05, step: 0.1 }
    }

    /// Returns the offset that moves one of the times to the nearest mark within the snapping distance. If there is
    /// none, the offset moves the first time to a step.
    fn offset<const N: usize>(&self, times: [f32; N]) -> f32 {
        let pairs = times.iter().flat_map(|t| self.marks.iter().map(move |m| m - t));
        let nearest = pairs.min_by(|a, b| a.abs().total_cmp(&b.abs())).filter(|d| d.abs() <= self.distance);
        let first = times.first().copied().unwrap_or_default();
        nearest.unwrap_or_else(|| (first / self.step).round() * self.step - first)
    }

    /// Returns the snapped time.
    pub(in super::super) fn snapped(&self, time: f32) -> f32 {
        time + self.offset([time])
    }
}

/// Drags a grip by some seconds. Returns the new motion, in which the strips are sorted by start, and the grip's item
/// in it. An unknown item changes nothing.
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
    let snapped = |time: f32| snap.map_or(time, |s| s.snapped(time));
    match item {
        Item::Bar(index) if index < motion.bars.len() => {
            let mut bar = motion.bars.remove(index);
            match grip {
                Grip::Whole(_) => {
                    let to = bar.start + by;
                    let ends = [to, to + bar.length(clips)];
                    bar.start = (to + snap.map_or(0.0, |s| s.offset(ends))).max(0.0);
                }
                Grip::First(_) => bar = with_start(&bar, clips, snapped(bar.start + by)),
                Grip::Last(_) => {
                    let seconds = snapped(end(&bar, clips) + by) - bar.start;
                    bar.seconds = Some(seconds.max(MIN_SECONDS));
                }
            }
            let index = insert(&mut motion.bars, bar);
            (motion, Item::Bar(index))
        }
        Item::Edit(index) => {
            if let Some(edit) = motion.edits.get_mut(index) {
                let Edit { time, before, after, .. } = *edit;
                match grip {
                    Grip::Whole(_) => edit.time = snapped(time + by).max(0.0),
                    Grip::First(_) => edit.before = (time - snapped(time - before + by)).max(MIN_SECONDS),
                    Grip::Last(_) => edit.after = (snapped(time + after + by) - time).max(MIN_SECONDS),
                }
            }
            (motion, item)
        }
        Item::Bar(_) => (motion, item),
    }
}

/// Returns the clip time at which a strip begins, in clip seconds.
fn clip_start(bar: &Bar, clips: &[Clip]) -> f32 {
    if bar.speed < 0.0 && bar.from == 0.0 { bar.cycle(clips) } else { bar.from }
}

/// Returns the strip with another start, so that from there on it plays the same poses at the same times. Unless it
/// loops, a strip cannot start before its clip does.
fn with_start(bar: &Bar, clips: &[Clip], to: f32) -> Bar {
    let (cycle, last) = (bar.cycle(clips), end(bar, clips));
    let clip_start = clip_start(bar, clips);
    let before = if bar.speed < 0.0 { cycle - clip_start } else { clip_start };
    let is_still = bar.speed == 0.0;
    let earliest = if bar.again || is_still { 0.0 } else { bar.start - before / bar.speed.abs() };
    let earliest = earliest.clamp(0.0, bar.start.max(0.0));
    let to = to.min(last - MIN_SECONDS).max(earliest);
    if to == bar.start {
        return bar.clone();
    }
    let from = clip_start + (to - bar.start) * bar.speed;
    let from = if bar.again && cycle > 0.0 { from.rem_euclid(cycle) } else { from.max(0.0) };
    Bar { start: to, seconds: Some((last - to).max(0.0)), from, ..bar.clone() }
}
