//! The rig of a session's character as loaded from its file and saved to it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset;
use crate::asset::Character;
use crate::files::atomic;
use crate::rig;
use crate::rig::{Rig, RigLoadError};

use super::files::{SaveError, file_of, write_numbered};

/// The rig that a session has loaded, and its file.
#[derive(Debug)]
pub(crate) struct RigFile {
    /// The rig at the start of the session, which is also the rig at the start of a replay.
    pub(crate) loaded: Arc<Rig>,
    /// The rig as last loaded from or saved to its file.
    pub(super) saved: Arc<Rig>,
    /// The text that the session last wrote to the file.
    pub(super) written: Option<String>,
}

impl RigFile {
    pub(super) fn new(loaded: Arc<Rig>) -> Self {
        Self { saved: Arc::clone(&loaded), loaded, written: None }
    }

    /// Returns whether a rig differs from the one that was last loaded or saved.
    pub(super) fn differs_from(&self, rig: &Arc<Rig>) -> bool {
        !Arc::ptr_eq(rig, &self.saved) && *rig != self.saved
    }

    /// Returns the rig that is stored in the file of a character, or the first rig of a character without a file.
    pub(super) fn on_disk(&self, character: &Character) -> &Rig {
        if file_of(character).is_some() { &self.saved } else { &self.loaded }
    }

    /// Saves a rig as [`Session::save_rig`](super::Session::save_rig) does.
    pub(super) fn save(
        &mut self,
        rig: &Arc<Rig>,
        character: &Character,
        folder: &Path,
        replace: bool,
    ) -> Result<PathBuf, SaveError> {
        let path = match file_of(character) {
            Some(file) => self.update(rig, character, file.with_extension("rig.toml"), replace)?,
            None => create(rig, character, folder)?,
        };
        self.saved = Arc::clone(rig);
        Ok(path)
    }

    /// Writes a rig to the file at `path`. An existing file keeps its comments and order.
    fn update(
        &mut self,
        rig: &Rig,
        character: &Character,
        path: PathBuf,
        replace: bool,
    ) -> Result<PathBuf, SaveError> {
        let (existing, text) = rig::updated(rig, character, &path)?;
        let write = match &existing {
            None => atomic::write_new,
            Some(_) if replace || existing == self.written => atomic::write,
            Some(_) => return Err(SaveError::Exists { path }),
        };
        match write(&path, text.as_bytes()) {
            Ok(()) => {
                self.written = Some(text);
                Ok(path)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(SaveError::Exists { path }),
            Err(source) => Err(SaveError::Write { path, source }),
        }
    }
}

/// Writes the rig of the built-in character to a new file in a folder.
fn create(rig: &Rig, character: &Character, folder: &Path) -> Result<PathBuf, SaveError> {
    let path = folder.join("mannequin.rig.toml");
    let text = rig::file::write(rig, &character.skeleton, asset::MANNEQUIN_RIG)
        .map_err(|e| RigLoadError { path: path.clone(), cause: e.into() })?;
    match atomic::write_new(&path, text.as_bytes()) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            write_numbered(folder, "mannequin", "rig.toml", text.as_bytes())
        }
        Err(source) => Err(SaveError::Write { path, source }),
    }
}
