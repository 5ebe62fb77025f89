//! How far a joint must turn so that what hangs on it points where it was seen.

use glam::{DQuat, DVec3};

use crate::mathematics::{best_fit, shortest_arc};

/// So far, in radians, does a joint move while its twist comes back by 1 − 1/e to that of the shortest arc from rest.
const UNWINDING: f64 = 0.5;

/// The rotation of a joint whose one bone was seen: turned from what it is now by the shortest arc (parallel transport: a
/// rotation that adds no twist), `from` the bone in the joint's own space, `to` in the space around it.
///
/// Transport alone would wind up: led once around a cone, a bone comes back twisted by the cone's solid angle. So the
/// twist goes back towards that of the shortest arc from rest, by as much as the bone moves, and less the nearer that is to a half turn, where
/// that arc is not defined. A bone that stays where it is does not twist.
pub(super) fn swing(rest: DQuat, now: DQuat, from: DVec3, to: DVec3) -> DQuat {
    let Some(direction) = to.try_normalize() else { return now };
    let arc = shortest_arc(now * from, to, now * DVec3::X);
    let carried = arc * now;
    let untwisted = shortest_arc(rest * from, to, rest * DVec3::X) * rest;
    // Both bring the bone to the same place: what is between them is a turn about it.
    let between = untwisted * carried.conjugate();
    let between = if between.w < 0.0 { -between } else { between };
    let twist = 2.0 * between.xyz().dot(direction).atan2(between.w);
    let moved = 2.0 * arc.xyz().length().atan2(arc.w.abs());
    let defined = 0.5 * (1.0 + (rest * from).normalize_or_zero().dot(direction));
    let share = 1.0 - (-moved * defined / UNWINDING).exp();
    (DQuat::from_axis_angle(direction, twist * share) * carried).normalize()
}

/// The rotation of a joint of which several bones were seen, (`from`, `to`) as in [`swing`]: the best in the sense of
/// least squares, longer bones counting more, as their directions are known better. Where they leave a turn open (all
/// along one line), the nearest to what it is now.
pub(super) fn fit(now: DQuat, bones: &[(DVec3, DVec3)]) -> DQuat {
    (best_fit(bones.iter().map(|(from, to)| (now * *from, *to, 1.0))) * now).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::TAU;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn a_swing_brings_the_bone_where_it_was_seen(r in vector(), n in vector(), from in vector(), to in vector()) {
            prop_assume!(from.length() > 1e-3 && to.length() > 1e-3);
            let (rest, now) = (DQuat::from_scaled_axis(r), DQuat::from_scaled_axis(n));
            let q = swing(rest, now, from, to);
            prop_assert!((q * from.normalize() - to.normalize()).length() < 1e-9);
            // And stays there.
            prop_assert!(swing(rest, q, from, to).dot(q).abs() > 1.0 - 1e-12);
        }

        #[test]
        fn a_fit_finds_the_rotation(n in vector(), q in vector(), bones in prop::array::uniform3(vector())) {
            prop_assume!(bones[0].cross(bones[1]).length() > 0.1);
            let q = DQuat::from_scaled_axis(q);
            let seen = bones.map(|b| (b, q * b * 1.5));
            prop_assert!(fit(DQuat::from_scaled_axis(n), &seen).dot(q).abs() > 1.0 - 1e-9);
        }

        #[test]
        fn one_bone_twice_is_carried_as_one(n in vector(), from in vector(), to in vector()) {
            prop_assume!(from.length() > 0.1 && to.length() > 0.1);
            let now = DQuat::from_scaled_axis(n);
            prop_assume!((now * from).angle_between(to) < 3.0);
            let q = fit(now, &[(from, to), (from * 0.5, to * 0.5)]);
            prop_assert!((q * from.normalize() - to.normalize()).length() < 1e-6);
            let expected = shortest_arc(now * from, to, DVec3::X) * now;
            // The nearer to a half turn, the less is the fit sure of its axis: a ten-thousandth of a radian there.
            prop_assert!(q.dot(expected).abs() > 1.0 - 1e-8);
        }
    }

    /// Leads a bone around a cone about the vertical, some times, in so many steps.
    fn led_around(cone: f64, rounds: usize, steps: usize) -> DQuat {
        let mut q = DQuat::IDENTITY;
        for i in 1..=rounds * steps {
            let turn = DQuat::from_rotation_y(TAU * i as f64 / steps as f64);
            q = swing(DQuat::IDENTITY, q, DVec3::Y, turn * DVec3::new(cone.sin(), cone.cos(), 0.0));
        }
        q
    }

    #[test]
    fn a_bone_led_in_circles_does_not_wind_up() {
        // Transport alone would twist by 2π(1 − cos 60°) = half a turn each time.
        let untwisted = DQuat::from_rotation_z(-1.0);
        let (once, often) = (led_around(1.0, 1, 500), led_around(1.0, 50, 500));
        assert!(often.angle_between(untwisted) < 0.6, "{}", often.angle_between(untwisted));
        assert!(often.angle_between(once) < 0.1);
    }

    #[test]
    fn twist_does_not_depend_on_the_rate() {
        let (coarse, fine) = (led_around(1.0, 2, 240), led_around(1.0, 2, 2400));
        assert!(coarse.angle_between(fine) < 0.02, "{}", coarse.angle_between(fine));
    }

    #[test]
    fn through_the_half_turn_nothing_jumps() {
        // Past straight back, a hair beside it.
        let (mut q, mut largest) = (DQuat::IDENTITY, 0.0_f64);
        for i in 1..=2000 {
            let angle = TAU * f64::from(i) / 2000.0;
            let next = swing(DQuat::IDENTITY, q, DVec3::Y, DVec3::new(angle.sin(), angle.cos(), 1e-4));
            largest = if i > 1 { largest.max(next.angle_between(q)) } else { largest };
            q = next;
        }
        // A step is 0.0031 rad; the untwisting adds at most its share of a half turn, 2π times as much.
        assert!(largest < 0.03, "{largest}");
    }
}
