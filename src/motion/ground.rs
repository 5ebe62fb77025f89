//! Where a character stands: a place on the ground and a heading.

use glam::{Affine3A, DVec2, DVec3, Quat, Vec3};

use crate::pose::Pose;

/// Turns smaller than this, radians, add up as if there were none.
const STRAIGHT: f64 = 1e-9;

/// A rigid motion that keeps the ground: a turn about +Y, then a shift along X and Z. The world's axes, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ground {
    /// Radians about +Y.
    pub(super) turn: f64,
    /// Along X and Z.
    pub(super) shift: DVec2,
}

impl Ground {
    /// Where a joint stands: below its place, turned as it is turned about +Y from rest.
    pub(super) fn below(world_from_joint: &Affine3A, rest: &Affine3A) -> Self {
        let forward = |m: &Affine3A| Quat::from_mat3a(&unscaled(m));
        let turned = forward(world_from_joint) * forward(rest).conjugate();
        // The twist about +Y of a swing-twist decomposition; upside down there is none.
        let turn = 2.0 * f64::from(turned.y).atan2(f64::from(turned.w));
        let place = world_from_joint.translation.as_dvec3();
        let turn = if turn.is_finite() { turn } else { 0.0 };
        Self { turn, shift: DVec2::new(place.x, place.z) }
    }

    fn turned(self, v: DVec2) -> DVec2 {
        let (sin, cos) = self.turn.sin_cos();
        DVec2::new(v.x * cos + v.y * sin, v.y * cos - v.x * sin)
    }

    /// First `other`, then this.
    pub(super) fn after(self, other: Self) -> Self {
        Self { turn: self.turn + other.turn, shift: self.shift + self.turned(other.shift) }
    }

    /// What takes this back.
    pub(super) fn inverse(self) -> Self {
        let back = Self { turn: -self.turn, shift: DVec2::ZERO };
        Self { shift: -back.turned(self.shift), ..back }
    }

    /// This, so many times; backwards below zero, and a part of it between whole numbers: along the arc or line that
    /// whole numbers lie on.
    pub(super) fn times(self, n: f64) -> Self {
        let turn = wrapped(self.turn);
        if turn.abs() < STRAIGHT {
            return Self { turn: self.turn * n, shift: self.shift * n };
        }
        // The point that the turn leaves where it is: everything goes around it.
        let (sin, cos) = (0.5 * turn).sin_cos();
        let half_across = DVec2::new(self.shift.y, -self.shift.x) * (0.5 * cos / sin);
        let center = 0.5 * self.shift + half_across;
        let whole = Self { turn: turn * n, shift: DVec2::ZERO };
        Self { turn: turn * n, shift: center - whole.turned(center) }
    }

    /// The mean of places, and of headings that are near each other.
    pub(super) fn mean(mut all: impl Iterator<Item = Self>) -> Self {
        let Some(first) = all.next() else { return Self::default() };
        let (mut turn, mut shift, mut count) = (0.0, DVec2::ZERO, 1.0);
        for one in all {
            turn += wrapped(one.turn - first.turn);
            shift += one.shift - first.shift;
            count += 1.0;
        }
        Self { turn: first.turn + turn / count, shift: first.shift + shift / count }
    }

    /// A place, moved.
    #[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
    pub(super) fn place(self, at: Vec3) -> Vec3 {
        let moved = self.turned(DVec2::new(f64::from(at.x), f64::from(at.z))) + self.shift;
        Vec3::new(moved.x as f32, at.y, moved.y as f32)
    }

    /// An orientation, turned.
    pub(super) fn orientation(self, at: Quat) -> Quat {
        (glam::DQuat::from_axis_angle(DVec3::Y, self.turn) * at.as_dquat()).normalize().as_quat()
    }

    /// Moves nodes that have no parent, and all that hangs on them.
    pub(super) fn carry(self, tops: &[usize], pose: &mut Pose) {
        if self == Self::default() {
            return;
        }
        for &top in tops {
            if let Some(local) = pose.locals.get_mut(top) {
                local.translation = self.place(local.translation);
                local.rotation = self.orientation(local.rotation);
            }
        }
    }
}

/// An angle within half a turn of zero.
pub(super) fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - (angle / turn).round() * turn
}

fn unscaled(m: &Affine3A) -> glam::Mat3A {
    let m = m.matrix3;
    glam::Mat3A::from_cols(
        m.x_axis.normalize_or_zero(),
        m.y_axis.normalize_or_zero(),
        m.z_axis.normalize_or_zero(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any() -> impl Strategy<Value = Ground> {
        (-3.0..3.0_f64, -5.0..5.0_f64, -5.0..5.0_f64)
            .prop_map(|(turn, x, z)| Ground { turn, shift: DVec2::new(x, z) })
    }

    fn near(a: Ground, b: Ground) -> bool {
        wrapped(a.turn - b.turn).abs() < 1e-7 && a.shift.distance(b.shift) < 1e-6
    }

    proptest! {
        #[test]
        fn what_is_taken_back_leaves_nothing(a in any()) {
            prop_assert!(near(a.after(a.inverse()), Ground::default()));
            prop_assert!(near(a.inverse().after(a), Ground::default()));
        }

        #[test]
        fn times_is_one_after_another(a in any(), n in 0_i32..7) {
            let repeated = (0..n).fold(Ground::default(), |sum, _| a.after(sum));
            prop_assert!(near(a.times(f64::from(n)), repeated));
            prop_assert!(near(a.times(-f64::from(n)), repeated.inverse()));
        }

        #[test]
        fn two_halves_are_a_whole(a in any()) {
            let half = a.times(0.5);
            prop_assert!(near(half.after(half), a));
        }

        #[test]
        fn it_turns_as_quaternions_do(a in any(), at in prop::array::uniform3(-3.0_f32..3.0)) {
            let at = Vec3::from(at);
            let by_quaternion = Quat::from_rotation_y(a.turn as f32) * at
                + Vec3::new(a.shift.x as f32, 0.0, a.shift.y as f32);
            prop_assert!(a.place(at).distance(by_quaternion) < 1e-5);
        }
    }

    #[test]
    fn a_mean_goes_the_shorter_way_around() {
        let of = |turn: f64, x: f64| Ground { turn, shift: DVec2::new(x, 1.0) };
        let mean = Ground::mean([of(3.1, 0.0), of(-3.1, 2.0)].into_iter());
        assert!(near(mean, of(std::f64::consts::PI, 1.0)), "{mean:?}");
    }

    #[test]
    fn a_joint_stands_where_it_was_carried() {
        let rest = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.4), Vec3::new(0.0, 1.0, 0.1));
        let moved =
            Affine3A::from_rotation_translation(Quat::from_rotation_y(1.1), Vec3::new(2.0, 0.0, -1.0));
        let ground = Ground::below(&(moved * rest), &rest);
        assert!((ground.turn - 1.1).abs() < 1e-6, "{ground:?}");
    }
}
