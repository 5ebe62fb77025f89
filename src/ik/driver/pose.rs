//! A stored pose of a tree.

use glam::DVec3;

use crate::tree::{Joint, JointState, Tree};

/// The states of a tree's joints, and the translation of its base. The buffer is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct TreePose {
    joints: Vec<JointState>,
    root: DVec3,
}

impl TreePose {
    pub(super) fn store(&mut self, tree: &Tree) {
        self.joints.clear();
        self.joints.extend(tree.joints.iter().map(Joint::state));
        self.root = tree.root;
    }

    /// Moves the tree to this pose.
    pub(super) fn apply(&self, tree: &mut Tree) {
        for (joint, &state) in tree.joints.iter_mut().zip(&self.joints) {
            joint.set_state(state);
        }
        tree.root = self.root;
        tree.forward();
    }
}
