//! The names of the files that a session saves, and why a file is not saved.

use std::io;
use std::path::{Path, PathBuf};

use crate::asset::{Character, LoadError};
use crate::files::atomic;
use crate::platform::fs;
use crate::render::RenderError;
use crate::rig::RigLoadError;

/// The range of numbers in file names. The first free one is used.
const NUMBERS: std::ops::RangeInclusive<u32> = 1..=9999;

/// Why a file was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The scene could not be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The model file could not be read again.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The existing rig file could not be read.
    #[error(transparent)]
    Rig(#[from] RigLoadError),
    /// The rig file exists and was not written by this session.
    #[error("{} already exists", path.display())]
    Exists {
        /// The path of the rig file.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Returns the folder of a file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the base name of the files that are saved for a character.
pub(super) fn base_name(character: &Character) -> String {
    let stem = file_of(character).and_then(Path::file_stem);
    stem.map_or_else(|| "sinew".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Returns the file of a character. The built-in character has none.
pub(crate) fn file_of(character: &Character) -> Option<&Path> {
    let path = character.path.as_path();
    // The built-in character's path is a description, not a file.
    (path.extension().is_some() || fs::is_file(path)).then_some(path)
}

/// Writes a file under the first free number.
pub(crate) fn write_numbered(
    folder: &Path,
    name: &str,
    extension: &str,
    bytes: &[u8],
) -> Result<PathBuf, SaveError> {
    with_free_name(folder, name, extension, |path| atomic::write_new(path, bytes))
}

/// Calls `create` with each numbered path until a call does not fail with `AlreadyExists`.
pub(crate) fn with_free_name(
    folder: &Path,
    name: &str,
    extension: &str,
    mut create: impl FnMut(&Path) -> io::Result<()>,
) -> Result<PathBuf, SaveError> {
    let mut last = folder.to_path_buf();
    for number in NUMBERS {
        last = folder.join(format!("{name}-{number:04}.{extension}"));
        match create(&last) {
            Ok(()) => return Ok(last),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(SaveError::Write { path: last, source }),
        }
    }
    Err(SaveError::Write { path: last, source: io::ErrorKind::AlreadyExists.into() })
}
