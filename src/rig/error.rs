//! Why joints cannot be lent to a solver.

/// Why joints cannot be lent to a solver. Nodes are named as the file names them, or `#INDEX`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RigError {
    /// The base is not on the way from the effector to its root.
    #[error("node \"{base}\" is not an ancestor of \"{effector}\", so it cannot be its base")]
    NotAnAncestor {
        /// The joint to be held still.
        base: String,
        /// The joint that shall reach.
        effector: String,
    },
    /// There is nothing to turn.
    #[error("node \"{effector}\" has no joint above it to turn")]
    NoJoints {
        /// The joint that shall reach.
        effector: String,
    },
    /// A joint's matrix is no product of translation, rotation and scale: turning it would lose the rest.
    #[error("the matrix of node \"{node}\" has shear, it cannot be part of a chain")]
    Sheared {
        /// The joint at fault.
        node: String,
    },
}
