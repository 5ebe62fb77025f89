//! The legend of a comparison: a line for each method with its colour, its outcome and its error. It is drawn into the finished
//! image, with letters of five by seven pixels.

use crate::asset::DecodedImage;

use super::compare::{Candidate, Comparison, Summary, color};

/// The scale of the letters is the image height in pixels divided by this value, rounded down. It is at least one.
const HEIGHT_PER_SCALE: u32 = 360;
/// Width of a letter and height of a line with the space around them, in pixels of letters.
const ADVANCE: u32 = 6;
const LINE: u32 = 10;
/// Size of a colour swatch, and width of the border, in pixels of letters.
const COLOR: u32 = 7;
const BORDER: u32 = 4;
/// Colour of the letters, and opacity of the background behind them.
const TEXT: [u8; 3] = [0xF2, 0xF2, 0xF2];
const SHADE: f32 = 0.7;
/// The letters of [`ROWS`].
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789-.,:_";
/// Seven rows of five pixels for each letter, with the leftmost pixel in the highest bit.
#[rustfmt::skip]
const ROWS: [[u8; 7]; 41] = [
    [0, 0, 14, 1, 15, 17, 15], [16, 16, 22, 25, 17, 17, 30], [0, 0, 14, 16, 16, 17, 14], [1, 1, 13, 19, 17, 17, 15],
    [0, 0, 14, 17, 31, 16, 14], [6, 9, 8, 28, 8, 8, 8], [0, 15, 17, 17, 15, 1, 14], [16, 16, 22, 25, 17, 17, 17],
    [4, 0, 12, 4, 4, 4, 14], [2, 0, 6, 2, 2, 18, 12], [16, 16, 18, 20, 24, 20, 18], [12, 4, 4, 4, 4, 4, 14],
    [0, 0, 26, 21, 21, 17, 17], [0, 0, 22, 25, 17, 17, 17], [0, 0, 14, 17, 17, 17, 14], [0, 0, 30, 17, 30, 16, 16],
    [0, 0, 13, 19, 15, 1, 1], [0, 0, 22, 25, 16, 16, 16], [0, 0, 14, 16, 14, 1, 30], [8, 8, 28, 8, 8, 9, 6],
    [0, 0, 17, 17, 17, 19, 13], [0, 0, 17, 17, 17, 10, 4], [0, 0, 17, 17, 21, 21, 10], [0, 0, 17, 10, 4, 10, 17],
    [0, 0, 17, 17, 15, 1, 14], [0, 0, 31, 2, 4, 8, 31],
    [14, 17, 19, 21, 25, 17, 14], [4, 12, 4, 4, 4, 4, 14], [14, 17, 1, 2, 4, 8, 31], [31, 2, 4, 2, 1, 17, 14],
    [2, 6, 10, 18, 31, 2, 2], [31, 16, 30, 1, 1, 17, 14], [6, 8, 16, 30, 17, 17, 14], [31, 1, 2, 4, 8, 8, 8],
    [14, 17, 17, 14, 17, 17, 14], [14, 17, 17, 15, 1, 2, 12],
    [0, 0, 0, 31, 0, 0, 0], [0, 0, 0, 0, 0, 12, 12], [0, 0, 0, 0, 12, 4, 8], [0, 12, 12, 0, 12, 12, 0],
    [0, 0, 0, 0, 0, 0, 31],
];

/// A line of the legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegendLine {
    /// sRGB colour of the ghost.
    pub color: [u8; 3],
    /// Method, outcome and error, for example `ccd: reached, 0.16 mm`.
    pub text: String,
}

/// Returns a line for each candidate that has a result, in the order of the candidates.
pub fn legend(comparison: &Comparison) -> Vec<LegendLine> {
    let line = |candidate: &Candidate| {
        let (method, summary) = (candidate.method(), Summary::of(candidate.reports())?);
        let error = summary.error.map(|metres| format!(", {:.2} mm", metres * 1e3)).unwrap_or_default();
        Some(LegendLine { color: color(method), text: format!("{method}: {}{error}", summary.outcome) })
    };
    comparison.candidates().iter().filter_map(line).collect()
}

