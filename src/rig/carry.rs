//! Skeletons that hang all joints side by side, as hands of WebXR do: a rig says who carries whom, and what is solved
//! is a copy that hangs so.

use std::collections::BTreeMap;

use glam::Affine3A;

use crate::asset::{Skeleton, Transform};
use crate::pose::{Pose, parent_from_node, world_matrices};

use super::{Rig, RigError};

/// A pose of a skeleton that hangs as the rig says, every joint where it was.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The skeleton, with the same node indices.
    pub skeleton: Skeleton,
    /// Its pose.
    pub pose: Pose,
    /// `world_from_node` of that pose.
    pub world_from_node: Vec<Affine3A>,
}

impl Carried {
    /// `None` where the rig leaves all joints where the file hangs them.
    ///
    /// # Errors
    /// [`RigError::Circle`] if a joint would carry itself.
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

    /// Writes what has moved since it was made into the pose that it was made from.
    pub fn write_back(&self, skeleton: &Skeleton, pose: &mut Pose) {
        let mut now = Vec::new();
        world_matrices(&self.skeleton, &self.pose, &mut now);
        // Where the file's own parent of each node is by now: what carries is written before what is carried.
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

/// The same nodes, each below its carrier, at rest where they were.
///
/// # Errors
/// [`RigError::Circle`].
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
    // Who is reached from no root hangs on itself.
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

/// The joints of a finger from the wrist on, as WebXR names them (Immersive Web, "WebXR Hand Input").
const WEBXR: [&str; 5] = ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];
const FINGERS: [&str; 5] = ["thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"];

/// Who carries whom in a hand of WebXR whose joints all hang side by side; nobody in anything else.
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
