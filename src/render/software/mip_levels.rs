//! Mip levels of textures, computed on the CPU. Software drivers would compute them on the same cores, but their rounding would differ from
//! the goldens of existing suites.

use std::sync::LazyLock;

use super::super::DecodedImage;
use super::super::srgb::{from_linear, to_linear};

/// Halves the size of an image. Each pixel is the mean of the four that it covers, in linear light for sRGB images.
pub(crate) fn halve(pixels: &DecodedImage, srgb: bool) -> DecodedImage {
    let half = |side: u32| (side / 2).max(1);
    let (width, height) = (pixels.width as usize, pixels.height as usize);
    let (half_width, half_height) = (half(pixels.width), half(pixels.height));
    let (linear, stored) = tables();
    let color = |levels: [u8; 4]| {
        let sum: u32 = levels.iter().map(|&level| u32::from(linear[usize::from(level)])).sum();
        stored[(sum >> 6) as usize]
    };
    let value = |levels: [u8; 4]| {
        let sum: u16 = levels.iter().map(|&level| u16::from(level)).sum();
        ((sum + 2) / 4).to_le_bytes()[0]
    };
    let mean = |levels| if srgb { color(levels) } else { value(levels) };
    let (pixels, _) = pixels.rgba.as_chunks::<4>();
    let mut rgba = Vec::with_capacity(half_width as usize * half_height as usize * 4);
    for y in 0..half_height as usize {
        let row = |y: usize| &pixels[y.min(height - 1) * width..][..width];
        let (top, bottom) = (row(2 * y), row(2 * y + 1));
        for x in 0..half_width as usize {
            let (left, right) = (2 * x, (2 * x + 1).min(width - 1));
            let [a, b, c, d] = [top[left], top[right], bottom[left], bottom[right]];
            let four = |channel: usize| [a[channel], b[channel], c[channel], d[channel]];
            rgba.extend_from_slice(&[mean(four(0)), mean(four(1)), mean(four(2)), value(four(3))]);
        }
    }
    DecodedImage { width: half_width, height: half_height, rgba }
}

/// Returns a table from sRGB bytes to 16-bit linear light, and a table from the upper 12 bits of linear light to sRGB
/// bytes.
fn tables() -> (&'static [u16; 256], &'static [u8; 4096]) {
    static TABLES: LazyLock<([u16; 256], [u8; 4096])> = LazyLock::new(|| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within range by construction"
        )]
        (
            std::array::from_fn(|i| (to_linear(i as f64 / 255.0) * 65535.0).round() as u16),
            std::array::from_fn(|i| (from_linear((i as f64 + 0.5) / 4096.0).min(1.0) * 255.0).round() as u8),
        )
    });
    (&TABLES.0, &TABLES.1)
}
