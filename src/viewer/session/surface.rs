//! The posed skin of a character as triangles for ray tests. Parts of the skin, such as the dragged one, can be left out.

use glam::{Affine3A, Vec3};

use crate::puppet::Puppet;
use crate::scene::picking::{Ray, for_each_triangle};
use crate::skin::strongest_node;

/// Triangles of a posed skin.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    triangles: Vec<Triangle>,
}

#[derive(Clone, Copy, Debug)]
struct Triangle {
    /// Positions in world metres.
    corners: [Vec3; 3],
    /// The node that moves the triangle most.
    node: usize,
}

impl Surface {
    /// Returns the visible triangles of a puppet in its current pose. Triangles are left out unless `accepts` returns true for their nodes.
    pub(super) fn new(puppet: &Puppet, accepts: impl Fn(usize) -> bool) -> Self {
        let mut triangles = Vec::new();
        for_each_triangle(puppet, |part, triangle, corners| {
            let node = strongest_node(puppet.character(), part, triangle);
            if accepts(node) && corners.iter().all(|corner| corner.is_finite()) {
                triangles.push(Triangle { corners, node });
            }
        });
        Self { triangles }
    }

    /// Returns the triangles that may be within a distance of a point.
    pub(super) fn near(&self, point: Vec3, distance: f32) -> Self {
        let is_near = |triangle: &&Triangle| {
            let [a, b, c] = triangle.corners;
            let (lo, hi) = (a.min(b).min(c) - distance, a.max(b).max(c) + distance);
            point.cmpge(lo).all() && point.cmple(hi).all()
        };
        Self { triangles: self.triangles.iter().filter(is_near).copied().collect() }
    }

    /// Returns the triangles that may be within a distance of a ray.
    pub(super) fn along(&self, ray: &Ray, distance: f32) -> Self {
        let is_near = |triangle: &&Triangle| {
            let [a, b, c] = triangle.corners;
            let middle = (a + b + c) / 3.0;
            let size = [a, b, c].map(|corner| corner.distance(middle)).into_iter().fold(0.0, f32::max);
            (middle - ray.origin).reject_from_normalized(ray.direction).length() <= distance + size
        };
        Self { triangles: self.triangles.iter().filter(is_near).copied().collect() }
    }

    /// Returns the triangles after their nodes have moved. If `motion` returns `None` for a node, its triangles are left out.
    pub(super) fn moved(&self, motion: impl Fn(usize) -> Option<Affine3A>) -> Self {
        let moved = |triangle: &Triangle| {
            let motion = motion(triangle.node)?;
            Some(Triangle { corners: triangle.corners.map(|p| motion.transform_point3(p)), ..*triangle })
        };
        Self { triangles: self.triangles.iter().filter_map(moved).collect() }
    }

    /// Returns the distance in metres along a ray to the first triangle that it hits, and the node of that triangle.
    pub(super) fn meet(&self, ray: &Ray) -> Option<(f32, usize)> {
        let met = |triangle: &Triangle| Some((ray.hit_triangle(triangle.corners)?.0, triangle.node));
        self.triangles.iter().filter_map(met).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}
