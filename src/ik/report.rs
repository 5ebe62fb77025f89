//! The result of a solve.

use std::fmt;

use super::{LinkIndex, Method, Step};

/// The outcome of a solve for one goal. A target that is out of reach is an outcome, not an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    // Not `#[non_exhaustive]`: the compiler reports every place that a new variant affects, even in other crates.
    /// The goal is within tolerance. Free axes do not count.
    Reached,
    /// The target is beyond the reach of the chain, or nearer than the chain can fold, and no limit holds the chain back.
    OutOfReach,
    /// The body is in the nearest pose that its joints can turn to within their limits. The gradient of the error points
    /// out of the limits of some joints, and the other joints cannot reduce the error. Another posture may be nearer.
    BlockedByLimits,
    /// The body would lose its balance. See [`Report::held_by`].
    BlockedByBalance,
    /// The floor, another part of the body, an obstacle or a pin is in the way. See [`Report::held_by`].
    BlockedByContact,
    /// The error stopped falling, and none of the outcomes above applies.
    #[default]
    Stalled,
    /// The iteration limit was reached.
    IterationLimit,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reached => "reached",
            Self::OutOfReach => "out-of-reach",
            Self::BlockedByLimits => "blocked-by-limits",
            Self::BlockedByBalance => "blocked-by-balance",
            Self::BlockedByContact => "blocked-by-contact",
            Self::Stalled => "stalled",
            Self::IterationLimit => "iteration-limit",
        })
    }
}

/// A constraint that holds a body back from a goal with a force of more than 20 N for a person of 75 kg. `L` is the type of
/// its links. A solve returns the links of its body, and [`Hold::mapped`] replaces them, for example by the nodes of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hold<L = LinkIndex> {
    /// The limit of a link.
    Limit(L),
    /// The centre of mass is at the edge of the support area of the standing feet.
    Balance,
    /// A link is on the floor.
    Floor(L),
    /// Two links touch.
    Body(L, L),
    /// A link touches an obstacle of a [`CollisionModel`](crate::CollisionModel). The second field is the index of the obstacle.
    Obstacle(L, usize),
    /// A pin. The field is the index of the pinned goal.
    Pin(usize),
}

impl<L> Hold<L> {
    /// Returns the hold with its links replaced, or `None` if one of its links has no replacement.
    pub fn mapped<M>(self, link: impl Fn(L) -> Option<M>) -> Option<Hold<M>> {
        Some(match self {
            Self::Limit(own) => Hold::Limit(link(own)?),
            Self::Floor(own) => Hold::Floor(link(own)?),
            Self::Body(a, b) => Hold::Body(link(a)?, link(b)?),
            Self::Obstacle(own, obstacle) => Hold::Obstacle(link(own)?, obstacle),
            Self::Balance => Hold::Balance,
            Self::Pin(goal) => Hold::Pin(goal),
        })
    }
}

/// The constraints that hold a body back: a slice of at most eight [`Hold`]s.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Holds<L = LinkIndex> {
    /// Entries after the first `count` are all equal.
    all: [Hold<L>; 8],
    count: usize,
}

impl<L: Copy> Default for Holds<L> {
    fn default() -> Self {
        Self { all: [Hold::Balance; 8], count: 0 }
    }
}

impl<L: fmt::Debug> fmt::Debug for Holds<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<L> std::ops::Deref for Holds<L> {
    type Target = [Hold<L>];

    fn deref(&self) -> &[Hold<L>] {
        self.all.get(..self.count).unwrap_or_default()
    }
}

impl<L: PartialEq> Holds<L> {
    /// Adds a hold, unless it is already present or there are already eight holds.
    pub fn add(&mut self, hold: Hold<L>) {
        if self.contains(&hold) {
            return;
        }
        if let Some(free) = self.all.get_mut(self.count) {
            (*free, self.count) = (hold, self.count + 1);
        }
    }
}

/// The result for one goal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GoalOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// Distance from the goal's point to its target position in world metres, without its components along free axes.
    /// `None` if the goal has no target position, or if all of its axes are free.
    pub position_error: Option<f64>,
    /// The larger of the orientation error and the aim error in radians, without turns about free axes. `None` if the goal
    /// has neither an orientation nor an aim, or if all axes of its orientation are free.
    pub orientation_error: Option<f64>,
    /// The position error along all axes, in world metres.
    pub full_position_error: Option<f64>,
    /// The larger of the orientation error about all axes and the aim error, in radians.
    pub full_orientation_error: Option<f64>,
}

/// The result of a solve. Errors are measured by forward kinematics on the returned pose.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The method that found the pose. [`Method::Auto`] selects a method and may continue with another.
    pub method: Method,
    /// Number of iterations.
    pub iterations: usize,
    /// The result of each goal, in the order of the goals.
    pub goals: Vec<GoalOutcome>,
    /// The links whose rotations are at their limits.
    pub limited: Vec<LinkIndex>,
    /// The constraints that hold the body back from missed goals, if [`Method::FullBody`] has posed it as a figure.
    pub held_by: Holds,
    /// The largest position error before the first iteration and after each iteration, in world metres, without the components along free
    /// axes. Empty unless [`Options::record`](super::Options::record) is set.
    pub history: Vec<f64>,
    /// Every turn of every joint, from the given pose of the body to the returned pose. Empty unless
    /// [`Options::trace`](super::Options::trace) is set.
    pub trace: Vec<Step>,
}

impl Report {
    /// Returns whether every goal is within tolerance.
    pub fn reached(&self) -> bool {
        self.goals.iter().all(|g| g.outcome == Outcome::Reached)
    }

    /// Returns the largest position error of all goals, in world metres.
    pub fn position_error(&self) -> f64 {
        self.goals.iter().filter_map(|g| g.position_error).fold(0.0, f64::max)
    }
}
