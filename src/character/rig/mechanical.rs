//! The rig of a machine, whose joints and limits come from its file.

use std::f64::consts::TAU;

use crate::asset::{Character, JointKind};
use crate::ik::Limit;

use super::model::{JointRig, MimicRig, Rig};

/// Maximum rotation of a continuous joint in each direction, in radians. Solvers need a finite range.
const MAX_TURN: f64 = 2.0 * TAU;

/// Returns the limit of a joint in radians or metres, relative to `zero`.
pub(crate) fn limit(kind: &JointKind, zero: f64) -> Limit {
    match *kind {
        JointKind::Fixed => Limit::Locked,
        JointKind::Ball => Limit::Free,
        JointKind::Hinge { axis, range } => {
            let [min, max] = range.unwrap_or([-MAX_TURN, MAX_TURN]);
            Limit::Hinge { axis, min: min - zero, max: max - zero }
        }
        JointKind::Slide { axis, range: [min, max] } => {
            Limit::Prismatic { axis, min: min - zero, max: max - zero }
        }
    }
}

/// Adds the joints of a machine to its rig. Their limits are relative to the rest pose.
pub(super) fn add(character: &Character, rig: &mut Rig) {
    for (&node, joint) in &character.joints {
        let limit = limit(&joint.kind, joint.rest_value);
        let mimic = joint.mimic.map(|(leader, ratio, offset)| {
            let from_rest = character.joints.get(&leader).map_or(0.0, |leader| ratio * leader.rest_value);
            MimicRig { joint: leader, ratio, offset: offset + from_rest - joint.rest_value }
        });
        rig.joints.insert(node, JointRig { limit, mimic, ..JointRig::default() });
    }
    rig.remove_invalid_mimics();
}
