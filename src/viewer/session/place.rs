//! The places of a puppet's nodes.

use glam::{DQuat, DVec3, Vec3};

use crate::pose::world_matrix;
use crate::puppet::{Pin, Puppet};
use crate::rig::orientation;

/// Returns the position of a node in world metres.
pub(super) fn position(puppet: &Puppet, node: usize) -> Option<Vec3> {
    puppet.world_from_node().get(node).map(|m| m.translation.into())
}

/// Returns the world position of a point that moves with a node. `offset` is its position in the frame of the node.
pub(super) fn point(puppet: &Puppet, node: usize, offset: DVec3) -> Option<Vec3> {
    Some(puppet.world_from_node().get(node)?.transform_point3(offset.as_vec3()))
}

/// Returns the world position in metres and the world orientation of a node in the edited pose, without the effects of look-at,
/// constraints and springs.
pub(super) fn placement(puppet: &Puppet, node: usize) -> Option<(DVec3, DQuat)> {
    let (skeleton, pose) = (&puppet.character().skeleton, puppet.primary_pose());
    pose.locals.get(node)?;
    let position = world_matrix(skeleton, pose, node).translation.as_dvec3();
    Some((position, orientation(skeleton, pose, node)))
}

/// Returns a pin of a node at its current position and orientation.
pub(super) fn pin_here(puppet: &Puppet, node: usize) -> Pin {
    Pin { node, target: placement(puppet, node) }
}

/// Returns the local rotation nearest to `local` that the joint's limit allows, or `local` if limits are off.
pub(super) fn allowed(puppet: &Puppet, limits: bool, node: usize, local: DQuat) -> DQuat {
    let joint = puppet.character().skeleton.nodes.get(node).filter(|_| limits);
    let Some(rest) = joint.map(|n| n.rest.rotation.as_dquat()) else { return local };
    puppet.rig.joint(node).nearest(rest, local)
}
