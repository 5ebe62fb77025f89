//! The built-in character.

use std::path::Path;

use super::{Character, LoadError, gltf};

/// The GLB file of [`mannequin`], made by `examples/make_cast`.
pub const MANNEQUIN: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// The rig of [`mannequin`], a `.rig.toml` file.
pub const MANNEQUIN_RIG: &str = include_str!("../../assets/mannequin.rig.toml");

/// Stands in for the path of the built-in character.
pub const MANNEQUIN_PATH: &str = "the built-in mannequin";

/// Loads the built-in character, a stylised human about 1.75 m tall that faces +Z. It has VRM 1.0 bone names, a humanoid
/// map and five clips: `idle`, `wave`, `walk`, `run` and `crouch`.
///
/// # Errors
/// [`LoadError`] if the embedded file is invalid. Tests rule this out.
pub fn mannequin() -> Result<Character, LoadError> {
    gltf::load_bytes(Path::new(MANNEQUIN_PATH), MANNEQUIN, None)
}
