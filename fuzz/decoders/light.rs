//! Radiance panoramas.

use sinew::render::Environment;

use super::{BASE_MEMORY, Decoder, bytes, prefix};

pub(super) const HDR: Decoder = Decoder {
    name: "hdr",
    seeds: || vec![compressed(), flat(), repeated()],
    mutate: bytes,
    truncate: prefix,
    decode: |input| {
        let Ok(environment) = Environment::from_hdr(input) else { return Ok(false) };
        let light = environment.reflected(glam::Vec3::Y, 0.5);
        if light.is_finite() { Ok(true) } else { Err(format!("light not finite: {light}")) }
    },
    // The largest image that is read has 16 megapixels of 4 bytes.
    base_memory: BASE_MEMORY + (64 << 20),
};

const HEADER: &[u8] = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1\n\n";

/// A run-length encoded image of 16x8 pixels.
fn compressed() -> Vec<u8> {
    let mut bytes = [HEADER, b"-Y 8 +X 16\n"].concat();
    for row in 0..8 {
        bytes.extend([2, 2, 0, 16]);
        for channel in 0..4 {
            let (grey, bright) = if channel == 3 { (128, 136) } else { (128, 200) };
            bytes.extend(if row == 2 { vec![132, grey, 1, bright, 139, grey] } else { vec![144, grey] });
        }
    }
    bytes
}

/// An image of 4x2 pixels without compression.
fn flat() -> Vec<u8> {
    [HEADER, b"-Y 2 +X 4\n", &[90, 120, 140, 129].repeat(8)].concat()
}

/// An image in the first version of the format, in which a pixel repeats the previous one.
fn repeated() -> Vec<u8> {
    [HEADER, b"-Y 1 +X 20\n", &[64, 128, 192, 129, 1, 1, 1, 16, 32, 32, 32, 128, 1, 1, 1, 2]].concat()
}
