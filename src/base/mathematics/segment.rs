//! Distances between segments.

use glam::DVec3;

/// Returns the nearest points of two segments (Ericson 2005, "Real-Time Collision Detection", section 5.1.9).
#[inline]
pub fn nearest_points([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    let s =
        if determinant > 1e-9 * uu * vv { ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0) } else { 0.5 };
    let along = |s: f64| ((uv * s + vw) / vv.max(1e-12)).clamp(0.0, 1.0);
    let t = along(s);
    let s = ((uv * t - uw) / uu.max(1e-12)).clamp(0.0, 1.0);
    (a + u * s, c + v * along(s))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
        let t = ((point - a).dot(b - a) / (b - a).length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        point.distance(a.lerp(b, t))
    }

    proptest! {
        #[test]
        fn no_points_of_two_segments_are_nearer(
            points in prop::array::uniform4(prop::array::uniform3(-1.0_f64..1.0)), s in 0.0_f64..1.0, t in 0.0_f64..1.0,
        ) {
            let [a, b, c, d] = points.map(DVec3::from);
            let (p, q) = nearest_points([a, b], [c, d]);
            prop_assert!(p.distance(q) <= a.lerp(b, s).distance(c.lerp(d, t)) + 1e-6);
            prop_assert!(distance(p, [a, b]) < 1e-9 && distance(q, [c, d]) < 1e-9);
        }
    }

    #[test]
    fn a_point_is_a_segment_too() {
        let (point, segment) = (DVec3::new(0.5, 1.0, 0.0), [DVec3::ZERO, DVec3::X]);
        assert_eq!(nearest_points([point; 2], segment), (point, DVec3::X * 0.5));
        assert_eq!(nearest_points(segment, [point; 2]), (DVec3::X * 0.5, point));
        assert_eq!(nearest_points([point; 2], [DVec3::ZERO; 2]), (point, DVec3::ZERO));
    }
}
