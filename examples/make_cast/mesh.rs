//! An indexed triangle mesh of one half of the figure, and what its passes ask of it.

use glam::DVec3;
use std::collections::BTreeMap;

/// Triangles over shared points, counter-clockwise seen from outside.
///
/// While the figure is built this is its left half, open in the plane `x = 0`; a point lies in that plane
/// exactly when its `x` is zero.
#[derive(Clone, Default)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<DVec3>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

/// The two ends of an edge, the smaller index first.
pub(crate) type Edge = (usize, usize);

/// The edge between `a` and `b`.
pub(crate) fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

/// The three edges of a triangle.
pub(crate) fn edges_of([a, b, c]: [usize; 3]) -> [Edge; 3] {
    [edge(a, b), edge(b, c), edge(c, a)]
}

impl Mesh {
    /// Each edge with its triangles, in the order of the indices, so that no pass depends on chance.
    pub(crate) fn edges(&self) -> BTreeMap<Edge, Vec<usize>> {
        let mut edges: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
        for (index, &triangle) in self.triangles.iter().enumerate() {
            for edge in edges_of(triangle) {
                edges.entry(edge).or_default().push(index);
            }
        }
        edges
    }

    /// The points that share an edge with each point.
    pub(crate) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.points.len()];
        for &(a, b) in self.edges().keys() {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours
    }

    /// Twice the area of a triangle, along its normal.
    pub(crate) fn cross(&self, [a, b, c]: [usize; 3]) -> DVec3 {
        cross(self.points[a], self.points[b], self.points[c])
    }

    /// Drops the points that no triangle uses.
    pub(crate) fn compact(&mut self) {
        let mut used = vec![false; self.points.len()];
        for &index in self.triangles.iter().flatten() {
            used[index] = true;
        }
        let mut renamed = vec![0; self.points.len()];
        let mut kept = Vec::new();
        for (index, &point) in self.points.iter().enumerate() {
            if used[index] {
                renamed[index] = kept.len();
                kept.push(point);
            }
        }
        for index in self.triangles.iter_mut().flatten() {
            *index = renamed[*index];
        }
        self.points = kept;
    }

    /// Why this is not the left half of a closed surface, if it is not.
    pub(crate) fn fault(&self) -> Option<String> {
        for ((a, b), triangles) in self.edges() {
            let seam = self.points[a].x == 0.0 && self.points[b].x == 0.0;
            let wanted = if seam { 1 } else { 2 };
            if triangles.len() != wanted {
                let (at, n) = (self.points[a], triangles.len());
                return Some(format!("an edge at {at} has {n} triangles, not {wanted}"));
            }
        }
        None
    }
}

/// Twice the area of the triangle, along its normal.
pub(crate) fn cross(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    (b - a).cross(c - a)
}
