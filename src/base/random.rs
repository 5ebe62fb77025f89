//! Deterministic pseudo-random numbers: splitmix64 (Steele, Lea & Flood 2014).

use glam::DVec3;

/// A pseudo-random sequence, which is determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "the sequence has no end, so an iterator would never return `None`"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a double has 53 significant bits")]
        let mantissa = (self.next() >> 11) as f64;
        mantissa / (1_u64 << 53) as f64
    }

    /// Returns a number from `from` up to, but not including, `to`.
    pub fn range(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Returns a rotation vector in a cube of the given half width.
    pub fn turn(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }
}
