//! Computes the rotation of a joint from the measured directions of its bones.

use glam::{DQuat, DVec3};

use crate::api::{ParseError, named};
use crate::mathematics::{best_fit, inverse_fit, shortest_arc};

/// How the rotation of a joint is computed from the measured positions of its children.
///
/// ```
/// use sinew_character::capture::RotationFit;
///
/// assert_eq!("lecture".parse(), Ok(RotationFit::Lecture));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RotationFit {
    /// With one child, the shortest arc from the previous frame. With several, the least-squares fit.
    #[default]
    LeastSquares,
    /// The formulas of Oshita's lecture (2021, particle method, 3 to 5). With one child, the shortest arc from the rest pose. With three,
    /// R = (l₁ l₂ l₃)(l₁₀ l₂₀ l₃₀)⁻¹ ([`inverse_fit`](crate::ik::inverse_fit)), and the root's position follows from the mean of
    /// its three children. The lecture has no formula for two children, more than three, or three in a plane with their joint.
    /// Such joints get the least-squares fit.
    Lecture,
}

impl RotationFit {
    /// The names of all fits.
    pub(crate) const NAMES: [(&'static str, Self); 2] =
        [("least-squares", Self::LeastSquares), ("lecture", Self::Lecture)];
}

impl std::str::FromStr for RotationFit {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        named("fit", text, Self::NAMES)
    }
}

/// Angle in radians by which a bone near its rest direction must move until the excess twist of its joint has decayed to 1/e.
const TWIST_DECAY_ANGLE: f64 = 0.5;

/// Returns the rotation of a joint with one measured bone: its current rotation, followed by the shortest arc to
/// the measured direction. This is parallel transport, which adds no twist. `from` is the bone in the joint's space
/// and `to` is its measurement in the parent space.
///
/// Parallel transport alone would accumulate twist, because a bone that is moved once around a cone returns twisted by the cone's solid
/// angle. As the bone moves, the twist therefore decays towards the twist of the shortest arc from the rest pose. Near a half turn, where
/// that arc is not defined, the twist decays less. A bone that does not move does not twist.
pub(super) fn swing(rest: DQuat, current: DQuat, from: DVec3, to: DVec3) -> DQuat {
    let Some(direction) = to.try_normalize() else { return current };
    let arc = shortest_arc(current * from, to, current * DVec3::X);
    let transported = arc * current;
    let untwisted = shortest_arc(rest * from, to, rest * DVec3::X) * rest;
    // The bone has the same direction after both rotations, so the rotations differ by a twist about the bone.
    let between = untwisted * transported.conjugate();
    let between = if between.w < 0.0 { -between } else { between };
    let twist = 2.0 * between.xyz().dot(direction).atan2(between.w);
    let moved = 2.0 * arc.xyz().length().atan2(arc.w.abs());
    let defined = 0.5 * (1.0 + (rest * from).normalize_or_zero().dot(direction));
    let decay = 1.0 - (-moved * defined / TWIST_DECAY_ANGLE).exp();
    (DQuat::from_axis_angle(direction, twist * decay) * transported).normalize()
}

/// Returns the rotation of a joint with several measured bones, given as pairs (`from`, `to`) as in [`swing`]. This is
/// the least-squares fit. Longer bones count more, because their directions are known more precisely. If the bones are
/// all parallel, they do not determine the rotation about them, and the result is the rotation nearest to the current
/// one.
pub(super) fn fit_rotation(current: DQuat, bones: &[(DVec3, DVec3)]) -> DQuat {
    (best_fit(bones.iter().map(|(from, to)| (current * *from, *to, 1.0))) * current).normalize()
}

/// Returns the rotation of a joint other than the root from its measured bones, given as pairs (`from`, `to`) as in [`swing`].
pub(super) fn bone_rotation(
    fit: RotationFit,
    rest: DQuat,
    current: DQuat,
    bones: &[(DVec3, DVec3)],
) -> DQuat {
    match (bones, fit) {
        ([], _) => current,
        (&[(from, to)], RotationFit::LeastSquares) => swing(rest, current, from, to),
        (&[(from, to)], RotationFit::Lecture) => {
            (shortest_arc(rest * from, to, rest * DVec3::X) * rest).normalize()
        }
        (&[a, b, c], RotationFit::Lecture) => {
            inverse_fit([a.0, b.0, c.0], [a.1, b.1, c.1]).unwrap_or_else(|| fit_rotation(current, bones))
        }
        _ => fit_rotation(current, bones),
    }
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
        fn swing_aligns_the_bone_with_the_measurement(r in vector(), n in vector(), from in vector(), to in vector()) {
            prop_assume!(from.length() > 1e-3 && to.length() > 1e-3);
            let (rest, current) = (DQuat::from_scaled_axis(r), DQuat::from_scaled_axis(n));
            let q = swing(rest, current, from, to);
            prop_assert!((q * from.normalize() - to.normalize()).length() < 1e-9);
            // Applying the same measurement again does not change the rotation.
            prop_assert!(swing(rest, q, from, to).dot(q).abs() > 1.0 - 1e-12);
        }

        #[test]
        fn fit_recovers_the_rotation(n in vector(), q in vector(), bones in prop::array::uniform3(vector())) {
            prop_assume!(bones[0].cross(bones[1]).length() > 0.1);
            let q = DQuat::from_scaled_axis(q);
            let seen = bones.map(|b| (b, q * b * 1.5));
            prop_assert!(fit_rotation(DQuat::from_scaled_axis(n), &seen).dot(q).abs() > 1.0 - 1e-9);
        }

        #[test]
        fn two_parallel_bones_act_like_one(n in vector(), from in vector(), to in vector()) {
            prop_assume!(from.length() > 0.1 && to.length() > 0.1);
            let current = DQuat::from_scaled_axis(n);
            prop_assume!((current * from).angle_between(to) < 3.0);
            let q = fit_rotation(current, &[(from, to), (from * 0.5, to * 0.5)]);
            prop_assert!((q * from.normalize() - to.normalize()).length() < 1e-6);
            let expected = shortest_arc(current * from, to, DVec3::X) * current;
            // Near a half turn, the axis of the fit can be off by up to 1e-4 radians.
            prop_assert!(q.dot(expected).abs() > 1.0 - 1e-8);
        }
    }

