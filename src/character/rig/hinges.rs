//! Turns limbs about their bones so that elbows bend about their hinges.

use glam::{DQuat, DVec3, Quat};

use crate::asset::Skeleton;
use crate::ik::Limit;
use crate::pose::Pose;

use super::Rig;
use super::limits::angle_about;

/// A limb that is bent by less than the first angle is not turned, and a limb that is bent by more than the second angle is turned fully.
/// The angles are in radians.
const BENT: [f64; 2] = [0.1, 0.35];
/// If a bone or a hinge axis is nearly parallel to the bone above it, its angle about that bone is undefined.
const ALONG: f64 = 0.2;

/// The upper bone of an arm, which can be turned so that the lower bone turns about the axis of a hinge.
#[derive(Clone, Copy, Debug)]
struct Hinge {
    upper: usize,
    lower: usize,
    /// Unit direction of the upper bone, and unit axis of the hinge, in the frame of the upper bone.
    bone: DVec3,
    axis: DVec3,
    /// Unit direction of the lower bone in its own frame, and in the frame of the upper bone in the rest pose.
    lower_bone: DVec3,
    at_rest: DVec3,
    /// The range of the hinge, in radians.
    range: [f64; 2],
}

/// The hinged elbows of a character. Poses made for other bodies may bend them in any plane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hinges(Vec<Hinge>);

impl Hinges {
    pub(crate) fn new(skeleton: &Skeleton, rig: &Rig) -> Self {
        Self(rig.arms().filter_map(|limb| Hinge::new(skeleton, rig, &limb.joints)).collect())
    }

    /// Turns the upper bones of arms about their own axes. The directions of all bones, and everything below the elbows, stay unchanged.
    pub(crate) fn align(&self, pose: &mut Pose) {
        for hinge in &self.0 {
            let Some(turn) = hinge.turn(pose) else { continue };
            if let Some(upper) = pose.locals.get_mut(hinge.upper) {
                upper.rotation = (upper.rotation * turn).normalize();
            }
            if let Some(lower) = pose.locals.get_mut(hinge.lower) {
                lower.rotation = (turn.conjugate() * lower.rotation).normalize();
            }
        }
    }
}

impl Hinge {
    /// Returns `None` if the lower joint is not a hinge, or if the joints do not form a chain without mirrored or uneven scales.
    fn new(skeleton: &Skeleton, rig: &Rig, joints: &[usize]) -> Option<Self> {
        let &[upper, lower, end] = joints else { return None };
        let Limit::Hinge { axis, min, max } = rig.joints.get(&lower)?.limit else { return None };
        let node = |n: usize| skeleton.nodes.get(n);
        let is_even = |n: usize| {
            node(n).is_some_and(|n| n.rest.scale.min_element() > 0.99 * n.rest.scale.max_element())
        };
        let is_chain = node(lower)?.parent == Some(upper) && node(end)?.parent == Some(lower);
        let rest = node(lower)?.rest.rotation.as_dquat();
        let bone = node(lower)?.rest.translation.as_dvec3().try_normalize()?;
        let lower_bone = node(end)?.rest.translation.as_dvec3().try_normalize()?;
        let axis = rest * axis;
        let is_across = axis.reject_from_normalized(bone).length() > ALONG;
        let at_rest = rest * lower_bone;
        let found = Self { upper, lower, bone, axis, lower_bone, at_rest, range: [min, max] };
        (is_chain && is_even(upper) && is_even(lower) && is_across).then_some(found)
    }

    /// Returns the rotation of the upper bone about its own axis, or `None` if the arm is straight.
    fn turn(&self, pose: &Pose) -> Option<Quat> {
        let lower = pose.locals.get(self.lower)?.rotation.as_dquat() * self.lower_bone;
        let bend = lower.angle_between(self.bone);
        let t = ((bend - BENT[0]) / (BENT[1] - BENT[0])).clamp(0.0, 1.0);
        let weight = t * t * (3.0 - 2.0 * t);
        if weight <= 0.0 {
            return None;
        }
        // The component of the lower bone along the hinge axis is the same as in the rest pose. This determines the angle, about the
        // upper bone, between the lower bone and the axis.
        let [across, of_axis] = [lower, self.axis].map(|v| v.reject_from_normalized(self.bone));
        let along = [lower, self.axis].map(|v| v.dot(self.bone));
        let (length, axis_length) = (across.length(), of_axis.length());
        let cosine = (self.at_rest.dot(self.axis) - along[0] * along[1]) / (length * axis_length);
        let between = cosine.clamp(-1.0, 1.0).acos();
        let now = self.bone.dot(of_axis.cross(across)).atan2(of_axis.dot(across));
        let candidates = [between, -between].map(|wanted| {
            let angle = wrapped(now - wanted);
            (self.excess(DQuat::from_axis_angle(self.bone, -angle) * lower), angle)
        });
        // A slightly overextended bone is not turned to the other side.
        let cost = |(excess, angle): (f64, f64)| excess + 0.2 * angle.abs();
        let [a, b] = candidates;
        let angle = if cost(a) <= cost(b) { a.1 } else { b.1 };
        let turn = DQuat::from_axis_angle(self.bone, weight * angle).as_quat();
        turn.is_finite().then_some(turn)
    }

