//! Seeded pseudo-random targets.

use glam::Vec3;

/// A pseudo-random sequence that is determined by its seed: splitmix64 (Steele, Lea & Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the sequence of one check. It does not depend on which other checks run.
    pub fn new(seed: u64, letter: char, number: usize) -> Self {
        let mut random = Self(seed);
        random.0 = random.next() ^ u64::from(u32::from(letter));
        random.0 = random.next() ^ number as u64;
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from `from` up to `to`.
    pub fn range(&mut self, from: f32, to: f32) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
        let unit = (self.next() >> 40) as f32 / (1_u64 << 24) as f32;
        from + (to - from) * unit
    }

    /// Returns a unit vector. All directions are equally likely.
    pub fn direction(&mut self) -> Vec3 {
        let height = self.range(-1.0, 1.0);
        let around = self.range(0.0, std::f32::consts::TAU);
        let radius = (1.0 - height * height).max(0.0).sqrt();
        Vec3::new(radius * around.cos(), height, radius * around.sin())
    }

    /// Returns a point in a ball around the origin.
    pub fn in_ball(&mut self, radius: f32) -> Vec3 {
        self.direction() * (radius * self.range(0.0, 1.0).cbrt())
    }

    /// Returns a direction that differs from a unit vector by at most an angle in degrees.
    pub fn near(&mut self, direction: Vec3, degrees: f32) -> Vec3 {
        (direction + self.in_ball(degrees.to_radians().sin())).normalize_or(direction)
    }
}
