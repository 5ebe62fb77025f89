//! Random choices for seeded faults, the same on every machine.

use glam::DVec3;

/// A pseudo-random sequence, determined by its seed.
pub(super) struct Random(sinew_base::Random);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(sinew_base::Random(seed))
    }

    /// Returns a number from `low` up to, but not including, `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.range(low, high)
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    pub(super) fn index(&mut self, count: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "less than count")]
        let index = (self.0.next() % count.max(1) as u64) as usize;
        index
    }

    /// Returns a unit vector.
    pub(super) fn direction(&mut self) -> DVec3 {
        let mut component = || self.between(-1.0, 1.0);
        DVec3::new(component(), component(), component()).try_normalize().unwrap_or(DVec3::Y)
    }
}
