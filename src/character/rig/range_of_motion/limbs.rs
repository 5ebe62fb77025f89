//! Poses of arms, legs and wings.

use glam::{Quat, Vec3};

use crate::rig::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};

use super::turn::Turns;
use super::{Range, RangePose};

/// Angles in degrees, which limits of the rig may reduce.
const ARM_FORWARD: f64 = 75.0;
const ARM_UP: f64 = 75.0;
const ARM_DOWN: f64 = 60.0;
const ARM_BACK: f64 = 35.0;
const COLLAR: f64 = 20.0;
const LEG_FORWARD: f64 = 80.0;
const LEG_BACK: f64 = 25.0;
const LEG_ASIDE: f64 = 40.0;
const TWIST: f64 = 70.0;
const END: f64 = 60.0;
/// Bend of a middle joint that has no hinge.
const MIDDLE: f64 = 130.0;
/// Bend of toes that have no hinge.
const TOES: f64 = 40.0;
/// An arm hangs if the cosine of its angle to the downward direction is greater than this.
const HANGS: f32 = 0.6;

/// A limb with its directions in the rest pose.
struct RestLimb<'a> {
    limb: &'a BodyLimb,
    name: String,
    /// Unit directions in world space: the direction of the first bone, the direction away from the body, and the direction to the front of
    /// the body.
    bone: Vec3,
    outward: Vec3,
    facing: Vec3,
    /// Direction along the hand or the foot.
    end: Vec3,
}

