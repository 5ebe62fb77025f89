//! Characters in the FBX format, as text.

use sinew::asset::load;

use crate::character::exercise;
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "fbx", inputs_per_round: 200, make, check };

/// A strip with two joints, a clip and a blend shape.
pub(crate) const STRIP: &str = include_str!("../src/character/asset/fbx/strip.fbx");

fn make(random: &mut Random) -> Vec<u8> {
    mutate::text(STRIP, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(character) = load(&file("input.fbx", bytes)?) else { return Ok(false) };
    exercise(character, None)?;
    Ok(true)
}
