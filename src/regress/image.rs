//! Compares images by their levels and with the FLIP metric.

use crate::render::DecodedImage;

use super::flip;
use super::tolerance::ImageTolerance;

/// Side length in pixels of the tiles into which an image is divided. The error of the worst tile is reported.
pub const TILE: u32 = 32;

/// The difference between two images of the same size.
///
/// Rasterisers round differently. Even the same driver shifts colours by a level or two on another CPU. Such pixels
/// count as equal, and FLIP judges the others (Andersson et al. 2020, "FLIP: A difference evaluator for alternating
/// images").
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Numbers of pixels that differ by 1, by 2, by 3, and by at least 4 levels of 255 in their most different channel.
    pub off: [usize; 4],
    /// The largest difference in any channel of any pixel, in levels of 255.
    pub largest: u8,
    /// Number of pixels whose alpha differs, and the largest difference in alpha in levels of 255.
    pub alpha: (usize, u8),
    /// Number of pixels that differ by more than the tolerated levels.
    pub beyond: usize,
    /// Mean FLIP error of the image, caused only by these pixels, from 0 (equal) to 1 (black against white).
    pub mean: f32,
    /// Mean FLIP error of the worst tile, and that tile's upper left pixel.
    pub worst: (f32, [u32; 2]),
    /// FLIP error of each pixel, row by row from the top. Empty if no pixel differs by more than the tolerated levels.
    pub map: Vec<f32>,
}

/// The rule that decides whether an image passes. The first rule that applies is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// No pixel differs.
    Identical,
    /// No pixel differs by more than the tolerated levels.
    Levels,
    /// The mean FLIP errors of the image and of its worst tile are compared with their limits.
    Flip,
}

impl Rule {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Levels => "levels",
            Self::Flip => "flip",
        }
    }
}

impl Difference {
    /// Number of pixels that differ.
    pub fn pixels(&self) -> usize {
        self.off.iter().sum()
    }

    /// Returns the rule that decides whether the image passes.
    pub fn rule(&self) -> Rule {
        match (self.pixels(), self.beyond) {
            (0, _) => Rule::Identical,
            (_, 0) => Rule::Levels,
            _ => Rule::Flip,
        }
    }

    /// Returns whether the image passes. The images must have been compared with the levels of `tolerance`.
    pub fn passes(&self, tolerance: &ImageTolerance) -> bool {
        self.rule() != Rule::Flip || self.mean <= tolerance.mean && self.worst.0 <= tolerance.worst
    }

    /// Returns the FLIP errors as an image, in which brighter pixels have larger errors.
    pub fn image(&self, width: u32, height: u32) -> DecodedImage {
        let rgba = self.map.iter().flat_map(|&error| heat(error)).collect();
        DecodedImage { width, height, rgba }
    }
}

