//! How the fingers of a hand bend: their axes and ranges, derived from the positions of the joints in the rest pose.

use glam::{DVec3, Quat, Vec3};

use crate::asset::Skeleton;
use crate::ik::Limit;
use crate::pose::{Pose, world_matrices};
use crate::rig::limits::{RestPose, angle_about, radians};
use crate::rig::{BodyLimb, LimbKind, LimbSide, Rig};

use super::digits::Digits;
use super::finger::{Fan, Finger, FingerJoint};
use super::palm::{Palm, Shape};

/// Bends of the joints of a finger that is closed into a fist, from the knuckle to the tip, in degrees. People can bend them by 90, 100 and
/// 90 (American Academy of Orthopaedic Surgeons 1965, "Joint Motion"). In a fist, the palm stops them earlier.
const CLOSED: [f64; 3] = [80.0, 95.0, 45.0];
/// Bends of the joints of a thumb that is closed over a fist. The first is the largest angle by which the whole thumb turns towards the
/// fist.
const THUMB_CLOSED: [f64; 3] = [50.0, 35.0, 50.0];
/// Angle by which the thumb turns away from the palm, in degrees.
const THUMB_OPEN: f64 = 15.0;
/// Angle between the direction of the hand and the outer fingers of a wide hand, in degrees.
const WIDEST: f64 = 20.0;
/// Distance between the knuckles and the thumb of a fist along the palm's normal, relative to the length of the fingers' first bones.
const THUMB_HEIGHT: f32 = 1.4;

const NAMES: [&str; 4] = ["Index", "Middle", "Ring", "Little"];

/// Returns the fingers of a hand, thumb first.
pub(super) fn fingers(skeleton: &Skeleton, rig: &Rig, arm: &BodyLimb) -> Option<Vec<Finger>> {
    let side = match arm.side {
        _ if arm.kind != LimbKind::Arm => return None,
        LimbSide::Left => 1.0,
        LimbSide::Right => -1.0,
        LimbSide::Middle => return None,
    };
    let &[.., elbow, wrist] = &arm.joints[..] else { return None };
    // The arm may belong to another skeleton.
    let mut nodes = arm.joints.iter().chain(arm.digits.iter().flatten());
    if !nodes.all(|&node| node < skeleton.nodes.len()) {
        return None;
    }
    let mut world = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let position = |node: usize| world.get(node).map_or(Vec3::ZERO, |matrix| matrix.translation.into());
    let digits = Digits::new(skeleton, arm, position)?;
    let from_wrist = |digit: &Vec<usize>| -> Vec<Vec3> {
        digit.iter().map(|&node| position(node) - position(wrist)).collect()
    };
    let shapes: Vec<Vec<Vec3>> = digits.fingers.iter().map(from_wrist).collect();
    let thumb = digits.thumb.as_ref().map(from_wrist);
    let palm = Palm::new(&Shape {
        side,
        forearm: position(wrist) - position(elbow),
        left: Vec3::Y.cross(rig.body.as_ref()?.facing),
        fingers: &shapes,
        thumb: thumb.as_ref().and_then(|thumb| thumb.last().copied()),
    })?;
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    let across = |finger: usize| shapes[finger].first().map_or(0.0, |knuckle| knuckle.dot(palm.across));
    order.sort_by(|&a, &b| across(b).total_cmp(&across(a)));
    let bend = Bend { rest: RestPose { skeleton, world: &world }, rig, palm };
    let neighbours: Vec<&Vec<Vec3>> = order.iter().take(2).map(|&finger| &shapes[finger]).collect();
    let thumb = digits.thumb.iter().zip(&thumb).filter_map(|(nodes, at)| bend.thumb(nodes, at, &neighbours));
    let count = order.len();
    let others = order.iter().enumerate().filter_map(|(place, &finger)| {
        let name = if count == 1 { "Fingers" } else { NAMES.get(place).copied().unwrap_or("Finger") };
        bend.finger(name, &digits.fingers[finger], &shapes[finger], place_of(place, count))
    });
    let fingers: Vec<Finger> = thumb.chain(others).collect();
    (!fingers.is_empty()).then_some(fingers)
}

/// Returns 1 for the finger beside the thumb, -1 for the last one, and a value in between for the others.
fn place_of(finger: usize, count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a hand has few fingers")]
    let [finger, last] = [finger, count.saturating_sub(1)].map(|n| n as f64);
    if last > 0.0 { 1.0 - 2.0 * finger / last } else { 0.0 }
}

struct Bend<'a> {
    rest: RestPose<'a>,
    rig: &'a Rig,
    palm: Palm,
}