    /// Moves a bone `rounds` times around a vertical cone, with `steps` steps per round.
    fn moved_around(cone: f64, rounds: usize, steps: usize) -> DQuat {
        let mut q = DQuat::IDENTITY;
        for i in 1..=rounds * steps {
            let turn = DQuat::from_rotation_y(TAU * i as f64 / steps as f64);
            q = swing(DQuat::IDENTITY, q, DVec3::Y, turn * DVec3::new(cone.sin(), cone.cos(), 0.0));
        }
        q
    }

    #[test]
    fn a_bone_moved_in_circles_does_not_accumulate_twist() {
        // Parallel transport alone would add a twist of 2π(1 − cos 57.3°), nearly half a turn, per round.
        let untwisted = DQuat::from_rotation_z(-1.0);
        let (once, repeated) = (moved_around(1.0, 1, 500), moved_around(1.0, 50, 500));
        assert!(repeated.angle_between(untwisted) < 0.6, "{}", repeated.angle_between(untwisted));
        assert!(repeated.angle_between(once) < 0.1);
    }

    #[test]
    fn twist_does_not_depend_on_the_frame_rate() {
        let (coarse, dense) = (moved_around(1.0, 2, 240), moved_around(1.0, 2, 2400));
        assert!(coarse.angle_between(dense) < 0.02, "{}", coarse.angle_between(dense));
    }

    #[test]
    fn a_joint_does_not_jump_when_its_bone_passes_a_half_turn() {
        // The bone passes the direction opposite to its rest direction at a distance of 1e-4.
        let (mut q, mut largest) = (DQuat::IDENTITY, 0.0_f64);
        for i in 1..=2000 {
            let angle = TAU * f64::from(i) / 2000.0;
            let next = swing(DQuat::IDENTITY, q, DVec3::Y, DVec3::new(angle.sin(), angle.cos(), 1e-4));
            largest = if i > 1 { largest.max(next.angle_between(q)) } else { largest };
            q = next;
        }
        // The direction moves by 0.0031 rad per step. At most π of twist remains. With a decay angle of 0.5 rad, the decay of this twist
        // rotates the joint by at most 2π times the angle of a step.
        assert!(largest < 0.03, "largest step {largest} rad");
    }
}
