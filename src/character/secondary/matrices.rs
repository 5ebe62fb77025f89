//! World matrices of single nodes in double precision.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::pose::{Pose, parent_from_node};

/// Returns `parent_from_node` of a node in double precision.
pub(super) fn local_matrix(skeleton: &Skeleton, pose: &Pose, node: usize) -> DAffine3 {
    if skeleton.sheared.contains_key(&node) {
        return wide(parent_from_node(skeleton, pose, node));
    }
    let Some(&Transform { translation, rotation, scale }) = pose.locals.get(node) else {
        return DAffine3::IDENTITY;
    };
    let rotation = rotation.as_dquat().normalize();
    DAffine3::from_scale_rotation_translation(scale.as_dvec3(), rotation, translation.as_dvec3())
}

/// Converts a matrix to double precision.
pub(super) fn wide(matrix: glam::Affine3A) -> DAffine3 {
    let [x, y, z] = [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis];
    DAffine3::from_cols(x.as_dvec3(), y.as_dvec3(), z.as_dvec3(), matrix.translation.as_dvec3())
}

/// Returns the world position of a node. The time is proportional to the node's depth.
pub(super) fn world_position(skeleton: &Skeleton, pose: &Pose, node: usize) -> DVec3 {
    let above = skeleton.nodes.get(node).and_then(|n| n.parent);
    let up = above.into_iter().flat_map(|parent| skeleton.ancestors(parent));
    let own = local_matrix(skeleton, pose, node).translation;
    up.fold(own, |point, n| local_matrix(skeleton, pose, n).transform_point3(point))
}

/// Normalises a rotation and converts it to single precision. Returns `None` if it is not finite.
pub(super) fn narrow(rotation: DQuat) -> Option<glam::Quat> {
    let rotation = rotation.normalize();
    rotation.is_finite().then(|| rotation.as_quat())
}
