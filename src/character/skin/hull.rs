//! The extent of a set of points in 26 directions (a discrete oriented polytope, Klosowski et al. 1998). After a transformation, the box
//! around the hull is much tighter than the box around a transformed box.

use glam::{Mat4, Vec3};

use crate::view::Bounds;

/// Margin by which boxes exceed the posed vertices, relative to the largest number in the computation. It covers rounding in the sums of
/// weights and matrices.
const MARGIN: f32 = 6e-6;

/// The extent of some points in all directions whose components are −1, 0 or 1.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    /// Indexed like [`direction`].
    reach: [f32; 27],
}

impl Default for Hull {
    fn default() -> Self {
        Self { reach: [f32::NEG_INFINITY; 27] }
    }
}

/// Index of the zero direction.
const CENTER: usize = 13;

/// Returns the direction of an index. The opposite direction has the index 26 − `index`.
fn direction(index: usize) -> [i8; 3] {
    [index / 9, index / 3 % 3, index % 3].map(|digit| [-1, 0, 1][digit])
}

impl Hull {
    pub(super) fn is_empty(&self) -> bool {
        self.bounds().is_empty()
    }

    pub(super) fn extend(&mut self, point: Vec3) {
        let Vec3 { x, y, z } = point;
        let along = |component: usize, value: f32| [-value, 0.0, value][component];
        let mut at = 0;
        for i in 0..3 {
            for j in 0..3 {
                let sum = along(i, x) + along(j, y);
                for k in 0..3 {
                    if let Some(reach) = self.reach.get_mut(at) {
                        *reach = reach.max(sum + along(k, z));
                    }
                    at += 1;
                }
            }
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        let along = |index: usize| self.reach.get(index).copied().unwrap_or(f32::NEG_INFINITY);
        let [hi, lo] = [[22, 16, 14], [4, 10, 12]].map(|axes| Vec3::from(axes.map(along)));
        Bounds { lo: -lo, hi }
    }

    /// Returns the hull of the points, each displaced by any vector in a box.
    pub(super) fn displaced(&self, (lo, hi): (Vec3, Vec3)) -> Self {
        let mut reach = self.reach;
        for (index, reach) in reach.iter_mut().enumerate() {
            let axis = Vec3::from(direction(index).map(f32::from));
            *reach += (axis * lo).max(axis * hi).element_sum();
        }
        Self { reach }
    }

    /// Returns an upper bound for the extent of the points in a direction of any length. The direction is a sum of three of the 26
    /// directions with non-negative factors. These three have the signs of the largest component, of the two largest components, and of all
    /// three components, respectively.
    fn reach(&self, along: Vec3) -> f32 {
        let Vec3 { x, y, z } = along;
        // The magnitude of each component, and the change of the index due to its sign.
        let term = |value: f32, place: isize| (value.abs(), if value < 0.0 { -place } else { place });
        let (mut a, mut b, mut c) = (term(x, 9), term(y, 3), term(z, 1));
        if a.0 < b.0 {
            (a, b) = (b, a);
        }
        if b.0 < c.0 {
            (b, c) = (c, b);
        }
        if a.0 < b.0 {
            (a, b) = (b, a);
        }
        let at = |offset: isize| {
            self.reach.get(CENTER.wrapping_add_signed(offset)).copied().unwrap_or(f32::INFINITY)
        };
        (a.0 - b.0) * at(a.1) + (b.0 - c.0) * at(a.1 + b.1) + c.0 * at(a.1 + b.1 + c.1)
    }

    /// Returns two opposite corners of a box around the transformed points.
    pub(super) fn transformed(&self, matrix: &Mat4) -> [Vec3; 2] {
        let Bounds { lo, hi } = self.bounds();
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::Vec4::truncate);
        let to = matrix.w_axis.truncate();
        let reach = lo.abs().max(hi.abs());
        let magnitude = x.abs() * reach.x + y.abs() * reach.y + z.abs() * reach.z + to.abs();
        let rows = [Vec3::new(x.x, y.x, z.x), Vec3::new(x.y, y.y, z.y), Vec3::new(x.z, y.z, z.z)];
        let hi = Vec3::from(rows.map(|row| self.reach(row)));
        let lo = Vec3::from(rows.map(|row| self.reach(-row)));
        [to - lo - magnitude * MARGIN, to + hi + magnitude * MARGIN]
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, vec3};

    use super::*;

    /// Points of a thin diagonal rod.
    fn rod() -> (Vec<Vec3>, Hull) {
        let points: Vec<Vec3> = (0..20_u8).map(|i| vec3(0.1, 0.12, -0.05) * f32::from(i) + 0.3).collect();
        let mut hull = Hull::default();
        points.iter().for_each(|&point| hull.extend(point));
        (points, hull)
    }

    #[test]
    fn a_box_contains_the_turned_points_and_is_tighter_than_that_of_the_turned_box() {
        let (points, hull) = rod();
        for step in 0..60_u8 {
            let angle = f32::from(step) * 0.37;
            let axis = vec3(angle.sin(), 0.4, angle.cos()).normalize();
            let matrix =
                Mat4::from_rotation_translation(Quat::from_axis_angle(axis, angle), vec3(3.0, -1.0, 2.0));
            let [lo, hi] = hull.transformed(&matrix);
            for point in &points {
                let at = matrix.transform_point3(*point);
                assert!(at.cmpge(lo).all() && at.cmple(hi).all(), "{at} is outside of {lo} to {hi}");
            }
            let Bounds { lo: low, hi: high } = hull.bounds();
            let half = (high - low) * 0.5;
            let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|a| a.truncate().abs());
            let loose = 2.0 * (x * half.x + y * half.y + z * half.z);
            assert!((hi - lo).cmple(loose + 1e-4).all(), "{} is larger than {loose}", hi - lo);
        }
    }

    #[test]
    fn a_displaced_hull_contains_displaced_points() {
        let (points, hull) = rod();
        let range = (vec3(-0.2, 0.0, -0.1), vec3(0.0, 0.3, 0.1));
        let Bounds { lo, hi } = hull.displaced(range).bounds();
        for point in points {
            assert!((point + range.0).cmpge(lo - 1e-6).all() && (point + range.1).cmple(hi + 1e-6).all());
        }
    }

    #[test]
    fn the_reach_along_each_direction_is_exact() {
        let (points, hull) = rod();
        for axis in (0..27).map(|index| Vec3::from(direction(index).map(f32::from))) {
            let exact = points.iter().map(|p| p.dot(axis)).fold(f32::NEG_INFINITY, f32::max);
            assert!((hull.reach(axis) - exact).abs() < 1e-5, "{axis}");
        }
        assert!(Hull::default().is_empty() && !hull.is_empty());
    }
}
