//! Reads style files, each of which contains a serialised [`Style`] as JSON.

use std::path::{Path, PathBuf};

use crate::files::bounded;
use crate::ik::Style;

/// Maximum size of a style file in bytes. The largest style that can be learned needs a fifth of this.
const MAX_BYTES: u64 = 32 << 20;

/// The reason why a style file could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct StyleFileError {
    /// Path of the file.
    pub path: PathBuf,
    /// Description of the error.
    pub cause: StyleFileCause,
}

/// The cause of a [`StyleFileError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StyleFileCause {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// The content is not a style.
    #[error("not a style: {0}")]
    Style(#[from] serde_json::Error),
}

/// Reads a style from a file.
///
/// # Errors
/// [`StyleFileError`] if the file cannot be read, is too large, or does not contain a style.
pub fn read_style(path: &Path) -> Result<Style, StyleFileError> {
    let read =
        || -> Result<Style, StyleFileCause> { Ok(serde_json::from_slice(&bounded::read(path, MAX_BYTES)?)?) };
    read().map_err(|cause| StyleFileError { path: path.to_owned(), cause })
}
