//! Symmetric dragging: the dragged part's counterpart on the other side of the body follows.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::Skeleton;
use crate::pose::{Pose, orientation, rest_orientation, world_matrix};
use crate::puppet::Target;
use crate::rig::{BodyPlan, Mirror};

use super::Session;
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
    fn new(session: &Session) -> Option<Self> {
        let (mirror, body) = (session.mirror()?, session.puppet.rig.body.as_ref()?);
        Some(Self { mirror, world_from_rest: planar_motion(session, body)? })
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
fn planar_motion(session: &Session, body: &BodyPlan) -> Option<DAffine3> {
    let (puppet, skeleton) = (&session.puppet, &session.puppet.character().skeleton);
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
    let to = position(&session.puppet, body.hips)?.as_dvec3().with_y(0.0);
    let motion = DAffine3::from_rotation_translation(yaw, to - yaw * from);
    motion.is_finite().then_some(motion)
}

impl Session {
    /// Turns symmetric dragging on or off, including the current drag.
    pub(super) fn set_symmetry(&mut self, symmetry: bool) {
        if self.document.settings.symmetry == symmetry {
            return;
        }
        self.document.settings.symmetry = symmetry;
        if self.is_dragging() {
            self.begin_reflection();
            self.solve();
        }
    }

    /// Prepares the mirror of a drag that starts in the current pose.
    pub(super) fn begin_reflection(&mut self) {
        self.reflection =
            if self.document.settings.symmetry { Reflection::new(self).map(Box::new) } else { None };
    }

    /// Returns the target of the counterpart of a dragged node, unless the counterpart is pinned.
    pub(super) fn reflected(&self, target: &Target) -> Option<Target> {
        let skeleton = &self.puppet.character().skeleton;
        let other = self.reflection.as_ref()?.target(skeleton, target)?;
        (!self.document.scene.is_pinned(other.node)).then_some(other)
    }

    /// Adds the target of a dragged node's counterpart, replacing the counterpart's goal.
    pub(super) fn add_reflected(&self, target: &Target, targets: &mut Vec<Target>) {
        if let Some(other) = self.reflected(target) {
            targets.retain(|t| t.node != other.node);
            targets.push(other);
        }
    }
}
