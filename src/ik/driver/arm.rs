//! Restarts for the poses of robot arms.
//!
//! A pose leaves an arm of six or seven hinges zero or one degree of freedom. Because its joints have limits, most local minima are
//! not solutions. Many starts find a pose that a few miss. Each start is independent and costs a few iterations.

use crate::tree::Tree;
use crate::{DEFAULT_ITERATIONS, Options};

use super::Driver;

/// Factor of [`Options::restarts`] for an arm.
pub(super) const RESTARTS: usize = 50;
/// Minimum number of iterations for an arm, unless fewer than the default were requested. Of 360,000 poses of four arms, the slowest one
/// took 1033.
const ITERATIONS: usize = 2000;

impl Driver {
    /// Returns whether a body is an arm with a pose within reach: all joints move along or about one axis, and a goal has a position
    /// and an orientation.
    pub(super) fn is_arm(&self, tree: &Tree) -> bool {
        tree.joints.iter().all(|joint| joint.only_axis().is_some())
            && tree.tasks.iter().any(|task| task.target.is_some() && task.orientation.is_some())
            && !self.remote.contains(&true)
    }
}

/// Returns the options for an arm whose first start failed. A limit below the default is strict.
pub(super) fn patient(options: &Options) -> Options {
    let is_strict = options.iterations < DEFAULT_ITERATIONS;
    Options { iterations: options.iterations.max(if is_strict { 0 } else { ITERATIONS }), ..*options }
}
