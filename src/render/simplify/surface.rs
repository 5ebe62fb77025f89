//! The triangles of a surface that is being simplified, and their neighbourhoods.

use glam::DVec3;

use super::Shape;
use super::seams::classes;

/// Minimum cosine of the angle by which a collapse turns a triangle.
const TURN: f64 = 0.2;

/// A surface that is being simplified. A class is the set of vertices at one place, and is named after its first vertex.
pub(super) struct Surface {
    /// The class of each vertex.
    class: Vec<u32>,
    /// The corners of the triangles that have not been removed.
    triangles: Vec<Option<[u32; 3]>>,
    /// The number of these triangles.
    count: usize,
    /// The triangles around each class.
    around: Vec<Vec<usize>>,
    /// The class onto which each class was collapsed.
    collapsed: Vec<Option<u32>>,
    /// Number of poses.
    poses: usize,
    /// The positions of the vertices, one vertex after another, each in all poses.
    positions: Vec<DVec3>,
}

impl Surface {
    pub(super) fn new(shape: &Shape<'_>) -> Self {
        let class = classes(shape);
        let corner_classes = |corners: [u32; 3]| corners.map(|corner| class[corner as usize]);
        let is_flat = |[a, b, c]: [u32; 3]| a == b || b == c || c == a;
        let drawn = |&corners: &[u32; 3]| Some(corners).filter(|&corners| !is_flat(corner_classes(corners)));
        let triangles: Vec<_> = shape.triangles.iter().map(drawn).collect();
        let mut around = vec![Vec::new(); class.len()];
        for (index, corners) in triangles.iter().enumerate() {
            for at in corners.iter().flat_map(|&corners| corner_classes(corners)) {
                around[at as usize].push(index);
            }
        }
        let in_poses = |vertex: usize| shape.poses.iter().map(move |pose| pose[vertex].as_dvec3());
        Self {
            count: triangles.iter().flatten().count(),
            collapsed: vec![None; class.len()],
            poses: shape.poses.len(),
            positions: (0..class.len()).flat_map(in_poses).collect(),
            class,
            triangles,
            around,
        }
    }

    /// Returns the number of remaining triangles.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of poses.
    pub(super) fn poses(&self) -> usize {
        self.poses
    }

    /// Returns the position of a vertex in a pose.
    pub(super) fn position(&self, pose: usize, vertex: u32) -> DVec3 {
        self.positions[vertex as usize * self.poses + pose]
    }

    /// Returns the remaining triangles with their indices.
    pub(super) fn triangles(&self) -> impl Iterator<Item = (usize, [u32; 3])> {
        self.triangles.iter().enumerate().filter_map(|(index, corners)| Some((index, (*corners)?)))
    }

    /// Returns the class of each vertex.
    pub(super) fn classes(&self) -> &[u32] {
        &self.class
    }

    pub(super) fn class_of(&self, vertex: u32) -> u32 {
        self.class[vertex as usize]
    }

    /// Returns the remaining triangles around a class.
    pub(super) fn around(&self, class: u32) -> impl Iterator<Item = [u32; 3]> {
        self.around[class as usize].iter().filter_map(|&triangle| self.triangles[triangle])
    }

    /// Returns the class onto which the class of a vertex was collapsed, directly or in several steps.
    pub(super) fn survivor(&self, vertex: u32) -> u32 {
        let mut class = self.class_of(vertex);
        while let Some(onto) = self.collapsed[class as usize] {
            class = onto;
        }
        class
    }

    /// Returns the corners and their classes, beginning with the corner of a class.
    pub(super) fn beginning_with(&self, class: u32, corners: [u32; 3]) -> ([u32; 3], [u32; 3]) {
        let [a, b, c] = corners;
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        let corners =
            turned.into_iter().find(|corners| self.class_of(corners[0]) == class).unwrap_or(corners);
        (corners, corners.map(|corner| self.class_of(corner)))
    }

    /// Returns the neighbours of a class, each with the number of triangles that contain both.
    pub(super) fn neighbours(&self, class: u32) -> Vec<(u32, usize)> {
        let mut found: Vec<(u32, usize)> = Vec::new();
        for corners in self.around(class) {
            let (_, [_, b, c]) = self.beginning_with(class, corners);
            for other in [b, c] {
                match found.iter_mut().find(|(known, _)| *known == other) {
                    Some((_, count)) => *count += 1,
                    None => found.push((other, 1)),
                }
            }
        }
        found
    }

    /// Returns whether a collapse neither folds a triangle over nor joins parts of the surface that were not adjacent. `count` is the number
    /// of triangles at the edge.
    pub(super) fn survives_collapse(
        &self,
        class: u32,
        onto: u32,
        count: usize,
        neighbours: &[(u32, usize)],
    ) -> bool {
        let beyond = self.neighbours(onto);
        let common = beyond.iter().filter(|(other, _)| neighbours.iter().any(|(known, _)| known == other));
        // If all triangles around the class contained the edge, a part of the surface would vanish.
        if common.count() != count || self.around(class).count() == count {
            return false;
        }
        for corners in self.around(class) {
            let (corners, [_, b, c]) = self.beginning_with(class, corners);
            if b == onto || c == onto {
                continue;
            }
            let is_there = |corners: [u32; 3]| {
                let (_, [_, other_b, other_c]) = self.beginning_with(onto, corners);
                [other_b, other_c] == [b, c] || [other_b, other_c] == [c, b]
            };
            if self.around(onto).any(is_there) {
                return false;
            }
            for pose in 0..self.poses {
                let [from, b, c] = corners.map(|corner| self.position(pose, corner));
                let to = self.position(pose, onto);
                let (before, after) = ((b - from).cross(c - from), (b - to).cross(c - to));
                if before != DVec3::ZERO && before.dot(after) <= TURN * before.length() * after.length() {
                    return false;
                }
            }
        }
        true
    }

    /// Collapses a class onto another one. `replaced` contains the vertices of the class, each with the vertex that replaces it.
    pub(super) fn collapse(&mut self, class: u32, onto: u32, replaced: &[[u32; 2]]) {
        for triangle in std::mem::take(&mut self.around[class as usize]) {
            let Some(corners) = self.triangles[triangle] else { continue };
            if corners.iter().any(|&corner| self.class_of(corner) == onto) {
                self.remove(triangle);
                continue;
            }
            let replace =
                |corner: u32| replaced.iter().find(|[old, _]| *old == corner).map_or(corner, |[_, new]| *new);
            self.triangles[triangle] = Some(corners.map(replace));
            self.around[onto as usize].push(triangle);
        }
        self.collapsed[class as usize] = Some(onto);
        let triangles = &self.triangles;
        self.around[onto as usize].retain(|&triangle| triangles[triangle].is_some());
    }

    /// Removes a triangle, and returns its corners unless it was removed before.
    pub(super) fn remove(&mut self, triangle: usize) -> Option<[u32; 3]> {
        let removed = self.triangles[triangle].take();
        self.count -= usize::from(removed.is_some());
        removed
    }
}
