//! Distances from triangles.

use glam::Vec3;

/// Returns the point of a triangle that is nearest to a point. The corners may lie on one line or at one place.
pub fn nearest_point(p: Vec3, corners: [Vec3; 3]) -> Vec3 {
    mix(corners, nearest_weights(p, corners))
}

/// Returns the point of a triangle that is nearest to a point, as the weights of the corners (Ericson 2005, "Real-Time Collision Detection",
/// section 5.1.5). The sum of the weights is 1.
pub fn nearest_weights(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f32; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let along = d1 / (d1 - d3).max(f32::MIN_POSITIVE);
        return [1.0 - along, along, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let along = d2 / (d2 - d6).max(f32::MIN_POSITIVE);
        return [1.0 - along, 0.0, along];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6)).max(f32::MIN_POSITIVE);
        return [0.0, 1.0 - along, along];
    }
    let sum = va + vb + vc;
    // Rounding errors can leave a triangle without an area here.
    if sum > 0.0 { [va / sum, vb / sum, vc / sum] } else { [1.0, 0.0, 0.0] }
}

/// Returns the weighted sum of three points.
pub fn mix([a, b, c]: [Vec3; 3], [u, v, w]: [f32; 3]) -> Vec3 {
    a * u + b * v + c * w
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_other_point_of_a_triangle_is_nearer(
            points in prop::array::uniform4(prop::array::uniform3(-1.0_f32..1.0)), s in 0.0_f32..1.0, t in 0.0_f32..1.0,
        ) {
            let [p, a, b, c] = points.map(Vec3::from);
            // In a thin triangle, single precision determines the point less exactly.
            prop_assume!((b - a).cross(c - a).length() > 0.5);
            let nearest = nearest_point(p, [a, b, c]);
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            prop_assert!(p.distance(nearest) <= p.distance(a + s * (b - a) + t * (c - a)) + 1e-3);
            // A point of the triangle is its own nearest point.
            prop_assert!(nearest.distance(nearest_point(nearest, [a, b, c])) < 1e-3);
        }
    }

    #[test]
    fn each_region_of_a_triangle_has_its_nearest_point() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for (point, nearest) in [
            (Vec3::new(-1.0, -2.0, 3.0), Vec3::ZERO),
            (Vec3::new(3.0, -1.0, 1.0), Vec3::X),
            (Vec3::new(-1.0, 3.0, 1.0), Vec3::Y),
            (Vec3::new(0.25, -1.0, 1.0), Vec3::new(0.25, 0.0, 0.0)),
            (Vec3::new(-1.0, 0.75, 1.0), Vec3::new(0.0, 0.75, 0.0)),
            (Vec3::new(1.0, 1.0, 1.0), Vec3::new(0.5, 0.5, 0.0)),
            (Vec3::new(0.25, 0.5, 7.0), Vec3::new(0.25, 0.5, 0.0)),
        ] {
            assert_eq!(nearest_point(point, corners), nearest, "{point}");
        }
    }

    #[test]
    fn a_triangle_without_an_area_has_a_nearest_point() {
        let point = Vec3::new(0.5, 1.0, 0.0);
        assert_eq!(nearest_point(point, [Vec3::ZERO; 3]), Vec3::ZERO);
        assert_eq!(nearest_point(point, [Vec3::ZERO, Vec3::X, Vec3::X]), Vec3::X * 0.5);
    }
}
