//! Animated GIF files. All images share one palette, because colours would flicker if each image had its own.

use std::io::{self, Write};
use std::path::Path;

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::asset::DecodedImage;
use crate::cli::failure::Failure;

use super::{Images, Timing};

/// Number of colours. The last index of the palette marks transparent pixels.
const COLORS: usize = 255;
/// One in this many pixels of the samples is used to choose the colours.
const SAMPLING: i32 = 7;
/// Bits per channel used to look up colours.
const BITS: u32 = 6;

/// Writes the images, which repeat forever.
pub(super) fn write(
    path: &Path,
    out: &mut dyn Write,
    is_transparent: bool,
    timing: Timing,
    samples: &[DecodedImage],
    images: Images<'_>,
) -> Result<(), Failure> {
    let failed = |e: gif::EncodingError| match e {
        gif::EncodingError::Io(source) => Failure::write(path)(source),
        other => Failure::write(path)(io::Error::other(other)),
    };
    let mut palette = Palette::new(samples, is_transparent);
    let (width, height) = samples.first().map_or((0, 0), |image| (image.width, image.height));
    let [width, height] = [width, height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    let mut encoder = Encoder::new(out, width, height, &palette.colors()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    for (index, image) in (0_u32..).zip(images) {
        let frame = Frame {
            width,
            height,
            delay: delay(index, timing.rate),
            dispose: if is_transparent { DisposalMethod::Background } else { DisposalMethod::Keep },
            transparent: is_transparent.then_some(palette.transparent()),
            buffer: palette.indices(&image?).into(),
            ..Frame::default()
        };
        encoder.write_frame(&frame).map_err(failed)?;
    }
    Ok(())
}

/// Returns the display time of an image, in hundredths of a second. The times at which images appear are rounded, so that the whole
/// animation has the right length.
fn delay(image: u32, rate: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    let time = |image: f64| (image * 100.0 / f64::from(rate)).round() as u64;
    let shown = time(f64::from(image) + 1.0).saturating_sub(time(f64::from(image)));
    u16::try_from(shown).unwrap_or(u16::MAX)
}

/// The colours of all images.
struct Palette {
    colors: NeuQuant,
    /// Palette indices of the colours that have already been looked up, by the upper bits of the colours.
    known: Vec<Option<u8>>,
    is_transparent: bool,
}

impl Palette {
    /// Chooses the colours from samples.
    fn new(samples: &[DecodedImage], is_transparent: bool) -> Self {
        let is_used = |pixel: &&[u8; 4]| !is_transparent || pixel[3] >= 128;
        let pixels = samples.iter().flat_map(|image| image.rgba.as_chunks::<4>().0);
        let opaque: Vec<u8> = pixels.filter(is_used).flat_map(|[r, g, b, _]| [*r, *g, *b, 255]).collect();
        let colors = NeuQuant::new(SAMPLING, COLORS, &opaque);
        Self { colors, known: vec![None; 1 << (3 * BITS)], is_transparent }
    }

    /// Returns all colours as RGB.
    fn colors(&self) -> Vec<u8> {
        let mut colors = self.colors.color_map_rgb();
        colors.resize((COLORS + 1) * 3, 0);
        colors
    }

    fn transparent(&self) -> u8 {
        u8::MAX
    }

    /// Returns the index of the nearest colour for each pixel.
    fn indices(&mut self, image: &DecodedImage) -> Vec<u8> {
        let (pixels, _) = image.rgba.as_chunks::<4>();
        pixels.iter().map(|pixel| self.index(*pixel)).collect()
    }

    fn index(&mut self, [r, g, b, a]: [u8; 4]) -> u8 {
        if self.is_transparent && a < 128 {
            return self.transparent();
        }
        let cell =
            [r, g, b].into_iter().fold(0, |cell, level| cell << BITS | usize::from(level >> (8 - BITS)));
        let find = || u8::try_from(self.colors.index_of(&[r, g, b, 255]).min(COLORS - 1)).unwrap_or(0);
        match self.known.get_mut(cell) {
            Some(known) => *known.get_or_insert_with(find),
            None => find(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_to_the_length() {
        let delays =
            |rate: f32, count: u32| -> u32 { (0..count).map(|image| u32::from(delay(image, rate))).sum() };
        assert_eq!(delays(24.0, 120), 500);
        assert_eq!(delays(30.0, 90), 300);
        assert_eq!(delays(50.0, 100), 200);
        // Regression test: after eleven minutes, one image had no delay, because times wrapped at 65,535.
        assert_eq!(delays(30.0, 21_000), 70_000);
    }

    #[test]
    fn few_colours_stay_exact_and_transparent_pixels_stay_transparent() {
        let colors = [[200, 30, 20, 255], [10, 10, 10, 255], [228, 229, 232, 255], [90, 90, 90, 0]];
        let rgba: Vec<u8> = (0..4000).flat_map(|i| colors[i % 4]).collect();
        let image = DecodedImage { width: 4000, height: 1, rgba };
        let mut palette = Palette::new(std::slice::from_ref(&image), true);
        let indices = palette.indices(&image);
        let map = palette.colors();
        for (pixel, index) in colors.iter().zip(&indices) {
            if pixel[3] == 0 {
                assert_eq!(*index, palette.transparent());
                continue;
            }
            let color = &map[usize::from(*index) * 3..][..3];
            assert!(color.iter().zip(pixel).all(|(a, b)| a.abs_diff(*b) < 6), "{color:?} for {pixel:?}");
        }
    }
}
