//! Logical hierarchies for skeletons in which all joints are siblings, as in WebXR hands. A rig gives joints logical
//! parents, and the solver works on a copy of the skeleton with these parents.

use std::collections::BTreeMap;

use glam::Affine3A;

use crate::asset::{Skeleton, Transform};
use crate::pose::{Pose, parent_from_node, world_matrices};

use super::{Rig, RigError};

/// A copy of a skeleton and a pose with the logical parents of a rig. Every joint has the same world position.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The reparented skeleton, with the same node indices.
    pub skeleton: Skeleton,
    /// The pose of the reparented skeleton.
    pub pose: Pose,
    /// `world_from_node` of that pose.
    pub world_from_node: Vec<Affine3A>,
}

impl Carried {
    /// Reparents a skeleton and its pose. Returns `None` if the rig has no logical parents.
    ///
    /// # Errors
    /// [`RigError::Circle`] if a joint would be its own ancestor.
    pub fn new(
        skeleton: &Skeleton,
        rig: &Rig,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<Option<Self>, RigError> {
        let carriers = rig.carriers();
        if carriers.is_empty() {
            return Ok(None);
        }
        let skeleton = carry(skeleton, &carriers)?;
        let mut pose = pose.clone();
        for &node in carriers.keys() {
            let parent = skeleton.nodes.get(node).and_then(|n| n.parent);
            let places = parent.and_then(|p| Some((world_from_node.get(p)?, world_from_node.get(node)?)));
            if let Some((local, (above, own))) = pose.locals.get_mut(node).zip(places) {
                *local = below(*above, *own);
            }
        }
        let mut carried = Vec::new();
        world_matrices(&skeleton, &pose, &mut carried);
        Ok(Some(Self { skeleton, pose, world_from_node: carried }))
    }

    /// Writes the changes since [`Carried::new`] to the pose that it was created from.
    pub fn write_back(&self, skeleton: &Skeleton, pose: &mut Pose) {
        let mut now = Vec::new();
        world_matrices(&self.skeleton, &self.pose, &mut now);
        // Current world matrix of each node's parent in the file. A logical parent is written before its children.
        let mut there = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
        for &(node, parent) in &skeleton.parents_first {
            let above = parent.map_or(Affine3A::IDENTITY, |p| there[p]);
            if self.skeleton.nodes[node].parent == parent {
                pose.locals[node] = self.pose.locals[node];
            } else if now[node] != self.world_from_node[node] {
                pose.locals[node] = below(above, now[node]);
            }
            there[node] = above * parent_from_node(skeleton, pose, node);
        }
    }
}

/// Returns a copy of the skeleton in which each node is a child of its logical parent, with the same rest positions.
///
/// # Errors
/// [`RigError::Circle`] if a joint would be its own ancestor.
pub(super) fn carry(skeleton: &Skeleton, carriers: &BTreeMap<usize, usize>) -> Result<Skeleton, RigError> {
    let mut world = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let mut hung = skeleton.clone();
    for (&node, &carrier) in carriers {
        if node >= hung.nodes.len() || carrier >= hung.nodes.len() {
            continue;
        }
        if let Some(parent) = hung.nodes[node].parent {
            hung.nodes[parent].children.retain(|&c| c != node);
        }
        hung.nodes[carrier].children.push(node);
        hung.nodes[node].parent = Some(carrier);
        hung.nodes[node].rest = below(world[carrier], world[node]);
        hung.sheared.remove(&node);
    }
    hung.parents_first.clear();
    let mut next: Vec<usize> = (0..hung.nodes.len()).filter(|&n| hung.nodes[n].parent.is_none()).collect();
    next.reverse();
    while let Some(node) = next.pop() {
        hung.parents_first.push((node, hung.nodes[node].parent));
        next.extend(hung.nodes[node].children.iter().rev());
    }
    // A node that is not below any root is on a cycle.
    if hung.parents_first.len() < hung.nodes.len() {
        let mut reached = vec![false; hung.nodes.len()];
        hung.parents_first.iter().for_each(|(n, _)| reached[*n] = true);
        let node = reached.iter().position(|r| !r).map_or_else(String::new, |n| skeleton.label(n));
        return Err(RigError::Circle { node });
    }
    Ok(hung)
}

fn below(world_from_parent: Affine3A, world_from_node: Affine3A) -> Transform {
    Transform::from_affine(world_from_parent.inverse() * world_from_node)
}

/// The joints of a finger from the wrist outwards, named as in Immersive Web, "WebXR Hand Input".
const WEBXR: [&str; 5] = ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];
const FINGERS: [&str; 5] = ["thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"];

/// Returns the logical parents of a WebXR hand in which all joints are siblings, and an empty map for other skeletons.
pub(super) fn webxr(skeleton: &Skeleton) -> BTreeMap<usize, usize> {
    let parent = |node: usize| skeleton.nodes[node].parent;
    let Some(wrist) = skeleton.find("wrist") else { return BTreeMap::new() };
    let mut carriers = BTreeMap::new();
    for finger in FINGERS {
        let joints = WEBXR.iter().filter_map(|part| skeleton.find(&format!("{finger}-{part}")));
        let mut carrier = wrist;
        for joint in joints.filter(|&j| parent(j) == parent(wrist)) {
            carriers.insert(joint, carrier);
            carrier = joint;
        }
    }
    carriers
}
