//! The rig of a machine, whose joints and limits are those of its file.

use std::f64::consts::TAU;

use crate::asset::{Character, JointKind};
use crate::ik::Limit;

use super::model::{JointRig, MimicRig, Rig};

/// The largest turn of a joint that turns without end. Solvers need a range.
const MAX_TURN: f64 = 2.0 * TAU;

/// Adds the joints of a machine to its rig.
pub(super) fn add(character: &Character, rig: &mut Rig) {
    for (&node, joint) in &character.joints {
        let limit = match joint.kind {
            JointKind::Fixed => Limit::Locked,
            JointKind::Ball => Limit::Free,
            JointKind::Hinge { axis, range } => {
                let [min, max] = range.unwrap_or([-MAX_TURN, MAX_TURN]);
                Limit::Hinge { axis, min, max }
            }
            JointKind::Slide { axis, range: [min, max] } => Limit::Prismatic { axis, min, max },
        };
        let mimic = joint.mimic.map(|(joint, ratio, offset)| MimicRig { joint, ratio, offset });
        rig.joints.insert(node, JointRig { limit, mimic, ..JointRig::default() });
    }
    rig.remove_invalid_mimics();
}
