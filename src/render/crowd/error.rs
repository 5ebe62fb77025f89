//! Errors of crowds.

use crate::RenderError;
use crate::api::Missing;

use super::terrain::TerrainError;

/// The reason why a crowd could not be changed. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// A clip, a mask or a goal does not exist.
    #[error(transparent)]
    Missing(#[from] Missing),
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
    /// The crowd does not pose the node, because no visible part and no limb needs it.
    #[error("crowds of this model do not pose node #{node}; use a joint of its skeleton")]
    NoJoint {
        /// Index of the node.
        node: usize,
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
    /// The character was added after the last step, so it has no pose.
    #[error("the character has no pose yet, because it was added after the last step")]
    NotPosed,
    /// The ground of a scene is too small for its crowd.
    #[error(
        "the crowd needs ground {} m wide around the origin; use a larger terrain or fewer characters",
        width.ceil()
    )]
    Ground {
        /// The width of the crowd in metres.
        width: f32,
    },
    /// The ground of a scene cannot be stretched.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// The GPU cannot hold or draw the crowd.
    #[error(transparent)]
    Render(#[from] RenderError),
}
