//! A file, whichever format it is in.

use std::path::Path;

use super::{Character, LoadError, bvh, gltf};

/// Reads a character: glTF (`.gltf`, `.glb`, `.vrm`) with the files that it names from its own folder, or BVH.
///
/// # Errors
/// [`LoadError`], one line: the file, the object or the line at fault, and the cause.
pub fn load(path: &Path) -> Result<Character, LoadError> {
    load_in_units(path, None)
}

/// The same for files that do not tell their units. `units`: metres a unit of a BVH file, 1e-6 to 1e6; `None`: guessed
/// from its size.
///
/// # Errors
/// As [`load`]; and where a glTF file, which is in metres, is to be in units.
pub fn load_in_units(path: &Path, units: Option<f64>) -> Result<Character, LoadError> {
    let bytes = gltf::read(path)?;
    if bvh::is_bvh(path, &bytes) {
        return bvh::read(&String::from_utf8_lossy(&bytes), path, units);
    }
    match units {
        None => gltf::load_bytes(path, &bytes, gltf::folder(path)),
        Some(_) => {
            let cause = "a glTF file is in metres: units are for BVH".to_owned();
            Err(LoadError::Format { path: path.into(), cause })
        }
    }
}
