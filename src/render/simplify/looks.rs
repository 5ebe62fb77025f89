//! Sums of squared differences between the looks of vertices and those of a surface.

use std::ops::AddAssign;

use glam::{DMat3, DVec3};

use super::{LOOKS, Look};

/// A triangle whose height is a smaller fraction of its longest side has reduced gradients. Its looks would otherwise be extrapolated too
/// far.
const NARROW: f64 = 0.1;

/// The weighted sum of the squared differences between given looks and those of several triangles, extended linearly in their planes, as a
/// function of the position and the looks (Hoppe 1999, "New Quadric Metric for Simplifying Meshes with Appearance Attributes").
#[derive(Clone, Copy, Debug)]
pub(super) struct LookQuadric {
    squared: DMat3,
    linear: DVec3,
    constant: f64,
    /// The sums of the gradients of all looks, and of their values at the origin.
    gradients: [DVec3; LOOKS],
    offsets: [f64; LOOKS],
    weight: f64,
}

impl LookQuadric {
    /// The sum for no triangles.
    pub(super) const ZERO: Self = Self {
        squared: DMat3::ZERO,
        linear: DVec3::ZERO,
        constant: 0.0,
        gradients: [DVec3::ZERO; LOOKS],
        offsets: [0.0; LOOKS],
        weight: 0.0,
    };

    /// The looks of a triangle, weighted by its area.
    pub(super) fn of_triangle([a, b, c]: [DVec3; 3], looks: [&Look; 3]) -> Self {
        let (to_b, to_c) = (b - a, c - a);
        let normal = to_b.cross(to_c);
        let weight = 0.5 * normal.length();
        let longest = to_b.length_squared().max(to_c.length_squared()).max(b.distance_squared(c));
        let squared = (normal.length_squared() + (NARROW * longest).powi(2)).max(f64::MIN_POSITIVE);
        let [along_b, along_c] = [to_c.cross(normal), normal.cross(to_b)].map(|axis| axis / squared);
        let mut sum = Self { weight, ..Self::ZERO };
        for (index, (gradient, offset)) in sum.gradients.iter_mut().zip(&mut sum.offsets).enumerate() {
            let [of_a, of_b, of_c] = looks.map(|look| f64::from(look[index]));
            let slope = along_b * (of_b - of_a) + along_c * (of_c - of_a);
            let at_origin = (of_a + of_b + of_c - slope.dot(a + b + c)) / 3.0;
            sum.squared += DMat3::from_cols(slope * slope.x, slope * slope.y, slope * slope.z) * weight;
            sum.linear += slope * (at_origin * weight);
            sum.constant += at_origin * at_origin * weight;
            (*gradient, *offset) = (slope * weight, at_origin * weight);
        }
        sum
    }

    /// Returns the weighted sum of the squared differences for a vertex.
    pub(super) fn sum(&self, position: DVec3, look: &Look) -> f64 {
        let mut sum = position.dot(self.squared * position) + 2.0 * self.linear.dot(position) + self.constant;
        for ((gradient, offset), &own) in self.gradients.iter().zip(&self.offsets).zip(look) {
            let own = f64::from(own);
            sum += own * (self.weight * own - 2.0 * (gradient.dot(position) + offset));
        }
        sum.max(0.0)
    }

    /// Returns the sum of the weights.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }
}

impl AddAssign for LookQuadric {
    fn add_assign(&mut self, other: Self) {
        self.squared += other.squared;
        self.linear += other.linear;
        self.constant += other.constant;
        self.gradients.iter_mut().zip(other.gradients).for_each(|(sum, gradient)| *sum += gradient);
        self.offsets.iter_mut().zip(other.offsets).for_each(|(sum, offset)| *sum += offset);
        self.weight += other.weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_vary_linearly_have_no_error() {
        let look = |p: DVec3| -> Look {
            let (x, y) = (p.x as f32, p.y as f32);
            [0.1 * x, 0.2 * y - 0.1, 0.3, x + y, 0.0, -y, 2.0 * x, 1.0]
        };
        let place = |x: f64, y: f64| DVec3::new(x, y, 0.5);
        let triangles = [
            [place(1.0, 2.0), place(2.0, 2.1), place(1.2, 3.0)],
            [place(2.0, 2.1), place(2.5, 3.0), place(1.2, 3.0)],
        ];
        let mut sum = LookQuadric::ZERO;
        for corners in triangles {
            let [a, b, c] = corners.map(look);
            sum += LookQuadric::of_triangle(corners, [&a, &b, &c]);
        }
        let at = place(1.8, 2.5);
        // Gradients are slightly too small, because triangles might be narrow.
        let mean = |look: &Look| sum.sum(at, look) / sum.weight();
        let right = mean(&look(at));
        assert!(right < 1e-3, "{right}");
        let mut wrong = look(at);
        (wrong[2], wrong[7]) = (wrong[2] + 0.3, wrong[7] - 0.4);
        assert!((mean(&wrong) - right - 0.25).abs() < 1e-6, "{}", mean(&wrong));
    }
}