/// Draws lines into the upper left corner of an image. Anything beyond the edges of the image is cut off.
pub fn draw_legend(image: &mut DecodedImage, lines: &[LegendLine]) {
    let letters = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
    let (Ok(letters), Ok(count)) = (u32::try_from(letters), u32::try_from(lines.len())) else { return };
    if count == 0 {
        return;
    }
    let scale = (image.height / HEIGHT_PER_SCALE).max(1);
    let size = [3 * BORDER + COLOR + letters * ADVANCE, 2 * BORDER + count * LINE].map(|side| side * scale);
    fill(image, [0, 0], size, [0, 0, 0], SHADE);
    for (row, line) in (0..).zip(lines) {
        let top = (BORDER + row * LINE) * scale;
        fill(image, [BORDER * scale, top], [COLOR * scale; 2], line.color, 1.0);
        for (place, letter) in (0..).zip(line.text.chars()) {
            let left = (2 * BORDER + COLOR + place * ADVANCE) * scale;
            draw_letter(image, letter, [left, top], scale);
        }
    }
}

fn draw_letter(image: &mut DecodedImage, letter: char, [left, top]: [u32; 2], scale: u32) {
    let place = LETTERS.chars().position(|known| known == letter.to_ascii_lowercase());
    let Some(rows) = place.and_then(|place| ROWS.get(place)) else { return };
    for (y, row) in (0..).zip(rows) {
        for x in (0..5).filter(|x| row >> (4 - x) & 1 == 1) {
            fill(image, [left + x * scale, top + y * scale], [scale; 2], TEXT, 1.0);
        }
    }
}

/// Covers a rectangle with a colour. `cover` is the opacity of the colour.
fn fill(
    image: &mut DecodedImage,
    [left, top]: [u32; 2],
    [width, height]: [u32; 2],
    color: [u8; 3],
    cover: f32,
) {
    let (right, bottom) = ((left + width).min(image.width), (top + height).min(image.height));
    for y in top..bottom {
        for x in left..right {
            let start = (y as usize * image.width as usize + x as usize) * 4;
            let Some([red, green, blue, alpha]) = image.rgba.get_mut(start..start + 4) else { continue };
            for (below, own) in [red, green, blue].into_iter().zip(color) {
                let mixed = f32::from(*below) * (1.0 - cover) + f32::from(own) * cover;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between both colours"
                )]
                let mixed = mixed.round() as u8;
                *below = mixed;
            }
            *alpha = (*alpha).max(if cover < 1.0 { 0xB3 } else { 0xFF });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32) -> DecodedImage {
        DecodedImage { width, height, rgba: vec![0x80; (4 * width * height) as usize] }
    }

    #[test]
    fn each_letter_has_pixels_and_a_line_its_colour() {
        assert_eq!(LETTERS.chars().count(), ROWS.len());
        for (index, rows) in ROWS.iter().enumerate() {
            assert!(rows.iter().any(|row| *row > 0) && rows.iter().all(|row| *row < 32), "{index}");
            assert!(ROWS.iter().filter(|other| *other == rows).count() == 1, "{index}");
        }
        let mut image = image(200, 40);
        let line = |color, text: &str| LegendLine { color, text: text.to_owned() };
        draw_legend(&mut image, &[line([255, 0, 0], "ccd: reached"), line([0, 0, 255], "dls: stalled")]);
        let pixel = |x: u32, y: u32| &image.rgba[(4 * (y * 200 + x)) as usize..][..3];
        assert_eq!(
            (pixel(6, 6), pixel(6, 16), pixel(199, 39)),
            (&[255, 0, 0][..], &[0, 0, 255][..], &[0x80; 3][..])
        );
        let bright = (15..90).filter(|x| (4..11).any(|y| pixel(*x, y) == TEXT)).count();
        assert!(bright > 30, "{bright} columns have letters");
    }

    #[test]
    fn a_small_image_cuts_the_legend_off() {
        let mut image = image(8, 3);
        draw_legend(&mut image, &[LegendLine { color: [1, 2, 3], text: "a long text".into() }]);
        draw_legend(&mut image, &[]);
        assert_eq!(image.rgba.len(), 96);
    }
}
