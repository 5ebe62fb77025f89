//! The time interval in which a point is held, with its fades before and after.

use glam::Vec3;

use crate::motion::blend::ease;

/// Duration in seconds of a point's movement from its position in the motion to its held position, and of the movement back.
pub(super) const FADE: f32 = 0.15;

/// A time interval in which a point is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) from: f32,
    pub(super) to: f32,
    /// Durations in seconds of the fade before the interval and of the fade after it.
    pub(super) fades: [f32; 2],
    /// Offsets of the held position from the position in the motion, at the start and at the end of the interval.
    pub(super) offsets: [Vec3; 2],
}

impl Interval {
    /// Returns the weight at a time: 1 in the interval, and 0 outside its fades.
    pub(super) fn weight(&self, time: f32) -> f32 {
        match (self.from - time, time - self.to) {
            (early, _) if early > 0.0 => ease(1.0 - early / self.fades[0].max(f32::MIN_POSITIVE)),
            (_, late) if late > 0.0 => ease(1.0 - late / self.fades[1].max(f32::MIN_POSITIVE)),
            _ => 1.0,
        }
    }

    /// Returns the position at a time. `current` is the position in the motion, and `held` is the position in the interval. In the fades,
    /// the offset of the nearer end applies.
    pub(super) fn position(&self, time: f32, current: Vec3, held: Vec3) -> Vec3 {
        let [lead, trail] = self.offsets;
        match () {
            () if time < self.from => current + lead,
            () if time > self.to => current + trail,
            () => held,
        }
    }
}
