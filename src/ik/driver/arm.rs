//! Restarts for the poses of robot arms.
//!
//! If a goal sets the position and orientation of the hand, an arm of six hinges has no free degree of freedom left, and an arm of seven
//! hinges has one. Because the joints have limits, most local minima are not solutions. Many starts find poses that a few starts miss.
//! Each start is independent and costs a few iterations.

use crate::tree::Tree;
use crate::{DEFAULT_ITERATIONS, Options};

use super::Driver;

/// Factor by which [`Options::restarts`] is multiplied for an arm.
pub(super) const RESTARTS: usize = 50;
/// Minimum number of iterations for an arm, unless fewer than the default were requested. Of 360,000 poses of four arms, the slowest one
/// took 1033 iterations.
const ITERATIONS: usize = 2000;

impl Driver {
    /// Returns whether a body is an arm with reachable goals: every joint moves along or about a single axis, at least one goal has both
    /// a position and an orientation, and no target is out of reach.
    pub(super) fn is_arm(&self, tree: &Tree) -> bool {
        tree.joints.iter().all(|joint| joint.only_axis().is_some())
            && tree.tasks.iter().any(|task| task.target.is_some() && task.orientation.is_some())
            && !self.remote.contains(&true)
    }
}

/// Returns the options for an arm whose first start failed. A requested iteration limit below the default is kept.
pub(super) fn patient(options: &Options) -> Options {
    let is_strict = options.iterations < DEFAULT_ITERATIONS;
    Options { iterations: options.iterations.max(if is_strict { 0 } else { ITERATIONS }), ..*options }
}
