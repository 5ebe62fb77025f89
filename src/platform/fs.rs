//! Files of the operating system, or in the memory of a web page, which chooses their names.

use std::path::Path;
#[cfg(feature = "window")]
use std::path::PathBuf;

#[cfg(all(not(target_arch = "wasm32"), feature = "window"))]
pub(crate) use std::fs::remove_file;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use std::fs::{File, canonicalize, metadata, read_dir};
#[cfg(all(not(target_arch = "wasm32"), feature = "render"))]
pub(crate) use std::fs::{create_dir_all, rename};

#[cfg(target_arch = "wasm32")]
pub(crate) use super::memory::{
    File, canonicalize, changes, create_dir_all, metadata, put, read_dir, remove_file, rename, write,
};

pub(crate) fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(feature = "window")]
pub(crate) fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns the user's home folder, or `None` in a web page.
#[cfg(feature = "window")]
pub(crate) fn home_dir() -> Option<PathBuf> {
    #[cfg(not(target_arch = "wasm32"))]
    return etcetera::home_dir().ok();
    #[cfg(target_arch = "wasm32")]
    None
}
