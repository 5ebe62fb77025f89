//! Errors of rigs.

use crate::api::Missing;

/// The reason why a rig cannot be used. A node is identified by its name in the file, or by `#INDEX`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// Base and effector have different roots.
    #[error("node \"{base}\" cannot be the base of \"{effector}\" because they have no common ancestor")]
    NoCommonAncestor {
        /// The joint that should stay fixed.
        base: String,
        /// The joint that should reach the target.
        effector: String,
    },
    /// The logical parents of joints form a cycle.
    #[error("node \"{node}\" is its own ancestor")]
    Cycle {
        /// One of the joints in the cycle.
        node: String,
    },
    /// A node is not in the skeleton.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The chain has no joint that can rotate.
    #[error("node \"{effector}\" has no joint above it that can rotate")]
    NoJoints {
        /// The joint that should reach the target.
        effector: String,
    },
    /// A chain that leads up the hierarchy contains a joint with scale.
    #[error("node \"{node}\" has scale, so no base below it can stay fixed")]
    Scaled {
        /// The joint with scale.
        node: String,
    },
    /// A rig file is invalid.
    #[error("line {line}: {cause}")]
    File {
        /// Line number, counted from 1.
        line: usize,
        /// Description of the error.
        cause: String,
    },
    /// A rig contains a number that rig files do not allow.
    #[error("{object}: {cause}")]
    Value {
        /// Name of the chain or joint.
        object: String,
        /// The number, and the reason why it is invalid.
        cause: String,
    },
    /// The matrix of a joint has shear, which would be lost if the joint rotated.
    #[error("node \"{node}\" cannot be part of a chain because its matrix has shear")]
    Sheared {
        /// The joint with shear.
        node: String,
    },
}
