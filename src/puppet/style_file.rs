//! Reading style files: a serialized [`Style`] as JSON.

use std::path::{Path, PathBuf};

use crate::files::bounded;
use crate::ik::Style;

/// Maximum size of a style file, bytes: five times that of the largest style that can be learned.
const MAX_BYTES: u64 = 32 << 20;

/// A style file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct StyleFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub cause: StyleFileCause,
}

/// What is wrong with a style file.
#[derive(Debug, thiserror::Error)]
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
