//! Loads a file in any supported format.

use std::path::Path;

use crate::files::Progress;

use super::{Character, LoadError, References, bvh, gltf};

/// Loads a character from a BVH file, an FBX file (feature `fbx`), a URDF file (feature `urdf`), or a glTF file (`.gltf`, `.glb`, `.vrm`).
/// Also reads the files in the same folder that the file references.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset;
///
/// # drop(std::env::set_current_dir("../.."));
/// let spider = asset::load(Path::new("assets/spider.glb"))?;
/// assert!(spider.skeleton.nodes.len() > 24 && spider.meshes.len() == 1);
///
/// let error = asset::load(Path::new("missing.glb")).unwrap_err();
/// assert!(error.to_string().starts_with("missing.glb: "));
/// # Ok::<(), asset::LoadError>(())
/// ```
///
/// # Errors
/// [`LoadError`]. The message is one line with the file, the object or line in it, and the cause.
pub fn load(path: &Path) -> Result<Character, LoadError> {
    load_in_units(path, None)
}

/// Loads a character like [`load`], with a given unit of length for formats that do not define one. `units` is the length of one unit of a
/// BVH file in metres, from 1e-6 to 1e6. If it is `None`, the unit is guessed from the size of the skeleton.
///
/// # Errors
/// [`LoadError`] if the file cannot be loaded, or if `units` is given for a glTF file.
pub fn load_in_units(path: &Path, units: Option<f64>) -> Result<Character, LoadError> {
    load_with(path, units, &Progress::default())
}

/// Loads a character like [`load_in_units`], reports the progress, and can be stopped from another thread.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset::{self, LoadError};
/// use sinew_character::files::Progress;
///
/// # drop(std::env::set_current_dir("../.."));
/// let (path, progress) = (Path::new("assets/arm.glb"), Progress::default());
/// // With a clone of the progress, another thread can show it or stop loading.
/// let shown = progress.clone();
/// let arm = asset::load_with(path, None, &progress)?;
/// assert!(arm.skeleton.find("gripper").is_some() && shown.bytes().0 > 100_000);
///
/// shown.stop();
/// let stopped = asset::load_with(path, None, &progress);
/// assert!(matches!(stopped, Err(LoadError::Stopped { .. })));
/// # Ok::<(), LoadError>(())
/// ```
///
/// # Errors
/// Same as [`load_in_units`], and [`LoadError::Stopped`].
pub fn load_with(path: &Path, units: Option<f64>, progress: &Progress) -> Result<Character, LoadError> {
    load_with_references(path, units, &References::default(), progress)
}

/// Loads a character like [`load_with`]. `references` specifies where referenced files may be located.
///
/// # Errors
/// Same as [`load_with`].
pub fn load_with_references(
    path: &Path,
    units: Option<f64>,
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    let loaded = load_file(path, units, references, progress);
    // Any error after a stop is reported as a stop.
    match loaded {
        Err(_) if progress.is_stopped() => Err(LoadError::Stopped { path: path.into() }),
        other => other.map(|character| Character { references: references.clone(), ..character }),
    }
}

fn load_file(
    path: &Path,
    units: Option<f64>,
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    progress.set_stage("Reading the file");
    let bytes = gltf::read_with(path, progress)?;
    if bvh::is_bvh(path, &bytes) {
        return bvh::read_with(&String::from_utf8_lossy(&bytes), path, units, progress);
    }
    if (has_extension(path, "urdf") || has_extension(path, "xacro")) && units.is_none() {
        return urdf_character(path, &bytes, references, progress);
    }
    if has_extension(path, "fbx") && units.is_none() {
        return fbx_character(path, &bytes, references, progress);
    }
    match units {
        None => gltf::load_bytes_with(path, &bytes, gltf::folder(path), references, progress),
        Some(_) => {
            let cause = "units apply only to BVH files because other formats define their unit".to_owned();
            Err(LoadError::Format { path: path.into(), cause })
        }
    }
}

/// Returns whether a copy of a file with another pose can be written. Some formats contain shapes that cannot be copied.
pub(crate) fn can_be_copied(path: &Path) -> bool {
    !["fbx", "urdf"].iter().any(|extension| has_extension(path, extension))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

#[cfg(feature = "urdf")]
fn urdf_character(
    path: &Path,
    bytes: &[u8],
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    super::urdf::read_with(&String::from_utf8_lossy(bytes), path, references, progress)
}

#[cfg(not(feature = "urdf"))]
fn urdf_character(path: &Path, _: &[u8], _: &References, _: &Progress) -> Result<Character, LoadError> {
    Err(LoadError::Format { path: path.into(), cause: "sinew was built without the feature urdf".to_owned() })
}

#[cfg(feature = "fbx")]
fn fbx_character(
    path: &Path,
    bytes: &[u8],
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    super::fbx::read_with(path, bytes, references, progress)
}

#[cfg(not(feature = "fbx"))]
fn fbx_character(path: &Path, _: &[u8], _: &References, _: &Progress) -> Result<Character, LoadError> {
    Err(LoadError::Format { path: path.into(), cause: "sinew was built without the feature fbx".to_owned() })
}
