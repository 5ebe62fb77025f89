//! Node constraints (`VRMC_node_constraint`), in the order determined on loading.

use glam::{Affine3A, DQuat, DVec3};

use crate::asset::{Constraint, ConstraintKind, Skeleton};
use crate::pose::{Pose, orientation, update_world_matrices};

use super::matrices::{narrow, world_position};

/// Rotates the constrained nodes of a pose, and updates its world matrices. `first` is the position in
/// [`Skeleton::parents_first`] of the first constrained node.
///
/// ```
/// use sinew_character::asset::{Constraint, ConstraintKind, Node, Skeleton, Transform};
/// use sinew_character::glam::{Quat, Vec3};
/// use sinew_character::pose::{Pose, world_matrices};
/// use sinew_character::secondary::apply_constraints;
///
/// // A twist joint rotates by half the angle of the hand.
/// let along = Transform::from_translation(Vec3::X);
/// let nodes = vec![Node::new("arm"), Node::child("twist", 0, along), Node::child("hand", 0, along)];
/// let skeleton = Skeleton::new(nodes)?;
/// let twist = Constraint { node: 1, source: 2, kind: ConstraintKind::Rotation, weight: 0.5 };
/// let (mut pose, mut world) = (Pose::rest(&skeleton), Vec::new());
/// pose.locals[2].rotation = Quat::from_rotation_x(1.0);
/// world_matrices(&skeleton, &pose, &mut world);
/// apply_constraints(&skeleton, &[twist], 0, &mut pose, &mut world);
/// assert!(pose.locals[1].rotation.abs_diff_eq(Quat::from_rotation_x(0.5), 1e-6));
/// # Ok::<(), sinew_character::asset::SkeletonError>(())
/// ```
pub fn apply_constraints(
    skeleton: &Skeleton,
    constraints: &[Constraint],
    first: usize,
    pose: &mut Pose,
    world_from_node: &mut [Affine3A],
) {
    for constraint in constraints {
        let rotation = rotation(skeleton, constraint, pose).and_then(narrow);
        if let (Some(rotation), Some(local)) = (rotation, pose.locals.get_mut(constraint.node)) {
            local.rotation = rotation;
        }
    }
    if !constraints.is_empty() {
        update_world_matrices(skeleton, pose, first, world_from_node);
    }
}

/// Returns the local rotation of a constrained node. Returns `None` if an aimed node is at the position of its source.
fn rotation(skeleton: &Skeleton, constraint: &Constraint, pose: &Pose) -> Option<DQuat> {
    let rest_of = |node: usize| skeleton.nodes.get(node).map(|n| n.rest.rotation.as_dquat().normalize());
    let rest = rest_of(constraint.node)?;
    let source = || pose.locals.get(constraint.source).map(|l| l.rotation.as_dquat().normalize());
    let source_rest = || rest_of(constraint.source);
    let full = match constraint.kind {
        ConstraintKind::Rotation => rest * (source_rest()?.conjugate() * source()?),
        ConstraintKind::Roll(axis) => {
            // The source's rotation from the rest pose, first in the parent's frame and then in the constrained node's frame.
            let in_parent = source()? * source_rest()?.conjugate();
            let own = rest.conjugate() * in_parent * rest;
            // After the swing of the axis is removed, a twist about the axis remains.
            let swing = DQuat::from_rotation_arc(axis.vector(), (own * axis.vector()).normalize());
            rest * swing.conjugate() * own
        }
        ConstraintKind::Aim(axis) => {
            let parent = skeleton.nodes.get(constraint.node)?.parent;
            let world_from_parent =
                parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p).normalize());
            let from = world_from_parent * rest * axis.vector();
            let position = |node| world_position(skeleton, pose, node);
            let to: DVec3 = (position(constraint.source) - position(constraint.node)).try_normalize()?;
            let turn = DQuat::from_rotation_arc(from.normalize(), to);
            world_from_parent.conjugate() * turn * world_from_parent * rest
        }
    };
    Some(rest.slerp(full, constraint.weight))
}
