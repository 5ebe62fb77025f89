//! Convex hulls, built point by point (the beneath-beyond method: Preparata & Shamos 1985, "Computational Geometry", section 3.4.2).

use std::collections::BTreeMap;

use glam::DVec3;

/// Maximum number of points of a hull. The time to build a hull grows with the square of this number.
pub(super) const MOST_POINTS: usize = 10_000;
/// A point above a face counts as part of its plane up to these distances, relative to the size of the hull. The second and third are tried
/// if rounding errors make the first one fail.
const FLAT: [f64; 3] = [1e-10, 1e-8, 1e-6];
/// No point may be above a face by more than this distance, relative to the size of the hull.
const OUTSIDE: f64 = 1e-5;
/// The faces at an edge count as one face if the cosine of the angle between their normals is at least this.
const ONE_FACE: f64 = 1.0 - 1e-12;

/// The convex hull of points in world space.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hull {
    pub(super) faces: Vec<Face>,
    pub(super) edges: Vec<Edge>,
    /// The centre and the radius of a sphere that contains the hull.
    pub(super) bounds: (DVec3, f64),
}

/// A triangle of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// Counter-clockwise as seen from outside.
    pub(super) corners: [DVec3; 3],
    /// Unit vector that points out of the hull.
    pub(super) normal: DVec3,
    /// The dot product of the normal and the points of the plane.
    offset: f64,
}

/// An edge between two faces that are not in one plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) ends: [DVec3; 2],
    /// Indices of the two faces.
    pub(super) faces: [usize; 2],
}

impl Face {
    fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        Self { corners, normal, offset: normal.dot(a) }
    }

    /// Returns the distance of a point above the face's plane.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

impl Hull {
    /// Returns the hull of points, or the requirement that the points do not meet.
    pub(super) fn new(mut points: Vec<DVec3>) -> Result<Self, &'static str> {
        if points.len() > MOST_POINTS {
            return Err("a hull can have at most 10000 points");
        }
        if !points.iter().all(|point| point.is_finite()) {
            return Err("the points must be finite");
        }
        let flat = "the points of a hull must not lie in one plane";
        let [first, rest @ ..] = &points[..] else { return Err(flat) };
        let low = rest.iter().fold(*first, |low, point| low.min(*point));
        let high = rest.iter().fold(*first, |high, point| high.max(*point));
        let (centre, size) = (0.5 * (low + high), (high - low).max_element());
        // Far points first: most of the others are then inside.
        points.sort_by(|a, b| b.distance_squared(centre).total_cmp(&a.distance_squared(centre)));
        let radius = points.first().map_or(0.0, |far| far.distance(centre));
        let mut built = FLAT.iter().filter_map(|flat| Builder::build(&points, flat * size));
        let is_outside = |faces: &[[DVec3; 3]]| {
            let faces: Vec<Face> = faces.iter().map(|corners| Face::new(*corners)).collect();
            points.iter().any(|point| faces.iter().any(|face| face.height(*point) > OUTSIDE * size))
        };
        let (faces, edges) = built.find(|(faces, _)| !is_outside(faces)).ok_or(flat)?;
        let faces: Vec<Face> = faces.into_iter().map(Face::new).collect();
        let is_sharp = |edge: &Edge| {
            let [a, b] = edge.faces.map(|face| faces.get(face).map_or(DVec3::ZERO, |face| face.normal));
            a.dot(b) < ONE_FACE
        };
        let edges = edges.into_iter().filter(is_sharp).collect();
        Ok(Self { faces, edges, bounds: (centre, radius) })
    }
}

/// The triangles and edges of a hull.
type Built = (Vec<[DVec3; 3]>, Vec<Edge>);

/// A hull that grows.
struct Builder<'a> {
    points: &'a [DVec3],
    /// The corners of each triangle, or `None` for a triangle that became a part of the inside.
    triangles: Vec<Option<([usize; 3], Face)>>,
    /// The triangle to the left of each directed edge.
    left_of: BTreeMap<[usize; 2], usize>,
    /// A point at most this far above a triangle is in its plane.
    flat: f64,
}

