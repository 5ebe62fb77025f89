//! The project file of a session.

use std::io;
use std::path::{Path, PathBuf};

use crate::asset::Character;
use crate::files::{atomic, bounded};
use crate::project::EXTENSION;

use super::files::{SaveError, base_name, file_of, folder_of, write_numbered};

/// A project's file as last read or written.
#[derive(Clone, Debug)]
pub(crate) struct SavedProject {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// The work in the file; see [`Session::work`](super::Session::work). `None` if the session was recovered from a copy, so that its work
    /// is not in the file.
    pub(super) work: Option<String>,
}

impl SavedProject {
    /// Reads the project at a path, which does not contain the work of the session.
    #[cfg(feature = "window")]
    pub(crate) fn earlier(path: &Path) -> Self {
        let text = bounded::read_to_string(path, crate::project::MAX_BYTES).unwrap_or_default();
        Self { path: path.into(), text, work: None }
    }

    /// Returns whether no other program has changed the file. It may have been removed.
    pub(super) fn is_unchanged(&self) -> bool {
        match bounded::read_regular(&self.path, self.text.len() as u64 + 1) {
            Ok(bytes) => bytes == self.text.as_bytes(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Returns the default path of a new project, which is used if the name is free: beside the character, or in `folder` for the built-in
/// character.
pub(crate) fn default_path(character: &Character, folder: &Path) -> PathBuf {
    match file_of(character) {
        Some(file) => {
            let beside = file.parent().filter(|p| !p.as_os_str().is_empty());
            beside.unwrap_or(folder).join(format!("{}.{EXTENSION}", base_name(character)))
        }
        // The base name of the built-in character is the program's name, which is also the extension, so use another name.
        None => folder.join(format!("mannequin.{EXTENSION}")),
    }
}

/// Writes a project.
///
/// # Errors
/// [`SaveError::Exists`] if the file exists, unless `replace` is set. [`SaveError::Write`] if the file cannot be written.
pub(super) fn write(path: &Path, text: &str, replace: bool) -> Result<(), SaveError> {
    let write = if replace { atomic::write } else { atomic::write_new };
    write(path, text.as_bytes()).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists { path: path.into() },
        _ => SaveError::Write { path: path.into(), source },
    })
}

/// Writes a project beside an existing file, under its name with the first free number.
///
/// # Errors
/// [`SaveError::Write`] if the file cannot be written.
pub(super) fn write_beside(path: &Path, text: &str) -> Result<PathBuf, SaveError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    write_numbered(folder_of(path), &stem, EXTENSION, text.as_bytes())
}
