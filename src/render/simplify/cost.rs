//! The errors of collapses.

use super::Shape;
use super::quadric::Quadric;
use super::surface::Surface;

/// Weight of the plane that keeps an open edge in place, relative to the plane of its triangle.
const OPEN_EDGE: f64 = 4.0;
/// Error of a collapse that moves only within a plane, as a fraction of the edge's length. It prevents long thin triangles.
const SLIVER: f64 = 0.02;
/// Error of the largest jump, as a fraction of the longest edge that it affects.
const JUMP: f64 = 0.5;

/// What the errors of collapses are computed from.
pub(super) struct Costs<'a> {
    shape: &'a Shape<'a>,
    /// For each class and each pose, the planes of the original surface that the class replaces.
    quadrics: Vec<Quadric>,
}

impl<'a> Costs<'a> {
    pub(super) fn new(shape: &'a Shape<'a>, surface: &Surface) -> Self {
        let count = surface.classes().len() * surface.poses();
        let mut costs = Self { shape, quadrics: vec![Quadric::ZERO; count] };
        costs.add_planes(surface);
        costs
    }

    /// Adds the planes of all triangles, and for each open edge the plane through it that is perpendicular to its triangle.
    fn add_planes(&mut self, surface: &Surface) {
        let neighbours: Vec<_> =
            (0..).take(surface.classes().len()).map(|class| surface.neighbours(class)).collect();
        for (_, corners) in surface.triangles() {
            let edges = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
            let is_open = edges.map(|edge| {
                let [u, v] = edge.map(|vertex| surface.class_of(vertex));
                neighbours[u as usize].iter().any(|&(other, count)| other == v && count == 1)
            });
            for pose in 0..surface.poses() {
                let [a, b, c] = corners.map(|corner| surface.position(pose, corner));
                let normal = (b - a).cross(c - a);
                let (area, normal) = (0.5 * normal.length(), normal.normalize_or_zero());
                for corner in corners {
                    self.add_plane(surface, corner, pose, Quadric::of_plane(normal, a, area));
                }
                for (edge, _) in edges.iter().zip(is_open).filter(|(_, is_open)| *is_open) {
                    let [from, to] = edge.map(|corner| surface.position(pose, corner));
                    let outward = (to - from).cross(normal).normalize_or_zero();
                    let plane = Quadric::of_plane(outward, from, OPEN_EDGE * from.distance_squared(to));
                    edge.iter().for_each(|&corner| self.add_plane(surface, corner, pose, plane));
                }
            }
        }
    }

    fn add_plane(&mut self, surface: &Surface, vertex: u32, pose: usize, plane: Quadric) {
        self.quadrics[surface.class_of(vertex) as usize * surface.poses() + pose] += plane;
    }

    /// Gives the planes of a class to another one.
    pub(super) fn join(&mut self, surface: &Surface, class: u32, onto: u32) {
        for pose in 0..surface.poses() {
            let moved = self.quadrics[class as usize * surface.poses() + pose];
            self.add_plane(surface, onto, pose, moved);
        }
    }

    /// Returns the error of a collapse that leaves no jump, as the square of a length.
    pub(super) fn error_of(&self, surface: &Surface, class: u32, onto: u32) -> f64 {
        let quadrics = &self.quadrics[class as usize * surface.poses()..];
        let means = (0..surface.poses()).map(|pose| quadrics[pose].mean(surface.position(pose, onto)));
        let length = surface.position(0, class).distance_squared(surface.position(0, onto));
        let difference = f64::from((self.shape.difference)(class, onto));
        means.fold(0.0, f64::max) + length * (SLIVER * SLIVER + difference * difference)
    }

    /// Returns the vertices of a class with those that replace them in a collapse, and the error of visible jumps. `None` if a vertex cannot
    /// be replaced.
    pub(super) fn replacements(
        &self,
        surface: &Surface,
        class: u32,
        onto: u32,
    ) -> Option<(Vec<[u32; 2]>, f64)> {
        let mut replaced: Vec<[u32; 2]> = Vec::new();
        for corners in surface.around(class) {
            let ([own, b, c], _) = surface.beginning_with(class, corners);
            let other = [b, c].into_iter().find(|&other| surface.class_of(other) == onto);
            if let Some(other) = other.filter(|_| replaced.iter().all(|[known, _]| *known != own)) {
                replaced.push([own, other]);
            }
        }
        let mut error = 0.0;
        for corners in surface.around(class) {
            let ([own, b, c], _) = surface.beginning_with(class, corners);
            if replaced.iter().any(|[known, _]| *known == own) {
                continue;
            }
            // No edge leads from this vertex to the other class.
            let others = surface.around(onto).map(|corners| surface.beginning_with(onto, corners).0[0]);
            let jumps = others.filter_map(|other| Some(((self.shape.jump)(own, other)?, other)));
            let (jump, other) = jumps.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
            replaced.push([own, other]);
            let reach =
                [b, c].map(|corner| surface.position(0, corner).distance_squared(surface.position(0, onto)));
            error += (JUMP * f64::from(jump)).powi(2) * reach[0].max(reach[1]);
        }
        Some((replaced, error))
    }
}
