//! Poses of a skeleton: a [`Pose`] contains local transforms, and [`world_matrices`] computes matrices from them.

use glam::{Affine3A, DQuat, Quat};

use crate::asset::{Skeleton, Transform};
use crate::mathematics::accumulate;

mod mirror;

pub use mirror::Mirror;
pub(crate) use mirror::MirrorPlane;

/// Local transforms and morph weights of all nodes of a skeleton. The fields are plain data that any code may change.
#[derive(Debug, Default, PartialEq)]
pub struct Pose {
    /// One transform per node, in file order.
    pub locals: Vec<Transform>,
    /// Morph weights, laid out as in [`Skeleton::rest_weights`].
    pub weights: Vec<f32>,
}

impl Clone for Pose {
    fn clone(&self) -> Self {
        Self { locals: self.locals.clone(), weights: self.weights.clone() }
    }

    /// Copies a pose into this pose and reuses the existing buffers.
    fn clone_from(&mut self, source: &Self) {
        self.locals.clone_from(&source.locals);
        self.weights.clone_from(&source.weights);
    }
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
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::glam::{Quat, Vec3};
/// use sinew_character::pose::{Pose, world_matrices};
///
/// let skeleton = asset::mannequin()?.skeleton;
/// let hand = skeleton.find("leftHand").ok_or("no hand")?;
/// let mut pose = Pose::rest(&skeleton);
/// let mut world_from_node = Vec::new();
/// world_matrices(&skeleton, &pose, &mut world_from_node);
/// let before = Vec3::from(world_from_node[hand].translation);
///
/// // The whole character turns about the vertical axis.
/// let root = skeleton.parents_first[0].0;
/// pose.locals[root].rotation = Quat::from_rotation_y(180_f32.to_radians());
/// world_matrices(&skeleton, &pose, &mut world_from_node);
/// let after = Vec3::from(world_from_node[hand].translation);
/// assert!((before + after).abs_diff_eq(Vec3::Y * 2.0 * before.y, 1e-5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn world_matrices(skeleton: &Skeleton, pose: &Pose, out: &mut Vec<Affine3A>) {
    out.resize(skeleton.nodes.len(), Affine3A::IDENTITY);
    update_world_matrices(skeleton, pose, 0, out);
}

/// Updates the world matrices of a pose after local transforms have changed. No node before the position `first` in
/// [`Skeleton::parents_first`] may have changed.
pub fn update_world_matrices(skeleton: &Skeleton, pose: &Pose, first: usize, out: &mut [Affine3A]) {
    let nodes = skeleton.parents_first.get(first..).unwrap_or_default().iter().copied();
    if skeleton.sheared.is_empty() {
        accumulate(nodes, out, |node| pose.locals[node].to_affine());
    } else {
        accumulate(nodes, out, |node| parent_from_node(skeleton, pose, node));
    }
}

/// Returns `world_from_node` of one node.
///
/// ```
/// use sinew_character::asset::{Node, Skeleton, Transform};
/// use sinew_character::glam::Vec3;
/// use sinew_character::pose::{Pose, world_matrix};
///
/// let up = Transform::from_translation(Vec3::Y);
/// let skeleton = Skeleton::new(vec![Node::new("a"), Node::child("b", 0, up), Node::child("c", 1, up)])?;
/// let mut pose = Pose::rest(&skeleton);
/// pose.locals[0].scale = Vec3::splat(3.0);
/// assert_eq!(Vec3::from(world_matrix(&skeleton, &pose, 2).translation), Vec3::Y * 6.0);
/// # Ok::<(), sinew_character::asset::SkeletonError>(())
/// ```
pub fn world_matrix(skeleton: &Skeleton, pose: &Pose, node: usize) -> Affine3A {
    let up = skeleton.ancestors(node).take_while(|&n| n < pose.locals.len());
    up.fold(Affine3A::IDENTITY, |below, n| parent_from_node(skeleton, pose, n) * below)
}

/// Returns the world orientation of a node: the product of the rotations from its root down to it.
///
/// ```
/// use sinew_character::asset::{Node, Skeleton, Transform};
/// use sinew_character::glam::{DQuat, Quat};
/// use sinew_character::pose::{Pose, orientation};
///
/// let skeleton = Skeleton::new(vec![Node::new("a"), Node::child("b", 0, Transform::IDENTITY)])?;
/// let mut pose = Pose::rest(&skeleton);
/// pose.locals[0].rotation = Quat::from_rotation_x(0.5);
/// pose.locals[1].rotation = Quat::from_rotation_x(0.25);
/// assert!(orientation(&skeleton, &pose, 1).angle_between(DQuat::from_rotation_x(0.75)) < 1e-3);
/// # Ok::<(), sinew_character::asset::SkeletonError>(())
/// ```
pub fn orientation(skeleton: &Skeleton, pose: &Pose, node: usize) -> DQuat {
    product(skeleton, node, |n| pose.locals[n].rotation)
}

/// Returns the world orientation of a node in the rest pose.
pub fn rest_orientation(skeleton: &Skeleton, node: usize) -> DQuat {
    product(skeleton, node, |n| skeleton.nodes[n].rest.rotation)
}

fn product(skeleton: &Skeleton, node: usize, rotation: impl Fn(usize) -> Quat) -> DQuat {
    let rotations = skeleton.ancestors(node).map(|n| rotation(n).as_dquat());
    rotations.fold(DQuat::IDENTITY, |below, above| above * below)
}

/// Returns `parent_from_node` of a node. This is its local transform, or the file's own matrix if the node is in the
/// rest pose and has shear, which a transform cannot express.
pub fn parent_from_node(skeleton: &Skeleton, pose: &Pose, node: usize) -> Affine3A {
    let local: Transform = pose.locals[node];
    match skeleton.sheared.get(&node) {
        Some(matrix) if local == skeleton.nodes[node].rest => *matrix,
        _ => local.to_affine(),
    }
}
