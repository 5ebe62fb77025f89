//! glTF files in which JSON values, indices, counts and the bytes of accessors are changed.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;
use sinew::asset::Character;
use sinew::asset::gltf::load_bytes;

use crate::character::{exercise, retarget};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;
use crate::seeds::{glb, small, trimmed};

pub(crate) const FORMAT: Format = Format { name: "gltf", inputs_per_round: 900, make, check };

static SEEDS: LazyLock<Vec<(Value, Vec<u8>)>> = LazyLock::new(|| {
    let cast: [&[u8]; 4] = [
        sinew::asset::MANNEQUIN,
        include_bytes!("../assets/awkward.glb"),
        include_bytes!("../assets/spider.glb"),
        include_bytes!("../assets/arm.glb"),
    ];
    std::iter::once(small()).chain(cast.into_iter().map(trimmed)).collect()
});

fn make(random: &mut Random) -> Vec<u8> {
    // The first seed is the small one, which has the most features in the fewest bytes.
    let seed = if random.once_in(3) { random.below(SEEDS.len()) } else { 0 };
    let (mut root, mut binary) = SEEDS[seed].clone();
    match random.below(16) {
        0 => {}
        1..=4 => random.mutate_bytes(&mut binary),
        5..=7 => (0..4).for_each(|_| {
            let at = random.below(binary.len());
            random.set_float(&mut binary, at);
        }),
        _ => mutate::json(&mut root, random),
    }
    let mut bytes = glb(&mut root, &binary);
    if random.once_in(12) {
        random.mutate_bytes(&mut bytes);
    }
    bytes
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(character) = load_bytes(Path::new("input.glb"), bytes, None) else { return Ok(false) };
    decode_images(&character);
    retarget(character.clone())?;
    exercise(character, Some(bytes))?;
    Ok(true)
}

fn decode_images(character: &Character) {
    for image in character.images.iter().filter(|i| i.decoded_bytes() < 1 << 22) {
        std::hint::black_box(image.decode().is_ok());
    }
}
