//! PNG, JPEG, WebP and KTX2 images.

use sinew::asset::Image;

use crate::images::{JPEGS, KTX2S, SEEDS, WEBPS, fix_checksums, pixels};
use crate::random::Random;

use super::{Decoder, bytes, prefix};

/// Maximum memory for decoding an image, in bytes. Images that need more according to their header are not decoded, because their decoding
/// time grows with their size. The loader rejects characters whose images need more than [`sinew::asset::MAX_IMAGES_BYTES`].
const MAX_DECODED_BYTES: usize = 64 << 20;

pub(super) const PNG: Decoder = Decoder {
    name: "png",
    seeds: || SEEDS.iter().filter(|bytes| bytes.starts_with(b"\x89PNG")).cloned().collect(),
    mutate: png,
    ..IMAGE
};

pub(super) const JPEG: Decoder =
    Decoder { name: "jpeg", seeds: || JPEGS.map(<[u8]>::to_vec).into(), ..IMAGE };

pub(super) const WEBP: Decoder =
    Decoder { name: "webp", seeds: || WEBPS.map(<[u8]>::to_vec).into(), ..IMAGE };

pub(super) const KTX2: Decoder =
    Decoder { name: "ktx2", seeds: || KTX2S.map(<[u8]>::to_vec).into(), ..IMAGE };

const IMAGE: Decoder = Decoder {
    name: "",
    seeds: Vec::new,
    mutate: bytes,
    truncate: prefix,
    decode,
    // Memory for the largest decoded image and for the tables of the decoders.
    base_memory: MAX_DECODED_BYTES + (16 << 20),
};

fn png(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes(input, random);
    if !random.once_in(4) {
        fix_checksums(&mut bytes);
    }
    bytes
}

fn decode(input: &[u8]) -> Result<bool, String> {
    let Ok(image) = Image::new(None, input.into()) else { return Ok(false) };
    if image.decoded_bytes() > MAX_DECODED_BYTES as u64 {
        return Ok(false);
    }
    let Ok(decoded) = image.decode() else { return Ok(false) };
    if decoded.pixels().count() as u64 != pixels(&image) {
        return Err(format!("size differs: the header has {}x{}", image.width, image.height));
    }
    Ok(true)
}
