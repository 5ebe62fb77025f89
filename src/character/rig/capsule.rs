//! A capsule around a bone, fitted to the skin.

use glam::{Affine3A, Vec3};

use crate::mathematics::quantile;

/// A segment with a radius, around a part of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The node that moves the capsule.
    pub node: usize,
    /// The ends of the segment in the space of the node.
    pub ends: [Vec3; 2],
    /// The radius in metres, in world space in the rest pose.
    pub radius: f32,
}

impl Capsule {
    /// Fits a capsule to points of the skin: its radius is the distance from the segment within which a fraction `inside` of the points
    /// lies. Clothes and hair are farther away.
    ///
    /// Points and ends are in the space of the node, and `world_from_node` is its matrix in the rest pose. Returns `None` if there are
    /// fewer than four points, or if the radius would be zero.
    pub(crate) fn fit(
        node: usize,
        points: &[Vec3],
        ends: [Vec3; 2],
        world_from_node: &Affine3A,
        inside: f64,
    ) -> Option<Self> {
        if points.len() < 4 {
            return None;
        }
        let axis = ends.map(|end| world_from_node.transform_point3(end));
        let distance = |p: &Vec3| f64::from(distance_to_segment(world_from_node.transform_point3(*p), axis));
        #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
        let radius = quantile(points.iter().map(distance).collect(), inside) as f32;
        (radius > 0.0 && radius.is_finite()).then_some(Self { node, ends, radius })
    }

    /// Returns the ends in world space.
    pub fn axis(&self, world_from_node: &Affine3A) -> [Vec3; 2] {
        self.ends.map(|end| world_from_node.transform_point3(end))
    }
}

fn distance_to_segment(point: Vec3, [a, b]: [Vec3; 2]) -> f32 {
    let along = b - a;
    let t = ((point - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(a + along * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capsule_fits_a_cylinder() {
        let ring = |i: u16| {
            let angle = f32::from(i);
            Vec3::new(0.1 * angle.cos(), f32::from(i % 10) * 0.1, 0.1 * angle.sin())
        };
        let points: Vec<Vec3> = (0..100).map(ring).collect();
        let ends = [Vec3::ZERO, Vec3::Y];
        let capsule = Capsule::fit(3, &points, ends, &Affine3A::IDENTITY, 0.5).unwrap();
        assert!((capsule.radius - 0.1).abs() < 1e-5 && capsule.node == 3);
        assert!(Capsule::fit(3, &[], ends, &Affine3A::IDENTITY, 0.5).is_none());
    }
}
