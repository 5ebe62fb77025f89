//! What came of it.

use std::fmt;

use super::Method;

/// How a goal ended. Out of reach is an outcome, not an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It is within tolerance.
    Reached,
    /// It is farther away than its chain is long, or nearer than it can fold.
    OutOfReach,
    /// The error no longer fell, with joints at their limits.
    BlockedByLimits,
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
            Self::BlockedByLimits => "blocked-by-limits",
            Self::Stalled => "stalled",
            Self::Iterations => "iterations",
        })
    }
}

/// What one goal came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GoalOutcome {
    /// How it ended.
    pub outcome: Outcome,
    /// World metres between the goal's point and its target, if it has one.
    pub position_error: Option<f64>,
    /// Radians between the link's orientation, or the axis that aims, and what was asked for, the larger of both.
    pub orientation_error: Option<f64>,
}

/// What a solve came to, measured by forward kinematics on the pose that it hands back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Who solved it.
    pub method: Method,
    /// Passes made.
    pub iterations: usize,
    /// One a goal, in their order.
    pub goals: Vec<GoalOutcome>,
    /// The links that stand at the border of their limits.
    pub limited: Vec<usize>,
    /// The largest position error before the first pass and after each, world metres; empty unless
    /// [`Options::record`](super::Options::record) asked for it.
    pub history: Vec<f64>,
}

impl Report {
    /// Whether every goal is within tolerance.
    pub fn reached(&self) -> bool {
        self.goals.iter().all(|g| g.outcome == Outcome::Reached)
    }

    /// The largest position error of all goals, world metres.
    pub fn position_error(&self) -> f64 {
        self.goals.iter().filter_map(|g| g.position_error).fold(0.0, f64::max)
    }
}
