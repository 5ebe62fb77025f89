//! Capsules around the bones of a character, fitted to its skin.

use glam::{Affine3A, Vec3};

use super::spans::quantile;

/// The fraction of the vertices of a bone that are nearer to its axis than the radius of its capsule. Clothes and hair are farther.
const INSIDE: f64 = 0.5;

/// A segment between two points with a radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    /// The node that carries it.
    pub(super) node: usize,
    /// The ends in the space of the node.
    pub(super) ends: [Vec3; 2],
    /// The radius in world metres.
    pub(super) radius: f32,
}

impl Capsule {
    /// Fits a capsule to the vertices of a bone. `world_from_node` is the matrix at rest, and `tip` the position of the next joint in
    /// the space of the node. Without a next joint, the bone ends at the centre of the vertices.
    pub(super) fn fit(
        node: usize,
        vertices: &[Vec3],
        tip: Option<Vec3>,
        world_from_node: &Affine3A,
    ) -> Option<Self> {
        if vertices.len() < 4 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no exact count")]
        let centre = vertices.iter().sum::<Vec3>() / vertices.len() as f32;
        let ends = [Vec3::ZERO, tip.unwrap_or(centre)];
        let world = |p: Vec3| world_from_node.transform_point3(p);
        let axis = ends.map(world);
        let distances = vertices.iter().map(|v| f64::from(distance_to_segment(world(*v), axis))).collect();
        #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
        let radius = quantile(distances, INSIDE) as f32;
        (radius > 0.0 && radius.is_finite()).then_some(Self { node, ends, radius })
    }

    /// Returns the ends in world space.
    pub(super) fn axis(&self, world_from_node: &Affine3A) -> [Vec3; 2] {
        self.ends.map(|end| world_from_node.transform_point3(end))
    }
}

fn distance_to_segment(point: Vec3, [a, b]: [Vec3; 2]) -> f32 {
    let along = b - a;
    let t = ((point - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(a + along * t)
}

/// Returns the nearest points of two segments. Ericson 2005, "Real-Time Collision Detection", section 5.1.9.
pub(super) fn nearest_points([p1, q1]: [Vec3; 2], [p2, q2]: [Vec3; 2]) -> (Vec3, Vec3) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let tiny = 1e-12;
    let (s, t);
    if a <= tiny && e <= tiny {
        return (p1, p2);
    }
    if a <= tiny {
        (s, t) = (0.0, (f / e).clamp(0.0, 1.0));
    } else {
        let c = d1.dot(r);
        if e <= tiny {
            (s, t) = ((-c / a).clamp(0.0, 1.0), 0.0);
        } else {
            let b = d1.dot(d2);
            let denominator = a * e - b * b;
            let first =
                if denominator > tiny { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
            let second = (b * first + f) / e;
            if second < 0.0 {
                (s, t) = ((-c / a).clamp(0.0, 1.0), 0.0);
            } else if second > 1.0 {
                (s, t) = (((b - c) / a).clamp(0.0, 1.0), 1.0);
            } else {
                (s, t) = (first, second);
            }
        }
    }
    (p1 + d1 * s, p2 + d2 * t)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_points_of_two_segments_are_nearer(
            points in prop::array::uniform4(prop::array::uniform3(-1.0_f32..1.0)), s in 0.0_f32..1.0, t in 0.0_f32..1.0,
        ) {
            let [a, b, c, d] = points.map(Vec3::from);
            let (p, q) = nearest_points([a, b], [c, d]);
            prop_assert!(p.distance(q) <= a.lerp(b, s).distance(c.lerp(d, t)) + 1e-5);
            prop_assert!(distance_to_segment(p, [a, b]) < 1e-5 && distance_to_segment(q, [c, d]) < 1e-5);
        }
    }

    #[test]
    fn a_capsule_fits_a_cylinder() {
        let ring = |i: u16| {
            let angle = f32::from(i);
            Vec3::new(0.1 * angle.cos(), f32::from(i % 10) * 0.1, 0.1 * angle.sin())
        };
        let vertices: Vec<Vec3> = (0..100).map(ring).collect();
        let capsule = Capsule::fit(3, &vertices, Some(Vec3::Y), &Affine3A::IDENTITY).unwrap();
        assert!((capsule.radius - 0.1).abs() < 1e-5 && capsule.node == 3);
        assert!(Capsule::fit(3, &[], None, &Affine3A::IDENTITY).is_none());
    }
}
