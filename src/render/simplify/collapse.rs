//! Collapses edges in the order of their errors.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Shape;
use super::pieces::{Piece, pieces};
use super::quadric::Quadric;
use super::seams::classes;

/// Weight of the plane that keeps an open edge in place, relative to the plane of its triangle.
const OPEN_EDGE: f64 = 4.0;
/// Error of a collapse that moves only within a plane, as a fraction of the edge's length. It prevents long thin triangles.
const SLIVER: f64 = 0.02;
/// Error of the largest jump, as a fraction of the longest edge that it affects.
const JUMP: f64 = 0.5;
/// Minimum cosine of the angle by which a collapse turns a triangle.
const TURN: f64 = 0.2;

/// A surface that is being simplified. A class is the set of vertices at one place, and is named after its first vertex.
pub(super) struct Surface<'a> {
    pub(super) shape: &'a Shape<'a>,
    /// The class of each vertex.
    class: Vec<u32>,
    /// The corners of the triangles that have not been removed.
    triangles: Vec<Option<[u32; 3]>>,
    /// The number of these triangles.
    count: usize,
    /// The largest error of a collapse so far, as the square of a length.
    pub(super) largest: f64,
    /// The triangles around each class.
    around: Vec<Vec<usize>>,
    /// For each class and each pose, the planes of the original surface that the class replaces.
    quadrics: Vec<Quadric>,
    /// The class onto which each class was collapsed.
    collapsed: Vec<Option<u32>>,
    /// The number of changes around each class.
    changes: Vec<u32>,
    /// The classes to collapse: error, class, and the number of changes for which the error was computed.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// The separate pieces of the surface, in decreasing order of error.
    pieces: Vec<Piece>,
}

/// A collapse of a class onto a neighbour.
struct Collapse {
    error: f64,
    onto: u32,
    /// The vertices of the class, and the vertices that replace them.
    replaced: Vec<[u32; 2]>,
}

impl<'a> Surface<'a> {
    pub(super) fn new(shape: &'a Shape<'a>) -> Self {
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
        let mut surface = Self {
            shape,
            largest: 0.0,
            count: triangles.iter().flatten().count(),
            pieces: pieces(shape, &class, &triangles),
            quadrics: vec![Quadric::ZERO; class.len() * shape.poses.len()],
            collapsed: vec![None; class.len()],
            changes: vec![0; class.len()],
            queue: BinaryHeap::new(),
            class,
            triangles,
            around,
        };
        surface.add_planes();
        (0..)
            .zip(surface.class.clone())
            .filter(|(vertex, class)| vertex == class)
            .for_each(|(class, _)| surface.enqueue(class));
        surface
    }

    /// Removes triangles until at most `count` are left, or until nothing more can be removed.
    pub(super) fn reduce(&mut self, count: usize) {
        while self.count > count {
            let next = self.queue.pop();
            let error = next.map_or(f64::INFINITY, |Reverse((error, ..))| f64::from_bits(error));
            // The largest piece remains.
            if self.pieces.len() > 1 && self.pieces.last().is_some_and(|piece| piece.error <= error) {
                self.queue.extend(next);
                let piece = self.pieces.pop();
                piece.iter().flat_map(|piece| &piece.triangles).for_each(|&triangle| self.remove(triangle));
                continue;
            }
            let Some(Reverse((_, class, changes))) = next else { return };
            if self.changes[class as usize] != changes {
                continue;
            }
            let Some(collapse) = self.best_collapse(class) else { continue };
            if collapse.error > error {
                // The estimate ignored that some collapses are impossible.
                self.queue.push(Reverse((collapse.error.to_bits(), class, changes)));
                continue;
            }
            self.largest = self.largest.max(collapse.error);
            self.collapse(class, &collapse);
        }
    }

    /// Returns the remaining triangles with their indices.
    pub(super) fn triangles(&self) -> Vec<(usize, [u32; 3])> {
        self.triangles.iter().enumerate().filter_map(|(index, corners)| Some((index, (*corners)?))).collect()
    }

