//! Errors that can occur when a file is loaded.

use std::path::PathBuf;

use super::NotFinite;

/// An error that occurred while a file was loaded. The message is one line with the file, the object in it, and the
/// cause.
#[derive(Debug, thiserror::Error)]
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
        /// The object as a path in the JSON, such as `skins[0].joints[3]`, or its line in a BVH file.
        at: String,
        /// Description of the error.
        cause: String,
    },
    /// A copy of the file would contain a number that is not finite.
    #[error("{}: {source}", path.display())]
    NotFinite {
        /// Path of the file that would be copied.
        path: PathBuf,
        /// The joint and its property that is not finite.
        source: NotFinite,
    },
}
