//! Motion capture files in the BVH format.

use std::path::Path;
use std::sync::LazyLock;

use sinew::asset::{Clip, bvh};

use crate::character::{FIGURE, exercise, retarget};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "bvh", inputs_per_round: 300, make, check };

const SMALL: &str = "HIERARCHY\nROOT hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT spine\n {\n  \
    OFFSET 0 20 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  JOINT leftArm\n  {\n   OFFSET 20 30 0\n   CHANNELS 3 Xrotation Yrotation Zrotation\n   End Site\n   \
    {\n    OFFSET 25 0 0\n   }\n  }\n }\n}\nMOTION\nFrames: 3\nFrame Time: 0.033333\n0 90 0 0 0 0 1 2 3 4 5 6\n1 90 0 10 0 0 1 2 3 4 5 6\n2 90 0 20 0 0 1 2 3 4 5 6\n";

/// A small file, and a file with the skeleton of the built-in character and a few frames.
pub(crate) static SEEDS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let character = &FIGURE.0;
    let clip = Clip { seconds: 0.2, ..character.clips[0].clone() };
    let written =
        sinew::export::bvh::write(character, &clip, 30.0, 0.01).expect("the built-in character as BVH");
    [SMALL.to_owned(), written.text]
});

fn make(random: &mut Random) -> Vec<u8> {
    let seed = usize::from(random.once_in(8));
    mutate::text(&SEEDS[seed], random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let Ok(character) = bvh::read(&text, Path::new("input.bvh"), None) else { return Ok(false) };
    retarget(character.clone())?;
    exercise(character, None)?;
    Ok(true)
}
