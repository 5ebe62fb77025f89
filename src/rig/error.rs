//! Why joints cannot be lent to a solver.

/// Why joints cannot be lent to a solver. Nodes are named as the file names them, or `#INDEX`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RigError {
    /// Base and effector hang on different roots.
    #[error("node \"{base}\" has no ancestor in common with \"{effector}\", so it cannot be its base")]
    Apart {
        /// The joint to be held still.
        base: String,
        /// The joint that shall reach.
        effector: String,
    },
    /// A joint is carried by one that it carries.
    #[error("node \"{node}\" carries itself")]
    Circle {
        /// One of them.
        node: String,
    },
    /// There is nothing to turn.
    #[error("node \"{effector}\" has no joint above it to turn")]
    NoJoints {
        /// The joint that shall reach.
        effector: String,
    },
    /// A chain cannot be walked against the skeleton through a joint that scales.
    #[error("node \"{node}\" has scale: a base below it cannot be held still")]
    Scaled {
        /// The joint at fault.
        node: String,
    },
    /// A rig file will not do.
    #[error("line {line}: {cause}")]
    File {
        /// From one.
        line: usize,
        /// Why.
        cause: String,
    },
    /// A rig holds a number that no rig file may hold.
    #[error("{object}: {what}")]
    Value {
        /// The chain or the joint, by its name.
        object: String,
        /// Which number, and what is wrong with it.
        what: String,
    },
    /// A joint's matrix is no product of translation, rotation and scale: turning it would lose the rest.
    #[error("the matrix of node \"{node}\" has shear, it cannot be part of a chain")]
    Sheared {
        /// The joint at fault.
        node: String,
    },
}