impl<'a> Builder<'a> {
    /// Returns the hull of the points, or `None` if they are in one plane or if rounding errors opened the surface.
    fn build(points: &'a [DVec3], flat: f64) -> Option<Built> {
        let mut own = Self { points, triangles: Vec::new(), left_of: BTreeMap::new(), flat };
        let corners = own.tetrahedron()?;
        let [a, b, c, d] = corners;
        for triangle in [[a, b, c], [a, c, d], [a, d, b], [b, d, c]] {
            own.add(triangle)?;
        }
        for point in (0..points.len()).filter(|point| !corners.contains(point)) {
            own.include(point)?;
        }
        own.finish()
    }

    fn point(&self, index: usize) -> DVec3 {
        self.points.get(index).copied().unwrap_or_default()
    }

    /// Returns four points that are not in one plane. The last one is below the triangle of the others.
    fn tetrahedron(&self) -> Option<[usize; 4]> {
        let farthest = |distance: &dyn Fn(DVec3) -> f64| {
            let all = self.points.iter().enumerate().map(|(index, point)| (index, distance(*point)));
            let best = all.max_by(|a, b| a.1.total_cmp(&b.1))?;
            (best.1 > self.flat).then_some(best.0)
        };
        let a = 0;
        let origin = self.point(a);
        let b = farthest(&|point| point.distance(origin))?;
        let along = (self.point(b) - origin).normalize_or_zero();
        let c = farthest(&|point| (point - origin).reject_from_normalized(along).length())?;
        let face = Face::new([a, b, c].map(|corner| self.point(corner)));
        let d = farthest(&|point| face.height(point).abs())?;
        Some(if face.height(self.point(d)) < 0.0 { [a, b, c, d] } else { [a, c, b, d] })
    }

    fn add(&mut self, corners: [usize; 3]) -> Option<()> {
        let face = Face::new(corners.map(|corner| self.point(corner)));
        let [a, b, c] = corners;
        for edge in [[a, b], [b, c], [c, a]] {
            // A second triangle on the same side of an edge would be a fold.
            if self.left_of.insert(edge, self.triangles.len()).is_some() {
                return None;
            }
        }
        self.triangles.push(Some((corners, face)));
        (face.normal != DVec3::ZERO).then_some(())
    }

    /// Extends the hull to a point: replaces the triangles that the point is above by triangles between the point and their border.
    fn include(&mut self, point: usize) -> Option<()> {
        let at = self.point(point);
        let heights =
            self.triangles.iter().map(|t| t.as_ref().map_or(f64::NEG_INFINITY, |(_, f)| f.height(at)));
        let (highest, height) = heights.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        if height <= self.flat {
            return Some(());
        }
        let (mut stack, mut border) = (vec![highest], Vec::new());
        while let Some(index) = stack.pop() {
            let Some(([a, b, c], _)) = self.triangles.get_mut(index).and_then(Option::take) else { continue };
            for [from, to] in [[a, b], [b, c], [c, a]] {
                self.left_of.remove(&[from, to]);
                // The neighbour is missing if it is a part of the inside, too.
                let Some(&other) = self.left_of.get(&[to, from]) else { continue };
                let is_below = |(_, face): &([usize; 3], Face)| face.height(at) <= self.flat;
                if self.triangles.get(other).and_then(Option::as_ref).is_some_and(is_below) {
                    border.push([from, to]);
                } else {
                    stack.push(other);
                }
            }
        }
        border.into_iter().try_for_each(|[from, to]| self.add([from, to, point]))
    }

