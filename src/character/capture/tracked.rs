//! The tree of tracked joints. The nodes between two tracked joints form one rigid piece that keeps its rest pose.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::mathematics::{ReducedTree, propagate};
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
    /// The transform from the space of the joint's parent in the skeleton to the space of the tracked parent. For the root, it is the
    /// transform to world space.
    pub(super) between: DAffine3,
    /// The rotation part of `between`.
    pub(super) rotation_between: DQuat,
    /// Its rest position, in the space of the tracked parent.
    pub(super) offset: DVec3,
    /// Its local rest transform.
    pub(super) rest: Transform,
}

/// The tracked joints, parents before their children. The first one is the root.
#[derive(Clone, Debug)]
pub(super) struct TrackedTree {
    pub(super) joints: Vec<TrackedJoint>,
    /// The nodes between tracked joints, with their rest transforms.
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
        let mut tree = ReducedTree::new(skeleton.parents_first.iter().copied(), nodes.iter().copied());
        let root = tree.common_ancestor().map_err(|node| CaptureError::NoCommonAncestor {
            node: skeleton.label(node),
            other: nodes.first().map_or_else(String::new, |&first| skeleton.label(first)),
        })?;
        let root = root.ok_or(CaptureError::Empty)?;
        tree.choose(|node| node == root || column_of[node].is_some());
        let joints = tree.chosen().iter().zip(tree.children()).map(|(own, children)| {
            let (mut between, mut rotation_between) = (DAffine3::IDENTITY, DQuat::IDENTITY);
            for above in tree.between(*own).map(|n| skeleton.nodes[n].rest) {
                between = affine(above) * between;
                rotation_between = above.rotation.as_dquat() * rotation_between;
            }
            let rest = skeleton.nodes[own.node].rest;
            TrackedJoint {
                node: own.node,
                column: column_of[own.node],
                parent: own.parent,
                children,
                between,
                rotation_between: rotation_between.normalize(),
                offset: between.transform_point3(rest.translation.as_dvec3()),
                rest,
            }
        });
        Ok(Self {
            joints: joints.collect(),
            untracked: tree.folded().map(|n| (n, skeleton.nodes[n].rest)).collect(),
            columns: nodes.len(),
        })
    }

    /// Computes the world matrices of the tracked joints from their local transforms. All nodes between them are in the rest pose.
    pub(super) fn world_from_joints(
        &self,
        world: &mut Vec<DAffine3>,
        local: impl Fn(&TrackedJoint) -> Transform,
    ) {
        world.resize(self.joints.len(), DAffine3::IDENTITY);
        let parents = self.joints.iter().map(|joint| joint.parent).enumerate();
        propagate(parents, world, |above, index| {
            let joint = &self.joints[index];
            *above.unwrap_or(&DAffine3::IDENTITY) * joint.between * affine(local(joint))
        });
    }

    /// Resets the nodes between tracked joints to the rest pose, and also the translations and scales of the tracked joints other than the
    /// root.
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
