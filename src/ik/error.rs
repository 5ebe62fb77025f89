//! What a solver refuses.

/// Why a body or a goal was refused. The body is then as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// There is nothing to turn.
    #[error("the body has no links")]
    Empty,
    /// The base has a parent, another link has none, or one that does not stand before it.
    #[error(
        "link {link} has parent {parent:?}: only link 0 has none, and a parent stands before its children"
    )]
    Parent {
        /// Index of the link.
        link: usize,
        /// Its parent.
        parent: Option<usize>,
    },
    /// A number is infinite, not a number, or not one that it may be.
    #[error("the {what} of link {link} is not usable")]
    Link {
        /// Index of the link.
        link: usize,
        /// Which of its fields.
        what: &'static str,
    },
    /// The space above the base is flattened or not finite: targets cannot enter it.
    #[error("the transform above the base cannot be inverted")]
    Singular,
    /// A goal's link does not exist.
    #[error("goal {goal} is for link {link}, the body has {count}")]
    NoSuchLink {
        /// Index of the goal.
        goal: usize,
        /// The link that it names.
        link: usize,
        /// How many there are.
        count: usize,
    },
    /// A goal's number is infinite, not a number, or a weight below zero.
    #[error("the {what} of goal {goal} is not usable: {value}")]
    Goal {
        /// Index of the goal.
        goal: usize,
        /// Which of its fields.
        what: &'static str,
        /// What it holds.
        value: String,
    },
    /// A tolerance of zero is never met, and one below it is none.
    #[error("the tolerance {tolerance} is not a positive number of metres")]
    Tolerance {
        /// World metres.
        tolerance: f64,
    },
    /// The body is none that the method can treat.
    #[error("{method} cannot solve this: {why}")]
    Unsuited {
        /// The method.
        method: super::Method,
        /// What it would need.
        why: &'static str,
    },
}
