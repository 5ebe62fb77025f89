//! A stored pose of a tree.

use glam::{DQuat, DVec3};

use crate::ik::tree::Tree;

/// The rotations of a tree's joints, and the translation of its base. The buffer is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct TreePose {
    rotations: Vec<DQuat>,
    root: DVec3,
}

impl TreePose {
    pub(super) fn store(&mut self, tree: &Tree) {
        self.rotations.clear();
        self.rotations.extend(tree.joints.iter().map(|j| j.rotation));
        self.root = tree.root;
    }

    /// Moves the tree to this pose.
    pub(super) fn apply(&self, tree: &mut Tree) {
        for (joint, &rotation) in tree.joints.iter_mut().zip(&self.rotations) {
            joint.rotation = rotation;
        }
        tree.root = self.root;
        tree.forward();
    }
}
