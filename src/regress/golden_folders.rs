//! The folders of a suite's goldens: one for all adapters, and one for each class of adapters that needs its own.

use std::path::{Path, PathBuf};

use super::suite::Suite;

/// The folders of goldens for one adapter.
pub(super) struct GoldenFolders<'a> {
    shared: &'a Path,
    own: Option<PathBuf>,
}

/// The paths at which a golden is read and written.
pub(super) struct GoldenPath {
    pub(super) read: PathBuf,
    pub(super) write: PathBuf,
}

impl<'a> GoldenFolders<'a> {
    /// Returns the folders for a class of adapters. A class that the suite does not list uses the shared folder.
    pub(super) fn new(suite: &'a Suite, class: Option<&str>) -> Self {
        let own = class.filter(|class| suite.golden_sets.iter().any(|set| set == class));
        Self { shared: &suite.goldens, own: own.map(|class| suite.goldens.join(class)) }
    }

    /// Returns the path of an image. A class with its own folder reads the shared golden if its own is missing, and writes into
    /// its own folder.
    pub(super) fn find(&self, name: &str) -> GoldenPath {
        let shared = self.shared.join(name);
        match &self.own {
            None => GoldenPath { read: shared.clone(), write: shared },
            Some(own) => {
                let own = own.join(name);
                GoldenPath { read: if own.is_file() { own.clone() } else { shared }, write: own }
            }
        }
    }

    /// Returns the path of a golden that does not depend on the adapter.
    pub(super) fn shared(&self, name: &str) -> PathBuf {
        self.shared.join(name)
    }
}
