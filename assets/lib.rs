//! The files of sinew's built-in character. `sinew_character::asset::mannequin` loads them.

/// A human figure with clips: idle, walk, run, wave, crouch. The file is a binary glTF.
pub const MANNEQUIN: &[u8] = include_bytes!("mannequin.glb");

/// The limits of its joints, as a rig file.
pub const MANNEQUIN_RIG: &str = include_str!("mannequin.rig.toml");
