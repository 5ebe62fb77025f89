//! Errors of collision models.

use crate::LinkIndex;

use super::CollisionBody;

/// The reason why a collision model is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollisionError {
    /// A capsule belongs to a link that does not exist.
    #[error("a capsule is for link {link}, but the body has only {count} links")]
    Link {
        /// Index of the link.
        link: LinkIndex,
        /// Number of links of the body.
        count: usize,
    },
    /// A capsule of a link, or an obstacle, is invalid.
    #[error("{body}: {why}")]
    Shape {
        /// The link or the obstacle.
        body: CollisionBody,
        /// The requirement that is not met.
        why: &'static str,
    },
    /// The margin is negative or not finite.
    #[error("the margin must be finite and at least 0, but is {margin}")]
    Margin {
        /// The margin in metres.
        margin: f64,
    },
}
