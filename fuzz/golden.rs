//! Goldens of regression tests: images, and the matrices of joints.

use std::sync::LazyLock;

use sinew::regress::{Drawn, Found, Joints};
use sinew::render::Picture;

use crate::character::figure;
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "golden", share: 150, make, check };

const SIDE: u32 = 4;

/// The joints of the built-in character at rest.
static JOINTS: LazyLock<Joints> = LazyLock::new(|| Joints::of(&figure()));

fn make(random: &mut Random) -> Vec<u8> {
    if random.once_in(2) {
        let joints = String::from_utf8_lossy(&JOINTS.encode().unwrap_or_default()).into_owned();
        return mutate::text(&joints, random).into_bytes();
    }
    let rgba = (0..4 * SIDE * SIDE).map(|_| random.byte()).collect();
    let picture = Picture { width: SIDE, height: SIDE, rgba };
    let mut bytes = Drawn { picture, drawn_by: Some("a machine".to_owned()) }.encode().unwrap_or_default();
    random.bytes(&mut bytes);
    bytes
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    if bytes.starts_with(b"\x89PNG") {
        return picture(bytes);
    }
    let path = file("golden.json", bytes)?;
    let Ok(Some(joints)) = Joints::read(&path) else { return Ok(false) };
    for difference in JOINTS.compare(&joints).into_iter().flatten() {
        if difference.distance.is_nan() || difference.angle.is_nan() {
            return Err(format!("difference not a number: {difference:?}"));
        }
    }
    let again = Joints::read(&file("again.json", &joints.encode()?)?);
    match again {
        Ok(Some(again)) if again == joints => Ok(true),
        Ok(_) => Err("written joints differ: they are read as others".to_owned()),
        Err(cause) => Err(format!("written joints refused: {cause}")),
    }
}

fn picture(bytes: &[u8]) -> Result<bool, String> {
    let Ok(Some(Found::Drawn(drawn))) = Drawn::read(&file("golden.png", bytes)?, SIDE, SIDE) else {
        return Ok(false);
    };
    let again = file("again.png", &drawn.encode()?)?;
    match Drawn::read(&again, SIDE, SIDE) {
        Ok(Some(Found::Drawn(again))) if again.picture == drawn.picture => Ok(true),
        other => Err(format!("written picture differs: {other:?}").chars().take(200).collect()),
    }
}
