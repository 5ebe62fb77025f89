//! The character that sinew brings along.

use std::path::Path;

use super::{Character, LoadError, gltf};

/// The file of [`mannequin`], a GLB; made by `examples/make_cast`.
pub const MANNEQUIN: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// The rig that was made with it, a `.rig.toml`.
pub const MANNEQUIN_RIG: &str = include_str!("../../assets/mannequin.rig.toml");

/// What stands for its path.
pub const MANNEQUIN_PATH: &str = "the built-in mannequin";

/// A stylised human about 1.75 m tall, facing +Z, with VRM 1.0 bone names and map and five clips: `idle`, `wave`,
/// `walk`, `run`, `crouch`.
///
/// # Errors
/// None that a test has not seen; the bytes go through the loader like any file's.
pub fn mannequin() -> Result<Character, LoadError> {
    gltf::load_bytes(Path::new(MANNEQUIN_PATH), MANNEQUIN, None)
}
