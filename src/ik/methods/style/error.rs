//! Errors of styles.

use super::model::MOST_POSTURES;

/// The value of `format` in a style document.
pub(super) const STYLE_FORMAT: &str = "sinew-style-1";

/// The reason why a style is invalid or cannot be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StyleError {
    /// The document has a different format or version.
    #[error("unknown format \"{format}\", expected \"{STYLE_FORMAT}\"")]
    Format {
        /// The format of the document.
        format: String,
    },
    /// There are no joints, or more joints than a model can have.
    #[error("a style must have 1 to {most} joints, but this one has {count}")]
    Joints {
        /// Number of joints.
        count: usize,
        /// Maximum number of joints.
        most: usize,
    },
    /// There are fewer than three postures.
    #[error("a style needs at least 3 postures, but this one has {count}")]
    Few {
        /// Number of postures.
        count: usize,
    },
    /// There are more postures than a model can keep.
    #[error("a style can have at most {MOST_POSTURES} postures, but this one has {count}")]
    Many {
        /// Number of postures.
        count: usize,
    },
    /// A list has the wrong length, or a number is out of range.
    #[error("{what}")]
    Numbers {
        /// The field and its valid values.
        what: &'static str,
    },
    /// A posture has the wrong number of values, or an invalid value.
    #[error("posture {posture} has the wrong number of values or an invalid value")]
    Posture {
        /// Index of the posture.
        posture: usize,
    },
    /// The latent positions of the postures do not define a model.
    #[error("the kernel of the style cannot be inverted")]
    Singular,
}
