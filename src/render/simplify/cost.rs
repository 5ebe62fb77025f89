//! The errors of collapses.

use super::Shape;
use super::looks::LookQuadric;
use super::quadric::Quadric;
use super::surface::Surface;

/// How much errors grow with the area that a collapse changes, as an exponent of this area. With 0, a finger keeps its shape as long as a
/// leg does. With 1, errors are sums over the surface, which are similar to sums over the image.
const AREA: f64 = 0.5;
/// Weight of the plane that keeps an open edge in place, relative to the plane of its triangle. A seam has such a plane too, whose weight
/// depends on the contrast.
const BORDER: f64 = 4.0;
/// Error of a collapse that moves only within a plane, as a fraction of the edge's length. It prevents long thin triangles.
const SLIVER: f64 = 0.02;
/// Error of the largest jump, as a fraction of the longest edge that it affects.
const JUMP: f64 = 0.5;

/// What the errors of collapses are computed from.
pub(super) struct Costs<'a> {
    shape: &'a Shape<'a>,
    /// For each class and each pose, the planes of the original surface that the class replaces.
    quadrics: Vec<Quadric>,
    /// For each vertex, the looks of the original triangles that it replaces, in the first pose.
    looks: Vec<LookQuadric>,
    /// The mean weight of a class in the first pose.
    mean_weight: f64,
}

impl<'a> Costs<'a> {
    pub(super) fn new(shape: &'a Shape<'a>, surface: &Surface) -> Self {
        let count = surface.classes().len() * surface.poses();
        let looks = vec![LookQuadric::ZERO; surface.classes().len()];
        let mut costs = Self { shape, quadrics: vec![Quadric::ZERO; count], looks, mean_weight: 1.0 };
        costs.add_planes(surface);
        costs.add_looks(surface);
        let weights = costs.quadrics.iter().step_by(surface.poses()).map(Quadric::weight);
        let (sum, count) = weights
            .filter(|weight| *weight > 0.0)
            .fold((0.0, 0.0), |(sum, count), weight| (sum + weight, count + 1.0));
        if count > 0.0 {
            costs.mean_weight = sum / count;
        }
        costs
    }

    /// Returns the factor of errors that change a part of the surface. The weight is three times its area.
    pub(super) fn importance(&self, weight: f64) -> f64 {
        (weight / self.mean_weight).powf(AREA)
    }

    fn importance_of(&self, surface: &Surface, class: u32) -> f64 {
        self.importance(self.quadrics[class as usize * surface.poses()].weight())
    }

    fn add_looks(&mut self, surface: &Surface) {
        for (_, corners) in surface.triangles() {
            let positions = corners.map(|corner| surface.position(0, corner));
            let looks = corners.map(|corner| &self.shape.looks[corner as usize]);
            let of_triangle = LookQuadric::of_triangle(positions, looks);
            corners.iter().for_each(|&corner| self.looks[corner as usize] += of_triangle);
        }
    }

    /// Returns how visible the edge of a triangle is, from 0 to 1: 1 if it is open, and the contrast if it is a seam. `neighbours` are those
    /// of the class at its start.
    fn border(&self, surface: &Surface, edge: [u32; 2], neighbours: &[(u32, usize)]) -> f64 {
        let [start, end] = edge.map(|vertex| surface.class_of(vertex));
        if neighbours.iter().any(|&(other, count)| other == end && count == 1) {
            return 1.0;
        }
        // The triangle on the other side has the edge in the opposite direction.
        let beyond = surface.around(end).find_map(|corners| {
            let ([own, next, _], [_, next_class, _]) = surface.beginning_with(end, corners);
            (next_class == start).then_some([next, own])
        });
        let contrast =
            |(own, other): (u32, u32)| if own == other { 0.0 } else { (self.shape.contrast)(own, other) };
        beyond.map_or(0.0, |beyond| edge.into_iter().zip(beyond).map(contrast).fold(0.0, f32::max).into())
    }

    /// Adds the planes of all triangles, and for each open edge and each seam the plane through it that is perpendicular to its triangle.
    fn add_planes(&mut self, surface: &Surface) {
        let neighbours: Vec<_> =
            (0..).take(surface.classes().len()).map(|class| surface.neighbours(class)).collect();
        for (_, corners) in surface.triangles() {
            let edges = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
            let borders =
                edges.map(|edge| self.border(surface, edge, &neighbours[surface.class_of(edge[0]) as usize]));
            for pose in 0..surface.poses() {
                let [a, b, c] = corners.map(|corner| surface.position(pose, corner));
                let normal = (b - a).cross(c - a);
                let (area, normal) = (0.5 * normal.length(), normal.normalize_or_zero());
                for corner in corners {
                    self.add_plane(surface, corner, pose, Quadric::of_plane(normal, a, area));
                }
                for (edge, border) in edges.iter().zip(borders).filter(|(_, border)| *border > 0.0) {
                    let [from, to] = edge.map(|corner| surface.position(pose, corner));
                    let outward = (to - from).cross(normal).normalize_or_zero();
                    let plane = Quadric::of_plane(
                        outward,
                        from,
                        BORDER * border * border * from.distance_squared(to),
                    );
                    edge.iter().for_each(|&corner| self.add_plane(surface, corner, pose, plane));
                }
            }
        }
    }

    fn add_plane(&mut self, surface: &Surface, vertex: u32, pose: usize, plane: Quadric) {
        self.quadrics[surface.class_of(vertex) as usize * surface.poses() + pose] += plane;
    }

    /// Gives the planes of a class to another one, and the looks to the vertices that replace those of the class.
    pub(super) fn join(&mut self, surface: &Surface, class: u32, onto: u32, replaced: &[[u32; 2]]) {
        for &[old, new] in replaced {
            let moved = self.looks[old as usize];
            self.looks[new as usize] += moved;
        }
        for pose in 0..surface.poses() {
            let moved = self.quadrics[class as usize * surface.poses() + pose];
            self.add_plane(surface, onto, pose, moved);
        }
    }

    /// Returns the error of a collapse that changes no looks, as the square of a length.
    pub(super) fn error_of(&self, surface: &Surface, class: u32, onto: u32) -> f64 {
        let quadrics = &self.quadrics[class as usize * surface.poses()..];
        let means = (0..surface.poses()).map(|pose| quadrics[pose].mean(surface.position(pose, onto)));
        let length = surface.position(0, class).distance_squared(surface.position(0, onto));
        let difference = f64::from((self.shape.difference)(class, onto));
        let error = means.fold(0.0, f64::max) + length * (SLIVER * SLIVER + difference * difference);
        error * self.importance_of(surface, class)
    }

    /// Returns the vertices of a class with those that replace them in a collapse, and the error of the looks and of visible jumps. `None` if
    /// a vertex cannot be replaced.
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
        let place = surface.position(0, onto);
        let (mut sum, mut weight) = (0.0, 0.0);
        for &[old, new] in &replaced {
            let quadric = &self.looks[old as usize];
            sum += quadric.sum(place, &self.shape.looks[new as usize]);
            weight += quadric.weight();
        }
        if weight > 0.0 {
            error += sum / weight;
        }
        Some((replaced, error * self.importance_of(surface, class)))
    }
}
