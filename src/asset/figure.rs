//! The character that sinew brings along.

use std::path::Path;

use super::{Character, LoadError, gltf};

/// The file of [`figure`], a GLB; made by `examples/make_character`.
pub const FIGURE: &[u8] = include_bytes!("../../assets/figure.glb");

/// A human figure with VRM's bone names and two clips, `idle` and `wave`; about 1.7 m tall, facing +Z.
///
/// # Errors
/// None that a test has not seen; the bytes go through the loader like any file's.
pub fn figure() -> Result<Character, LoadError> {
    gltf::load_bytes(Path::new("the built-in figure"), FIGURE, None)
}
