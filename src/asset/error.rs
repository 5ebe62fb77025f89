//! Why a file could not be read.

use std::path::PathBuf;

use super::NotFinite;

/// Why a file could not be read: one line that names the file, the object and its index, and the cause.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file itself.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not glTF, or its container is damaged.
    #[error("{}: {cause}", path.display())]
    Format {
        /// The file that was asked for.
        path: PathBuf,
        /// What is wrong with it as a whole.
        cause: String,
    },
    /// It needs an extension that sinew does not support.
    #[error("{}: extensionsRequired: {name} is not supported", path.display())]
    Extension {
        /// The file that was asked for.
        path: PathBuf,
        /// The extension.
        name: String,
    },
    /// An object in it is wrong.
    #[error("{}: {at}: {cause}", path.display())]
    Object {
        /// The file that was asked for.
        path: PathBuf,
        /// The object as a path in the JSON, such as `skins[0].joints[3]`.
        at: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A copy of it would hold what no file can.
    #[error("{}: {source}", path.display())]
    NotFinite {
        /// The file that would be copied.
        path: PathBuf,
        /// The joint, and what of it.
        source: NotFinite,
    },
}
