//! The tree of tracked joints. The nodes between two tracked joints form one rigid piece that stays at rest.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::pose::Pose;

use super::CaptureError;

/// A joint of the skeleton that is tracked.
#[derive(Clone, Debug)]
pub(super) struct TrackedJoint {
    /// Index in the skeleton.
    pub(super) node: usize,
    /// Its index in the captured values, or `None` for a root that was added to connect the others.
    pub(super) column: Option<usize>,
    /// Its nearest tracked ancestor, an index into the tree.
    pub(super) parent: Option<usize>,
    /// Its nearest tracked descendants, indices into the tree.
    pub(super) children: Vec<usize>,
    /// The transform from the space of the joint's local transform to the space of the tracked parent. For the root it leads to
    /// world space.
    pub(super) between: DAffine3,
    /// The rotation part of `between`.
    pub(super) rotation_between: DQuat,
    /// Its position at rest, in the space of the tracked parent.
    pub(super) offset: DVec3,
    /// Its local transform at rest.
    pub(super) rest: Transform,
}

/// The tracked joints, parents before their children. The first one is the root.
#[derive(Clone, Debug)]
pub(super) struct TrackedTree {
    pub(super) joints: Vec<TrackedJoint>,
    /// The nodes between tracked joints, with their transforms at rest.
    untracked: Vec<(usize, Transform)>,
    /// The number of captured values per frame.
    pub(super) columns: usize,
}

impl TrackedTree {
    /// Builds the tree. Joints without a common tracked ancestor are connected at their nearest common ancestor.
    ///
    /// # Errors
    /// [`CaptureError`] if the list is empty, names a node twice, names a node that does not exist, or has joints
    /// with different roots.
    pub(super) fn new(skeleton: &Skeleton, nodes: &[usize]) -> Result<Self, CaptureError> {
        let count = skeleton.nodes.len();
        let mut column_of = vec![None; count];
        for (index, &node) in nodes.iter().enumerate() {
            let column = column_of.get_mut(node).ok_or(CaptureError::Node { index, node, count })?;
            if let Some(first) = *column {
                return Err(CaptureError::Duplicate { first, second: index, node: skeleton.label(node) });
            }
            *column = Some(index);
        }
        let root = common_ancestor(skeleton, nodes)?;
        let mut tracked = Self { joints: Vec::new(), untracked: Vec::new(), columns: nodes.len() };
        // The index in the tree of each node that was added.
        let mut tree_index_of: Vec<Option<usize>> = vec![None; count];
        let order = skeleton.parents_first.iter().map(|(node, _)| *node);
        for node in order.filter(|n| *n == root || column_of[*n].is_some()) {
            let joint = tracked.joint(skeleton, node, column_of[node], &tree_index_of);
            let index = tracked.joints.len();
            if let Some(parent) = joint.parent {
                tracked.joints[parent].children.push(index);
            }
            tree_index_of[node] = Some(index);
            tracked.joints.push(joint);
        }
        tracked.untracked.sort_by_key(|(node, _)| *node);
        tracked.untracked.dedup_by_key(|(node, _)| *node);
        Ok(tracked)
    }

    fn joint(
        &mut self,
        skeleton: &Skeleton,
        node: usize,
        column: Option<usize>,
        tree_index_of: &[Option<usize>],
    ) -> TrackedJoint {
        let (mut between, mut rotation_between, mut parent) = (DAffine3::IDENTITY, DQuat::IDENTITY, None);
        for above in skeleton.ancestors(node).skip(1) {
            parent = tree_index_of[above];
            if parent.is_some() {
                break;
            }
            let rest = skeleton.nodes[above].rest;
            between = affine(rest) * between;
            rotation_between = rest.rotation.as_dquat() * rotation_between;
            // Nodes above the root are never written.
            if !self.joints.is_empty() {
                self.untracked.push((above, rest));
            }
        }
        let rest = skeleton.nodes[node].rest;
        TrackedJoint {
            node,
            column,
            parent,
            children: Vec::new(),
            between,
            rotation_between: rotation_between.normalize(),
            offset: between.transform_point3(rest.translation.as_dvec3()),
            rest,
        }
    }

    /// Resets the nodes between tracked joints to rest, and the translations and scales of the joints below the root.
    pub(super) fn reset_untracked(&self, pose: &mut Pose) {
        for &(node, rest) in &self.untracked {
            if let Some(local) = pose.locals.get_mut(node) {
                *local = rest;
            }
        }
        for joint in self.joints.iter().skip(1) {
            if let Some(local) = pose.locals.get_mut(joint.node) {
                (local.translation, local.scale) = (joint.rest.translation, joint.rest.scale);
            }
        }
    }
}

/// Converts a transform to a matrix in double precision.
pub(super) fn affine(t: Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        t.scale.as_dvec3(),
        t.rotation.as_dquat(),
        t.translation.as_dvec3(),
    )
}

/// Returns the nearest common ancestor of the nodes. It may be one of the nodes.
fn common_ancestor(skeleton: &Skeleton, nodes: &[usize]) -> Result<usize, CaptureError> {
    let (&first, others) = nodes.split_first().ok_or(CaptureError::Empty)?;
    let mut common = first;
    for &node in others {
        let ancestors: Vec<usize> = skeleton.ancestors(node).collect();
        common = skeleton.ancestors(common).find(|n| ancestors.contains(n)).ok_or_else(|| {
            CaptureError::NoCommonAncestor { node: skeleton.label(node), other: skeleton.label(first) }
        })?;
    }
    Ok(common)
}
