//! Errors that occur when a puppet is posed.

use crate::asset::NotFinite;
use crate::ik::{Method, SolveError};
use crate::rig::RigError;

/// The reason why a puppet could not be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PuppetError {
    /// The nodes of a target do not form a chain that can be solved.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The motion or the solution exceeds the range of single precision.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The effector can only reach its target if the root moves, but the method does not move the root.
    #[error("node \"{effector}\": {method} does not move the root; use full-body")]
    Root {
        /// The effector.
        effector: String,
        /// The method.
        method: Method,
    },
    /// The solver does not accept the chain or a goal.
    #[error("node \"{effector}\": {source}")]
    Solve {
        /// The first effector of the group.
        effector: String,
        /// The solver's error.
        source: SolveError,
    },
}
