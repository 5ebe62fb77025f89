//! What a skeleton is to motion: which joint carries it over the ground, and which nodes take all of it along.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton, Values, humanoid};
use crate::pose::{Pose, parent_from_node, world_matrices};

use super::ground::Ground;

/// A share of the most joints that any travelling node carries: whoever carries as many may be the root.
const MOST: f32 = 0.5;

/// The root of a character's motion.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    /// The joint whose place over the ground is the character's: the hips of a human.
    pub(super) root: usize,
    /// Nodes without a parent that carry joints.
    pub(super) tops: Vec<usize>,
    /// Of the root above the feet at rest, metres.
    pub(super) height: f32,
    rest: Affine3A,
}

impl Stand {
    /// `feet`: node indices.
    pub(super) fn new(character: &Character, feet: &[usize]) -> Self {
        let skeleton = &character.skeleton;
        let nodes = skeleton.nodes.len();
        let mut counts = vec![0_usize; nodes];
        let channels = || character.clips.iter().flat_map(|c| &c.channels);
        if character.skins.is_empty() {
            channels().filter(|c| c.node < nodes).for_each(|c| counts[c.node] = 1);
        }
        character.skins.iter().flat_map(|s| &s.joints).for_each(|&j| counts[j] = 1);
        // The clips' own nodes move whatever they are.
        channels().filter(|c| c.node < nodes).for_each(|c| counts[c.node] = 1);
        for &(node, parent) in skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent {
                counts[parent] += counts[node];
            }
        }
        let parentless = |n: &usize| skeleton.nodes[*n].parent.is_none() && counts[*n] > 0;
        let tops: Vec<usize> = (0..nodes).filter(parentless).collect();
        let root = root(character, &counts).unwrap_or(0);
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let rest = world.get(root).copied().unwrap_or(Affine3A::IDENTITY);
        let lowest = feet.iter().filter_map(|&f| world.get(f)).map(|m| m.translation.y).reduce(f32::min);
        let height = lowest.map_or(0.0, |y| rest.translation.y - y);
        Self { root, tops, height, rest }
    }

    /// Where it stands in a pose.
    pub(super) fn ground(&self, skeleton: &Skeleton, pose: &Pose) -> Ground {
        Ground::below(&world_from_node(skeleton, pose, self.root), &self.rest)
    }
}

/// The hips of a human; else the deepest of the joints that travel and carry most of the others.
fn root(character: &Character, counts: &[usize]) -> Option<usize> {
    let skeleton = &character.skeleton;
    if let Some(hips) = humanoid(character).and_then(|h| h.bones.get("hips").copied()) {
        return Some(hips);
    }
    let travels = |values: &Values| match values {
        Values::Translation(places) => places.windows(2).any(|w| w[0].distance(w[1]) > 1e-5),
        _ => false,
    };
    let channels = character.clips.iter().flat_map(|c| &c.channels);
    let mut travellers: Vec<usize> = channels.filter(|c| travels(&c.values)).map(|c| c.node).collect();
    travellers.retain(|&n| n < counts.len());
    let most = travellers.iter().map(|&n| counts[n]).max();
    let Some(most) = most else {
        // Nothing travels: whoever carries most, and of these the deepest.
        let deepest_first = skeleton.parents_first.iter().rev().map(|(n, _)| *n);
        return deepest_first.max_by_key(|&n| counts[n]);
    };
    #[expect(clippy::cast_precision_loss, reason = "a share of a count")]
    let enough = |n: &usize| counts[*n] as f32 >= MOST * most as f32;
    skeleton.parents_first.iter().rev().map(|(n, _)| *n).filter(|n| travellers.contains(n)).find(enough)
}

/// One node's world matrix.
pub(super) fn world_from_node(skeleton: &Skeleton, pose: &Pose, node: usize) -> Affine3A {
    let up = skeleton.ancestors(node).take_while(|&n| n < pose.locals.len());
    up.fold(Affine3A::IDENTITY, |below, n| parent_from_node(skeleton, pose, n) * below)
}

/// A node's world place.
pub(super) fn place(skeleton: &Skeleton, pose: &Pose, node: usize) -> Vec3 {
    world_from_node(skeleton, pose, node).translation.into()
}
