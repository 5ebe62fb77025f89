//! Moves the root motion of a pose to a node above the hips, as game engines expect it.

use glam::{DAffine3, DQuat, DVec3};

use crate::asset::{Character, Skeleton, Transform};
use crate::pose::{Pose, world_matrix};

use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;

/// Returns whether a node is above the hips of a character, so that it can be the [`Motion::root_node`](super::Motion::root_node). `root`
/// is the [`Player::root`](super::Player::root). If it is `None`, the root is detected.
pub fn can_carry_root_motion(character: &Character, root: Option<usize>, node: usize) -> bool {
    RootNode::new(&character.skeleton, &LocomotionRoot::new(character, &[], root), node).is_some()
}

/// A node that receives the ground position and the heading of the locomotion root.
#[derive(Clone, Debug)]
pub(super) struct RootNode {
    node: usize,
    parent: Option<usize>,
    children: Vec<usize>,
    /// Transform of the locomotion root in the rest pose.
    planar_rest: PlanarTransform,
    world_from_node_at_rest: DAffine3,
}

impl RootNode {
    /// Prepares a node. Returns `None` unless it is above the locomotion root.
    pub(super) fn new(skeleton: &Skeleton, locomotion: &LocomotionRoot, node: usize) -> Option<Self> {
        let own = skeleton.nodes.get(node)?;
        if node == locomotion.root || !skeleton.ancestors(locomotion.root).any(|above| above == node) {
            return None;
        }
        let rest = Pose::rest(skeleton);
        Some(Self {
            node,
            parent: own.parent,
            children: own.children.clone(),
            planar_rest: locomotion.planar_transform(skeleton, &rest),
            world_from_node_at_rest: world(skeleton, &rest, node),
        })
    }

    /// Moves the node with the locomotion root. All other nodes stay in place in the world.
    pub(super) fn apply(&self, skeleton: &Skeleton, locomotion: &LocomotionRoot, pose: &mut Pose) {
        let moved = locomotion.planar_transform(skeleton, pose).after(self.planar_rest.inverse());
        let world_from_node = moved.affine() * self.world_from_node_at_rest;
        let world_from_parent = self.parent.map_or(DAffine3::IDENTITY, |p| world(skeleton, pose, p));
        let node_from_old = world_from_node.inverse() * world(skeleton, pose, self.node);
        let Some(own) = transform(&(world_from_parent.inverse() * world_from_node)) else { return };
        let Some(slot) = pose.locals.get_mut(self.node) else { return };
        *slot = own;
        for &child in &self.children {
            let Some(local) = pose.locals.get_mut(child) else { continue };
            let old_from_child = DAffine3::from_scale_rotation_translation(
                local.scale.as_dvec3(),
                local.rotation.as_dquat().normalize(),
                local.translation.as_dvec3(),
            );
            *local = transform(&(node_from_old * old_from_child)).unwrap_or(*local);
        }
    }
}

fn world(skeleton: &Skeleton, pose: &Pose, node: usize) -> DAffine3 {
    let matrix = world_matrix(skeleton, pose, node);
    DAffine3 {
        matrix3: glam::Mat3::from(matrix.matrix3).as_dmat3(),
        translation: matrix.translation.as_dvec3(),
    }
}

/// Returns the local transform of a matrix, or `None` if it is degenerate.
fn transform(matrix: &DAffine3) -> Option<Transform> {
    let (scale, rotation, translation): (DVec3, DQuat, DVec3) = matrix.to_scale_rotation_translation();
    let transform = Transform {
        translation: translation.as_vec3(),
        rotation: rotation.normalize().as_quat(),
        scale: scale.as_vec3(),
    };
    let is_finite = transform.translation.is_finite() && transform.rotation.is_finite();
    (is_finite && transform.scale.is_finite()).then_some(transform)
}
