//! Errors that occur when an option is set by its key.

/// Why a solver option could not be set. The message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The text is not of the form `KEY=VALUE`.
    #[error("\"{text}\" must be KEY=VALUE, for example ccd.step=5deg")]
    Syntax {
        /// The text.
        text: String,
    },
    /// There is no option with this key.
    #[error("unknown solver option \"{key}\"; did you mean {}?", .similar.join(" or "))]
    Unknown {
        /// The key.
        key: String,
        /// The most similar keys.
        similar: Vec<&'static str>,
    },
    /// The option does not accept the value.
    #[error("{key}: {cause}")]
    Invalid {
        /// The key.
        key: &'static str,
        /// Why the value is invalid, and which values are valid.
        cause: String,
    },
}
