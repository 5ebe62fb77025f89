//! Contacts of a body with the ground, props and itself, and the detection of foot contacts in clips. `key_contacts` computes the contacts
//! of key poses, and `player/held.rs` applies the contacts of a motion.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::asset::Skeleton;

/// A foot is low if its height above the lowest position of any foot is less than this fraction of the hip height.
const MAX_HEIGHT: f32 = 0.05;
/// Maximum speed of a standing foot, in hip heights per second.
const MAX_SPEED: f32 = 0.45;
/// Minimum duration in seconds of a contact or of a gap between contacts. Shorter ones are treated as noise.
const MIN_DURATION: f32 = 0.06;

/// A time interval in which a foot or a hand touches something: the ground, a prop, or another part of the character.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contact {
    /// The node index of the foot or the hand.
    pub node: usize,
    /// The contact point, in the node's frame. In clips, it is the node's origin.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub point: Vec3,
    /// Start of the contact in the clip or the motion, in seconds.
    pub from: f32,
    /// End of the contact in the clip or the motion, in seconds. In a motion, an end before the start means that the contact reaches
    /// around the end of a loop ([`Contact::wraps`]).
    pub to: f32,
    /// Whether the point slides on the ground, as when a figure walks in place. Otherwise it stays in place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slides: bool,
    /// The node that the point touches and follows, such as the hips under a palm. `None` means something that does not move in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<usize>,
}

fn is_zero(point: &Vec3) -> bool {
    *point == Vec3::ZERO
}

impl Contact {
    /// Returns a description of the contact's fault, if it has one.
    pub(crate) fn error(&self) -> Option<&'static str> {
        match () {
            () if !(self.from.is_finite() && self.to.is_finite() && self.point.is_finite()) => {
                Some("from, to and point must be finite")
            }
            () if self.from == self.to => Some("from and to must differ"),
            () if self.on == Some(self.node) => Some("on must be another node"),
            () if self.slides && self.on.is_some() => Some("slides and on exclude each other"),
            () => None,
        }
    }

    /// Returns whether `on` is the contact's own node or one of its descendants.
    pub fn is_on_own_part(&self, skeleton: &Skeleton) -> bool {
        self.on.is_some_and(|on| skeleton.ancestors(on).any(|above| above == self.node))
    }

    /// Returns whether the contact reaches around the end of a loop: it lasts from `from` to the end of the motion, and then from the start of
    /// the motion to `to`. Its point is at one place in both parts.
    ///
    /// ```
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::motion::Contact;
    ///
    /// let contact = Contact { node: 4, point: Vec3::ZERO, from: 0.75, to: 0.25, slides: false, on: None };
    /// assert!(contact.wraps());
    /// let spans: Vec<_> = contact.parts(1.0).map(|part| (part.from, part.to)).collect();
    /// assert_eq!(spans, [(0.75, 1.0), (0.0, 0.25)]);
    /// ```
    pub fn wraps(&self) -> bool {
        self.to < self.from
    }

    /// Returns the parts of the contact in the order in which a loop plays them: the contact itself, or two parts if it
    /// [wraps](Self::wraps). No part wraps. `end` is the length of the motion in seconds.
    pub fn parts(self, end: f32) -> impl Iterator<Item = Self> {
        let [first, second] = if self.wraps() {
            let (from, to) = (self.from.min(end), self.to);
            [Self { from, to: end, ..self }, Self { from: to.min(0.0), to, ..self }].map(Some)
        } else {
            [Some(self), None]
        };
        first.into_iter().chain(second)
    }

    /// Returns whether the contact is in effect at a time.
    pub(super) fn holds_at(&self, time: f32) -> bool {
        if self.wraps() {
            time >= self.from || time <= self.to
        } else {
            (self.from..=self.to).contains(&time)
        }
    }
}

/// Positions of a foot, sampled at a constant time step.
pub(super) struct FootPath {
    pub(super) node: usize,
    /// World positions, in metres.
    pub(super) positions: Vec<Vec3>,
}

/// Detects foot contacts. A foot is in contact while it is low and, unless the figure walks in place, also slow.
///
/// `step` is the time between two positions in seconds. `height` is the height of the hips above the feet in metres.
pub(super) fn contacts(paths: &[FootPath], step: f32, height: f32) -> Vec<Contact> {
    let positions = || paths.iter().flat_map(|p| &p.positions);
    let lowest = positions().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let is_down = |p: &Vec3| p.y < lowest + MAX_HEIGHT * height;
    let mut speeds: Vec<f32> = Vec::new();
    for path in paths {
        let down = (0..path.positions.len()).filter(|&i| is_down(&path.positions[i]));
        speeds.extend(down.map(|i| speed(&path.positions, i, step)));
    }
    speeds.sort_by(f32::total_cmp);
    let still = speeds.get(speeds.len() / 2).is_some_and(|&median| median < MAX_SPEED * height);
    let mut contacts = Vec::new();
    for path in paths {
        let is_contact = |i: usize| {
            is_down(&path.positions[i]) && (!still || speed(&path.positions, i, step) < MAX_SPEED * height)
        };
        for (from, to) in intervals(path.positions.len(), step, is_contact) {
            contacts.push(Contact { node: path.node, point: Vec3::ZERO, from, to, slides: !still, on: None });
        }
    }
    contacts
}

/// Returns the time intervals in which the samples meet a condition. Short gaps are closed, and short intervals are
/// left out.
pub fn intervals(count: usize, step: f32, is_met: impl Fn(usize) -> bool) -> Vec<(f32, f32)> {
    #[expect(clippy::cast_precision_loss, reason = "the number of steps is far below 2²⁴")]
    let time = |i: usize| i as f32 * step;
    // Two successive samples that meet the condition belong to one interval, however long the time step is.
    let gap = MIN_DURATION.max(1.5 * step);
    let mut intervals: Vec<(f32, f32)> = Vec::new();
    for i in (0..count).filter(|&i| is_met(i)) {
        match intervals.last_mut().filter(|(_, to)| time(i) - *to < gap) {
            Some((_, to)) => *to = time(i),
            None => intervals.push((time(i), time(i))),
        }
    }
    intervals.retain(|(from, to)| to - from >= MIN_DURATION);
    intervals
}

/// Returns the horizontal speed in metres per second, measured from the previous position to the next one.
fn speed(positions: &[Vec3], i: usize, step: f32) -> f32 {
    let (before, after) = (i.saturating_sub(1), (i + 1).min(positions.len() - 1));
    #[expect(clippy::cast_precision_loss, reason = "at most two")]
    let seconds = (after - before) as f32 * step;
    let offset = positions[after] - positions[before];
    if seconds > 0.0 { Vec3::new(offset.x, 0.0, offset.z).length() / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::intervals;

    /// Regression test: in a take at ten frames per second, each frame became a separate interval that was too short, so no contact was
    /// found.
    #[test]
    fn intervals_of_coarse_samples_are_found() {
        let is_met = |i: usize| (2..6).contains(&i) || i == 8;
        let found = intervals(12, 0.1, is_met);
        assert_eq!(found.len(), 1);
        assert!((found[0].0 - 0.2).abs() < 1e-6 && (found[0].1 - 0.5).abs() < 1e-6, "{found:?}");
        // At a higher sample rate, short gaps are closed.
        assert_eq!(intervals(100, 0.01, |i| i != 40 && i < 80).len(), 1);
    }
}
