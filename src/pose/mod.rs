//! Poses of a skeleton: a [`Pose`] contains local transforms, and [`world_matrices`] computes matrices from them.

use glam::Affine3A;

use crate::asset::{Skeleton, Transform};

/// Local transforms and morph weights of all nodes of a skeleton. Plain data that anything may write to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One transform per node, in file order.
    pub locals: Vec<Transform>,
    /// Morph weights, laid out as in [`Skeleton::rest_weights`].
    pub weights: Vec<f32>,
}

impl Pose {
    /// Returns the rest pose of the file.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Resets to the rest pose of the file without reallocating.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.locals.clear();
        self.locals.extend(skeleton.nodes.iter().map(|n| n.rest));
        self.weights.clear();
        self.weights.extend_from_slice(&skeleton.rest_weights);
    }
}

/// Computes `world_from_node` of every node, in file order.
///
/// The pose must have a transform for every node of the skeleton. `out` is overwritten, and nothing is allocated if it
/// was used for this skeleton before.
pub fn world_matrices(skeleton: &Skeleton, pose: &Pose, out: &mut Vec<Affine3A>) {
    out.resize(skeleton.nodes.len(), Affine3A::IDENTITY);
    if skeleton.sheared.is_empty() {
        accumulate(skeleton, out, |node| pose.locals[node].to_affine());
    } else {
        accumulate(skeleton, out, |node| parent_from_node(skeleton, pose, node));
    }
}

/// Returns `parent_from_node` of a node. This is its local transform, or the file's own matrix if the node is at rest and
/// has shear, which a transform cannot express.
pub fn parent_from_node(skeleton: &Skeleton, pose: &Pose, node: usize) -> Affine3A {
    let local: Transform = pose.locals[node];
    match skeleton.sheared.get(&node) {
        Some(matrix) if local == skeleton.nodes[node].rest => *matrix,
        _ => local.to_affine(),
    }
}

/// Multiplies the matrices along the hierarchy, parents first.
fn accumulate(skeleton: &Skeleton, out: &mut [Affine3A], parent_from_node: impl Fn(usize) -> Affine3A) {
    for &(node, parent) in &skeleton.parents_first {
        let local = parent_from_node(node);
        out[node] = match parent {
            Some(parent) => out[parent] * local,
            None => local,
        };
    }
}
