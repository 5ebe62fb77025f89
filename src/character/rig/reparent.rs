//! Logical parents. In some skeletons all joints are siblings, as in WebXR hands. A rig then names the joint that each
//! joint follows, and IK solves a copy of the skeleton that has these parents.

use std::collections::BTreeMap;

use glam::Affine3A;

use crate::asset::{Skeleton, Transform};
use crate::mathematics::propagate;
use crate::pose::{Pose, parent_from_node, world_matrices};

use super::{Rig, RigError};

/// A skeleton in which joints have their logical parents, and a pose of it that looks like a pose of the file's own
/// skeleton.
///
/// It depends on the skeleton and the rig. [`Reparented::refresh`] copies each new pose into it, and
/// [`Reparented::write_back`] copies the transforms of nodes that have moved since then back into the pose of the
/// file's skeleton.
#[derive(Clone, Debug)]
pub struct Reparented {
    skeleton: Skeleton,
    /// The nodes with a logical parent.
    nodes: Vec<usize>,
    pose: Pose,
    /// `world_from_node` of the pose before the solve and after it.
    before: Vec<Affine3A>,
    after: Vec<Affine3A>,
    /// `world_from_node` of the file's skeleton, while a pose is written back.
    own: Vec<Affine3A>,
}

impl Reparented {
    /// Creates the reparented skeleton in the rest pose. Returns `None` if the rig has no logical parents.
    ///
    /// # Errors
    /// [`RigError::Cycle`] if a joint would be its own ancestor.
    pub fn new(skeleton: &Skeleton, rig: &Rig) -> Result<Option<Self>, RigError> {
        let parents = rig.logical_parents();
        if parents.is_empty() {
            return Ok(None);
        }
        let own = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
        let skeleton = reparent(skeleton, &parents)?;
        let (pose, nodes) = (Pose::rest(&skeleton), parents.into_keys().collect());
        Ok(Some(Self { skeleton, nodes, pose, before: own.clone(), after: own.clone(), own }))
    }

    /// Copies a pose of the file's skeleton, so that every joint has the same world transform.
    pub fn refresh(&mut self, pose: &Pose, world_from_node: &[Affine3A]) {
        self.pose.clone_from(pose);
        for &node in &self.nodes {
            let parent = self.skeleton.nodes.get(node).and_then(|n| n.parent);
            let matrices = parent.and_then(|p| Some((world_from_node.get(p)?, world_from_node.get(node)?)));
            if let Some((local, (parent, own))) = self.pose.locals.get_mut(node).zip(matrices) {
                *local = local_transform(*parent, *own);
            }
        }
        world_matrices(&self.skeleton, &self.pose, &mut self.before);
    }

    /// Returns the reparented skeleton, which has the same node indices as the file's skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the pose of the reparented skeleton.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Returns the pose of the reparented skeleton for a solve to change.
    pub fn pose_mut(&mut self) -> &mut Pose {
        &mut self.pose
    }

    /// Returns `world_from_node` of the pose when it was refreshed.
    pub fn world_from_node(&self) -> &[Affine3A] {
        &self.before
    }

    /// Copies the transforms of nodes that have moved since the last refresh into a pose of `skeleton`, which is the
    /// file's own skeleton.
    pub fn write_back(&mut self, skeleton: &Skeleton, pose: &mut Pose) {
        world_matrices(&self.skeleton, &self.pose, &mut self.after);
        let has_moved = |n: usize| self.after[n] != self.before[n];
        propagate(skeleton.parents_first.iter().copied(), &mut self.own, |world_from_parent, node| {
            let world_from_parent = *world_from_parent.unwrap_or(&Affine3A::IDENTITY);
            let parent = skeleton.nodes[node].parent;
            if self.skeleton.nodes[node].parent == parent {
                pose.locals[node] = self.pose.locals[node];
            } else if has_moved(node) || parent.is_some_and(has_moved) {
                // A node that stays in place needs a new transform too if its parent in the file has moved.
                pose.locals[node] = local_transform(world_from_parent, self.after[node]);
            }
            world_from_parent * parent_from_node(skeleton, pose, node)
        });
    }
}

/// Returns a copy of a skeleton with different parents for some nodes. In the rest pose, every node has the same world transform.
///
/// # Errors
/// [`RigError::Cycle`] if a node would be its own ancestor.
pub(super) fn reparent(skeleton: &Skeleton, parents: &BTreeMap<usize, usize>) -> Result<Skeleton, RigError> {
    let mut world = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let mut copy = skeleton.clone();
    let count = copy.nodes.len();
    let moved = |node: usize| parents.get(&node).copied().filter(|&p| p < count && node < count);
    copy.nodes.iter_mut().for_each(|n| n.children.retain(|&c| moved(c).is_none()));
    for (node, parent) in parents.keys().filter_map(|&n| Some((n, moved(n)?))) {
        copy.nodes[parent].children.push(node);
        copy.nodes[node].parent = Some(parent);
        copy.nodes[node].rest = local_transform(world[parent], world[node]);
        copy.sheared.remove(&node);
    }
    copy.parents_first.clear();
    let mut next: Vec<usize> = (0..copy.nodes.len()).filter(|&n| copy.nodes[n].parent.is_none()).collect();
    next.reverse();
    while let Some(node) = next.pop() {
        copy.parents_first.push((node, copy.nodes[node].parent));
        next.extend(copy.nodes[node].children.iter().rev());
    }
    // A node that cannot be reached from a root is part of a cycle or a descendant of one.
    if copy.parents_first.len() < copy.nodes.len() {
        let mut reached = vec![false; copy.nodes.len()];
        copy.parents_first.iter().for_each(|(n, _)| reached[*n] = true);
        let node = reached.iter().position(|r| !r).map_or_else(String::new, |n| skeleton.label(n));
        return Err(RigError::Cycle { node });
    }
    Ok(copy)
}

/// Returns the local transform of a node from its own world matrix and the world matrix of its parent.
fn local_transform(world_from_parent: Affine3A, world_from_node: Affine3A) -> Transform {
    Transform::from_affine(world_from_parent.inverse() * world_from_node)
}

/// The joints of a finger, starting at the wrist, by their WebXR names (Immersive Web, "WebXR Hand Input").
const WEBXR: [&str; 5] = ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];
const FINGERS: [&str; 5] = ["thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"];

/// Returns the logical parents of a WebXR hand whose joints are all siblings. The map is empty for any other skeleton.
pub(super) fn webxr(skeleton: &Skeleton) -> BTreeMap<usize, usize> {
    let parent = |node: usize| skeleton.nodes[node].parent;
    let Some(wrist) = skeleton.find("wrist") else { return BTreeMap::new() };
    let mut parents = BTreeMap::new();
    for finger in FINGERS {
        let joints = WEBXR.iter().filter_map(|part| skeleton.find(&format!("{finger}-{part}")));
        let mut logical = wrist;
        for joint in joints.filter(|&j| parent(j) == parent(wrist)) {
            parents.insert(joint, logical);
            logical = joint;
        }
    }
    parents
}
