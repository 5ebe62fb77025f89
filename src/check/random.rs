//! Pseudorandom numbers that are the same on every machine.

use glam::DVec3;

/// Pseudorandom numbers: SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From `low` to `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the upper 53 bits are exact")]
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    pub(super) fn index(&mut self, count: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "less than count")]
        let index = (self.next() % count.max(1) as u64) as usize;
        index
    }

    pub(super) fn direction(&mut self) -> DVec3 {
        let mut component = || self.between(-1.0, 1.0);
        DVec3::new(component(), component(), component()).try_normalize().unwrap_or(DVec3::Y)
    }
}
