//! Measures how far a simplified surface is from the original.

use glam::Vec3;

use crate::mathematics::triangle::nearest_point;

use super::surface::Surface;

/// A surface as it was at a certain number of triangles.
pub(super) struct Snapshot {
    /// The remaining triangles with their indices.
    pub(super) triangles: Vec<(usize, [u32; 3])>,
    /// For each vertex, the class that replaced it. If this class has no triangles, the nearest class that has some.
    starts: Vec<u32>,
    /// The indices in `triangles` of the triangles around all classes, one class after another.
    around: Vec<u32>,
    /// For each class, the number of entries in `around` before its own. The last element is the number of all entries.
    first: Vec<u32>,
}

/// The search for the point of a surface that is nearest to a given point.
struct Search<'a> {
    pose: &'a [Vec3],
    point: Vec3,
    /// The squared distance at which the search ends.
    enough: f32,
    /// The smallest squared distance so far, and the corners of the nearest triangle.
    nearest: f32,
    corners: Option<[u32; 3]>,
}

impl Search<'_> {
    /// Returns whether a triangle is nearer than all previous ones.
    fn visit(&mut self, corners: [u32; 3]) -> bool {
        let nearest = nearest_point(self.point, corners.map(|corner| self.pose[corner as usize]));
        let distance = self.point.distance_squared(nearest);
        let is_nearer = distance < self.nearest;
        if is_nearer {
            (self.nearest, self.corners) = (distance, Some(corners));
        }
        is_nearer
    }
}

impl Snapshot {
    #[expect(clippy::cast_possible_truncation, reason = "indices of triangles are numbered with 32 bits")]
    pub(super) fn new(surface: &Surface) -> Self {
        let triangles: Vec<_> = surface.triangles().collect();
        let classes =
            || triangles.iter().map(move |(_, corners)| corners.map(|corner| surface.class_of(corner)));
        let mut first = vec![0_u32; surface.classes().len() + 1];
        classes().flatten().for_each(|class| first[class as usize + 1] += 1);
        for class in 1..first.len() {
            first[class] += first[class - 1];
        }
        let mut end = first.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (index, corners) in classes().enumerate() {
            for class in corners.map(|class| class as usize) {
                around[end[class] as usize] = index as u32;
                end[class] += 1;
            }
        }
        let has_triangles = |class: u32| first[class as usize] < first[class as usize + 1];
        let live: Vec<u32> =
            (0..).take(surface.classes().len()).filter(|class| has_triangles(*class)).collect();
        let nearest_to = |class: u32| {
            let distance =
                |other: &u32| surface.position(0, class).distance_squared(surface.position(0, *other));
            live.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(class)
        };
        // The piece with such a class was removed.
        let mut nearest: Vec<Option<u32>> = vec![None; surface.classes().len()];
        let start = |vertex: u32| match surface.survivor(vertex) {
            class if has_triangles(class) => class,
            class => *nearest[class as usize].get_or_insert_with(|| nearest_to(class)),
        };
        let starts = (0..).take(surface.classes().len()).map(start).collect();
        Self { triangles, starts, around, first }
    }

    /// Returns the largest distance of the original vertices and of the centres of the original triangles from the surface, in all poses, as
    /// the square of a length. Returns `at_least` if no distance is larger.
    pub(super) fn error(&self, poses: &[Vec<Vec3>], original: &[[u32; 3]], at_least: f32) -> f32 {
        let mut is_used = vec![false; self.starts.len()];
        original.as_flattened().iter().for_each(|&vertex| is_used[vertex as usize] = true);
        // A vertex is the centre of a triangle with three equal corners.
        let vertices = (0..).zip(is_used).filter(|(_, is_used)| *is_used).map(|(vertex, _)| [vertex; 3]);
        let samples: Vec<[u32; 3]> = vertices.chain(original.iter().copied()).collect();
        let mut largest = at_least;
        for pose in poses {
            for &corners in &samples {
                let [a, b, c] = corners.map(|corner| pose[corner as usize]);
                let point = (a + b + c) / 3.0;
                let search = Search { pose, point, enough: largest, nearest: f32::INFINITY, corners: None };
                largest = largest.max(self.distance_squared(search, corners[0]));
            }
        }
        largest
    }

    /// Returns an upper bound of the squared distance of a point from the surface. The search begins around the class that replaced a
    /// vertex. It ends when the distance is small enough, or when no triangle around the nearest one is nearer.
    fn distance_squared(&self, mut search: Search<'_>, vertex: u32) -> f32 {
        let mut is_nearer = self.visit_around(&mut search, vertex);
        while is_nearer && search.nearest > search.enough {
            let Some(corners) = search.corners else { break };
            is_nearer = false;
            for corner in corners {
                is_nearer |= self.visit_around(&mut search, corner);
            }
        }
        search.nearest
    }

    /// Visits the triangles around the class that replaced a vertex. Returns whether one is nearer than all previous ones.
    fn visit_around(&self, search: &mut Search<'_>, vertex: u32) -> bool {
        let class = self.starts[vertex as usize] as usize;
        let mut is_nearer = false;
        for &triangle in &self.around[self.first[class] as usize..self.first[class + 1] as usize] {
            is_nearer |= search.visit(self.triangles[triangle as usize].1);
            if search.nearest <= search.enough {
                break;
            }
        }
        is_nearer
    }
}
