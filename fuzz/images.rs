//! PNG, JPEG, WebP and KTX2 images.

use std::sync::LazyLock;

use sinew::asset::Image;

use crate::format::Format;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "image", inputs_per_round: 1500, make, check };
pub(crate) const WEBP: Format =
    Format { name: "webp", inputs_per_round: 600, make: |random| change(&WEBPS, random), check };
pub(crate) const KTX2: Format =
    Format { name: "ktx2", inputs_per_round: 600, make: |random| change(&KTX2S, random), check };

/// Maximum size of a decoded image, in bytes. Larger images are not decoded.
const MAX_DECODED_BYTES: u64 = 1 << 22;

/// A baseline and a progressive JPEG of 16 x 16 pixels.
pub(crate) const JPEGS: [&[u8]; 2] =
    [include_bytes!("jpeg/baseline.jpg"), include_bytes!("jpeg/progressive.jpg")];

/// Lossy and lossless images of 20 by 12 pixels. `scripts/compressed-models.mjs` writes these images and the KTX2 images below.
pub(crate) const WEBPS: [&[u8]; 3] = [
    include_bytes!("webp/lossy.webp"),
    include_bytes!("webp/lossy-alpha.webp"),
    include_bytes!("webp/lossless-alpha.webp"),
];

/// An image in ETC1S with BasisLZ, one in UASTC, and one in UASTC with Zstandard.
pub(crate) const KTX2S: [&[u8]; 3] = [
    include_bytes!("../src/character/asset/ktx2/etc1s.ktx2"),
    include_bytes!("../src/character/asset/ktx2/uastc.ktx2"),
    include_bytes!("../src/character/asset/ktx2/uastc-zstd.ktx2"),
];

/// PNG images of several kinds, and the JPEG images.
pub(crate) static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let pixels: Vec<u8> = (0..16 * 16 * 3).map(|i| u8::try_from(i % 251).unwrap_or(0)).collect();
    let mut seeds = vec![crate::seeds::png()];
    for (color, depth, width) in [
        (png::ColorType::Rgb, png::BitDepth::Eight, 16_u8),
        (png::ColorType::Grayscale, png::BitDepth::Sixteen, 12),
        (png::ColorType::GrayscaleAlpha, png::BitDepth::Eight, 8),
    ] {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width.into(), 16);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let size = encoder_size(color, depth, width.into());
        let written = encoder.write_header().and_then(|mut w| w.write_image_data(&pixels[..size]));
        written.expect("a small PNG");
        seeds.push(bytes);
    }
    seeds.extend(JPEGS.map(<[u8]>::to_vec));
    seeds
});

fn encoder_size(color: png::ColorType, depth: png::BitDepth, width: usize) -> usize {
    width * 16 * color.samples() * if depth == png::BitDepth::Sixteen { 2 } else { 1 }
}

fn make(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].clone();
    random.mutate_bytes(&mut bytes);
    if bytes.starts_with(b"\x89PNG") && !random.once_in(4) {
        fix_checksums(&mut bytes);
    }
    bytes
}

/// Changes a few bytes of an image, or truncates it.
fn change(seeds: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].to_vec();
    if random.once_in(12) {
        bytes.truncate(random.below(bytes.len()));
    } else {
        random.mutate_bytes(&mut bytes);
    }
    bytes
}

/// Corrects the checksums of a PNG's chunks, so that the decoder reads the changed chunks.
pub(crate) fn fix_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..).and_then(|b| b.first_chunk::<4>()) {
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let Some(end) = (at + 8).checked_add(length) else { return };
        let Some(sum) = bytes.get(at + 4..end).map(crc32fast::hash) else { return };
        let Some(stored) = bytes.get_mut(end..).and_then(|b| b.first_chunk_mut()) else { return };
        *stored = sum.to_be_bytes();
        at = end + 4;
    }
}

pub(crate) fn pixels(image: &Image) -> u64 {
    u64::from(image.width) * u64::from(image.height)
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(image) = Image::new(None, bytes.into()) else { return Ok(false) };
    if image.decoded_bytes() > MAX_DECODED_BYTES {
        return Ok(false);
    }
    let Ok(decoded) = image.decode() else { return Ok(false) };
    let (width, height) = (decoded.width, decoded.height);
    if (width, height) != (image.width, image.height) || decoded.pixels().count() as u64 != pixels(&image) {
        return Err(format!(
            "size differs: decoded {width}x{height}, but the header has {}x{}",
            image.width, image.height
        ));
    }
    Ok(true)
}
