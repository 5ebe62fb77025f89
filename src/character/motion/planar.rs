//! Rigid transforms on the ground plane: a position and a heading.

use glam::{Affine3A, DAffine3, DQuat, DVec2, DVec3, Quat, Vec3};

use crate::pose::Pose;

/// Minimum rotation in radians. A transform that rotates by less is treated as a translation.
const MIN_TURN: f64 = 1e-9;

/// A planar transform: a rotation about +Y followed by a translation along X and Z, in world space and metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PlanarTransform {
    /// Rotation about +Y, in radians.
    pub(super) turn: f64,
    /// Translation along X and Z.
    pub(super) shift: DVec2,
}

impl PlanarTransform {
    /// Returns the position of a joint on the ground, and its rotation about +Y relative to the rest pose.
    pub(super) fn of_joint(world_from_joint: &Affine3A, rest: &Affine3A) -> Self {
        let orientation = |m: &Affine3A| Quat::from_mat3a(&unscaled(m));
        let rotation = orientation(world_from_joint) * orientation(rest).conjugate();
        // The twist about +Y of a swing-twist decomposition. It is undefined for a half turn about a horizontal axis.
        let turn = 2.0 * f64::from(rotation.y).atan2(f64::from(rotation.w));
        let position = world_from_joint.translation.as_dvec3();
        let turn = if turn.is_finite() { turn } else { 0.0 };
        Self { turn, shift: DVec2::new(position.x, position.z) }
    }

    fn rotate(self, v: DVec2) -> DVec2 {
        let (sin, cos) = self.turn.sin_cos();
        DVec2::new(v.x * cos + v.y * sin, v.y * cos - v.x * sin)
    }

    /// Returns the composition that applies `other` first and then this transform.
    pub(super) fn after(self, other: Self) -> Self {
        Self { turn: self.turn + other.turn, shift: self.shift + self.rotate(other.shift) }
    }

    pub(super) fn inverse(self) -> Self {
        let back = Self { turn: -self.turn, shift: DVec2::ZERO };
        Self { shift: -back.rotate(self.shift), ..back }
    }

    /// Returns the transform applied `n` times. A negative `n` applies the inverse. A fractional `n` gives a point on
    /// the arc or line through the results for whole numbers.
    pub(super) fn times(self, n: f64) -> Self {
        let turn = wrapped(self.turn);
        if turn.abs() < MIN_TURN {
            return Self { turn: self.turn * n, shift: self.shift * n };
        }
        // The fixed point of the rotation, which is the centre of the arc.
        let (sin, cos) = (0.5 * turn).sin_cos();
        let half_across = DVec2::new(self.shift.y, -self.shift.x) * (0.5 * cos / sin);
        let center = 0.5 * self.shift + half_across;
        let rotation = Self { turn: turn * n, shift: DVec2::ZERO };
        Self { turn: turn * n, shift: center - rotation.rotate(center) }
    }

    /// Returns the mean position and heading. The headings must be within half a turn of the first one.
    pub(super) fn mean(mut transforms: impl Iterator<Item = Self>) -> Self {
        let Some(first) = transforms.next() else { return Self::default() };
        let (mut turn, mut shift, mut count) = (0.0, DVec2::ZERO, 1.0);
        for transform in transforms {
            turn += wrapped(transform.turn - first.turn);
            shift += transform.shift - first.shift;
            count += 1.0;
        }
        Self { turn: first.turn + turn / count, shift: first.shift + shift / count }
    }

    #[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
    pub(super) fn transform_point(self, point: Vec3) -> Vec3 {
        let moved = self.rotate(DVec2::new(f64::from(point.x), f64::from(point.z))) + self.shift;
        Vec3::new(moved.x as f32, point.y, moved.y as f32)
    }

    pub(super) fn affine(self) -> DAffine3 {
        DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(self.turn),
            DVec3::new(self.shift.x, 0.0, self.shift.y),
        )
    }

    pub(super) fn transform_orientation(self, orientation: Quat) -> Quat {
        (DQuat::from_axis_angle(DVec3::Y, self.turn) * orientation.as_dquat()).normalize().as_quat()
    }

    /// Transforms nodes that have no parent, which moves all their descendants too.
    pub(super) fn apply(self, tops: &[usize], pose: &mut Pose) {
        if self == Self::default() {
            return;
        }
        for &top in tops {
            if let Some(local) = pose.locals.get_mut(top) {
                local.translation = self.transform_point(local.translation);
                local.rotation = self.transform_orientation(local.rotation);
            }
        }
    }
}

/// Wraps an angle to −π…π.
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

    fn any() -> impl Strategy<Value = PlanarTransform> {
        (-3.0..3.0_f64, -5.0..5.0_f64, -5.0..5.0_f64)
            .prop_map(|(turn, x, z)| PlanarTransform { turn, shift: DVec2::new(x, z) })
    }

    fn near(a: PlanarTransform, b: PlanarTransform) -> bool {
        wrapped(a.turn - b.turn).abs() < 1e-7 && a.shift.distance(b.shift) < 1e-6
    }

    proptest! {
        #[test]
        fn the_inverse_cancels_the_transform(a in any()) {
            prop_assert!(near(a.after(a.inverse()), PlanarTransform::default()));
            prop_assert!(near(a.inverse().after(a), PlanarTransform::default()));
        }

        #[test]
        fn times_equals_repeated_composition(a in any(), n in 0_i32..7) {
            let repeated = (0..n).fold(PlanarTransform::default(), |sum, _| a.after(sum));
            prop_assert!(near(a.times(f64::from(n)), repeated));
            prop_assert!(near(a.times(-f64::from(n)), repeated.inverse()));
        }

        #[test]
        fn two_halves_make_one_transform(a in any()) {
            let half = a.times(0.5);
            prop_assert!(near(half.after(half), a));
        }

        #[test]
        fn a_point_is_transformed_as_by_a_quaternion(a in any(), at in prop::array::uniform3(-3.0_f32..3.0)) {
            let at = Vec3::from(at);
            let by_quaternion = Quat::from_rotation_y(a.turn as f32) * at
                + Vec3::new(a.shift.x as f32, 0.0, a.shift.y as f32);
            prop_assert!(a.transform_point(at).distance(by_quaternion) < 1e-5);
        }
    }

    #[test]
    fn the_mean_heading_takes_the_shorter_way_around() {
        let of = |turn: f64, x: f64| PlanarTransform { turn, shift: DVec2::new(x, 1.0) };
        let mean = PlanarTransform::mean([of(3.1, 0.0), of(-3.1, 2.0)].into_iter());
        assert!(near(mean, of(std::f64::consts::PI, 1.0)), "{mean:?}");
    }

    #[test]
    fn a_transform_is_recovered_from_a_joint() {
        let rest = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.4), Vec3::new(0.0, 1.0, 0.1));
        let moved =
            Affine3A::from_rotation_translation(Quat::from_rotation_y(1.1), Vec3::new(2.0, 0.0, -1.0));
        let transform = PlanarTransform::of_joint(&(moved * rest), &rest);
        assert!((transform.turn - 1.1).abs() < 1e-6, "{transform:?}");
    }
}
