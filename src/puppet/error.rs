//! Errors of posing a puppet.

use crate::asset::NotFinite;
use crate::ik::{Method, SolveError};
use crate::rig::RigError;

/// Why a puppet could not be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PuppetError {
    /// The nodes of a target form no chain that can be solved.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The motion or the solution exceeds the range of single precision.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// Only a move of the root could take the effector to its target, and the method does not move the root.
    #[error("reaching with node \"{effector}\": {method} does not move the root, full-body does")]
    Root {
        /// The effector.
        effector: String,
        /// The method.
        method: Method,
    },
    /// The solver does not accept the chain or a goal.
    #[error("reaching with node \"{effector}\": {source}")]
    Solve {
        /// The first effector of the group.
        effector: String,
        /// The solver's error.
        source: SolveError,
    },
}
