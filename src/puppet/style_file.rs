//! Files of styles: JSON, as [`Style`] is serialised.

use std::path::{Path, PathBuf};

use crate::bounded;
use crate::ik::Style;

/// No style has more: the largest that may be learned has a fifth of it.
const MAX_BYTES: u64 = 32 << 20;

/// Why a file of a style could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct StyleFileError {
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub cause: StyleFileCause,
}

/// What is the matter with a file of a style.
#[derive(Debug, thiserror::Error)]
pub enum StyleFileCause {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// It is no style.
    #[error("it is no style: {0}")]
    Style(#[from] serde_json::Error),
}

/// The style in a file.
///
/// # Errors
/// [`StyleFileError`] if the file cannot be read, is larger than any style, or is none.
pub fn read_style(path: &Path) -> Result<Style, StyleFileError> {
    let read =
        || -> Result<Style, StyleFileCause> { Ok(serde_json::from_slice(&bounded::read(path, MAX_BYTES)?)?) };
    read().map_err(|cause| StyleFileError { path: path.to_owned(), cause })
}