    /// Returns the angle by which the lower bone exceeds the range of the hinge, in radians.
    fn excess(&self, lower: DVec3) -> f64 {
        let angle = angle_about(self.axis, self.at_rest, lower);
        let [min, max] = self.range;
        let beyond = |angle: f64| (min - angle).max(angle - max).max(0.0);
        let turn = std::f64::consts::TAU;
        [angle - turn, angle, angle + turn].map(beyond).into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// Wraps an angle to at most half a turn.
fn wrapped(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Quat, Vec3};

    use super::Hinges;
    use crate::asset::mannequin;
    use crate::pose::{Pose, world_matrices};
    use crate::rig;

    /// Regression test: a waving arm of another body bent the elbow sideways, by up to 100° beyond its limit.
    #[test]
    fn elbows_bend_about_their_hinges_and_bones_keep_their_directions() {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let hinges = Hinges::new(&character.skeleton, &rig);
        assert_eq!(hinges.0.len(), 2);
        let world = |pose: &Pose| {
            let mut world = Vec::new();
            world_matrices(&character.skeleton, pose, &mut world);
            world
        };
        for (roll, bend) in [(0.0, 1.2), (0.9, 1.2), (-1.2, 0.6), (1.4, 2.0)] {
            let mut pose = Pose::rest(&character.skeleton);
            for hinge in &hinges.0 {
                let elbow = Quat::from_axis_angle(hinge.axis.as_vec3(), bend);
                // The arm in the pose of another body: the upper arm is turned about its own axis, and the forearm is turned back.
                let roll = Quat::from_axis_angle(hinge.bone.as_vec3(), roll);
                let [upper, lower] = [hinge.upper, hinge.lower];
                pose.locals[upper].rotation *= roll;
                pose.locals[lower].rotation = roll.conjugate() * elbow * pose.locals[lower].rotation;
            }
            let before = world(&pose);
            hinges.align(&mut pose);
            let after = world(&pose);
            for hinge in &hinges.0 {
                let lower = pose.locals[hinge.lower].rotation.as_dquat() * hinge.lower_bone;
                assert!(hinge.excess(lower) < 1e-3, "{roll} {bend}: {}", hinge.excess(lower));
                let along = lower.dot(hinge.axis) - hinge.at_rest.dot(hinge.axis);
                assert!(along.abs() < 1e-3, "{roll} {bend}: {along}");
            }
            // Only the upper arms move, and they turn about their own axes.
            let is_upper = |node: usize| hinges.0.iter().any(|hinge| hinge.upper == node);
            let point = |m: &Affine3A| m.transform_point3(Vec3::ONE);
            for (node, (a, b)) in before.iter().zip(&after).enumerate() {
                assert!(a.translation.distance(b.translation) < 1e-5, "{node}");
                assert!(is_upper(node) || point(a).distance(point(b)) < 1e-5, "{node}");
            }
        }
    }

    #[test]
    fn a_straight_arm_and_an_arm_in_its_hinge_stay() {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let hinges = Hinges::new(&character.skeleton, &rig);
        let rest = Pose::rest(&character.skeleton);
        let mut pose = rest.clone();
        for hinge in &hinges.0 {
            pose.locals[hinge.lower].rotation =
                Quat::from_axis_angle(hinge.axis.as_vec3(), 1.0) * pose.locals[hinge.lower].rotation;
        }
        for pose in [rest, pose] {
            let mut aligned = pose.clone();
            hinges.align(&mut aligned);
            let turned =
                pose.locals.iter().zip(&aligned.locals).map(|(a, b)| a.rotation.angle_between(b.rotation));
            assert!(turned.fold(0.0, f32::max) < 2e-3);
        }
    }
}
