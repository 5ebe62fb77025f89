//! The order of the work in each step of a spring simulation.

use crate::asset::{Character, Collider, Skeleton, Spring, SpringJoint};
use crate::mathematics::accumulate;

/// The nodes that springs move, sorted so that everything a joint depends on comes before it.
#[derive(Debug)]
pub(super) struct Plan {
    /// All nodes with a spring joint, and their descendants.
    pub(super) nodes: Vec<PlannedNode>,
    pub(super) colliders: Vec<Collider>,
    pub(super) springs: Vec<Spring>,
    /// The number of joints.
    pub(super) joints: usize,
    /// Position in [`Skeleton::parents_first`] of the first node that moves.
    pub(super) first: usize,
    /// Distance in metres above which the motion of a joint within one step is a jump.
    pub(super) jump: f64,
}

/// A node that springs move.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedNode {
    pub(super) node: usize,
    pub(super) parent: Option<usize>,
    /// The joint at this node, with its index and the index of its spring.
    pub(super) joint: Option<(SpringJoint, usize, usize)>,
    /// Whether none of its ancestors is in the plan.
    pub(super) is_root: bool,
}

impl Plan {
    pub(super) fn new(character: &Character) -> Self {
        let (skeleton, bones) = (&character.skeleton, &character.springs);
        let mut joint_of = vec![None; skeleton.nodes.len()];
        let mut joints = 0;
        for (s, spring) in bones.springs.iter().enumerate() {
            for joint in &spring.joints {
                if let Some(own) = joint_of.get_mut(joint.node) {
                    *own = Some((*joint, joints, s));
                    joints += 1;
                }
            }
        }
        let mut moves = vec![false; skeleton.nodes.len()];
        let mut first = skeleton.parents_first.len();
        for (position, &(node, parent)) in skeleton.parents_first.iter().enumerate() {
            moves[node] = joint_of[node].is_some() || parent.is_some_and(|p| moves[p]);
            if moves[node] {
                first = first.min(position);
            }
        }
        let needs = |node: usize| {
            let spring =
                joint_of[node].and_then(|(_, _, s): (SpringJoint, usize, usize)| bones.springs.get(s));
            let colliders = spring.into_iter().flat_map(|s| &s.colliders);
            let of_colliders = colliders.filter_map(|&c| bones.colliders.get(c)).map(|c| c.node);
            let center = spring.and_then(|s| s.center);
            center.into_iter().chain(of_colliders)
        };
        let nodes = sorted(skeleton, &moves, needs)
            .into_iter()
            .map(|node| {
                let parent = skeleton.nodes[node].parent;
                let is_root = parent.is_none_or(|p| !moves[p]);
                PlannedNode { node, parent, joint: joint_of[node], is_root }
            })
            .collect();
        let (colliders, springs) = (bones.colliders.clone(), bones.springs.clone());
        Self { nodes, colliders, springs, joints, first, jump: 0.5 * size(skeleton) }
    }
}

/// Sorts the nodes that move so that each comes after its parent and, if possible, after the other nodes that it needs. This is not
/// possible in a cycle, such as a collider moved by the joint that it pushes.
fn sorted<I: Iterator<Item = usize>>(
    skeleton: &Skeleton,
    moves: &[bool],
    needs: impl Fn(usize) -> I,
) -> Vec<usize> {
    // The entry that was pushed last is visited first.
    enum Visit {
        Start(usize),
        End(usize),
    }
    let mut order = Vec::new();
    let mut is_started = vec![false; moves.len()];
    let mut waiting = Vec::new();
    for &(root, _) in &skeleton.parents_first {
        waiting.push(Visit::Start(root));
        while let Some(visit) = waiting.pop() {
            match visit {
                Visit::End(node) => order.push(node),
                Visit::Start(node) => {
                    if !moves.get(node).copied().unwrap_or_default()
                        || std::mem::replace(&mut is_started[node], true)
                    {
                        continue;
                    }
                    waiting.push(Visit::End(node));
                    waiting.extend(needs(node).filter(|&n| !is_started[n]).map(Visit::Start));
                    // The parent is visited first.
                    waiting.extend(skeleton.nodes[node].parent.map(Visit::Start));
                }
            }
        }
    }
    parents_first(skeleton, moves, &order)
}

/// Moves parents before their children where a cycle has put them after their children.
fn parents_first(skeleton: &Skeleton, moves: &[bool], order: &[usize]) -> Vec<usize> {
    let mut is_done = vec![false; moves.len()];
    let mut sorted = Vec::with_capacity(order.len());
    let mut up = Vec::new();
    for &node in order {
        up.extend(skeleton.ancestors(node).take_while(|&n| moves[n] && !is_done[n]));
        while let Some(node) = up.pop() {
            is_done[node] = true;
            sorted.push(node);
        }
    }
    sorted
}

/// Returns the largest extent of the nodes in the rest pose along an axis, or infinity if it is zero.
fn size(skeleton: &Skeleton) -> f64 {
    let mut world = vec![glam::Affine3A::IDENTITY; skeleton.nodes.len()];
    accumulate(skeleton.parents_first.iter().copied(), &mut world, |node| {
        skeleton.nodes[node].rest.to_affine()
    });
    let (mut lo, mut hi) = (glam::Vec3A::INFINITY, glam::Vec3A::NEG_INFINITY);
    for &(node, _) in &skeleton.parents_first {
        lo = lo.min(world[node].translation);
        hi = hi.max(world[node].translation);
    }
    let size = f64::from((hi - lo).max_element());
    if size.is_finite() && size > 0.0 { size } else { f64::INFINITY }
}
