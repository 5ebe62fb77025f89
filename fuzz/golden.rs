//! Goldens of regression tests: images, and the world matrices of joints.

use std::sync::LazyLock;

use sinew::regress::{Drawn, GoldenState, Joints};
use sinew::render::DecodedImage;

use crate::character::figure;
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "golden", inputs_per_round: 150, make, check };

const SIDE: u32 = 4;

/// The joints of the built-in character at rest.
static JOINTS: LazyLock<Joints> = LazyLock::new(|| Joints::of(&figure()));

fn make(random: &mut Random) -> Vec<u8> {
    if random.once_in(2) {
        let joints = String::from_utf8_lossy(&JOINTS.encode().unwrap_or_default()).into_owned();
        return mutate::text(&joints, random).into_bytes();
    }
    let rgba = (0..4 * SIDE * SIDE).map(|_| random.byte()).collect();
    let image = DecodedImage { width: SIDE, height: SIDE, rgba };
    let mut bytes = Drawn { image, drawn_by: Some("a machine".to_owned()) }.encode().unwrap_or_default();
    random.mutate_bytes(&mut bytes);
    bytes
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    if bytes.starts_with(b"\x89PNG") {
        return check_image(bytes);
    }
    let path = file("golden.json", bytes)?;
    let Ok(Some(joints)) = Joints::read(&path) else { return Ok(false) };
    for difference in JOINTS.compare(&joints).into_iter().flatten() {
        if difference.distance.is_nan() || difference.angle.is_nan() {
            return Err(format!("difference is NaN: {difference:?}"));
        }
    }
    let reread = Joints::read(&file("rewritten.json", &joints.encode().map_err(|e| e.to_string())?)?);
    match reread {
        Ok(Some(reread)) if reread == joints => Ok(true),
        Ok(_) => Err("written joints differ: reading them gives other joints".to_owned()),
        Err(cause) => Err(format!("written joints rejected: {cause}")),
    }
}

fn check_image(bytes: &[u8]) -> Result<bool, String> {
    let Ok(Some(GoldenState::Drawn(drawn))) = Drawn::read(&file("golden.png", bytes)?, SIDE, SIDE) else {
        return Ok(false);
    };
    let rewritten = file("rewritten.png", &drawn.encode().map_err(|e| e.to_string())?)?;
    match Drawn::read(&rewritten, SIDE, SIDE) {
        Ok(Some(GoldenState::Drawn(reread))) if reread.image == drawn.image => Ok(true),
        other => Err(format!("written image differs: {other:?}").chars().take(200).collect()),
    }
}
