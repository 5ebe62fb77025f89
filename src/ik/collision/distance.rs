//! Signed distances between capsules and convex hulls, with the points where they are nearest.

use glam::DVec3;
use sinew_base::mathematics::nearest_points;

use super::hull::{Face, Hull};

/// Two axes that are nearer than this, in metres, have no direction between them.
const TOUCHING: f64 = 1e-9;
/// Two directions whose cross product is shorter than this, relative to their lengths, count as parallel.
const PARALLEL: f64 = 1e-6;

/// The points within a distance of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capsule {
    pub(super) ends: [DVec3; 2],
    /// In metres.
    pub(super) radius: f64,
}

impl Capsule {
    /// Returns the centre and the radius of a sphere that contains the capsule.
    pub(super) fn bounds(&self) -> (DVec3, f64) {
        let [a, b] = self.ends;
        (0.5 * (a + b), 0.5 * a.distance(b) + self.radius)
    }
}

/// The gap between two convex shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    pub(super) distance: f64,
    /// Unit vector from the second shape to the first.
    pub(super) normal: DVec3,
    /// The nearest points: on the axis of the first shape, and on the axis of a capsule or the surface of a hull.
    pub(super) points: [DVec3; 2],
    /// The radii between these points and the surfaces, in metres.
    pub(super) radii: [f64; 2],
}

/// Returns the gap between two capsules.
pub(super) fn capsules(a: Capsule, b: Capsule) -> Contact {
    let (x, y) = nearest_points(a.ends, b.ends);
    let between = x - y;
    let distance = between.length();
    let normal = if distance > TOUCHING {
        between / distance
    } else {
        // The axes meet. The shortest way out is perpendicular to both.
        let [u, v] = [a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]];
        let across = u.cross(v);
        let is_parallel = across.length() <= PARALLEL * u.length() * v.length();
        let other = if u.length() > v.length() { u } else { v };
        let fallback = other.normalize_or(DVec3::X).any_orthonormal_vector();
        if is_parallel { fallback } else { across.normalize_or(fallback) }
    };
    Contact { distance: distance - a.radius - b.radius, normal, points: [x, y], radii: [a.radius, b.radius] }
}

/// Returns the gap between a capsule and a convex hull, or `None` if a face shows that it is at least `within` metres.
pub(super) fn capsule_and_hull(capsule: Capsule, hull: &Hull, within: f64) -> Option<Contact> {
    let Capsule { ends, radius } = capsule;
    let mut best = separation(ends, hull);
    if best.0 - radius >= within {
        return None;
    }
    if best.0 > 0.0 {
        let (x, y) = nearest_to_hull(ends, hull);
        let between = x - y;
        let length = between.length();
        if length > TOUCHING {
            best = (length, between / length, [x, y]);
        }
    }
    let (distance, normal, points) = best;
    Some(Contact { distance: distance - radius, normal, points, radii: [radius, 0.0] })
}

/// Returns the nearest points of a segment and a hull that do not meet.
///
/// The nearest point of the hull is on a face that a part of the segment is above. It is inside the face only if the nearest point of the
/// segment is an end, because the distance from a plane is largest and smallest at the ends.
fn nearest_to_hull([a, b]: [DVec3; 2], hull: &Hull) -> (DVec3, DVec3) {
    let is_below = |face: &Face| face.height(a) <= 0.0 && face.height(b) <= 0.0;
    let mut best = (f64::INFINITY, (a, a));
    let mut add = |points: (DVec3, DVec3)| {
        let distance = points.0.distance_squared(points.1);
        if distance < best.0 {
            best = (distance, points);
        }
    };
    for face in hull.faces.iter().filter(|face| !is_below(face)) {
        for end in [a, b] {
            let height = face.height(end);
            if height >= 0.0 && is_over(face, end) {
                add((end, end - face.normal * height));
            }
        }
    }
    for edge in &hull.edges {
        if edge.faces.iter().any(|face| hull.faces.get(*face).is_some_and(|face| !is_below(face))) {
            add(nearest_points([a, b], edge.ends));
        }
    }
    best.1
}

/// Returns whether the projection of a point to the plane of a face is inside the face.
fn is_over(face: &Face, point: DVec3) -> bool {
    let [a, b, c] = face.corners;
    // Two triangles of one flat face must not leave a gap between them.
    let is_left = |from: DVec3, to: DVec3| {
        let along = to - from;
        along.cross(point - from).dot(face.normal) >= -1e-9 * along.length_squared()
    };
    is_left(a, b) && is_left(b, c) && is_left(c, a)
}