impl Range<'_> {
    /// Returns the poses of a limb.
    pub(super) fn limb(&self, plan: &BodyPlan, index: usize, limb: &BodyLimb) -> Vec<RangePose> {
        let left = Vec3::Y.cross(plan.facing);
        let Some((&first, &before)) = limb.joints.first().zip(limb.joints.iter().rev().nth(1)) else {
            return Vec::new();
        };
        let outward = match limb.side {
            LimbSide::Left => left,
            LimbSide::Right => -left,
            LimbSide::Middle => {
                self.rest.displacement(plan.hips, first).with_y(0.0).try_normalize().unwrap_or(plan.facing)
            }
        };
        let digit = limb.digits.iter().find_map(|digit| digit.first()).copied();
        let end = digit.and_then(|digit| self.rest.displacement(limb.end(), digit).try_normalize());
        let end = end.or_else(|| self.rest.displacement(before, limb.end()).try_normalize());
        let limb = RestLimb {
            limb,
            name: self.limb_name(plan, index, limb),
            bone: self.bone(&limb.joints, 0),
            outward,
            facing: plan.facing,
            end: end.unwrap_or(plan.facing),
        };
        match limb.limb.kind {
            LimbKind::Arm | LimbKind::Wing => self.arm(&limb),
            LimbKind::Leg => self.leg(&limb),
        }
    }

    fn limb_name(&self, plan: &BodyPlan, index: usize, limb: &BodyLimb) -> String {
        if let Some(chain) = self.rig.chain(limb.end()) {
            return chain.name.clone();
        }
        let kind = match (limb.kind, plan.kind) {
            (LimbKind::Leg, BodyKind::Quadruped) if index < 2 => "front leg",
            (LimbKind::Leg, BodyKind::Quadruped) => "hind leg",
            (kind, _) => kind.name(),
        };
        format!("{}{kind}", limb.side.prefix())
    }

    fn arm(&self, arm: &RestLimb<'_>) -> Vec<RangePose> {
        let hangs = arm.bone.y < -HANGS;
        // The palm of an outstretched arm faces down, and the palm of a hanging arm faces the body.
        let palm = if arm.end.y.abs() > HANGS { -arm.outward } else { -Vec3::Y };
        let up = if hangs { arm.outward + 0.5 * Vec3::Y } else { Vec3::Y + 0.3 * arm.outward };
        let mut forward = Turns::new(self);
        self.first(arm, &mut forward, arm.facing, ARM_FORWARD);
        self.middle(arm, &mut forward, 0.55);
        forward.swing(arm.limb.end(), arm.end, palm, END);
        let mut raised = Turns::new(self);
        self.collar(arm, &mut raised, Vec3::Y);
        self.first(arm, &mut raised, up, ARM_UP);
        raised.swing(arm.limb.end(), arm.end, -palm, END);
        let mut lowered = Turns::new(self);
        let word = if hangs {
            self.collar(arm, &mut lowered, -arm.facing);
            self.first(arm, &mut lowered, -arm.facing, ARM_BACK);
            "back"
        } else {
            self.collar(arm, &mut lowered, -Vec3::Y);
            self.first(arm, &mut lowered, -Vec3::Y + 0.4 * arm.outward, ARM_DOWN);
            "lowered"
        };
        lowered.swing(arm.limb.end(), arm.end, arm.facing, END);
        [(forward, "forward"), (raised, "raised"), (lowered, word), (self.twisted(arm), "twisted")]
            .into_iter()
            .map(|(turns, word)| turns.pose(format!("{} {word}", arm.name)))
            .collect()
    }

    fn leg(&self, leg: &RestLimb<'_>) -> Vec<RangePose> {
        let toes = leg.end.dot(leg.facing) > 0.3;
        let mut forward = Turns::new(self);
        self.collar(leg, &mut forward, leg.facing);
        self.first(leg, &mut forward, leg.facing + 0.15 * leg.outward, LEG_FORWARD);
        self.middle(leg, &mut forward, 0.55);
        forward.swing(leg.limb.end(), leg.end, if toes { Vec3::Y } else { leg.facing }, END);
        self.toes(leg, &mut forward);
        let mut back = Turns::new(self);
        self.collar(leg, &mut back, -leg.facing);
        self.first(leg, &mut back, -leg.facing, LEG_BACK);
        self.middle(leg, &mut back, 0.8);
        back.swing(leg.limb.end(), leg.end, if toes { -Vec3::Y } else { -leg.facing }, END);
        let mut aside = Turns::new(self);
        // The leg of a spider already points outwards.
        let towards = if leg.bone.dot(leg.outward) > HANGS { Vec3::Y } else { leg.outward };
        self.first(leg, &mut aside, towards, LEG_ASIDE);
        aside.swing(leg.limb.end(), leg.end, leg.outward, END);
        [(forward, "forward"), (back, "back"), (aside, "aside"), (self.twisted(leg), "twisted")]
            .into_iter()
            .map(|(turns, word)| turns.pose(format!("{} {word}", leg.name)))
            .collect()
    }

    /// Twists the first joint and the end, with the middle bent so that the twist is visible. The part below the middle turns away from
    /// the body, not into it.
    fn twisted<'r>(&'r self, limb: &RestLimb<'_>) -> Turns<'r> {
        let mut turns = Turns::new(self);
        let lower = -limb.limb.bend;
        let side = |angle: f32| (Quat::from_axis_angle(limb.bone, angle) * lower).dot(limb.outward);
        let sign = if side(-1.0) > side(1.0) { -1.0 } else { 1.0 };
        if let Some(&first) = limb.limb.joints.first() {
            turns.twist(first, limb.bone, sign * TWIST);
        }
        self.middle(limb, &mut turns, 0.5);
        turns.twist(limb.limb.end(), self.last_bone(limb), sign * TWIST);
        turns
    }

    /// Returns the twist axis: the direction of the bone above the hand or the foot.
    fn last_bone(&self, limb: &RestLimb<'_>) -> Vec3 {
        if limb.limb.kind == LimbKind::Leg {
            return limb.end;
        }
        self.bone(&limb.limb.joints, limb.limb.joints.len().saturating_sub(1))
    }

    fn first(&self, limb: &RestLimb<'_>, turns: &mut Turns<'_>, towards: Vec3, degrees: f64) {
        if let Some(&first) = limb.limb.joints.first() {
            turns.swing(first, limb.bone, towards, degrees);
        }
    }

    fn collar(&self, limb: &RestLimb<'_>, turns: &mut Turns<'_>, towards: Vec3) {
        let all: Vec<usize> = limb.limb.collar.iter().chain(limb.limb.joints.first()).copied().collect();
        for (i, &joint) in limb.limb.collar.iter().enumerate() {
            turns.swing(joint, self.bone(&all, i), towards, COLLAR);
        }
    }

    /// Bends the joints between the first joint and the end by a fraction of their range.
    fn middle(&self, limb: &RestLimb<'_>, turns: &mut Turns<'_>, part: f64) {
        let joints = &limb.limb.joints;
        let last = joints.len().saturating_sub(1);
        for (i, &joint) in joints.iter().enumerate().take(last).skip(1) {
            if !turns.bend(joint, part) {
                // A hock bends in the opposite direction to the knee above it.
                let towards = if i % 2 == 1 { -limb.limb.bend } else { limb.limb.bend };
                turns.swing(joint, self.bone(joints, i), towards, MIDDLE * part);
            }
        }
    }

    fn toes(&self, limb: &RestLimb<'_>, turns: &mut Turns<'_>) {
        for digit in &limb.limb.digits {
            let Some(&toe) = digit.first() else { continue };
            if !turns.bend(toe, 0.8) {
                turns.swing(toe, limb.end, Vec3::Y, TOES);
            }
        }
    }
}
