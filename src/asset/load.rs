//! Loads a file in any supported format.

use std::path::Path;

use super::{Character, LoadError, bvh, gltf};

/// Loads a character from a BVH file, or from a glTF file (`.gltf`, `.glb`, `.vrm`) and the files in its folder that it
/// references.
///
/// # Errors
/// [`LoadError`]. The message is one line with the file, the object or line in it, and the cause.
pub fn load(path: &Path) -> Result<Character, LoadError> {
    load_in_units(path, None)
}

/// Loads a character like [`load`], with a given unit of length for formats that do not define one. `units` is the
/// length of one unit of a BVH file in metres, 1e-6 to 1e6. `None` guesses it from the size of the skeleton.
///
/// # Errors
/// [`LoadError`], also if `units` is given for a glTF file.
pub fn load_in_units(path: &Path, units: Option<f64>) -> Result<Character, LoadError> {
    let bytes = gltf::read(path)?;
    if bvh::is_bvh(path, &bytes) {
        return bvh::read(&String::from_utf8_lossy(&bytes), path, units);
    }
    match units {
        None => gltf::load_bytes(path, &bytes, gltf::folder(path)),
        Some(_) => {
            let cause = "units apply only to BVH files because glTF is always in metres".to_owned();
            Err(LoadError::Format { path: path.into(), cause })
        }
    }
}
