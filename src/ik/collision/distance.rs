//! Signed distances between capsules and boxes, with the points where they are nearest.

use glam::DVec3;
use sinew_base::mathematics::nearest_points;

use super::obstacle::PlacedBox;

/// Two axes that are nearer than this, in metres, have no direction between them.
const TOUCHING: f64 = 1e-9;
/// Two directions whose cross product is shorter than this, relative to their lengths, count as parallel.
const PARALLEL: f64 = 1e-6;

/// The gap between two convex shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    pub(super) distance: f64,
    /// Unit vector from the second shape to the first.
    pub(super) normal: DVec3,
    /// The nearest points: on the axis of the first shape, and on the axis of a capsule or the surface of a box.
    pub(super) points: [DVec3; 2],
    /// The radii between these points and the surfaces, in metres.
    pub(super) radii: [f64; 2],
}

/// Returns the gap between two capsules.
pub(super) fn capsules(a: ([DVec3; 2], f64), b: ([DVec3; 2], f64)) -> Contact {
    let (x, y) = nearest_points(a.0, b.0);
    let between = x - y;
    let distance = between.length();
    let normal = if distance > TOUCHING {
        between / distance
    } else {
        // The axes meet. The shortest way out is perpendicular to both.
        let [u, v] = [a.0[1] - a.0[0], b.0[1] - b.0[0]];
        let across = u.cross(v);
        let is_parallel = across.length() <= PARALLEL * u.length() * v.length();
        let other = if u.length() > v.length() { u } else { v };
        let fallback = other.normalize_or(DVec3::X).any_orthonormal_vector();
        if is_parallel { fallback } else { across.normalize_or(fallback) }
    };
    Contact { distance: distance - a.1 - b.1, normal, points: [x, y], radii: [a.1, b.1] }
}

/// Returns the gap between a capsule and a box.
pub(super) fn capsule_and_box((ends, radius): ([DVec3; 2], f64), other: &PlacedBox) -> Contact {
    let local = ends.map(|end| other.to_local(end));
    let point = nearest_to_box(local, other.half);
    let on_box = point.clamp(-other.half, other.half);
    let between = point - on_box;
    let length = between.length();
    let (distance, normal, points) = if length > TOUCHING {
        (length, between / length, [point, on_box])
    } else {
        separation(local, other.half)
    };
    let points = points.map(|point| other.to_world(point));
    Contact { distance: distance - radius, normal: other.rotation * normal, points, radii: [radius, 0.0] }
}

/// Returns the point of a segment that is nearest to a box around the origin.
///
/// Half the squared distance is convex along the segment, and its slope is piecewise linear. The slope bends where the segment passes a
/// plane of the box.
fn nearest_to_box([a, b]: [DVec3; 2], half: DVec3) -> DVec3 {
    let along = b - a;
    let slope = |t: f64| {
        let point = a + along * t;
        (point - point.clamp(-half, half)).dot(along)
    };
    let mut bends = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for axis in 0..3 {
        for (place, side) in [-half[axis], half[axis]].into_iter().enumerate() {
            let t = (side - a[axis]) / along[axis];
            bends[2 + 2 * axis + place] = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        }
    }
    bends.sort_unstable_by(f64::total_cmp);
    let mut last = (0.0, slope(0.0));
    if last.1 >= 0.0 {
        return a;
    }
    for t in bends {
        let here = slope(t);
        if here >= 0.0 {
            let rise = here - last.1;
            let share = if rise > 0.0 { (-last.1 / rise).clamp(0.0, 1.0) } else { 1.0 };
            return a + along * (last.0 + (t - last.0) * share);
        }
        last = (t, here);
    }
    b
}

/// Returns the distance, the direction and the points of the least translation that separates a segment from a box around the origin. The
/// distance is not positive if the two meet (separating axes: Gottschalk, Lin & Manocha 1996).
fn separation([a, b]: [DVec3; 2], half: DVec3) -> (f64, DVec3, [DVec3; 2]) {
    let mut best = (f64::NEG_INFINITY, DVec3::Z, [a, a]);
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            let (from, to) = (a.dot(normal), b.dot(normal));
            let distance = from.min(to) - normal.abs().dot(half);
            if distance > best.0 {
                let point = if (from - to).abs() < TOUCHING {
                    0.5 * (a + b)
                } else if from < to {
                    a
                } else {
                    b
                };
                best = (distance, normal, [point, point - normal * distance]);
            }
        }
        let across = (b - a).cross(axis);
        if across.length() <= PARALLEL * (b - a).length() {
            continue;
        }
        for normal in [across.normalize(), -across.normalize()] {
            let distance = a.dot(normal) - normal.abs().dot(half);
            if distance > best.0 {
                // The edge of the box that is farthest along the normal.
                let corner = DVec3::select(normal.cmplt(DVec3::ZERO), -half, half);
                let edge = [corner - axis * corner * 2.0, corner];
                let (x, y) = nearest_points([a, b], edge);
                best = (distance, normal, [x, y]);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;

    fn placed(centre: [f64; 3], turn: [f64; 3], half: [f64; 3]) -> PlacedBox {
        let rotation = DQuat::from_scaled_axis(turn.into());
        PlacedBox { centre: centre.into(), rotation, half: half.into() }
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
            let (other, ends) = (placed(centre, turn, half), [DVec3::from(a), DVec3::from(b)]);
            let contact = capsule_and_box((ends, 0.0), &other);
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
        let cross = capsules(([-DVec3::X, DVec3::X], 0.1), ([-DVec3::Y, DVec3::Y], 0.2));
        assert!((cross.distance + 0.3).abs() < 1e-12 && cross.normal.z.abs() > 0.99);
        let point = capsules(([DVec3::ZERO; 2], 0.1), ([DVec3::ZERO; 2], 0.2));
        assert!(point.normal.is_normalized());
        let same = capsules(([DVec3::ZERO, DVec3::X], 0.1), ([DVec3::ZERO, DVec3::X], 0.2));
        assert!(same.normal.is_normalized() && same.normal.x.abs() < 1e-9);
    }
}
