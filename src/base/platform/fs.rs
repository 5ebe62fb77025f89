//! Files of the operating system, or files in the memory of a web page. The page chooses the names of the latter.

use std::path::{Path, PathBuf};

#[cfg(not(target_arch = "wasm32"))]
pub use std::fs::{File, canonicalize, create_dir_all, metadata, read_dir, remove_file, rename};

#[cfg(target_arch = "wasm32")]
pub use super::memory::{
    File, canonicalize, changes, create_dir_all, metadata, put, read_dir, remove_file, rename, write,
};

/// Returns whether a path refers to a file.
pub fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Returns whether a path refers to a folder.
pub fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns the user's home folder, or `None` in a web page.
pub fn home_dir() -> Option<PathBuf> {
    #[cfg(not(target_arch = "wasm32"))]
    return etcetera::home_dir().ok();
    #[cfg(target_arch = "wasm32")]
    None
}
