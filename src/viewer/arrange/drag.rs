//! Computes the motion that results from a drag on the timeline.

use crate::asset::Clip;
use crate::motion::{Contact, Edit, Motion, Strip};

use super::{Grip, Item, end, insert};

/// Minimum length in seconds of a clip strip, of a contact and of each side of an edit's window.
const MIN_SECONDS: f32 = 0.05;

/// The times to which a dragged part snaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snap {
    /// Times to snap to, in seconds.
    pub(crate) marks: Vec<f32>,
    /// Maximum distance in seconds at which a time snaps to a mark.
    pub(crate) distance: f32,
    /// Step in seconds to snap to when no mark is near.
    pub(crate) step: f32,
}

impl Snap {
    /// Collects the marks for a grip: the ends of the other strips and contacts, the times of the other edits, and the playhead.
    /// Contacts and goals also snap to key poses. The end of a strip also snaps to the time at which its clips have played once.
    pub(crate) fn new(motion: &Motion, clips: &[Clip], grip: Option<Grip>, playhead: Option<f32>) -> Self {
        let item = grip.map(Grip::item);
        let others = motion.strips.iter().enumerate().filter(|(i, _)| item != Some(Item::Strip(*i)));
        let mut marks: Vec<f32> = others.flat_map(|(_, s)| [s.start, end(s, clips)]).collect();
        let others = motion.edits.iter().enumerate().filter(|(i, _)| item != Some(Item::Edit(*i)));
        marks.extend(others.map(|(_, e)| e.time));
        let others = motion.contacts.iter().enumerate().filter(|(i, _)| item != Some(Item::Contact(*i)));
        marks.extend(others.flat_map(|(_, contact)| [contact.from, contact.to]));
        if matches!(item, Some(Item::Contact(_) | Item::Goal(_))) {
            marks.extend(motion.keys.iter().map(|key| key.time));
        }
        marks.extend(playhead);
        if let Some(Grip::Last(Item::Strip(i))) = grip
            && let Some(strip) = motion.strips.get(i).filter(|s| s.speed != 0.0)
        {
            marks.push(strip.start + strip.seconds_left(clips));
        }
        Self { marks, distance: 0.05, step: 0.1 }
    }

    /// Returns the offset that moves one of the times to the nearest mark within the snapping distance. If there is no
    /// such mark, the offset moves the first time to the nearest step.
    fn offset<const N: usize>(&self, times: [f32; N]) -> f32 {
        let pairs = times.iter().flat_map(|t| self.marks.iter().map(move |m| m - t));
        let nearest = pairs.min_by(|a, b| a.abs().total_cmp(&b.abs())).filter(|d| d.abs() <= self.distance);
        let first = times.first().copied().unwrap_or_default();
        nearest.unwrap_or_else(|| (first / self.step).round() * self.step - first)
    }

    pub(crate) fn snapped(&self, time: f32) -> f32 {
        time + self.offset([time])
    }
}

