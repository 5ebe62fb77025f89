//! The character that sinew brings along.

use std::path::Path;

use super::{Character, LoadError, gltf};

/// The file of [`mannequin`], a GLB; made by `examples/make_cast`.
pub const MANNEQUIN: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// A stylised human about 1.75 m tall, facing +Z, with VRM 1.0 bone names and map and five clips: `idle`, `wave`,
/// `walk`, `run`, `crouch`.
///
/// # Errors
/// None that a test has not seen; the bytes go through the loader like any file's.
pub fn mannequin() -> Result<Character, LoadError> {
    gltf::load_bytes(Path::new("the built-in mannequin"), MANNEQUIN, None)
}
