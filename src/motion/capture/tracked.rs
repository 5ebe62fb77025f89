//! The joints that a capture speaks of, as a tree of their own: what is between two of them is one rigid piece at rest.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::pose::Pose;

use super::CaptureError;

/// A tracked joint.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// Index in the skeleton.
    pub(super) node: usize,
    /// Its place in what is captured; `None` for a root that was added to join others.
    pub(super) column: Option<usize>,
    /// Its nearest tracked ancestor, an index into the tree.
    pub(super) parent: Option<usize>,
    /// Its nearest tracked descendants, indices into the tree.
    pub(super) children: Vec<usize>,
    /// The space of the tracked parent (of the world, for the root) from the space that the joint's transform is in.
    pub(super) between: DAffine3,
    /// The rotations in that.
    pub(super) turn_between: DQuat,
    /// Its place at rest in the space of the tracked parent.
    pub(super) offset: DVec3,
    /// Its local transform at rest.
    pub(super) rest: Transform,
}

/// Tracked joints, parents before their children: the first is the root.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    pub(super) joints: Vec<Joint>,
    /// Nodes between tracked ones, which stay at rest.
    still: Vec<(usize, Transform)>,
    /// How many places what is captured has.
    pub(super) columns: usize,
}

impl Tracked {
    /// Finds who carries whom. Joints without a common tracked ancestor are joined at their nearest common one.
    ///
    /// # Errors
    /// [`CaptureError`] for a list that is empty, names a node twice or one that does not exist, or joints that hang on different roots.
    pub(super) fn new(skeleton: &Skeleton, nodes: &[usize]) -> Result<Self, CaptureError> {
        let count = skeleton.nodes.len();
        let mut column_of = vec![None; count];
        for (index, &node) in nodes.iter().enumerate() {
            let column = column_of.get_mut(node).ok_or(CaptureError::Node { index, node, count })?;
            if let Some(first) = *column {
                return Err(CaptureError::Twice { first, second: index, node: skeleton.label(node) });
            }
            *column = Some(index);
        }
        let root = common_ancestor(skeleton, nodes)?;
        let mut tracked = Self { joints: Vec::new(), still: Vec::new(), columns: nodes.len() };
        // Where each node that is done stands in the tree.
        let mut place_of: Vec<Option<usize>> = vec![None; count];
        let order = skeleton.parents_first.iter().map(|(node, _)| *node);
        for node in order.filter(|n| *n == root || column_of[*n].is_some()) {
            let joint = tracked.joint(skeleton, node, column_of[node], &place_of);
            let place = tracked.joints.len();
            if let Some(parent) = joint.parent {
                tracked.joints[parent].children.push(place);
            }
            place_of[node] = Some(place);
            tracked.joints.push(joint);
        }
        tracked.still.sort_by_key(|(node, _)| *node);
        tracked.still.dedup_by_key(|(node, _)| *node);
        Ok(tracked)
    }

    fn joint(
        &mut self,
        skeleton: &Skeleton,
        node: usize,
        column: Option<usize>,
        place_of: &[Option<usize>],
    ) -> Joint {
        let (mut between, mut turn_between, mut parent) = (DAffine3::IDENTITY, DQuat::IDENTITY, None);
        for above in skeleton.ancestors(node).skip(1) {
            parent = place_of[above];
            if parent.is_some() {
                break;
            }
            let rest = skeleton.nodes[above].rest;
            between = affine(rest) * between;
            turn_between = rest.rotation.as_dquat() * turn_between;
            // What is above the root is not ours to write.
            if !self.joints.is_empty() {
                self.still.push((above, rest));
            }
        }
        let rest = skeleton.nodes[node].rest;
        Joint {
            node,
            column,
            parent,
            children: Vec::new(),
            between,
            turn_between: turn_between.normalize(),
            offset: between.transform_point3(rest.translation.as_dvec3()),
            rest,
        }
    }

    /// Puts what is between tracked joints to rest, and gives the joints below the root the lengths that they have at rest.
    pub(super) fn settle(&self, pose: &mut Pose) {
        for &(node, rest) in &self.still {
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

/// A transform in double precision.
pub(super) fn affine(t: Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        t.scale.as_dvec3(),
        t.rotation.as_dquat(),
        t.translation.as_dvec3(),
    )
}

/// The nearest node that is each of them or above it.
fn common_ancestor(skeleton: &Skeleton, nodes: &[usize]) -> Result<usize, CaptureError> {
    let (&first, others) = nodes.split_first().ok_or(CaptureError::Empty)?;
    let mut common = first;
    for &node in others {
        let above: Vec<usize> = skeleton.ancestors(node).collect();
        common = skeleton.ancestors(common).find(|n| above.contains(n)).ok_or_else(|| {
            CaptureError::Apart { node: skeleton.label(node), other: skeleton.label(first) }
        })?;
    }
    Ok(common)
}
