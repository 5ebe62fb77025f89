//! Rotations that align vectors.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew_ik::{best_fit, shortest_arc};

fn vector() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
}

fn rotation() -> impl Strategy<Value = DQuat> {
    (vector(), 0.0..3.1_f64)
        .prop_map(|(v, a)| DQuat::from_axis_angle(v.try_normalize().unwrap_or(DVec3::X), a))
}

proptest! {
    #[test]
    fn shortest_arc_takes_one_direction_to_the_other_by_the_angle_between_them(a in vector(), b in vector()) {
        prop_assume!(a.length() > 1e-3 && b.length() > 1e-3);
        let arc = shortest_arc(a, b, DVec3::X);
        let (from, to) = (a.normalize(), b.normalize());
        prop_assert!((arc * from - to).length() < 1e-9);
        let angle = 2.0 * arc.xyz().length().atan2(arc.w.abs());
        prop_assert!((angle - from.angle_between(to)).abs() < 1e-6);
    }

    #[test]
    fn best_fit_finds_the_rotation_of_the_vectors(q in rotation(), vs in prop::array::uniform4(vector())) {
        prop_assume!(vs[0].cross(vs[1]).length() > 0.1);
        let fit = best_fit(vs.map(|v| (v, q * v, 1.0)));
        prop_assert!(fit.dot(q).abs() > 1.0 - 1e-9, "{fit} {q}");
    }

    #[test]
    fn no_small_turn_improves_a_best_fit(
        pairs in prop::array::uniform3((vector(), vector(), 0.1..3.0_f64)),
        nudge in rotation(),
    ) {
        let fit = best_fit(pairs);
        let cost = |r: DQuat| pairs.iter().map(|(a, b, w)| w * (*b - r * *a).length_squared()).sum::<f64>();
        let nudged = DQuat::IDENTITY.slerp(nudge, 0.01) * fit;
        prop_assert!(cost(fit) <= cost(nudged.normalize()) + 1e-6);
    }
}

#[test]
fn opposite_vectors_turn_about_the_hint() {
    let half_turn = shortest_arc(DVec3::Y, DVec3::NEG_Y, DVec3::Z);
    assert!((half_turn * DVec3::X - DVec3::NEG_X).length() < 1e-12);
    // A hint along the vector is ignored.
    let any = shortest_arc(DVec3::Y, DVec3::NEG_Y, DVec3::Y);
    assert!((any * DVec3::Y - DVec3::NEG_Y).length() < 1e-12);
}

#[test]
fn vectors_of_zero_length_turn_nothing() {
    assert_eq!(shortest_arc(DVec3::ZERO, DVec3::X, DVec3::X), DQuat::IDENTITY);
    assert_eq!(best_fit([(DVec3::ZERO, DVec3::X, 1.0)]), DQuat::IDENTITY);
}

#[test]
fn best_fit_of_collinear_vectors_is_the_shortest_arc() {
    let fit = best_fit([(DVec3::Y, DVec3::X, 1.0), (DVec3::Y * 2.0, DVec3::X * 2.0, 1.0)]);
    assert!(fit.dot(shortest_arc(DVec3::Y, DVec3::X, DVec3::X)).abs() > 1.0 - 1e-6, "{fit}");
}
