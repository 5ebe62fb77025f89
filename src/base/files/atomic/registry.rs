//! The drafts that this process must remove if it ends early.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) static DRAFTS: Registry = Registry::new();

/// The paths of drafts that are useless if they are not finished.
pub(super) struct Registry {
    paths: Mutex<BTreeSet<PathBuf>>,
}

impl Registry {
    pub(super) const fn new() -> Self {
        Self { paths: Mutex::new(BTreeSet::new()) }
    }

    fn paths(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a draft and registers it. [`Self::remove_all`] cannot run between these two steps.
    pub(super) fn create(&self, path: &Path, create: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
        let mut paths = self.paths();
        let file = create()?;
        paths.insert(path.to_path_buf());
        Ok(file)
    }

    /// Unregisters a draft, so that its file is kept when all drafts are removed.
    pub(super) fn unregister(&self, path: &Path) {
        self.paths().remove(path);
    }

    /// Removes all registered drafts, then calls `end` while no new draft can be created.
    #[cfg(any(test, unix))]
    pub(super) fn remove_all(&self, end: impl FnOnce()) {
        let mut paths = self.paths();
        for path in std::mem::take(&mut *paths) {
            // A draft that was just renamed no longer exists.
            let _ = std::fs::remove_file(path);
        }
        end();
    }
}
