//! What came of it.

use std::fmt;

use super::Method;

/// How a solve ended. Out of reach is an outcome, not an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Every goal is within tolerance.
    Reached,
    /// A goal is farther away than its chain is long, or nearer than it can fold.
    OutOfReach,
    /// The error no longer fell.
    #[default]
    Stalled,
    /// The iterations were spent.
    Iterations,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reached => "reached",
            Self::OutOfReach => "out-of-reach",
            Self::Stalled => "stalled",
            Self::Iterations => "iterations",
        })
    }
}

/// What a solve came to, measured by forward kinematics on the pose that it hands back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Who solved it.
    pub method: Method,
    /// How it ended.
    pub outcome: Outcome,
    /// Passes made.
    pub iterations: usize,
    /// World metres between each goal's point and its target.
    pub position_errors: Vec<f64>,
    /// The largest error before the first pass and after each, world metres; empty unless
    /// [`Options::record`](super::Options::record) asked for it.
    pub history: Vec<f64>,
}
