//! Deterministic pseudo-random numbers: splitmix64 (Steele, Lea & Flood 2014).

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

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

    /// Returns an integer below `count`, or 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "less than count")]
        let number = (self.next() % count.max(1) as u64) as usize;
        number
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

    /// Returns a single-precision number from `from` to `to`.
    pub fn range_f32(&mut self, from: f32, to: f32) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a float has 24 significant bits")]
        let unit = (self.next() >> 40) as f32 / (1_u32 << 24) as f32;
        from + (to - from) * unit
    }

    /// Returns a normally distributed number with mean 0 and variance 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        // The logarithm of zero is not finite, but 1 minus a number below 1 is never zero.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// Returns a vector, for example a rotation vector, in a cube of the given half width.
    pub fn turn(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }

    /// Returns a unit vector. Directions towards the corners of a cube are more likely than others.
    pub fn direction(&mut self) -> DVec3 {
        self.turn(1.0).normalize_or(DVec3::Y)
    }

    /// Returns a uniformly distributed rotation (Shoemake 1992).
    pub fn rotation(&mut self) -> DQuat {
        let (u, v, w) = (self.unit(), self.unit(), self.unit());
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        let ((sv, cv), (sw, cw)) = ((TAU * v).sin_cos(), (TAU * w).sin_cos());
        DQuat::from_xyzw(a * sv, a * cv, b * sw, b * cw)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The numbers are those of the reference implementation, `splitmix64.c` (Vigna 2015).
    #[test]
    fn the_sequence_is_that_of_the_reference() {
        let mut random = Random(1_234_567);
        assert_eq!(
            [(); 3].map(|()| random.next()),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let (mut random, count) = (Random(1), 100_000_u32);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let number = random.normal();
            (sum, squares) = (sum + number, squares + number * number);
        }
        let (mean, variance) = (sum / f64::from(count), squares / f64::from(count));
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean}, {variance}");
    }

    #[test]
    fn rotations_and_directions_have_length_one() {
        let mut random = Random(1);
        for _ in 0..100 {
            assert!(random.rotation().is_normalized() && random.direction().is_normalized());
        }
    }
}
