//! Many files in one folder.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::{Draft, is_special, sync_folder, write};

/// Writes many files, such as the frames of a sequence.
///
/// Each is complete or absent, as with [`write()`], but their names are brought to the disk together at the end: doing so
/// for every file would take more than half as long again. A power failure before the end may cost the last files, and
/// leaves those that they would have replaced.
#[derive(Debug, Default)]
pub struct Sequence {
    folders: BTreeSet<PathBuf>,
}

impl Sequence {
    /// Writes the next file, or replaces it when everything is on the disk.
    ///
    /// # Errors
    /// As [`write()`].
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

    /// Brings the names of all files to the disk.
    ///
    /// # Errors
    /// What the system says of a folder.
    pub fn finish(mut self) -> io::Result<()> {
        std::mem::take(&mut self.folders).iter().try_for_each(|folder| sync_folder(folder))
    }
}

impl Drop for Sequence {
    /// What is written stays, also if something fails before the end.
    fn drop(&mut self) {
        for folder in &self.folders {
            let _ = sync_folder(folder);
        }
    }
}