    /// Returns the surface, or `None` if it is not closed.
    fn finish(self) -> Option<Built> {
        let triangles = self.triangles.iter().enumerate();
        let kept: Vec<usize> = triangles.filter(|(_, t)| t.is_some()).map(|(index, _)| index).collect();
        let place = |triangle: &usize| kept.binary_search(triangle).ok();
        let mut edges = Vec::new();
        for ([from, to], left) in &self.left_of {
            let right = self.left_of.get(&[*to, *from])?;
            if from < to {
                let ends = [self.point(*from), self.point(*to)];
                edges.push(Edge { ends, faces: [place(left)?, place(right)?] });
            }
        }
        let faces = self.triangles.iter().flatten().map(|(_, face)| face.corners).collect();
        Some((faces, edges))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(points: &[DVec3], hull: &Hull) {
        // Euler's formula for closed surfaces of triangles: the edges inside flat faces are not listed.
        assert_eq!(hull.faces.len() % 2, 0);
        for point in points {
            assert!(hull.faces.iter().all(|face| face.height(*point) < 1e-9), "{point}");
        }
        for corner in hull.faces.iter().flat_map(|face| face.corners) {
            assert!(points.contains(&corner));
        }
    }

    proptest! {
        #[test]
        fn hulls_contain_their_points(
            points in prop::collection::vec(prop::array::uniform3(-1.0_f64..1.0), 4..60),
        ) {
            let points: Vec<DVec3> = points.into_iter().map(DVec3::from).collect();
            if let Ok(hull) = Hull::new(points.clone()) {
                check(&points, &hull);
            }
        }

        /// Points of a grid share planes and lines, and occur twice.
        #[test]
        fn grids_have_hulls(
            points in prop::collection::vec(prop::array::uniform3(0_i32..4), 4..80),
        ) {
            let points: Vec<DVec3> = points.into_iter().map(|p| DVec3::from(p.map(f64::from)) * 0.1).collect();
            match Hull::new(points.clone()) {
                Ok(hull) => check(&points, &hull),
                Err(why) => prop_assert_eq!(why, "the points of a hull must not lie in one plane"),
            }
        }
    }

    #[test]
    fn a_box_has_six_faces_and_twelve_edges() {
        let steps: Vec<f64> = (0..5).map(|i| f64::from(i) * 0.25 - 0.5).collect();
        let mut points = Vec::new();
        for x in &steps {
            for y in &steps {
                points.extend(steps.iter().map(|z| DVec3::new(*x, 2.0 * y, 3.0 * z)));
            }
        }
        let hull = Hull::new(points.clone()).unwrap();
        check(&points, &hull);
        let along: f64 = hull.edges.iter().map(|edge| edge.ends[0].distance(edge.ends[1])).sum();
        assert!((along - 4.0 * (1.0 + 2.0 + 3.0)).abs() < 1e-12, "{along}");
        let area: f64 = hull
            .faces
            .iter()
            .map(|f| (f.corners[1] - f.corners[0]).cross(f.corners[2] - f.corners[0]).length() / 2.0)
            .sum();
        assert!((area - 22.0).abs() < 1e-12, "{area}");
        assert_eq!(hull.bounds.0, DVec3::ZERO);
    }

    #[test]
    fn round_bodies_have_a_triangle_for_each_gap() {
        let point = |i: i32| {
            let (turn, height) = (f64::from(i) * 2.4, 1.0 - (f64::from(i) + 0.5) / 1000.0);
            DVec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - height * height).sqrt() + DVec3::Z * height
        };
        let points: Vec<DVec3> = (0..2000).map(point).collect();
        let hull = Hull::new(points.clone()).unwrap();
        check(&points, &hull);
        // Euler: a closed surface of triangles with V corners has 2 V - 4 faces and 3 V - 6 edges.
        assert_eq!((hull.faces.len(), hull.edges.len()), (3996, 5994));
    }

    #[test]
    fn flat_and_invalid_points_are_refused() {
        let flat: Vec<DVec3> = (0..20).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 1.0)).collect();
        for points in [flat, Vec::new(), vec![DVec3::ONE; 9]] {
            assert!(Hull::new(points).unwrap_err().contains("in one plane"));
        }
        assert!(Hull::new(vec![DVec3::NAN; 4]).unwrap_err().contains("finite"));
        assert!(Hull::new(vec![DVec3::ZERO; MOST_POINTS + 1]).unwrap_err().contains("at most 10000"));
    }
}
