//! Measures how far a simplified surface is from the original.

use glam::Vec3;

use crate::mathematics::triangle::nearest_point;

use super::collapse::Surface;

/// The search for the point of a surface that is nearest to a given point.
struct Search<'a> {
    pose: &'a [Vec3],
    point: Vec3,
    /// The squared distance, and the corners of the nearest triangle.
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

impl Surface<'_> {
    /// Returns the largest distance of the original vertices and of the centres of the original triangles from the surface, in all poses. If
    /// a collapse had a larger error, because it moved a border between colours for example, returns that error.
    #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
    pub(super) fn error(&self) -> f32 {
        let survivors: Vec<u32> =
            (0..).take(self.shape.vertices()).map(|vertex| self.survivor(vertex)).collect();
        let mut is_used = vec![false; survivors.len()];
        self.shape.triangles.as_flattened().iter().for_each(|&vertex| is_used[vertex as usize] = true);
        // A vertex is the centre of a triangle with three equal corners.
        let vertices = (0..).zip(is_used).filter(|(_, is_used)| *is_used).map(|(vertex, _)| [vertex; 3]);
        let samples: Vec<[u32; 3]> = vertices.chain(self.shape.triangles.iter().copied()).collect();
        let mut largest = self.largest as f32;
        for pose in self.shape.poses {
            for &corners in &samples {
                let [a, b, c] = corners.map(|corner| pose[corner as usize]);
                let search = Search { pose, point: (a + b + c) / 3.0, nearest: f32::INFINITY, corners: None };
                let class = survivors[corners[0] as usize];
                largest = largest.max(self.distance_squared(search, class, largest));
            }
        }
        largest.sqrt()
    }

    /// Returns an upper bound of the squared distance of a point from the surface. The search begins around a class. It ends when the
    /// distance is at most `enough`, or when no triangle around the nearest one is nearer.
    fn distance_squared(&self, mut search: Search<'_>, class: u32, enough: f32) -> f32 {
        let mut classes = vec![class];
        loop {
            let mut is_nearer = false;
            for corners in classes.iter().flat_map(|&class| self.around(class)) {
                is_nearer |= search.visit(corners);
                if search.nearest <= enough {
                    return search.nearest;
                }
            }
            match search.corners {
                Some(corners) if is_nearer => classes = corners.map(|corner| self.class_of(corner)).to_vec(),
                Some(_) => return search.nearest,
                None => break,
            }
        }
        // The piece with the point was removed, so any other piece may be the nearest.
        let mut all = self.live();
        while search.nearest > enough
            && let Some(corners) = all.next()
        {
            search.visit(corners);
        }
        search.nearest
    }
}
