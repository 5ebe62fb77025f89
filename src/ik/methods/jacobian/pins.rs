//! Pins without goals: bringing pins back, and the compromise of pins that contradict each other.

use crate::ik::JointParameters;
use crate::ik::tree::Tree;

use super::{GOALS, Inverse, Jacobian, LEVELS, PINS};

/// Maximum number of iterations. Pins that contradict each other converge only linearly, with a factor of about a half,
/// and forty of its powers are below the rounding errors of a pose.
const ITERATIONS: usize = 80;
/// The pins are restored to this fraction of the longest chain's length.
const PRECISION: f64 = 1e-11;
/// The iteration ends after steps that together reduce the squared errors by less than this fraction.
const LEAST_GAIN: f64 = 1e-12;
/// Number of these steps.
const IDLE_STEPS: usize = 3;
/// Factors by which a rejected and an accepted step change the damping.
const REJECTED: f64 = 8.0;
const ACCEPTED: f64 = 0.25;
/// The damping of a rejected step may grow by this factor.
const LARGEST_BOOST: f64 = 1e12;

impl Jacobian {
    /// Moves pinned goals to their targets regardless of the other goals, by damped least squares on the first level
    /// alone. Pins that contradict each other end in their least-squares compromise, on which the goals have no
    /// influence.
    pub(in crate::ik) fn restore_pins(&mut self, tree: &mut Tree) {
        self.set_tasks(tree, GOALS);
        if self.level_starts[LEVELS] == 0 {
            return;
        }
        let enough = (PRECISION * self.length).powi(2);
        (self.boost, self.last_cost) = (1.0, f64::INFINITY);
        let mut idle = 0;
        for _ in 0..ITERATIONS {
            self.evaluate(tree, f64::INFINITY);
            let cost = self.error2(PINS);
            if cost > self.last_cost {
                self.restore(tree);
                self.evaluate(tree, f64::INFINITY);
                self.boost *= REJECTED;
            } else {
                let gains = self.last_cost - cost > LEAST_GAIN * cost;
                idle = if gains { 0 } else { idle + 1 };
                self.boost *= ACCEPTED;
                self.last_cost = cost;
                self.store(tree);
            }
            if self.last_cost <= enough || idle == IDLE_STEPS || self.boost > LARGEST_BOOST {
                break;
            }
            self.set_freedom(tree, JointParameters::RotationVector);
            self.solve(tree, Inverse::Transpose(Some(0.0)));
            self.apply(tree, JointParameters::RotationVector);
        }
        self.restore(tree);
    }

    /// Stores the pose, in case that the next step is rejected.
    pub(super) fn store(&mut self, tree: &Tree) {
        self.before.clear();
        self.before.extend(tree.joints.iter().map(|j| j.rotation));
        self.before_root = tree.root;
    }

    /// Restores the stored pose.
    pub(super) fn restore(&self, tree: &mut Tree) {
        for (joint, &rotation) in tree.joints.iter_mut().zip(&self.before) {
            joint.rotation = rotation;
        }
        tree.root = self.before_root;
        tree.forward();
    }
}
