//! The axes and limits of a body's joints.

use glam::{Mat3, Quat, Vec3};

use crate::body::JointLimit;
use crate::body::frames::normalize_or;
use crate::ik::Limit;
use crate::mathematics::single::any_perpendicular;

use super::Builder;

/// Cosine of 150°, the largest bend of a middle joint without a hinge limit.
const LARGEST_BEND: f32 = -0.866;
/// If the sine of the middle joint's bend is below this, its axis is derived from the limb's bend direction.
const STRAIGHT: f32 = 0.05;

impl Builder<'_> {
    /// Returns the axis (in the joint's frame) about which the middle joint of a limb bends, and the cosine range of the angle between the
    /// two bones. `upper` and `lower` are the bones as vectors in world space, in the rest pose.
    pub(super) fn hinge(
        &self,
        middle: usize,
        upper: Vec3,
        lower: Vec3,
        bend: Option<Vec3>,
    ) -> Option<(Vec3, [f32; 2])> {
        let linear = Mat3::from(self.world.get(middle)?.matrix3);
        let sizes = upper.length() * lower.length();
        if sizes <= 0.0 || !sizes.is_finite() {
            return None;
        }
        let Limit::Hinge { axis, min, max } = self.valid_limit(middle) else {
            let across = upper.cross(lower);
            let line = upper + lower;
            let bent = across.length() > STRAIGHT * sizes;
            let normal =
                if bent { across } else { bend.map_or(any_perpendicular(line), |bend| bend.cross(line)) };
            // Cofactors transform rotation axes to world space. This is the inverse transform.
            let axis = linear.transpose() * normal * linear.determinant().signum();
            return Some((normalize_or(axis, Vec3::X), [LARGEST_BEND, 1.0]));
        };
        let axis = axis.as_vec3();
        let inverse = linear.inverse();
        let (into, out) = (inverse * upper, inverse * lower);
        if !into.is_finite() || !out.is_finite() {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "angles within a few turns")]
        let angles = (0..=64_u8).map(|i| (min + (max - min) * f64::from(i) / 64.0) as f32);
        let cosine = |angle: f32| {
            let bent = Quat::from_axis_angle(axis, angle) * out;
            into.normalize_or_zero().dot(bent.normalize_or_zero())
        };
        let (least, most) =
            angles.clone().map(cosine).fold((1.0_f32, -1.0_f32), |(l, m), c| (l.min(c), m.max(c)));
        // The direction of the axis is chosen so that the sharpest bend is positive.
        let sharpest = angles.min_by(|a, b| cosine(*a).total_cmp(&cosine(*b))).unwrap_or(0.0);
        let sense = into.cross(Quat::from_axis_angle(axis, sharpest) * out).dot(axis);
        Some((if sense < 0.0 { -axis } else { axis }, [least, most]))
    }

    /// Converts a joint limit. Invalid limits, and limits that the shaders do not support, are dropped.
    pub(super) fn limit(&self, node: usize) -> JointLimit {
        JointLimit::new(&self.valid_limit(node)).unwrap_or_default()
    }

    /// Returns the limit of a joint. A joint with an invalid limit is free.
    pub(super) fn valid_limit(&self, node: usize) -> Limit {
        Some(self.rig.joint(node).limit).filter(|limit| limit.validate().is_ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::asset::mannequin;
    use crate::body::CrowdBody;
    use crate::rig;

    /// Regression test: the axis of an invalid limit made the poses of crowds NaN.
    #[test]
    fn joints_with_invalid_limits_are_free() {
        let character = mannequin().unwrap();
        let mut rig = rig::detect(&character);
        let mut body = |limit: Limit| {
            for node in 0..character.skeleton.nodes.len() {
                rig.joints.entry(node).or_default().limit = limit;
            }
            CrowdBody::new(&character, character.default_scene, &rig, &|node| u32::try_from(node).ok())
        };
        let free = body(Limit::Free);
        assert!(!free.limbs().is_empty());
        for limit in [
            Limit::Hinge { axis: DVec3::ZERO, min: 0.0, max: 1.0 },
            Limit::Hinge { axis: DVec3::X, min: 0.0, max: f64::NAN },
            Limit::Cone { axis: DVec3::Y, side: DVec3::ZERO, swing: [0.5; 2], twist: [-0.5, 0.5] },
        ] {
            assert_eq!(body(limit), free, "{limit:?}");
        }
    }
}
