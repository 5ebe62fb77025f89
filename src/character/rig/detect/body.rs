//! The chains of a recognised body.

use crate::asset::Family;
use crate::rig::body_plan::{BodyPlan, LimbKind, LimbSide};
use crate::rig::model::ChainKind;

use super::{ChainFinder, FoundChain};

impl ChainFinder<'_> {
    /// Returns the chains of a body: limbs, fingers, spine, neck and tails.
    pub(super) fn chains_of_body(&self, plan: &BodyPlan) -> Vec<FoundChain> {
        let mut found = Vec::new();
        for limb in &plan.limbs {
            let kind = match limb.kind {
                LimbKind::Arm => ChainKind::Arm,
                LimbKind::Leg => ChainKind::Leg,
                LimbKind::Wing => ChainKind::Limb,
            };
            let (side, bend) = (Some(limb.side), Some(limb.bend));
            let mut joints = limb.joints.clone();
            // A hand without an arm still moves with the joint above it.
            if let [only] = joints[..] {
                joints.extend(self.skeleton.nodes[only].parent);
                joints.reverse();
            }
            found.push(FoundChain { side, bend, ..FoundChain::new(kind, joints) });
            let is_hand = limb.kind == LimbKind::Arm;
            for digit in limb.digits.iter().filter(|d| is_hand && self.is_finger(d, limb.digits.len())) {
                let side = Some(limb.side).filter(|s| *s != LimbSide::Middle);
                found.push(FoundChain { side, ..FoundChain::new(ChainKind::Finger, digit.clone()) });
            }
        }
        let trunk = [(ChainKind::Neck, &plan.neck), (ChainKind::Spine, &plan.spine)];
        let trunk = trunk.into_iter().chain(plan.tails.iter().map(|tail| (ChainKind::Tail, tail)));
        let long = trunk.filter(|(_, joints)| joints.len() >= 2);
        found.extend(long.map(|(kind, joints)| FoundChain::new(kind, joints.clone())));
        found
    }

    /// Returns whether a chain below a hand is a finger rather than a part of the palm or an object.
    fn is_finger(&self, joints: &[usize], digits: usize) -> bool {
        let family = joints.first().and_then(|&n| self.families[n]);
        joints.len() >= 2 && (family == Some(Family::Finger) || family.is_none() && digits > 1)
    }
}
