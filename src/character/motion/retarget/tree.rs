//! The subset of a skeleton's nodes that retargeting needs.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Skeleton;
use crate::mathematics::{ReducedTree, accumulate_below};
use crate::pose::Pose;

use super::frame::turn;

/// The needed nodes with all their ancestors, and their orientations and matrices in the current frame.
#[derive(Clone, Debug)]
pub(super) struct NodeSubset {
    /// Nodes whose orientations are needed and all their ancestors, parents first. Each entry is a node and its parent.
    pub(super) order: Vec<(usize, Option<usize>)>,
    /// World orientations, by node.
    pub(super) turns: Vec<Quat>,
    /// World matrices, by node.
    pub(super) world: Vec<Affine3A>,
    /// Nodes whose matrices are needed and all their ancestors, parents first. Each entry is a node and its parent.
    pub(super) placed: Vec<(usize, Option<usize>)>,
    /// The parents of all nodes.
    pub(super) parents: Vec<Option<usize>>,
}

impl NodeSubset {
    pub(super) fn new(
        skeleton: &Skeleton,
        turned: impl Iterator<Item = usize>,
        placed: impl Iterator<Item = usize>,
    ) -> Self {
        let count = skeleton.nodes.len();
        let parents_first = || skeleton.parents_first.iter().copied();
        Self {
            order: ReducedTree::new(parents_first(), turned).involved().collect(),
            placed: ReducedTree::new(parents_first(), placed).involved().collect(),
            turns: vec![Quat::IDENTITY; count],
            world: vec![Affine3A::IDENTITY; count],
            parents: skeleton.nodes.iter().map(|n| n.parent).collect(),
        }
    }

    /// Updates the world orientations from a pose. `world` is applied after the transforms of the roots.
    pub(super) fn update_orientations(&mut self, pose: &Pose, world: Quat) {
        let order = self.order.iter().copied();
        accumulate_below(order, world, &mut self.turns, |node| turn(&pose.locals[node]));
    }

    /// Updates the world matrices from a pose. `world` is applied after the transforms of the roots.
    pub(super) fn update_matrices(&mut self, pose: &Pose, world: Affine3A) {
        let placed = self.placed.iter().copied();
        accumulate_below(placed, world, &mut self.world, |node| pose.locals[node].to_affine());
    }

    /// The world position of a node.
    pub(super) fn at(&self, node: usize) -> Vec3 {
        self.world[node].translation.into()
    }

    /// A node and all its ancestors, from the node up.
    fn up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.parents[n])
    }

    /// The world matrix of a node in a pose.
    pub(super) fn world_of(&self, node: usize, pose: &Pose) -> Affine3A {
        self.up(node).fold(Affine3A::IDENTITY, |below, n| pose.locals[n].to_affine() * below)
    }

    /// The world orientation of a node in a pose, as the product of the local rotations.
    pub(super) fn orientation(&self, node: usize, pose: &Pose) -> Quat {
        self.up(node).fold(Quat::IDENTITY, |below, n| pose.locals[n].rotation * below).normalize()
    }
}

/// Moves a node to a world position.
pub(super) fn set_position(tree: &NodeSubset, node: usize, position: Vec3, out: &mut Pose) {
    let above = tree.parents[node].map_or(Affine3A::IDENTITY, |p| tree.world_of(p, out));
    let local = to_local(above, position);
    if local.is_finite() {
        out.locals[node].translation = local;
    }
}

/// Transforms a world position into the local space of a world matrix.
pub(super) fn to_local(world: Affine3A, position: Vec3) -> Vec3 {
    world.inverse().transform_point3(position)
}
