//! Errors of crowds.

use crate::RenderError;

/// The reason why a crowd could not be changed. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// The clip does not exist.
    #[error("clip {clip} does not exist; the model has {count}")]
    Clip {
        /// Index of the clip.
        clip: usize,
        /// Number of clips.
        count: usize,
    },
    /// The mask does not exist.
    #[error("mask {mask} does not exist; there are four masks, 0 to 3")]
    Mask {
        /// Index of the mask.
        mask: usize,
    },
    /// There are more clips than a character can play.
    #[error("a character of a crowd plays at most 4 clips, not {count}")]
    Layers {
        /// Number of clips.
        count: usize,
    },
    /// No limb or chain ends at the node.
    #[error("no limb or chain ends at node #{node}")]
    NoLimb {
        /// Index of the node.
        node: usize,
    },
    /// The goal's index is not below the number of goals that a character can have.
    #[error("goal {index} does not exist; a character has four, 0 to 3")]
    Goals {
        /// Index of the goal.
        index: usize,
    },
    /// A number is infinite or NaN.
    #[error("{what} must be finite, not {value}")]
    NotFinite {
        /// The property with the invalid number.
        what: &'static str,
        /// The number.
        value: f32,
    },
    /// The scale is not positive.
    #[error("scale must be more than 0, not {scale}")]
    Scale {
        /// The scale.
        scale: f32,
    },
    /// The character was despawned.
    #[error("the character does not exist any more")]
    Despawned,
    /// The GPU cannot hold or draw the crowd.
    #[error(transparent)]
    Render(#[from] RenderError),
}
