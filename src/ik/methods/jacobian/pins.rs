//! Restores the pins without regard to the goals, and finds a compromise between pins that contradict each other.

use crate::JointParameters;
use crate::tree::{Joint, Tree};

use super::{GOALS, Inverse, Jacobian, LEVELS};

/// Maximum number of iterations. Pins that contradict each other converge only linearly, with a factor of about two
/// thirds.
const ITERATIONS: usize = 120;
/// The pins are restored to within this fraction of the longest chain's length.
const PRECISION: f64 = 1e-11;
/// A step has little gain if it reduces the squared errors by less than this fraction.
const LEAST_GAIN: f64 = 1e-15;
/// Number of consecutive steps of little gain after which the iteration ends.
const IDLE_STEPS: usize = 3;
/// The iteration ends if the damping has grown by this factor.
const LARGEST_BOOST: f64 = 1e12;

impl Jacobian {
    /// Moves pinned goals to their targets by damped least squares on the first level only, regardless of the other goals. Pins that
    /// contradict each other reach a least-squares compromise, which the goals do not influence.
    pub(crate) fn restore_pins(&mut self, tree: &mut Tree) {
        self.set_tasks(tree, GOALS);
        if self.level_starts[LEVELS] == 0 {
            return;
        }
        let enough = (PRECISION * self.length).powi(2);
        (self.boost, self.last_cost) = (1.0, f64::INFINITY);
        let (mut idle, mut growth, mut predicted) = (0, 2.0, 0.0);
        for _ in 0..ITERATIONS {
            self.evaluate(tree, f64::INFINITY);
            let cost = self.cost();
            if cost > self.last_cost {
                self.restore(tree);
                self.evaluate(tree, f64::INFINITY);
                (self.boost, growth) = (self.boost * growth, growth * 2.0);
            } else {
                let gain = self.last_cost - cost;
                if gain.is_finite() {
                    // The rule of Nielsen 1999. If the gain is half of the predicted gain, the damping equals the
                    // curvature that the errors of contradictory pins add, and the iteration converges fast.
                    let ratio = if predicted > 0.0 { gain / predicted } else { 0.0 };
                    self.boost *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                }
                idle = if gain > LEAST_GAIN * cost { 0 } else { idle + 1 };
                (self.last_cost, growth) = (cost, 2.0);
                self.store(tree);
            }
            if self.last_cost <= enough || idle == IDLE_STEPS || self.boost > LARGEST_BOOST {
                break;
            }
            self.set_freedom(tree, JointParameters::RotationVector);
            self.solve(tree, Inverse::Transpose(Some(0.0)));
            predicted = self.predicted_gain();
            self.apply(tree, JointParameters::RotationVector);
        }
        self.restore(tree);
    }

    /// Stores the pose, in case the next step is rejected.
    pub(super) fn store(&mut self, tree: &Tree) {
        self.before.clear();
        self.before.extend(tree.joints.iter().map(Joint::state));
        self.before_root = tree.root;
    }

    /// Restores the stored pose.
    pub(super) fn restore(&self, tree: &mut Tree) {
        for (joint, &state) in tree.joints.iter_mut().zip(&self.before) {
            joint.set_state(state);
        }
        tree.root = self.before_root;
        tree.forward();
    }
}
