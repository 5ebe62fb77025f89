//! Default limits of a recognised body, which make an unknown character bend like a living body. The limits of bipeds are human ranges
//! of motion, in [`people`]. The limits of animals are guesses. The rest pose is always within the limits.

use glam::{DVec3, Vec3};

use crate::ik::{Limit, round_cone};

use super::body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};
use super::limits::{BACK_STIFFNESS, RestPose, radians};
use super::model::{JointRig, Rig};

/// Ranges of motion of people, in degrees: the mean ranges of the American Academy of Orthopaedic Surgeons 1965, "Joint Motion: Method of
/// Measuring and Recording", with the exceptions noted below. A cone has the same range in both directions: the larger of the two ranges.
mod people {
    /// Swing and twist of the whole back and of the whole neck. For the back, these are the flexion of the lumbar and the thoracic spine
    /// (60 and 50), and rotation. For the neck, these are extension (60) and rotation (80; American Medical Association 2001, "Guides to
    /// the Evaluation of Permanent Impairment", 5th edition).
    pub(super) const BACK: (f64, f64) = (110.0, 45.0);
    pub(super) const NECK: (f64, f64) = (60.0, 80.0);
    /// Flexion of an elbow (150). A knee reaches the same angle in a deep squat, and a smaller one without a load (135; Hemmerich et al.
    /// 2006, "Hip, knee, and ankle kinematics of high range of motion activities of daily living").
    pub(super) const BEND: f64 = 150.0;
    /// Rotation of a shoulder (90 inwards, 70 outwards). The arm can be raised all the way.
    pub(super) const SHOULDER_TWIST: f64 = 80.0;
    /// Flexion and abduction of a hip, and its rotation. A squat presses the thigh beyond its active flexion (120), towards the passive
    /// flexion (145; Kapandji 1970, "The Physiology of the Joints").
    pub(super) const HIP: ([f64; 2], f64) = ([130.0, 45.0], 45.0);
    /// Flexion of a wrist, and the rotation of the forearm (80), which many skeletons assign to the wrist.
    pub(super) const WRIST: (f64, f64) = (80.0, 80.0);
    /// Plantar flexion of an ankle (50) and inversion (35).
    pub(super) const ANKLE: (f64, f64) = (50.0, 35.0);
    /// Range of the toes upwards (70) and downwards (45), with the signs of rotations about the left axis.
    pub(super) const TOES: [f64; 2] = [-70.0, 45.0];
}

/// Maximum hyperextension of an elbow, a knee or a hock, in degrees.
const OVERSTRETCH: f64 = 3.0;
/// An elbow or a knee that is bent by less than this, in degrees, counts as straight.
const STRAIGHT: f64 = 15.0;
/// Minimum and maximum swing of a shoulder, in degrees. The swing is larger if the arm hangs in the rest pose, so that the arm can
/// be raised [`RAISED`] degrees beyond straight up.
const SHOULDER: [f64; 2] = [115.0, 165.0];
const RAISED: f64 = 5.0;
/// Maximum swing and twist of the paws and hooves of quadrupeds, which fold back, in degrees.
const PAW: (f64, f64) = (105.0, 35.0);
const COLLAR: (f64, f64) = (25.0, 25.0);
/// Swing and twist of the first joint of a spider's or an insect's leg, and of leg joints that are straight in the rest pose, in degrees.
const COXA: (f64, f64) = (70.0, 30.0);
/// Range of each joint of an animal's back and of its neck, in degrees. The neck must reach the ground.
const ANIMAL_BACK: f64 = 35.0;
const GRAZING_NECK: f64 = 80.0;

/// Adds limits to the joints of a body.
pub(super) fn add(rest: &RestPose<'_>, plan: &BodyPlan, rig: &mut Rig) {
    let body = BodyLimits { rest, plan };
    let mut joints: Vec<(usize, Limit, f64)> = Vec::new();
    joints.extend(body.trunk());
    for (index, limb) in plan.limbs.iter().enumerate() {
        let limits = body.limb(limb, index < 2);
        joints.extend(limits.into_iter().map(|(node, limit)| (node, limit, 0.0)));
    }
    // A bone of zero length has no direction, so no limit can be derived from it.
    joints.retain(|(_, limit, _)| limit.validate().is_ok());
    rig.joints.extend(
        joints
            .into_iter()
            .map(|(node, limit, stiffness)| (node, JointRig { limit, stiffness, ..JointRig::default() })),
    );
}

