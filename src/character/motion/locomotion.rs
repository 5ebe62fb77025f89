//! The locomotion root of a character: the joint that defines its position on the ground.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton, Values};
use crate::pose::{Pose, world_matrices, world_matrix};

use crate::rig::recognize;

use super::planar::PlanarTransform;

/// A translated node can be the locomotion root only if the number of joints below it is at least this fraction of the largest number below
/// any translated node.
const MIN_FRACTION: f32 = 0.5;

/// The locomotion root of a character.
#[derive(Clone, Debug)]
pub(super) struct LocomotionRoot {
    /// The joint that defines the character's position on the ground, such as the hips of a human.
    pub(super) root: usize,
    /// Nodes without a parent that have joints below them.
    pub(super) tops: Vec<usize>,
    /// Height of the root above the feet in the rest pose, in metres.
    pub(super) height: f32,
    rest: Affine3A,
}

impl LocomotionRoot {
    /// Prepares the locomotion root, and finds it if `root` is `None`. `feet` are node indices.
    pub(super) fn new(character: &Character, feet: &[usize], root: Option<usize>) -> Self {
        let skeleton = &character.skeleton;
        let nodes = skeleton.nodes.len();
        let mut counts = vec![0_usize; nodes];
        let channels = || character.clips.iter().flat_map(|c| &c.channels);
        if character.skins.is_empty() {
            channels().filter(|c| c.node < nodes).for_each(|c| counts[c.node] = 1);
        }
        character.skins.iter().flat_map(|s| &s.joints).for_each(|&j| counts[j] = 1);
        // Nodes that clips animate count as joints.
        channels().filter(|c| c.node < nodes).for_each(|c| counts[c.node] = 1);
        for &(node, parent) in skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent {
                counts[parent] += counts[node];
            }
        }
        let parentless = |n: &usize| skeleton.nodes[*n].parent.is_none() && counts[*n] > 0;
        let tops: Vec<usize> = (0..nodes).filter(parentless).collect();
        let known = root.filter(|&root| root < nodes);
        let root = known.or_else(|| find_root(character, &counts)).unwrap_or(0);
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let rest = world.get(root).copied().unwrap_or(Affine3A::IDENTITY);
        let lowest = feet.iter().filter_map(|&f| world.get(f)).map(|m| m.translation.y).reduce(f32::min);
        let height = lowest.map_or(0.0, |y| rest.translation.y - y);
        Self { root, tops, height, rest }
    }

    /// Returns the position on the ground and the heading of the character in a pose.
    pub(super) fn planar_transform(&self, skeleton: &Skeleton, pose: &Pose) -> PlanarTransform {
        PlanarTransform::of_joint(&world_matrix(skeleton, pose, self.root), &self.rest)
    }
}

/// Returns the node index of the joint that defines the character's position on the ground, such as the hips of a human.
pub fn locomotion_root(character: &Character) -> usize {
    LocomotionRoot::new(character, &[], None).root
}

/// Finds the locomotion root: the hips of a human, or otherwise the deepest translated node with enough joints below it.
fn find_root(character: &Character, counts: &[usize]) -> Option<usize> {
    let skeleton = &character.skeleton;
    if let Some(hips) = recognize(character).ok().and_then(|body| body.bones.get("hips").copied()) {
        return Some(hips);
    }
    let is_translated = |values: &Values| match values {
        Values::Translation(positions) => positions.windows(2).any(|w| w[0].distance(w[1]) > 1e-5),
        _ => false,
    };
    let channels = character.clips.iter().flat_map(|c| &c.channels);
    let mut translated: Vec<usize> = channels.filter(|c| is_translated(&c.values)).map(|c| c.node).collect();
    translated.retain(|&n| n < counts.len());
    let largest = translated.iter().map(|&n| counts[n]).max();
    let Some(largest) = largest else {
        // If no node is translated, the node with the most joints in its subtree is used. If several nodes have
        // equally many, the first one in parents-before-children order is used.
        let deepest_first = skeleton.parents_first.iter().rev().map(|(n, _)| *n);
        return deepest_first.max_by_key(|&n| counts[n]);
    };
    #[expect(clippy::cast_precision_loss, reason = "only a fraction of the count is needed")]
    let is_enough = |n: &usize| counts[*n] as f32 >= MIN_FRACTION * largest as f32;
    skeleton.parents_first.iter().rev().map(|(n, _)| *n).filter(|n| translated.contains(n)).find(is_enough)
}

/// Returns the world position of a node.
pub(super) fn position(skeleton: &Skeleton, pose: &Pose, node: usize) -> Vec3 {
    world_matrix(skeleton, pose, node).translation.into()
}