/// Compares two images. Pixels whose channels differ by at most `levels` of 255 count as equal. Returns `None` if the
/// sizes differ or an image is empty.
///
/// ```
/// use sinew_character::asset::DecodedImage;
/// use sinew_regress::{ImageTolerance, Rule, compare};
///
/// let expected = DecodedImage { width: 8, height: 8, rgba: vec![128; 256] };
/// let mut actual = expected.clone();
/// actual.rgba[0] = 130;
/// let difference = compare(&expected, &actual, 2).ok_or("the sizes differ")?;
/// assert_eq!((difference.largest, difference.rule()), (2, Rule::Levels));
/// assert!(difference.passes(&ImageTolerance { levels: 2, mean: 0.0, worst: 0.0 }));
/// # Ok::<(), &str>(())
/// ```
pub fn compare(expected: &DecodedImage, actual: &DecodedImage, levels: u8) -> Option<Difference> {
    let (width, height) = (expected.width, expected.height);
    let size = width as usize * height as usize;
    let is_complete = |p: &DecodedImage| p.rgba.len() == 4 * size;
    let same_size = (width, height) == (actual.width, actual.height);
    if !same_size || !is_complete(expected) || !is_complete(actual) || size == 0 {
        return None;
    }
    let mut difference = Difference::default();
    if expected.rgba == actual.rgba {
        return Some(difference);
    }
    // `judged` is the expected image with the pixels that FLIP judges taken from the actual image.
    let mut judged = expected.clone();
    for (pixel, actual) in judged.rgba.chunks_exact_mut(4).zip(actual.rgba.chunks_exact(4)) {
        let off = pixel.iter().zip(actual).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or_default();
        if let Some(count) = usize::from(off.min(4)).checked_sub(1).and_then(|i| difference.off.get_mut(i)) {
            *count += 1;
        }
        difference.largest = difference.largest.max(off);
        let alpha = pixel.last().zip(actual.last()).map(|(a, b)| a.abs_diff(*b)).unwrap_or_default();
        difference.alpha.0 += usize::from(alpha > 0);
        difference.alpha.1 = difference.alpha.1.max(alpha);
        if off > levels {
            difference.beyond += 1;
            pixel.copy_from_slice(actual);
        }
    }
    if difference.beyond == 0 {
        return Some(difference);
    }
    let map = flip_map(expected, &judged);
    difference.mean = average(map.iter().copied());
    let tiles =
        (0..height.div_ceil(TILE)).flat_map(|y| (0..width.div_ceil(TILE)).map(move |x| [x * TILE, y * TILE]));
    let tile_mean = |[x, y]: [u32; 2]| {
        let rows = map.chunks_exact(width as usize).skip(y as usize).take(TILE as usize);
        average(rows.flat_map(|row| row.iter().skip(x as usize).take(TILE as usize).copied()))
    };
    let worst = tiles.map(|tile| (tile_mean(tile), tile)).max_by(|a, b| a.0.total_cmp(&b.0));
    difference.worst = worst.unwrap_or_default();
    difference.map = map;
    Some(difference)
}

#[expect(clippy::cast_possible_truncation, reason = "a mean of single precision")]
fn average(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + f64::from(v), count + 1.0));
    if count > 0.0 { (sum / count) as f32 } else { 0.0 }
}

/// Returns the FLIP error of each pixel. Images that are not opaque are compared over black and over white, and the
/// larger error is used. Over a single colour, an opaque pixel of that colour would look the same as a transparent one.
fn flip_map(expected: &DecodedImage, actual: &DecodedImage) -> Vec<f32> {
    let over = |background: u8| {
        flip::error_map(&opaque(expected, background), &opaque(actual, background), expected.width as usize)
    };
    let mut map = over(0);
    if [expected, actual].iter().any(|p| p.rgba.chunks_exact(4).any(|pixel| !pixel.ends_with(&[255]))) {
        map.iter_mut().zip(over(255)).for_each(|(error, white)| *error = error.max(white));
    }
    map
}

