//! Values that replace or change the motion's pose: rotations, turns and weights of nodes.

use glam::Quat;

use crate::pose::{Pose, world_matrices};
use crate::rig::Reparented;

use super::Puppet;

impl Puppet {
    /// Applies [`Puppet::rotations`], [`Puppet::turns`] and [`Puppet::weights`] to the pose.
    pub(super) fn replace(&mut self) {
        for &(node, rotation) in &self.rotations {
            if let Some(local) = self.pose.locals.get_mut(node) {
                local.rotation = rotation;
            }
        }
        self.apply_turns();
        for &(weight, value) in &self.weights {
            if let Some(weight) = self.pose.weights.get_mut(weight) {
                *weight = value;
            }
        }
    }

    fn apply_turns(&mut self) {
        if self.turns.is_empty() {
            return;
        }
        let skeleton = &self.character.skeleton;
        match Reparented::new(skeleton, &self.rig) {
            Ok(Some(mut reparented)) => {
                world_matrices(skeleton, &self.pose, &mut self.world_from_node);
                reparented.refresh(&self.pose, &self.world_from_node);
                turn(reparented.pose_mut(), &self.turns);
                reparented.write_back(skeleton, &mut self.pose);
            }
            // The solver reports logical parents that contradict each other.
            Ok(None) | Err(_) => turn(&mut self.pose, &self.turns),
        }
    }
}

fn turn(pose: &mut Pose, turns: &[(usize, Quat)]) {
    for &(node, turn) in turns {
        if let Some(local) = pose.locals.get_mut(node) {
            local.rotation = (local.rotation * turn).normalize();
        }
    }
}
