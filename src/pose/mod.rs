//! Where every node is: a [`Pose`] holds local transforms, [`world_matrices`] makes matrices of them.

use glam::Affine3A;

use crate::asset::{Skeleton, Transform};

/// Local transforms and morph weights of all nodes of a skeleton. Plain data: solvers, clips and people write to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One a node, in file order.
    pub locals: Vec<Transform>,
    /// Morph weights, laid out as [`Skeleton::rest_weights`].
    pub weights: Vec<f32>,
}

impl Pose {
    /// The pose that the file gives.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Back to the pose that the file gives, keeping the buffers.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.locals.clear();
        self.locals.extend(skeleton.nodes.iter().map(|n| n.rest));
        self.weights.clear();
        self.weights.extend_from_slice(&skeleton.rest_weights);
    }
}

/// `world_from_node` of every node, in file order.
///
/// The pose belongs to the skeleton: it has a transform for every node. `out` is filled anew; nothing is
/// allocated when it has been used for this skeleton before.
pub fn world_matrices(skeleton: &Skeleton, pose: &Pose, out: &mut Vec<Affine3A>) {
    out.resize(skeleton.nodes.len(), Affine3A::IDENTITY);
    if skeleton.sheared.is_empty() {
        accumulate(skeleton, out, |node| pose.locals[node].to_affine());
    } else {
        accumulate(skeleton, out, |node| parent_from_node(skeleton, pose, node));
    }
}

/// `parent_from_node`: the local transform, or the file's own matrix where shear makes the transform an
/// approximation and nothing has moved the node yet.
pub fn parent_from_node(skeleton: &Skeleton, pose: &Pose, node: usize) -> Affine3A {
    let local: Transform = pose.locals[node];
    match skeleton.sheared.get(&node) {
        Some(matrix) if local == skeleton.nodes[node].rest => *matrix,
        _ => local.to_affine(),
    }
}

/// One product a node, parents first.
fn accumulate(skeleton: &Skeleton, out: &mut [Affine3A], parent_from_node: impl Fn(usize) -> Affine3A) {
    for &(node, parent) in &skeleton.parents_first {
        let local = parent_from_node(node);
        out[node] = match parent {
            Some(parent) => out[parent] * local,
            None => local,
        };
    }
}