/// Blends an image over a grey background and returns its RGB bytes.
fn opaque(image: &DecodedImage, background: u8) -> Vec<u8> {
    let over = |value: u8, alpha: u8| {
        let (value, alpha, background) = (u32::from(value), u32::from(alpha), u32::from(background));
        u8::try_from((value * alpha + background * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    let pixels = image.rgba.chunks_exact(4);
    pixels.flat_map(|p| p.iter().take(3).map(|&v| over(v, p.get(3).copied().unwrap_or(255)))).collect()
}

/// Maps an error to a colour from black through red and yellow to white.
fn heat(error: f32) -> [u8; 4] {
    // Most errors are small, and the square root makes them easier to see.
    let x = error.clamp(0.0, 1.0).sqrt() * 3.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let level = |from: f32| ((x - from).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    [level(0.0), level(1.0), level(2.0), 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey image with pixels that are changed by a function.
    fn image(size: u32, change: impl Fn(u32, u32) -> i8) -> DecodedImage {
        let pixels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        let rgba = pixels.flat_map(|(x, y)| [128, 128_u8.saturating_add_signed(change(x, y)), 128, 255]);
        DecodedImage { width: size, height: size, rgba: rgba.collect() }
    }

    fn tolerance() -> ImageTolerance {
        ImageTolerance { levels: 2, mean: 0.01, worst: 0.1 }
    }

    #[test]
    fn identical_images_have_no_difference() {
        let difference = compare(&image(8, |_, _| 0), &image(8, |_, _| 0), 0).unwrap();
        assert_eq!((difference.rule(), difference.pixels(), difference.largest), (Rule::Identical, 0, 0));
        assert!(difference.passes(&ImageTolerance { levels: 0, mean: 0.0, worst: 0.0 }));
    }

    #[test]
    fn images_of_other_sizes_are_not_compared() {
        assert_eq!(compare(&image(8, |_, _| 0), &image(9, |_, _| 0), 2), None);
    }

    #[test]
    fn pixels_within_the_tolerated_levels_do_not_affect_flip() {
        let expected = image(64, |_, _| 0);
        let rounded = |x: u32, y: u32| if (x + y).is_multiple_of(2) { 2 } else { -1 };
        let difference = compare(&expected, &image(64, rounded), 2).unwrap();
        assert_eq!((difference.rule(), difference.pixels(), difference.largest), (Rule::Levels, 4096, 2));
        assert_eq!(difference.off, [2048, 2048, 0, 0]);
        assert_eq!((difference.mean, difference.worst.0), (0.0, 0.0));
        // FLIP judges a single pixel beyond the tolerated levels as if all other pixels were identical.
        let edge = |x: u32, y: u32| if (x, y) == (40, 9) { 90 } else { 0 };
        let alone = compare(&expected, &image(64, edge), 2).unwrap();
        let both = |x: u32, y: u32| if edge(x, y) == 0 { rounded(x, y) } else { edge(x, y) };
        let together = compare(&expected, &image(64, both), 2).unwrap();
        assert_eq!((together.rule(), together.beyond, together.largest), (Rule::Flip, 1, 90));
        assert_eq!(together.map, alone.map);
        assert_eq!(together.worst.1, [32, 0]);
        assert!(alone.mean > 0.0 && together.passes(&tolerance()));
    }

    #[test]
    fn a_visible_patch_fails() {
        let expected = image(64, |_, _| 0);
        let patch = |x: u32, y: u32| if x < 12 && y < 12 { 90 } else { 0 };
        let difference = compare(&expected, &image(64, patch), 2).unwrap();
        assert_eq!((difference.beyond, difference.worst.1), (144, [0, 0]));
        assert!(!difference.passes(&tolerance()), "{difference:?}");
        // Exceeding either limit is enough to fail.
        let (mean, worst) = (difference.mean, difference.worst.0);
        assert!(difference.passes(&ImageTolerance { levels: 2, mean, worst }));
        assert!(!difference.passes(&ImageTolerance { levels: 2, mean: mean * 0.99, worst }));
        assert!(!difference.passes(&ImageTolerance { levels: 2, mean, worst: worst * 0.99 }));
    }

    #[test]
    fn alpha_counts_as_a_channel() {
        let mut clear = image(8, |_, _| 0);
        clear.rgba[3] = 252;
        let difference = compare(&image(8, |_, _| 0), &clear, 2).unwrap();
        assert_eq!((difference.beyond, difference.off, difference.largest), (1, [0, 0, 1, 0], 3));
        // Opaque grey and transparent pixels look the same over this grey, but not over other backgrounds.
        let mut transparent = image(8, |_, _| 0);
        transparent.rgba.chunks_exact_mut(4).for_each(|p| p.copy_from_slice(&[128, 128, 128, 0]));
        let difference = compare(&image(8, |_, _| 0), &transparent, 2).unwrap();
        assert!(difference.mean > 0.1 && !difference.passes(&tolerance()), "{difference:?}");
    }
}