/// Returns the range of a shoulder. An arm that hangs in the rest pose swings farther, so that it can be raised nearly all the way.
fn shoulder(bone: Vec3) -> (f64, f64) {
    let upwards = f64::from(bone.angle_between(Vec3::Y).to_degrees()) + RAISED;
    (upwards.clamp(SHOULDER[0], SHOULDER[1]), people::SHOULDER_TWIST)
}

/// Divides a range among joints.
fn shared((swing, twist): (f64, f64), among: usize) -> (f64, f64) {
    let count = f64::from(u32::try_from(among.max(1)).unwrap_or(1));
    (swing / count, twist / count)
}

struct BodyLimits<'a, 'b> {
    rest: &'a RestPose<'b>,
    plan: &'a BodyPlan,
}

impl BodyLimits<'_, '_> {
    /// Returns cones for the back and the neck, with the stiffness of each joint.
    fn trunk(&self) -> Vec<(usize, Limit, f64)> {
        let trunk: Vec<usize> = self.plan.spine.iter().chain(&self.plan.neck).copied().collect();
        let spine = self.plan.spine.len();
        let cone = |(i, &joint): (usize, &usize)| {
            let is_spine = i < spine;
            let stiffness = if is_spine { BACK_STIFFNESS } else { 0.0 };
            let range = match (self.plan.kind, is_spine) {
                (BodyKind::Biped, true) => shared(people::BACK, spine),
                (BodyKind::Biped, false) => shared(people::NECK, trunk.len() - spine),
                (_, true) => (ANIMAL_BACK, ANIMAL_BACK),
                (_, false) => (GRAZING_NECK, GRAZING_NECK),
            };
            let bone = match (trunk.get(i + 1), i.checked_sub(1).and_then(|i| trunk.get(i))) {
                (Some(&next), _) => self.rest.displacement(joint, next),
                (None, Some(&before)) => self.rest.displacement(before, joint),
                (None, None) => self.rest.displacement(self.plan.hips, joint),
            };
            Some((joint, self.cone(joint, bone, range)?, stiffness))
        };
        trunk.iter().enumerate().filter_map(cone).collect()
    }

    fn limb(&self, limb: &BodyLimb, is_first_pair: bool) -> Vec<(usize, Limit)> {
        let mut limits = Vec::new();
        let is_many_legged = self.plan.kind == BodyKind::ManyLegged;
        let all: Vec<usize> = limb.collar.iter().chain(&limb.joints).copied().collect();
        for w in all.windows(2).take(limb.collar.len()) {
            limits.extend(self.cone(w[0], self.rest.displacement(w[0], w[1]), COLLAR).map(|l| (w[0], l)));
        }
        if let [first, second, ..] = limb.joints[..] {
            let bone = self.rest.displacement(first, second);
            let limit = match limb.kind {
                LimbKind::Leg if is_many_legged => self.cone(first, bone, COXA),
                LimbKind::Leg => self.hip(first, bone),
                LimbKind::Arm | LimbKind::Wing => self.cone(first, bone, shoulder(bone)),
            };
            limits.extend(limit.map(|l| (first, l)));
        }
        for (i, w) in limb.joints.windows(3).enumerate() {
            let bones = [self.rest.displacement(w[0], w[1]), self.rest.displacement(w[1], w[2])];
            let limit = if is_many_legged && bones[0].angle_between(bones[1]) < 0.2 {
                self.cone(w[1], bones[1], COXA)
            } else {
                self.hinge(w[1], bones, self.default_bend(limb, i, is_first_pair))
            };
            limits.extend(limit.map(|l| (w[1], l)));
        }
        limits.extend(self.end(limb));
        limits.extend(self.toes(limb));
        limits
    }

    /// Returns the direction in which a joint in the middle of a limb bends if it is straight in the rest pose. `middle` is the joint's
    /// index among these middle joints. `is_front` is true for the front legs of a quadruped.
    fn default_bend(&self, limb: &BodyLimb, middle: usize, is_front: bool) -> Vec3 {
        if let Some(bend) = self.partner_bend(limb, middle) {
            return bend;
        }
        let is_elbow = limb.kind == LimbKind::Arm || self.plan.kind == BodyKind::Quadruped && is_front;
        // A hock bends in the opposite direction to the knee above it.
        if is_elbow == middle.is_multiple_of(2) { -self.plan.facing } else { self.plan.facing }
    }

