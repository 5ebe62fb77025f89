//! The nodes of a skeleton that a retargeting looks at.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::figure::turn;

/// The nodes that matter and all above them, parents first, with what a frame writes.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) order: Vec<(usize, Option<usize>)>,
    /// World orientations and, where asked for, matrices, by node.
    pub(super) turns: Vec<Quat>,
    pub(super) world: Vec<Affine3A>,
    /// Nodes whose matrices are asked for, and all above them.
    pub(super) placed: Vec<(usize, Option<usize>)>,
    pub(super) parents: Vec<Option<usize>>,
}

impl Tree {
    pub(super) fn new(
        skeleton: &Skeleton,
        turned: impl Iterator<Item = usize>,
        placed: impl Iterator<Item = usize>,
    ) -> Self {
        let count = skeleton.nodes.len();
        let above = |nodes: &mut dyn Iterator<Item = usize>| {
            let mut wanted = vec![false; count];
            nodes.flat_map(|n| skeleton.ancestors(n)).for_each(|n| wanted[n] = true);
            skeleton.parents_first.iter().copied().filter(|(n, _)| wanted[*n]).collect::<Vec<_>>()
        };
        let (mut turned, mut placed) = (turned, placed);
        Self {
            order: above(&mut turned),
            placed: above(&mut placed),
            turns: vec![Quat::IDENTITY; count],
            world: vec![Affine3A::IDENTITY; count],
            parents: skeleton.nodes.iter().map(|n| n.parent).collect(),
        }
    }

    /// World orientations of a pose in a world that is turned.
    pub(super) fn follow(&mut self, pose: &Pose, world: Quat) {
        for &(node, parent) in &self.order {
            let above = parent.map_or(world, |p| self.turns[p]);
            self.turns[node] = above * turn(&pose.locals[node]);
        }
    }

    /// World matrices of a pose in a world that stands elsewhere.
    pub(super) fn place(&mut self, pose: &Pose, world: Affine3A) {
        for &(node, parent) in &self.placed {
            let above = parent.map_or(world, |p| self.world[p]);
            self.world[node] = above * pose.locals[node].to_affine();
        }
    }

    pub(super) fn at(&self, node: usize) -> Vec3 {
        self.world[node].translation.into()
    }

    /// A node and all above it, from the node up.
    fn up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.parents[n])
    }

    /// One node's matrix in a pose.
    pub(super) fn world_of(&self, node: usize, pose: &Pose) -> Affine3A {
        self.up(node).fold(Affine3A::IDENTITY, |below, n| pose.locals[n].to_affine() * below)
    }

    /// One node's orientation by the product of rotations.
    pub(super) fn orientation(&self, node: usize, pose: &Pose) -> Quat {
        self.up(node).fold(Quat::IDENTITY, |below, n| pose.locals[n].rotation * below).normalize()
    }
}

/// Moves a node to a place of the world.
pub(super) fn put(tree: &Tree, node: usize, place: Vec3, out: &mut Pose) {
    let above = tree.parents[node].map_or(Affine3A::IDENTITY, |p| tree.world_of(p, out));
    let place = within(above, place);
    if place.is_finite() {
        out.locals[node].translation = place;
    }
}

/// A place of the world as a matrix sees it.
pub(super) fn within(world: Affine3A, place: Vec3) -> Vec3 {
    world.inverse().transform_point3(place)
}
