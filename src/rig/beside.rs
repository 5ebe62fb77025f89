//! The rig that a character is used with.

use std::path::{Path, PathBuf};

use crate::asset::{self, Character};
use crate::bounded;

use super::{Rig, RigError, file, find};

/// Maximum size of a rig file, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Why a rig file could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct RigLoadError {
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub cause: RigLoadCause,
}

/// What is the matter with a rig file.
#[derive(Debug, thiserror::Error)]
pub enum RigLoadCause {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// Its text will not do.
    #[error(transparent)]
    Rig(#[from] RigError),
}

/// The rig of a character: from a file that is named, else from `NAME.rig.toml` beside the model, else found. The
/// built-in mannequin brings its own.
///
/// # Errors
/// [`RigLoadError`] where there is a file that will not do.
pub fn load(character: &Character, named: Option<&Path>) -> Result<Rig, RigLoadError> {
    let beside = character.path.with_extension("rig.toml");
    let path = match named {
        Some(path) => path,
        None if character.path == Path::new(asset::MANNEQUIN_PATH) => {
            let own = file::read(asset::MANNEQUIN_RIG, &character.skeleton);
            return own.map_err(|e| RigLoadError { path: character.path.clone(), cause: e.into() });
        }
        None if beside.is_file() => &beside,
        None => return Ok(find(character)),
    };
    read(character, path).map_err(|cause| RigLoadError { path: path.to_owned(), cause })
}

fn read(character: &Character, path: &Path) -> Result<Rig, RigLoadCause> {
    Ok(file::read(&bounded::read_to_string(path, MAX_BYTES)?, &character.skeleton)?)
}

/// The text of a rig's file, and what it becomes with a rig written into it; both empty and new where there is none.
///
/// # Errors
/// [`RigLoadError`] where there is a file that cannot be read, or is no TOML.
pub fn updated(
    rig: &Rig,
    character: &Character,
    path: &Path,
) -> Result<(Option<String>, String), RigLoadError> {
    let failed = |cause| RigLoadError { path: path.to_owned(), cause };
    let there = path.is_file().then(|| bounded::read_to_string(path, MAX_BYTES)).transpose();
    let there = there.map_err(|e| failed(e.into()))?;
    let new = file::write(rig, &character.skeleton, there.as_deref().unwrap_or_default());
    Ok((there, new.map_err(|e| failed(e.into()))?))
}
