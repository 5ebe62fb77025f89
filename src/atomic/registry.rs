//! The drafts that this process removes if it must end early.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) static DRAFTS: Registry = Registry::new();

/// Paths of drafts that are worthless unless they are finished.
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

    /// Creates a draft and registers it, as one step for [`Self::remove_all`].
    pub(super) fn create(&self, path: &Path, create: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
        let mut paths = self.paths();
        let file = create()?;
        paths.insert(path.to_path_buf());
        Ok(file)
    }

    /// The draft stays, or is a draft no longer.
    pub(super) fn forget(&self, path: &Path) {
        self.paths().remove(path);
    }

    /// Removes all drafts, then runs `end` while none can be created.
    pub(super) fn remove_all(&self, end: impl FnOnce()) {
        let mut paths = self.paths();
        for path in std::mem::take(&mut *paths) {
            // One that has just got its name is no longer there.
            let _ = fs::remove_file(path);
        }
        end();
    }
}