    pub(super) fn live(&self) -> impl Iterator<Item = [u32; 3]> {
        self.triangles.iter().flatten().copied()
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

    fn poses(&self) -> usize {
        self.shape.poses.len()
    }

    fn position(&self, pose: usize, vertex: u32) -> DVec3 {
        self.shape.poses[pose][vertex as usize].as_dvec3()
    }

    /// Returns the corners and their classes, beginning with the corner of a class.
    fn beginning_with(&self, class: u32, corners: [u32; 3]) -> ([u32; 3], [u32; 3]) {
        let [a, b, c] = corners;
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        let corners =
            turned.into_iter().find(|corners| self.class_of(corners[0]) == class).unwrap_or(corners);
        (corners, corners.map(|corner| self.class_of(corner)))
    }

    /// Returns the neighbours of a class, each with the number of triangles that contain both.
    fn neighbours(&self, class: u32) -> Vec<(u32, usize)> {
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

    /// Adds the planes of all triangles, and for each open edge the plane through it that is perpendicular to its triangle.
    fn add_planes(&mut self) {
        for corners in self.triangles.clone().into_iter().flatten() {
            let edges = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
            let is_open = edges.map(|[u, v]| {
                let v = self.class_of(v);
                self.neighbours(self.class_of(u)).iter().any(|&(other, count)| other == v && count == 1)
            });
            for pose in 0..self.poses() {
                let [a, b, c] = corners.map(|corner| self.position(pose, corner));
                let normal = (b - a).cross(c - a);
                let (area, normal) = (0.5 * normal.length(), normal.normalize_or_zero());
                for corner in corners {
                    self.add_plane(corner, pose, Quadric::of_plane(normal, a, area));
                }
                for (edge, _) in edges.iter().zip(is_open).filter(|(_, is_open)| *is_open) {
                    let [from, to] = edge.map(|corner| self.position(pose, corner));
                    let outward = (to - from).cross(normal).normalize_or_zero();
                    let plane = Quadric::of_plane(outward, from, OPEN_EDGE * from.distance_squared(to));
                    edge.iter().for_each(|&corner| self.add_plane(corner, pose, plane));
                }
            }
        }
    }

    fn add_plane(&mut self, vertex: u32, pose: usize, plane: Quadric) {
        let at = self.class_of(vertex) as usize * self.poses() + pose;
        self.quadrics[at] += plane;
    }

    /// Returns the error of a collapse that leaves no jump, as the square of a length.
    fn error_of(&self, class: u32, onto: u32) -> f64 {
        let quadrics = &self.quadrics[class as usize * self.poses()..];
        let means = (0..self.poses()).map(|pose| quadrics[pose].mean(self.position(pose, onto)));
        let length = self.position(0, class).distance_squared(self.position(0, onto));
        let difference = f64::from((self.shape.difference)(class, onto));
        means.fold(0.0, f64::max) + length * (SLIVER * SLIVER + difference * difference)
    }

    /// Adds a class to the queue, with a lower bound of its error.
    fn enqueue(&mut self, class: u32) {
        let errors = self.neighbours(class).into_iter().map(|(onto, _)| self.error_of(class, onto));
        if let Some(error) = errors.min_by(f64::total_cmp) {
            self.queue.push(Reverse((error.to_bits(), class, self.changes[class as usize])));
        }
    }

    /// Returns the collapse of a class with the smallest error, or `None` if it cannot be collapsed.
    fn best_collapse(&self, class: u32) -> Option<Collapse> {
        let neighbours = self.neighbours(class);
        let on_edge = neighbours.iter().filter(|(_, count)| *count != 2).count();
        // A class at the end or at a junction of open edges stays, and one on an open edge moves along this edge.
        let may_move = |count: usize| on_edge == 0 || on_edge == 2 && count != 2;
        let candidates = neighbours.iter().filter(|(_, count)| may_move(*count));
        let mut candidates: Vec<_> =
            candidates.map(|&(onto, count)| (self.error_of(class, onto), onto, count)).collect();
        candidates.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut best: Option<Collapse> = None;
        for (error, onto, count) in candidates {
            if best.as_ref().is_some_and(|best| best.error <= error) {
                break;
            }
            if !self.keeps_surface(class, onto, count, &neighbours) {
                continue;
            }
            let found = self.replacements(class, onto).map(|(replaced, jump)| Collapse {
                error: error + jump,
                onto,
                replaced,
            });
            if let Some(found) =
                found.filter(|found| best.as_ref().is_none_or(|best| found.error < best.error))
            {
                best = Some(found);
            }
        }
        best
    }

    /// Returns whether a collapse neither folds a triangle over nor joins parts of the surface that were not adjacent. `count` is the number
    /// of triangles at the edge.
    fn keeps_surface(&self, class: u32, onto: u32, count: usize, neighbours: &[(u32, usize)]) -> bool {
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
            for pose in 0..self.poses() {
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

    /// Returns the vertices of a class with those that replace them in a collapse, and the error of visible jumps. `None` if a vertex cannot
    /// be replaced.
    fn replacements(&self, class: u32, onto: u32) -> Option<(Vec<[u32; 2]>, f64)> {
        let mut replaced: Vec<[u32; 2]> = Vec::new();
        for corners in self.around(class) {
            let ([own, b, c], _) = self.beginning_with(class, corners);
            let other = [b, c].into_iter().find(|&other| self.class_of(other) == onto);
            if let Some(other) = other.filter(|_| replaced.iter().all(|[known, _]| *known != own)) {
                replaced.push([own, other]);
            }
        }
        let mut error = 0.0;
        for corners in self.around(class) {
            let ([own, b, c], _) = self.beginning_with(class, corners);
            if replaced.iter().any(|[known, _]| *known == own) {
                continue;
            }
            // No edge leads from this vertex to the other class.
            let others = self.around(onto).map(|corners| self.beginning_with(onto, corners).0[0]);
            let jumps = others.filter_map(|other| Some(((self.shape.jump)(own, other)?, other)));
            let (jump, other) = jumps.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
            replaced.push([own, other]);
            let reach =
                [b, c].map(|corner| self.position(0, corner).distance_squared(self.position(0, onto)));
            error += (JUMP * f64::from(jump)).powi(2) * reach[0].max(reach[1]);
        }
        Some((replaced, error))
    }

    fn collapse(&mut self, class: u32, collapse: &Collapse) {
        let onto = collapse.onto;
        for triangle in std::mem::take(&mut self.around[class as usize]) {
            let Some(corners) = self.triangles[triangle] else { continue };
            if corners.iter().any(|&corner| self.class_of(corner) == onto) {
                self.remove(triangle);
                continue;
            }
            let replace = |corner: u32| {
                collapse.replaced.iter().find(|[old, _]| *old == corner).map_or(corner, |[_, new]| *new)
            };
            self.triangles[triangle] = Some(corners.map(replace));
            self.around[onto as usize].push(triangle);
        }
        self.collapsed[class as usize] = Some(onto);
        self.changes[class as usize] += 1;
        for pose in 0..self.poses() {
            let moved = self.quadrics[class as usize * self.poses() + pose];
            self.add_plane(onto, pose, moved);
        }
        let triangles = &self.triangles;
        self.around[onto as usize].retain(|&triangle| triangles[triangle].is_some());
        for changed in self.neighbours(onto).into_iter().map(|(other, _)| other).chain([onto]) {
            self.changes[changed as usize] += 1;
            self.enqueue(changed);
        }
    }

    fn remove(&mut self, triangle: usize) {
        self.count -= usize::from(self.triangles[triangle].take().is_some());
    }
}
