//! Restores the pins without regard to the goals, and finds a compromise between pins that contradict each other.

use crate::JointParameters;
use crate::damping::Damping;
use crate::tree::Tree;

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

impl Jacobian {
    /// Moves pinned goals to their targets by damped least squares on the first level only, regardless of the other goals. Pins that
    /// contradict each other reach a least-squares compromise, which the goals do not influence.
    pub(crate) fn restore_pins(&mut self, tree: &mut Tree) {
        self.set_tasks(tree, GOALS);
        if self.level_starts[LEVELS] == 0 {
            return;
        }
        let enough = (PRECISION * self.length).powi(2);
        let mut damping = Damping::PINS;
        let (mut least, mut idle, mut predicted) = (f64::INFINITY, 0, 0.0);
        for _ in 0..ITERATIONS {
            self.evaluate(tree, f64::INFINITY);
            let cost = self.cost();
            if cost > least {
                self.before.apply(tree);
                self.evaluate(tree, f64::INFINITY);
                damping.reject_nielsen();
            } else {
                let gain = least - cost;
                damping.accept_nielsen(gain, predicted);
                idle = if gain > LEAST_GAIN * cost { 0 } else { idle + 1 };
                least = cost;
                self.before.store(tree);
            }
            self.boost = damping.value();
            if least <= enough || idle == IDLE_STEPS || damping.is_stuck() {
                break;
            }
            self.set_freedom(tree, JointParameters::RotationVector);
            self.solve(tree, Inverse::Transpose(Some(0.0)));
            predicted = self.predicted_gain();
            self.apply(tree, JointParameters::RotationVector);
        }
        self.before.apply(tree);
    }
}
