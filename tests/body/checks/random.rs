//! Seeded pseudo-random targets.

use glam::Vec3;

/// The pseudo-random sequence of a check.
#[derive(Clone, Debug)]
pub struct Random(sinew_base::Random);

impl Random {
    /// Creates the sequence of one check. It does not depend on which other checks run.
    pub fn new(seed: u64, letter: char, number: usize) -> Self {
        let mut random = sinew_base::Random(seed);
        random.0 = random.next() ^ u64::from(u32::from(letter));
        random.0 = random.next() ^ number as u64;
        Self(random)
    }

    /// Returns a number from `from` up to `to`.
    pub fn range(&mut self, from: f32, to: f32) -> f32 {
        self.0.range_f32(from, to)
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
