//! A stored pose of a tree.

use glam::DVec3;

use super::{JointState, Tree, TreeJoint};

/// The states of a tree's joints, and the translation of its base. The buffer is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreePose {
    joints: Vec<JointState>,
    root: DVec3,
}

impl TreePose {
    pub(crate) fn store(&mut self, tree: &Tree) {
        tree.store_joints(&mut self.joints);
        self.root = tree.root;
    }

    /// Returns the states of the joints.
    pub(crate) fn joints(&self) -> &[JointState] {
        &self.joints
    }

    /// Moves the tree to this pose.
    pub(crate) fn apply(&self, tree: &mut Tree) {
        tree.root = self.root;
        tree.restore_joints(&self.joints);
    }
}

impl Tree {
    /// Copies the states of the joints to a buffer.
    pub(crate) fn store_joints(&self, states: &mut Vec<JointState>) {
        states.clear();
        states.extend(self.joints.iter().map(TreeJoint::state));
    }

    /// Moves the joints to stored states. The base stays where it is.
    pub(crate) fn restore_joints(&mut self, states: &[JointState]) {
        for (joint, &state) in self.joints.iter_mut().zip(states) {
            joint.set_state(state);
        }
        self.forward();
    }
}

/// Returns a chain with a base that moves, and a target above its end.
#[cfg(test)]
pub(crate) fn moving_base() -> Tree {
    use crate::{Body, Goal, Link, LinkIndex, Options};

    let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::X), Link::child(LinkIndex(1), DVec3::X)];
    let body = Body::new(links, glam::DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    let mut tree = Tree::default();
    tree.set(&body, &[Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0))], &Options::default());
    tree.root_moves = true;
    tree
}
