//! The reason why a goal is missed.
//!
//! For all methods, one function determines the outcome from the evidence about the returned pose. The outcome
//! describes only this pose: another posture may come nearer to the goal.

mod border;
mod multipliers;
mod rows;

use super::Outcome;

pub(super) use multipliers::Multipliers;

/// The evidence about a goal in the pose that a solve returns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// Whether the goal is within its tolerances.
    pub(super) reached: bool,
    /// The outcome for the constraint that holds the effector back. The error would fall if this constraint gave way.
    pub(super) held: Option<Outcome>,
    /// Whether no allowed direction reduces the error.
    pub(super) at_rest: bool,
    /// Whether the target is farther away than the bones can reach, or nearer than the chain can fold.
    pub(super) beyond_bones: bool,
    /// Whether anything could hold the effector back: limits, contacts or balance.
    pub(super) limited: bool,
    /// Whether the iteration limit ended the solve.
    pub(super) spent: bool,
}

impl Evidence {
    pub(super) fn outcome(&self) -> Outcome {
        match self.held {
            _ if self.reached => Outcome::Reached,
            Some(held) if self.at_rest => held,
            None if self.beyond_bones && (self.at_rest || !self.limited) => Outcome::OutOfReach,
            _ if self.spent => Outcome::IterationLimit,
            _ => Outcome::Stalled,
        }
    }
}
