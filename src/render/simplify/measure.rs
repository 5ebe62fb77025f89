//! Measures how far a simplified surface is from the original.

use glam::Vec3;

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

/// Returns the point of a triangle that is nearest to a point (Ericson 2005, "Real-Time Collision Detection", section 5.1.5).
pub(super) fn nearest_point(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3).max(f32::MIN_POSITIVE));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6).max(f32::MIN_POSITIVE));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)).max(f32::MIN_POSITIVE));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}