impl Bend<'_> {
    /// Returns a finger that closes towards the palm. `at` contains the positions of its joints, and `place` is 1 beside the thumb and -1
    /// farthest from it.
    fn finger(&self, name: &'static str, nodes: &[usize], at: &[Vec3], place: f64) -> Option<Finger> {
        let Palm { along, across, normal } = self.palm;
        let bones: Vec<Vec3> = at.windows(2).map(|w| w[1] - w[0]).collect();
        let direction = bones.first().and_then(|bone| bone.reject_from_normalized(normal).try_normalize());
        let direction = direction.unwrap_or(along);
        // A finger is straight if it continues in the direction of the palm.
        let before = std::iter::once(along).chain(bones.iter().copied());
        let joints: Vec<FingerJoint> = nodes
            .iter()
            .zip(before)
            .zip(CLOSED)
            .enumerate()
            .filter_map(|(i, ((&node, before), closed))| {
                let axis = self.turn_of(node, direction, normal)?;
                self.joint(node, axis, before, bones.get(i).copied(), radians(closed))
            })
            .collect();
        let knuckle = joints.first().filter(|joint| !matches!(joint.limit, Limit::Hinge { .. }));
        let fan = knuckle.and_then(|joint| {
            let axis = self.turn_of(joint.node, direction, across)?;
            let axis = axis.reject_from_normalized(joint.axis).try_normalize()?;
            let in_joint = |v: Vec3| self.rest.to_joint_frame(joint.node, v);
            let at_rest = angle_about(axis, in_joint(along), in_joint(direction));
            Some(Fan { axis, at_rest, widest: place * radians(WIDEST) })
        });
        (!joints.is_empty()).then_some(Finger { name, is_thumb: false, joints, fan })
    }

    /// Returns a thumb that closes over the fist. `fingers` contains the positions of the nearest fingers' joints.
    fn thumb(&self, nodes: &[usize], at: &[Vec3], fingers: &[&Vec<Vec3>]) -> Option<Finger> {
        let Palm { along, across, normal } = self.palm;
        let (&base, &first, &tip) = (nodes.first()?, at.first()?, at.last()?);
        let bones: Vec<Vec3> = at.windows(2).map(|w| w[1] - w[0]).collect();
        // In a fist, the second bones of the fingers point back to the wrist, below the first ones.
        let middle = |finger: &&Vec<Vec3>| {
            let &&[knuckle, second, ..] = &&finger[..] else { return None };
            let length = knuckle.distance(second);
            Some(knuckle + THUMB_HEIGHT * length * normal - 0.4 * length * along)
        };
        let over: Vec<Vec3> = fingers.iter().filter_map(middle).collect();
        #[expect(clippy::cast_precision_loss, reason = "a hand has few fingers")]
        let over = over.iter().sum::<Vec3>() / over.len().max(1) as f32;
        let [from, to] = [(tip - first).try_normalize()?, (over - first).try_normalize()?];
        let angle = f64::from(from.angle_between(to)).min(radians(THUMB_CLOSED[0]));
        let axis = self.turn_of(base, from, to).or_else(|| self.turn_of(base, from, -across))?;
        let mut joints: Vec<FingerJoint> = self.joint(base, axis, from, None, angle).into_iter().collect();
        if let Some(base) = joints.first_mut() {
            base.range[0] = -radians(THUMB_OPEN);
        }
        // The other joints bend in the plane of the palm, in the pose in which the thumb lies over the fist.
        #[expect(clippy::cast_possible_truncation, reason = "angles")]
        let back = from
            .cross(to)
            .try_normalize()
            .map_or(Quat::IDENTITY, |axis| Quat::from_axis_angle(axis, -(angle as f32)));
        let [forwards, inwards] = [back * along, back * -across];
        for (i, (&node, closed)) in nodes.iter().zip(THUMB_CLOSED).enumerate().skip(1) {
            let before = bones.get(i - 1).copied().unwrap_or(from);
            let bone = bones.get(i).copied();
            let along = self.rest.to_joint_frame(node, bone.unwrap_or(before)).try_normalize();
            let axis = self.turn_of(node, forwards, inwards).zip(along);
            let axis = axis.and_then(|(axis, along)| axis.reject_from_normalized(along).try_normalize());
            joints.extend(axis.and_then(|axis| self.joint(node, axis, before, bone, radians(closed))));
        }
        (!joints.is_empty()).then_some(Finger { name: "Thumb", is_thumb: true, joints, fan: None })
    }

    /// Returns the axis in a joint's rest frame about which one direction turns towards another, or `None` if they are parallel.
    fn turn_of(&self, node: usize, from: Vec3, to: Vec3) -> Option<DVec3> {
        let [from, to] = [from, to].map(|v| self.rest.to_joint_frame(node, v));
        from.try_normalize()?.cross(to.try_normalize()?).try_normalize()
    }

    /// Returns a joint that bends about an axis, or about its hinge in the rig if it has one. `before` is the bone into the joint, and
    /// `bone` is the bone out of it, which is unknown at a tip.
    fn joint(
        &self,
        node: usize,
        axis: DVec3,
        before: Vec3,
        bone: Option<Vec3>,
        closed: f64,
    ) -> Option<FingerJoint> {
        let rig = self.rig.joint(node);
        let axis = match rig.limit {
            Limit::Hinge { axis: hinge, .. } => hinge * hinge.dot(axis).signum(),
            _ => axis,
        };
        let in_joint = |v: Vec3| self.rest.to_joint_frame(node, v);
        let bent = bone.map_or(0.0, |bone| angle_about(axis, in_joint(before), in_joint(bone)));
        let rest = self.rest.skeleton.nodes.get(node)?.rest.rotation.as_dquat().normalize();
        let joint = FingerJoint {
            node,
            rest,
            logical_parent: rig.logical_parent,
            limit: rig.limit,
            axis,
            range: [-bent, closed - bent],
        };
        (axis.is_finite() && bent.is_finite() && rest.is_finite()).then_some(joint)
    }
}
