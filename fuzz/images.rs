//! PNG and JPEG pictures.

use std::sync::LazyLock;

use sinew::asset::Image;

use crate::format::Format;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "image", share: 1500, make, check };

/// The most bytes that a picture may take decoded to be decoded here.
const MOST: u64 = 1 << 22;

/// Sixteen by sixteen pixels each, in one pass and in several.
const JPEGS: [&[u8]; 2] = [include_bytes!("jpeg/baseline.jpg"), include_bytes!("jpeg/progressive.jpg")];

static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
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
    random.bytes(&mut bytes);
    if bytes.starts_with(b"\x89PNG") && !random.once_in(4) {
        mend_checksums(&mut bytes);
    }
    bytes
}

/// Makes the checksums of a PNG's chunks right, so that what was changed in them is looked at.
fn mend_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..).and_then(|b| b.first_chunk::<4>()) {
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let Some(end) = (at + 8).checked_add(length) else { return };
        let Some(sum) = bytes.get(at + 4..end).map(crc32fast::hash) else { return };
        let Some(there) = bytes.get_mut(end..).and_then(|b| b.first_chunk_mut()) else { return };
        *there = sum.to_be_bytes();
        at = end + 4;
    }
}

fn pixels(image: &Image) -> u64 {
    u64::from(image.width) * u64::from(image.height)
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(image) = Image::new(None, bytes.into()) else { return Ok(false) };
    if image.decoded_bytes() > MOST {
        return Ok(false);
    }
    let Ok(decoded) = image.decode() else { return Ok(false) };
    let (width, height) = (decoded.width, decoded.height);
    if (width, height) != (image.width, image.height) || decoded.pixels().count() as u64 != pixels(&image) {
        return Err(format!(
            "size differs: {width}x{height} was announced as {}x{}",
            image.width, image.height
        ));
    }
    Ok(true)
}
