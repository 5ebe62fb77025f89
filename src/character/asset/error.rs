//! Errors that can occur when a file is loaded.

use std::path::{Path, PathBuf};

use crate::api::Missing;
use crate::files::Stopped;
use crate::text::printable;

use super::NotFinite;

/// An error that occurred while a file was loaded. The message is one line with the file, the object in it, and the
/// cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Reading was stopped by [`Progress::stop`](crate::files::Progress::stop).
    #[error("{}: reading was stopped", path.display())]
    Stopped {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file as a whole is invalid, for example because its container is damaged.
    #[error("{}: {cause}", path.display())]
    Format {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error.
        cause: String,
    },
    /// The file requires an extension that sinew does not support.
    #[error("{}: extensionsRequired: {name} is not supported", path.display())]
    Extension {
        /// Path of the file.
        path: PathBuf,
        /// Name of the extension.
        name: String,
    },
    /// An object in the file is invalid.
    #[error("{}: {at}: {cause}", path.display())]
    Object {
        /// Path of the file.
        path: PathBuf,
        /// Location of the object: its path in the JSON, such as `skins[0].joints[3]`, its line in a BVH file, or its kind and name in
        /// other files.
        at: String,
        /// Description of the error.
        cause: String,
    },
    /// A copy of the file would contain a number that is not finite.
    #[error("{}: {source}", path.display())]
    NotFinite {
        /// Path of the file that would be copied.
        path: PathBuf,
        /// The joint and the property that is not finite.
        source: NotFinite,
    },
}

/// An error in an object of a file, without the path of the file.
#[derive(Debug)]
pub(super) struct ObjectError {
    /// Location of the object, as in [`LoadError::Object`].
    pub(super) at: String,
    pub(super) cause: String,
}

impl ObjectError {
    pub(super) fn new(at: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { at: at.into(), cause: printable::cause(&cause.into()) }
    }

    /// Returns the error for an index that is out of range.
    pub(super) fn missing(at: impl Into<String>, kind: &'static str, index: usize, count: usize) -> Self {
        Self::new(at, Missing::index(kind, index, count).to_string())
    }

    /// Adds the path of the file.
    pub(super) fn in_file(self, path: &Path) -> LoadError {
        LoadError::Object { path: path.into(), at: self.at, cause: self.cause }
    }
}

impl From<Stopped> for ObjectError {
    fn from(stopped: Stopped) -> Self {
        Self::new("file", stopped.to_string())
    }
}
