//! Sums of squared distances from planes.

use std::ops::AddAssign;

use glam::{DMat3, DVec3};

/// The weighted sum of the squared distances of a point from several planes, as a quadratic function of the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadric {
    squared: DMat3,
    linear: DVec3,
    constant: f64,
    weight: f64,
}

impl Quadric {
    /// The sum for no planes.
    pub(super) const ZERO: Self =
        Self { squared: DMat3::ZERO, linear: DVec3::ZERO, constant: 0.0, weight: 0.0 };

    /// The plane through a point with a unit normal.
    pub(super) fn of_plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let distance = -normal.dot(point);
        let squared = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * weight;
        Self { squared, linear: normal * (distance * weight), constant: distance * distance * weight, weight }
    }

    /// Returns the sum of the weights.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// Returns the mean squared distance of a point from the planes.
    pub(super) fn mean(&self, point: DVec3) -> f64 {
        let sum = point.dot(self.squared * point) + 2.0 * self.linear.dot(point) + self.constant;
        if self.weight > 0.0 { (sum / self.weight).max(0.0) } else { 0.0 }
    }
}

impl AddAssign for Quadric {
    fn add_assign(&mut self, other: Self) {
        self.squared += other.squared;
        self.linear += other.linear;
        self.constant += other.constant;
        self.weight += other.weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_weighted() {
        let mut sum = Quadric::ZERO;
        sum += Quadric::of_plane(DVec3::X, DVec3::new(1.0, 5.0, 5.0), 3.0);
        sum += Quadric::of_plane(DVec3::Y, DVec3::ZERO, 1.0);
        // Distances of 2 and 4.
        let mean = sum.mean(DVec3::new(3.0, 4.0, -7.0));
        assert!((mean - (3.0 * 4.0 + 16.0) / 4.0).abs() < 1e-12, "{mean}");
        assert_eq!(Quadric::ZERO.mean(DVec3::ONE), 0.0);
    }
}
