//! Loads and updates the rig file of a character.

use std::path::{Path, PathBuf};

use crate::asset;
use crate::asset::Character;
use crate::files::bounded;

use super::{BodyPlan, Reparented, Rig, RigError, detect, file, recognize};

/// Maximum size of a rig file, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The reason why a rig file could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct RigLoadError {
    /// Path of the file.
    pub path: PathBuf,
    /// Description of the error.
    pub cause: RigLoadCause,
}

/// The cause of a [`RigLoadError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RigLoadCause {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// The contents of the file are invalid.
    #[error(transparent)]
    Rig(#[from] RigError),
}

/// Loads the rig of a character from the given file or from `NAME.rig.toml` beside the model. If neither exists, the
/// rig is that of [`detect`]. The built-in character has its own rig. The body is recognised in each case.
///
/// ```
/// use std::path::Path;
///
/// use sinew::{asset, rig};
///
/// // The file `assets/spider.rig.toml` is beside the model.
/// let spider = asset::load(Path::new("assets/spider.glb"))?;
/// let rig = rig::load(&spider, None)?;
/// assert_eq!(rig.chains.iter().filter(|chain| chain.kind == rig::ChainKind::Leg).count(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RigLoadError`] if a file exists but cannot be used.
pub fn load(character: &Character, given: Option<&Path>) -> Result<Rig, RigLoadError> {
    let default_path = character.path.with_extension("rig.toml");
    let with_body = |rig| with_body(character, rig);
    let path = match given {
        Some(path) => path,
        None if character.path == Path::new(asset::MANNEQUIN_PATH) => {
            let rig = file::read(asset::MANNEQUIN_RIG, &character.skeleton);
            return rig
                .map(with_body)
                .map_err(|e| RigLoadError { path: character.path.clone(), cause: e.into() });
        }
        None if default_path.is_file() => &default_path,
        None => return Ok(detect(character)),
    };
    read(character, path).map(with_body).map_err(|cause| RigLoadError { path: path.to_owned(), cause })
}

/// Adds the body of a character to the rig of a file, whose chains, limits and logical parents stay as they are.
fn with_body(character: &Character, mut rig: Rig) -> Rig {
    let Ok(recognized) = recognize(character) else { return rig };
    rig.body = Some(recognized.plan).filter(BodyPlan::has_middle_joints);
    rig.apply_pull();
    let mut joined = rig.clone();
    for (node, logical_parent) in recognized.logical_parents {
        joined.joints.entry(node).or_default().logical_parent.get_or_insert(logical_parent);
    }
    // Logical parents of the file may contradict those of the body.
    if Reparented::new(&character.skeleton, &joined).is_ok() { joined } else { rig }
}

fn read(character: &Character, path: &Path) -> Result<Rig, RigLoadCause> {
    Ok(file::read(&bounded::read_to_string(path, MAX_BYTES)?, &character.skeleton)?)
}

/// Returns the current text of a rig file, or `None` if the file does not exist, and the text that results from
/// writing a rig into it.
///
/// # Errors
/// [`RigLoadError`] if the file exists but cannot be read, or if [`file::write`] fails.
pub fn updated(
    rig: &Rig,
    character: &Character,
    path: &Path,
) -> Result<(Option<String>, String), RigLoadError> {
    let failed = |cause| RigLoadError { path: path.to_owned(), cause };
    let existing = path.is_file().then(|| bounded::read_to_string(path, MAX_BYTES)).transpose();
    let existing = existing.map_err(|e| failed(e.into()))?;
    let new = file::write(rig, &character.skeleton, existing.as_deref().unwrap_or_default());
    Ok((existing, new.map_err(|e| failed(e.into()))?))
}
