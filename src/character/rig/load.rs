//! Loads and updates the rig file of a character.

use std::path::{Path, PathBuf};

use crate::asset;
use crate::asset::Character;
use crate::files::bounded;
use crate::platform::fs;

use super::detect::detect_recognized;
use super::recognize::{Recognized, Unrecognized, recognize_with};
use super::{BodyPlan, Bones, Reparented, Rig, RigError, file};

/// Maximum size of a rig file, in bytes.
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
    /// The bones that the file or the user names contradict the hierarchy or each other.
    #[error("the given bones do not make a body: {0}")]
    Bones(#[from] Unrecognized),
}

/// Loads the rig of a character from the given file or from `NAME.rig.toml` beside the model. If neither exists,
/// [`detect`](super::detect()) finds the rig. The built-in character has its own rig. The body is recognised in each case.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::{asset, rig};
///
/// // The file `assets/spider.rig.toml` is beside the model.
/// # drop(std::env::set_current_dir("../.."));
/// let spider = asset::load(Path::new("assets/spider.glb"))?;
/// let rig = rig::load(&spider, None)?;
/// assert_eq!(rig.chains.iter().filter(|chain| chain.kind == rig::ChainKind::Leg).count(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RigLoadError`] if a file exists but cannot be used.
pub fn load(character: &Character, given: Option<&Path>) -> Result<Rig, RigLoadError> {
    load_with(character, given, &Bones::new())
}

/// Like [`load`], with bones that replace the bones of the file and the recognised bones.
///
/// # Errors
/// [`RigLoadError`] if a file exists but cannot be used, or if the bones contradict each other.
pub fn load_with(character: &Character, given: Option<&Path>, bones: &Bones) -> Result<Rig, RigLoadError> {
    let default_path = character.path.with_extension("rig.toml");
    let is_built_in = character.path == Path::new(asset::MANNEQUIN_PATH);
    let file = given.or_else(|| Some(&*default_path).filter(|path| !is_built_in && fs::is_file(path)));
    let failed = |cause| RigLoadError { path: file.unwrap_or(&character.path).to_owned(), cause };
    let text = match file {
        Some(path) => Some(bounded::read_to_string(path, MAX_BYTES).map_err(|e| failed(e.into()))?),
        None => is_built_in.then(|| asset::MANNEQUIN_RIG.to_owned()),
    };
    with_text(character, text.as_deref(), bones).map_err(|cause| match cause {
        // The bones do not come from the file.
        RigLoadCause::Bones(_) if !bones.is_empty() => RigLoadError { path: character.path.clone(), cause },
        _ => failed(cause),
    })
}

/// Reads a rig from the text of a file, or detects it.
fn with_text(character: &Character, text: Option<&str>, bones: &Bones) -> Result<Rig, RigLoadCause> {
    let mut given = match text {
        Some(text) => file::bones(text, &character.skeleton)?,
        None => Bones::new(),
    };
    given.extend(bones.clone());
    let recognized = match recognize_with(character, &given) {
        Err(error) if !given.is_empty() => return Err(error.into()),
        recognized => recognized.ok(),
    };
    let mut rig = match text {
        Some(text) => {
            let known = recognized.as_ref().map_or(&given, |r| &r.bones);
            with_body(character, file::read_with(text, &character.skeleton, known)?, recognized)
        }
        None => detect_recognized(character, recognized),
    };
    rig.given_bones = given;
    Ok(rig)
}

/// Recognises a rig's body again with different given bones, and returns the resulting rig. The chains of a detected rig follow from the
/// body, and the chains of a file are kept. Limits that differ from the detected ones are kept.
///
/// # Errors
/// [`Unrecognized`] if the bones contradict each other.
pub fn with_bones(character: &Character, rig: &Rig, given: &Bones) -> Result<Rig, Unrecognized> {
    let recognized = match recognize_with(character, given) {
        Err(error) if !given.is_empty() => return Err(error),
        recognized => recognized.ok(),
    };
    let before = detect_recognized(character, recognize_with(character, &rig.given_bones).ok());
    let joints = |rig: &Rig| rig.chains.iter().map(|chain| chain.joints.clone()).collect::<Vec<_>>();
    let mut changed = if joints(&before) == joints(rig) {
        let mut detected = detect_recognized(character, recognized);
        for chain in &mut detected.chains {
            if let Some(known) = rig.chains.iter().find(|known| known.joints == chain.joints) {
                chain.clone_from(known);
            }
        }
        let edited = rig.joints.iter().filter(|(node, joint)| before.joint(**node).limit != joint.limit);
        for (node, joint) in edited {
            detected.joints.entry(*node).or_default().limit = joint.limit;
        }
        Rig { options: rig.options.clone(), pins: rig.pins.clone(), ..detected }
    } else {
        with_body(character, Rig { body: None, bones: Bones::new(), ..rig.clone() }, recognized)
    };
    changed.given_bones.clone_from(given);
    Ok(changed)
}

/// Adds the body of a character to the rig of a file. The rig keeps its chains, limits and logical parents.
fn with_body(character: &Character, mut rig: Rig, recognized: Option<Recognized>) -> Rig {
    let Some(recognized) = recognized else { return rig };
    let stands = recognized.stands();
    rig.bones = recognized.bones;
    if !stands {
        return rig;
    }
    rig.body = Some(recognized.plan).filter(BodyPlan::has_middle_joints);
    rig.apply_pull();
    let mut joined = rig.clone();
    for (node, logical_parent) in recognized.logical_parents {
        joined.joints.entry(node).or_default().logical_parent.get_or_insert(logical_parent);
    }
    // Logical parents of the file may contradict the body's.
    if Reparented::new(&character.skeleton, &joined).is_ok() { joined } else { rig }
}

/// Returns the current text of a rig file (`None` if the file does not exist), and the text that results from writing a rig into the file.
///
/// # Errors
/// [`RigLoadError`] if the file exists but cannot be read, or if [`file::write`] fails.
pub fn updated(
    rig: &Rig,
    character: &Character,
    path: &Path,
) -> Result<(Option<String>, String), RigLoadError> {
    let failed = |cause| RigLoadError { path: path.to_owned(), cause };
    let existing = fs::is_file(path).then(|| bounded::read_to_string(path, MAX_BYTES)).transpose();
    let existing = existing.map_err(|e| failed(e.into()))?;
    let new = file::write(rig, &character.skeleton, existing.as_deref().unwrap_or_default());
    Ok((existing, new.map_err(|e| failed(e.into()))?))
}