/// Returns the distance, the direction and the points of the least translation that separates a segment from a hull. The distance is not
/// positive if the two meet. If they do not meet, it is at most the distance between them (separating axes: Gottschalk, Lin & Manocha 1996).
fn separation([a, b]: [DVec3; 2], hull: &Hull) -> (f64, DVec3, [DVec3; 2]) {
    let mut best = (f64::NEG_INFINITY, DVec3::Z, [a, a]);
    for face in &hull.faces {
        let (from, to) = (face.height(a), face.height(b));
        let distance = from.min(to);
        if distance > best.0 {
            let point = if (from - to).abs() < TOUCHING {
                0.5 * (a + b)
            } else if from < to {
                a
            } else {
                b
            };
            best = (distance, face.normal, [point, point - face.normal * distance]);
        }
    }
    if best.0 > 0.0 {
        return best;
    }
    for edge in &hull.edges {
        let [from, to] = edge.ends;
        let across = (b - a).cross(to - from);
        if across.length() <= PARALLEL * (b - a).length() * from.distance(to) {
            continue;
        }
        let [Some(first), Some(second)] = edge.faces.map(|face| hull.faces.get(face)) else { continue };
        // Points out of the hull if it is between the normals of the two faces.
        let normal = across.normalize() * across.dot(first.normal + second.normal).signum();
        let turn = first.normal.cross(second.normal);
        if first.normal.cross(normal).dot(turn) < 0.0 || normal.cross(second.normal).dot(turn) < 0.0 {
            continue;
        }
        let distance = normal.dot(a - from);
        if distance > best.0 {
            let (x, y) = nearest_points([a, b], edge.ends);
            best = (distance, normal, [x, y]);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::super::obstacle::corners;
    use super::*;

    /// A box with half its edge lengths.
    struct Placed {
        centre: DVec3,
        rotation: DQuat,
        half: DVec3,
    }

    impl Placed {
        fn new(centre: [f64; 3], turn: [f64; 3], half: [f64; 3]) -> Self {
            let rotation = DQuat::from_scaled_axis(turn.into());
            Self { centre: centre.into(), rotation, half: half.into() }
        }

        fn to_local(&self, point: DVec3) -> DVec3 {
            self.rotation.conjugate() * (point - self.centre)
        }

        fn hull(&self) -> Hull {
            Hull::new(corners(self.centre, self.rotation, 2.0 * self.half)).unwrap()
        }
    }

    prop_compose! {
        fn vector(size: f64)(v in prop::array::uniform3(-size..size)) -> [f64; 3] { v }
    }

    proptest! {
        /// No point of the segment is nearer to the box, and moving the segment by the depth along the normal separates the two.
        #[test]
        fn distances_to_boxes_are_least(
            a in vector(1.0), b in vector(1.0), centre in vector(0.5), turn in vector(2.0),
            half in prop::array::uniform3(0.05_f64..0.5),
        ) {
            let (other, ends) = (Placed::new(centre, turn, half), [DVec3::from(a), DVec3::from(b)]);
            let contact = capsule_and_hull(Capsule { ends, radius: 0.0 }, &other.hull(), f64::INFINITY).unwrap();
            let nearest = |shift: DVec3| {
                let at = |i: i32| other.to_local(ends[0].lerp(ends[1], f64::from(i) / 200.0) + shift);
                let away = |p: DVec3| p.distance(p.clamp(-other.half, other.half));
                (0..=200).map(|i| away(at(i))).fold(f64::INFINITY, f64::min)
            };
            if contact.distance > 0.0 {
                prop_assert!(contact.distance <= nearest(DVec3::ZERO) + 1e-9);
                prop_assert!(contact.points[0].distance(contact.points[1]) - contact.distance < 1e-9);
            } else {
                prop_assert!(nearest(contact.normal * (1e-6 - contact.distance)) > 0.0);
                // A shorter translation along the normal does not separate them.
                prop_assert!(nearest(contact.normal * (-0.8 * contact.distance - 0.02).max(0.0)) < 0.02);
            }
        }
    }

    #[test]
    fn capsules_whose_axes_meet_have_a_direction() {
        let pair = |first: [DVec3; 2], second: [DVec3; 2]| {
            capsules(Capsule { ends: first, radius: 0.1 }, Capsule { ends: second, radius: 0.2 })
        };
        let cross = pair([-DVec3::X, DVec3::X], [-DVec3::Y, DVec3::Y]);
        assert!((cross.distance + 0.3).abs() < 1e-12 && cross.normal.z.abs() > 0.99);
        let point = pair([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
        assert!(point.normal.is_normalized());
        let same = pair([DVec3::ZERO, DVec3::X], [DVec3::ZERO, DVec3::X]);
        assert!(same.normal.is_normalized() && same.normal.x.abs() < 1e-9);
    }
}
