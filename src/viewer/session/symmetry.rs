//! Symmetric dragging: the dragged part's counterpart on the other side of the body follows.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::Skeleton;
use crate::pose::{Pose, orientation, rest_orientation, world_matrix};
use crate::puppet::{Puppet, Target};
use crate::rig::{BodyPlan, Mirror};

use super::place::position;

/// Minimum length of the horizontal component of a body's facing direction (a unit vector). A lying body faces up, so its facing direction
/// in the rest pose is used instead.
const MIN_FACING: f64 = 0.3;

/// The mirror of a drag. It is aligned with the position and the facing direction of the body at the start of the drag.
#[derive(Clone, Debug)]
pub(super) struct Reflection {
    mirror: Mirror,
    /// Planar transform of the hips from the rest pose to the pose in which the drag began.
    world_from_rest: DAffine3,
}

impl Reflection {
    pub(super) fn new(puppet: &Puppet) -> Option<Self> {
        let (mirror, body) = (mirror(puppet)?, puppet.rig.body.as_ref()?);
        Some(Self { mirror, world_from_rest: planar_motion(puppet, body)? })
    }

    /// Returns the mirrored target, for the counterpart of the target's node. `None` for a joint in the middle of the body.
    pub(super) fn target(&self, skeleton: &Skeleton, target: &Target) -> Option<Target> {
        let rest_from_world = self.world_from_rest.inverse();
        let moved = |target: &Target, by: DAffine3| {
            let turn = DQuat::from_mat3(&by.matrix3).normalize();
            let point = |p: Option<DVec3>| p.map(|p| by.transform_point3(p));
            Target {
                position: point(target.position),
                orientation: target.orientation.map(|o| (turn * o).normalize()),
                look: point(target.look),
                pole: point(target.pole),
                ..*target
            }
        };
        let mirrored = mirrored_target(&self.mirror, skeleton, &moved(target, rest_from_world))?;
        (mirrored.node != target.node).then(|| moved(&mirrored, self.world_from_rest))
    }

    /// Returns a node's counterpart. `None` for a joint in the middle of the body.
    pub(super) fn partner(&self, node: usize) -> Option<usize> {
        self.mirror.partner(node).filter(|&partner| partner != node)
    }

    /// Copies a node's mirrored rotation to its counterpart in a pose.
    pub(super) fn copy(&self, skeleton: &Skeleton, pose: &mut Pose, node: usize) {
        let from = pose.clone();
        self.mirror.copy(skeleton, &from, [node], pose);
    }
}

/// Returns the mirror of a puppet's body. `None` if no body is recognised.
pub(super) fn mirror(puppet: &Puppet) -> Option<Mirror> {
    let body = puppet.rig.body.as_ref()?;
    Some(Mirror::new(&puppet.character().skeleton, body))
}

/// Returns the mirror image of a target. `None` if its node has no counterpart.
pub(super) fn mirrored_target(mirror: &Mirror, skeleton: &Skeleton, target: &Target) -> Option<Target> {
    let point = |p: Option<DVec3>| p.map(|p| mirror.point(p));
    let orientation = |o: DQuat| mirror.orientation(skeleton, target.node, o);
    Some(Target {
        node: mirror.partner(target.node)?,
        base: target.base.map(|base| mirror.partner(base).unwrap_or(base)),
        offset: mirror.offset(target.node, target.offset),
        position: point(target.position),
        orientation: target.orientation.map(orientation),
        look: point(target.look),
        pole: point(target.pole),
        ..*target
    })
}

/// Returns the planar transform that moves the hips from the rest pose to their current position, and turns the body to its current facing
/// direction.
fn planar_motion(puppet: &Puppet, body: &BodyPlan) -> Option<DAffine3> {
    let skeleton = &puppet.character().skeleton;
    let turn =
        orientation(skeleton, puppet.pose(), body.hips) * rest_orientation(skeleton, body.hips).conjugate();
    let facing = body.facing.as_dvec3();
    let now = (turn * facing).with_y(0.0);
    let yaw = if now.length() < MIN_FACING {
        DQuat::IDENTITY
    } else {
        DQuat::from_rotation_arc(facing.normalize_or(DVec3::Z), now.normalize_or(DVec3::Z))
    };
    let rest = Pose::rest(skeleton);
    let from = world_matrix(skeleton, &rest, body.hips).translation.as_dvec3().with_y(0.0);
    let to = position(puppet, body.hips)?.as_dvec3().with_y(0.0);
    let motion = DAffine3::from_rotation_translation(yaw, to - yaw * from);
    motion.is_finite().then_some(motion)
}
