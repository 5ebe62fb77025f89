//! Writes many files and syncs their folders only once.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::{Draft, is_special, sync_folder, write};

/// Writes many files, for example the frames of an image sequence.
///
/// Each file is complete or absent, as with [`write()`], but the folders are synced only once at the end. Syncing the
/// folders for every file would increase the total time by more than 50 %. After a power failure before the end, the
/// last files may be missing. The files that they were meant to replace then still exist.
#[derive(Debug, Default)]
pub struct Sequence {
    folders: BTreeSet<PathBuf>,
}

impl Sequence {
    /// Writes the next file. An existing file is replaced once all bytes are on disk.
    ///
    /// # Errors
    /// The same as for [`write()`].
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if is_special(path) {
            return write(path, bytes);
        }
        let mut draft = Draft::of_save(path)?;
        draft.write(bytes)?;
        let folder = draft.rename()?;
        if !self.folders.contains(folder) {
            self.folders.insert(folder.to_path_buf());
        }
        Ok(())
    }

    /// Syncs the folders of all files.
    ///
    /// # Errors
    /// Returns the system's error for a folder.
    pub fn finish(mut self) -> io::Result<()> {
        std::mem::take(&mut self.folders).iter().try_for_each(|folder| sync_folder(folder))
    }
}

impl Drop for Sequence {
    /// Syncs the folders of the written files, even if the sequence was not finished.
    fn drop(&mut self) {
        for folder in &self.folders {
            let _ = sync_folder(folder);
        }
    }
}
