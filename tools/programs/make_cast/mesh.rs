//! An indexed triangle mesh of the left half of the mannequin, with adjacency queries.

use glam::DVec3;
use std::collections::BTreeMap;

/// Triangles with shared points, counter-clockwise when seen from outside.
///
/// The mesh is the left half of the body and is open at the plane `x = 0`. The `x` of a point is exactly zero if it is
/// in that plane.
#[derive(Clone, Default)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<DVec3>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

/// The point indices of an edge, the smaller one first.
pub(crate) type Edge = (usize, usize);

pub(crate) fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

pub(crate) fn edges_of([a, b, c]: [usize; 3]) -> [Edge; 3] {
    [edge(a, b), edge(b, c), edge(c, a)]
}

impl Mesh {
    /// Returns each edge with its triangles. Edges are sorted by index, so that the result of each pass is
    /// reproducible.
    pub(crate) fn edges(&self) -> BTreeMap<Edge, Vec<usize>> {
        let mut edges: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
        for (index, &triangle) in self.triangles.iter().enumerate() {
            for edge in edges_of(triangle) {
                edges.entry(edge).or_default().push(index);
            }
        }
        edges
    }

    /// Returns the neighbours of each point: the points that share an edge with it.
    pub(crate) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.points.len()];
        for &(a, b) in self.edges().keys() {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours
    }

    /// Returns the normal of a triangle, with a length of twice the area.
    pub(crate) fn cross(&self, [a, b, c]: [usize; 3]) -> DVec3 {
        cross(self.points[a], self.points[b], self.points[c])
    }

    /// Removes points that no triangle uses.
    pub(crate) fn compact(&mut self) {
        let mut used = vec![false; self.points.len()];
        for &index in self.triangles.iter().flatten() {
            used[index] = true;
        }
        let mut new_index = vec![0; self.points.len()];
        let mut used_points = Vec::new();
        for (index, &point) in self.points.iter().enumerate() {
            if used[index] {
                new_index[index] = used_points.len();
                used_points.push(point);
            }
        }
        for index in self.triangles.iter_mut().flatten() {
            *index = new_index[*index];
        }
        self.points = used_points;
    }

    /// Returns an error unless this is the left half of a closed surface.
    pub(crate) fn validate(&self) -> Result<(), String> {
        for ((a, b), triangles) in self.edges() {
            let is_seam = self.points[a].x == 0.0 && self.points[b].x == 0.0;
            let expected = if is_seam { 1 } else { 2 };
            if triangles.len() != expected {
                let (at, n) = (self.points[a], triangles.len());
                return Err(format!(
                    "the mesh is not closed: an edge at {at} has {n} triangles instead of {expected}"
                ));
            }
        }
        Ok(())
    }
}

/// Returns the normal of a triangle, with a length of twice the area.
pub(crate) fn cross(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    (b - a).cross(c - a)
}
