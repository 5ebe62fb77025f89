//! The smallest change of the joints that keeps the effectors in place.

use glam::DVec3;

use crate::JointParameters;
use crate::damping::FLOOR;
use crate::tree::Tree;

use super::{Inverse, Jacobian, LEVELS, towards};

/// Number of steps that correct the second-order motion of the effectors.
const CORRECTIONS: usize = 2;

impl Jacobian {
    /// Turns the joints a fraction of the way back to the pose in which the solve started, as far as possible without
    /// moving an effector away from its target. The step minimises the squared distance from that pose within the
    /// limits, subject to J ω = 0.
    pub(crate) fn return_towards_start(&mut self, tree: &mut Tree, fraction: f64) {
        self.secondary_balance = None;
        self.set_tasks(tree, LEVELS);
        self.boost = 1.0;
        for step in 0..=CORRECTIONS {
            self.evaluate(tree, f64::INFINITY);
            self.set_freedom(tree, JointParameters::RotationVector);
            for (index, joint) in tree.joints.iter().enumerate() {
                let wanted = if step == 0 { self.start.get(index).copied() } else { None };
                self.offset[index] =
                    wanted.map_or(DVec3::ZERO, |start| towards(tree, joint, start) * fraction);
            }
            self.solve(tree, Inverse::Damped(FLOOR * self.length * self.length));
            self.apply(tree, JointParameters::RotationVector);
        }
    }
}