    /// Returns the mirrored bend direction of the corresponding joint on the other side, if that joint is clearly bent.
    fn partner_bend(&self, limb: &BodyLimb, middle: usize) -> Option<Vec3> {
        let is_partner =
            |l: &&BodyLimb| l.kind == limb.kind && l.side != limb.side && l.joints.len() == limb.joints.len();
        let mut partners = self.plan.limbs.iter().filter(is_partner);
        let other =
            partners.next().filter(|_| self.plan.kind == BodyKind::Biped && partners.next().is_none())?;
        let [a, b, c] = *other.joints.get(middle..middle + 3)? else { return None };
        let [into, out] = [self.rest.displacement(a, b), self.rest.displacement(b, c)];
        let is_clear = f64::from(into.angle_between(out).to_degrees()) > STRAIGHT;
        let away = into.normalize_or_zero() - out.normalize_or_zero();
        let left = Vec3::Y.cross(self.plan.facing);
        is_clear.then_some(away - 2.0 * away.dot(left) * left)
    }

    fn cone(&self, joint: usize, bone: Vec3, (swing, twist): (f64, f64)) -> Option<Limit> {
        let axis = self.rest.to_joint_frame(joint, bone).try_normalize()?;
        Some(round_cone(axis, radians(swing), [-radians(twist), radians(twist)]))
    }

    /// Returns the limit of a hip, which swings farther to the front than to the side.
    fn hip(&self, joint: usize, bone: Vec3) -> Option<Limit> {
        let axis = self.rest.to_joint_frame(joint, bone).try_normalize()?;
        let across = self.rest.to_joint_frame(joint, Vec3::Y.cross(self.plan.facing));
        let Some(side) = across.reject_from_normalized(axis).try_normalize() else {
            return self.cone(joint, bone, (people::HIP.0[0], people::HIP.1));
        };
        Some(Limit::Cone {
            axis,
            side,
            swing: people::HIP.0.map(radians),
            twist: [-radians(people::HIP.1), radians(people::HIP.1)],
        })
    }

    /// Returns the hinge of a joint between two bones. `bend` is the direction in which a straight joint bends.
    fn hinge(&self, joint: usize, [into, out]: [Vec3; 2], bend: Vec3) -> Option<Limit> {
        let [a, b] = [into, out].map(|bone| self.rest.to_joint_frame(joint, bone));
        let normal = a.cross(b);
        let along = (a.try_normalize()? + b.try_normalize()?).try_normalize();
        let expected: DVec3 =
            along.map_or(normal, |along| self.rest.to_joint_frame(joint, bend).cross(along));
        let angle = a.angle_between(b).to_degrees();
        // The small bend of a nearly straight human limb does not determine its axis. Legs of animals are modelled with their natural bend.
        let straight = if self.plan.kind == BodyKind::Biped { STRAIGHT } else { 3.0 };
        let is_clear = angle > straight;
        let axis = (if is_clear { normal } else { expected }).try_normalize()?;
        let rest_bend = if is_clear { angle } else { angle * axis.dot(normal.normalize_or_zero()) };
        Some(Limit::Hinge {
            axis,
            min: radians((-rest_bend - OVERSTRETCH).min(-1.0)),
            max: radians((people::BEND - rest_bend).max(5.0)),
        })
    }

    /// Returns the limit of a hand or a foot.
    fn end(&self, limb: &BodyLimb) -> Option<(usize, Limit)> {
        let [.., before, end] = limb.joints[..] else { return None };
        let range = match limb.kind {
            LimbKind::Arm | LimbKind::Wing => people::WRIST,
            // The tip of an insect's leg only marks its end.
            LimbKind::Leg if self.plan.kind == BodyKind::ManyLegged && limb.digits.is_empty() => return None,
            LimbKind::Leg if self.plan.kind == BodyKind::Quadruped => PAW,
            LimbKind::Leg => people::ANKLE,
        };
        let digit = limb.digits.iter().find_map(|d| d.first().copied());
        let bone = digit.map_or_else(Vec3::default, |d| self.rest.displacement(end, d));
        let bone = if bone.length_squared() > 0.0 { bone } else { self.rest.displacement(before, end) };
        Some((end, self.cone(end, bone, range)?))
    }

    /// Returns hinges for toes that have a bone of their own.
    fn toes(&self, limb: &BodyLimb) -> Vec<(usize, Limit)> {
        if limb.kind != LimbKind::Leg
            || limb.side == LimbSide::Middle
            || self.plan.kind == BodyKind::ManyLegged
        {
            return Vec::new();
        }
        let left = Vec3::Y.cross(self.plan.facing);
        let toes = limb.digits.iter().filter_map(|d| d.first().copied());
        let hinge = |toe: usize| {
            let axis = self.rest.to_joint_frame(toe, left).try_normalize()?;
            let [min, max] = people::TOES.map(radians);
            Some((toe, Limit::Hinge { axis, min, max }))
        };
        toes.filter_map(hinge).collect()
    }
}