/// Drags a grip by a number of seconds. Returns the new motion, whose strips are sorted by start, and the grip's item in the new
/// motion. If the item is unknown, nothing changes. If the motion `loops`, the end of a contact can be dragged around the end of the loop.
pub(crate) fn drag(
    motion: &Motion,
    clips: &[Clip],
    grip: Grip,
    by: f32,
    snap: Option<&Snap>,
    loops: bool,
) -> (Motion, Item) {
    let (mut motion, item) = (motion.clone(), grip.item());
    if !by.is_finite() {
        return (motion, item);
    }
    let snapped = |time: f32| snap.map_or(time, |s| s.snapped(time));
    match item {
        Item::Strip(index) if index < motion.strips.len() => {
            let mut strip = motion.strips.remove(index);
            match grip {
                Grip::Whole(_) => {
                    let to = strip.start + by;
                    let ends = [to, to + strip.length(clips)];
                    strip.start = (to + snap.map_or(0.0, |s| s.offset(ends))).max(0.0);
                }
                Grip::First(_) => strip = with_start(&strip, clips, snapped(strip.start + by)),
                Grip::Last(_) => {
                    let seconds = snapped(end(&strip, clips) + by) - strip.start;
                    strip.seconds = Some(seconds.max(MIN_SECONDS));
                }
            }
            let index = insert(&mut motion.strips, strip);
            (motion, Item::Strip(index))
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
        Item::Contact(index) => {
            let seconds = motion.seconds(clips);
            if let Some(contact) = motion.contacts.get_mut(index) {
                let is_on_loop = contact.wraps() || loops && contact.to <= seconds;
                let round = if is_on_loop { seconds.max(contact.from) } else { f32::INFINITY };
                *contact = with_contact_dragged(contact, grip, by, snap, round.max(MIN_SECONDS));
            }
            (motion, item)
        }
        Item::Goal(index) => {
            let time = motion.goals.get(index).map(|key| snapped(key.time + by).max(0.0));
            match time.and_then(|time| motion.with_goal_key_moved(index, time)) {
                Some((moved, index)) => (moved, Item::Goal(index)),
                None => (motion, item),
            }
        }
        Item::Strip(_) => (motion, item),
    }
}

/// Returns the contact after a drag. A part that is dragged past the end of a loop continues at its start. `round` is the length of the loop
/// in seconds, and infinite without a loop.
fn with_contact_dragged(contact: &Contact, grip: Grip, by: f32, snap: Option<&Snap>, round: f32) -> Contact {
    let Contact { from, to, .. } = *contact;
    let snapped = |time: f32| snap.map_or(time, |s| s.snapped(time));
    // The times of a contact that wraps are counted from the round in which it starts.
    let later = if contact.wraps() { round } else { 0.0 };
    let [from, to] = match grip {
        Grip::Whole(_) => {
            let start = (from + by + snap.map_or(0.0, |s| s.offset([from + by, to + by]))).max(0.0);
            let length = to - from + later;
            // A contact that lasts for a whole round cannot wrap.
            let wrapped = |time: f32| if length < round { time - round } else { time };
            let start = if start >= round { wrapped(start).min(round) } else { start };
            let end = start + length;
            [start, if end > round { wrapped(end) } else { end }]
        }
        Grip::First(_) if contact.wraps() => match from + by {
            time if time >= round && to >= MIN_SECONDS => {
                [snapped(time - round).clamp(0.0, to - MIN_SECONDS), to]
            }
            time => [snapped(time).min(to + round - MIN_SECONDS).max(to + MIN_SECONDS).min(round), to],
        },
        Grip::First(_) => [snapped(from + by).max(0.0).min(to - MIN_SECONDS), to],
        Grip::Last(_) => match to + later + by {
            // A contact that starts just before the end of the loop must wrap, or it would be too short.
            time if time.max(from + MIN_SECONDS) > round && from >= MIN_SECONDS => {
                let earliest = (from + MIN_SECONDS - round).max(0.0);
                [from, snapped(time - round).max(earliest).min(from - MIN_SECONDS)]
            }
            time => [from, snapped(time).min(round).max(from + MIN_SECONDS)],
        },
    };
    Contact { from, to, ..*contact }
}

/// Returns the strip with a new start time. After that time the strip plays the same poses at the same times as before.
/// Unless it loops or its speed is 0, it cannot start before its clip does.
fn with_start(strip: &Strip, clips: &[Clip], to: f32) -> Strip {
    let (cycle, last) = (strip.cycle_seconds(clips), end(strip, clips));
    let clip_start = strip.clip_start(clips);
    let before = if strip.speed < 0.0 { cycle - clip_start } else { clip_start };
    let is_still = strip.speed == 0.0;
    let earliest = if strip.looping || is_still { 0.0 } else { strip.start - before / strip.speed.abs() };
    let earliest = earliest.clamp(0.0, strip.start.max(0.0));
    let to = to.min(last - MIN_SECONDS).max(earliest);
    if to == strip.start {
        return strip.clone();
    }
    let from = clip_start + (to - strip.start) * strip.speed;
    let from = if strip.looping && cycle > 0.0 { from.rem_euclid(cycle) } else { from.max(0.0) };
    Strip { start: to, seconds: Some((last - to).max(0.0)), from, ..strip.clone() }
}
