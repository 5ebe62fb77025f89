//! Compares images: level by level, and as people see them.

use crate::render::Picture;

use super::flip;
use super::suite::ImageTolerance;

/// Side, in pixels, of the tiles of which the worst is reported.
pub const TILE: u32 = 32;

/// How two images of one size differ.
///
/// Rasterisers round differently: the same driver shifts colours by a level or two on another CPU. Such pixels count as
/// equal; FLIP judges what remains (Andersson et al. 2020, "FLIP: A difference evaluator for alternating images").
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Pixels whose most different channel is off by 1, by 2, by 3, and by at least 4 levels of 255.
    pub off: [usize; 4],
    /// The largest difference of any channel of any pixel, in levels of 255.
    pub largest: u8,
    /// Pixels that differ by more than the tolerated levels.
    pub beyond: usize,
    /// Mean FLIP error of these pixels over the image, 0 (the same) to 1 (black against white).
    pub mean: f32,
    /// Mean FLIP error of the tile where it is highest, and that tile's upper left pixel.
    pub worst: (f32, [u32; 2]),
    /// FLIP error of each pixel, row by row, row 0 on top. Empty where no pixel differs by more than the tolerated levels.
    pub map: Vec<f32>,
}

/// The rule that decides whether an image passes: the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No pixel differs.
    Identical,
    /// No pixel differs by more than the tolerated levels.
    Levels,
    /// Mean FLIP error of the image and of its worst tile.
    Flip,
}

impl Rule {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Levels => "levels",
            Self::Flip => "flip",
        }
    }
}

impl Difference {
    /// Pixels that are not the same.
    pub fn pixels(&self) -> usize {
        self.off.iter().sum()
    }

    /// The rule that decides.
    pub fn rule(&self) -> Rule {
        match (self.pixels(), self.beyond) {
            (0, _) => Rule::Identical,
            (_, 0) => Rule::Levels,
            _ => Rule::Flip,
        }
    }

    /// Whether the image passes. The levels of `tolerance` are those that the images were compared with.
    pub fn passes(&self, tolerance: &ImageTolerance) -> bool {
        self.rule() != Rule::Flip || self.mean <= tolerance.mean && self.worst.0 <= tolerance.worst
    }

    /// The FLIP errors as an image: the brighter, the more visible.
    pub fn picture(&self, width: u32, height: u32) -> Picture {
        let rgba = self.map.iter().flat_map(|&error| heat(error)).collect();
        Picture { width, height, rgba }
    }
}

/// Compares two images; pixels whose channels differ by at most `levels` of 255 count as equal. `None` if the images
/// differ in size.
pub fn compare(expected: &Picture, actual: &Picture, levels: u8) -> Option<Difference> {
    let (width, height) = (expected.width, expected.height);
    let size = width as usize * height as usize;
    let whole = |p: &Picture| p.rgba.len() == 4 * size;
    if (width, height) != (actual.width, actual.height) || !whole(expected) || !whole(actual) || size == 0 {
        return None;
    }
    let mut difference = Difference::default();
    if expected.rgba == actual.rgba {
        return Some(difference);
    }
    // The expected image, but for the pixels that FLIP judges.
    let mut judged = expected.clone();
    for (pixel, now) in judged.rgba.chunks_exact_mut(4).zip(actual.rgba.chunks_exact(4)) {
        let apart = pixel.iter().zip(now).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or_default();
        if let Some(count) = usize::from(apart.min(4)).checked_sub(1).and_then(|i| difference.off.get_mut(i))
        {
            *count += 1;
        }
        difference.largest = difference.largest.max(apart);
        if apart > levels {
            difference.beyond += 1;
            pixel.copy_from_slice(now);
        }
    }
    if difference.beyond == 0 {
        return Some(difference);
    }
    let map = flip_map(expected, &judged);
    difference.mean = average(map.iter().copied());
    let tiles =
        (0..height.div_ceil(TILE)).flat_map(|y| (0..width.div_ceil(TILE)).map(move |x| [x * TILE, y * TILE]));
    let of_tile = |[x, y]: [u32; 2]| {
        let rows = map.chunks_exact(width as usize).skip(y as usize).take(TILE as usize);
        average(rows.flat_map(|row| row.iter().skip(x as usize).take(TILE as usize).copied()))
    };
    let worst = tiles.map(|tile| (of_tile(tile), tile)).max_by(|a, b| a.0.total_cmp(&b.0));
    difference.worst = worst.unwrap_or_default();
    difference.map = map;
    Some(difference)
}

#[expect(clippy::cast_possible_truncation, reason = "a mean of single precision")]
fn average(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + f64::from(v), count + 1.0));
    if count > 0.0 { (sum / count) as f32 } else { 0.0 }
}

/// The FLIP error of each pixel. Images that are not opaque are compared over black and over white, and the larger error
/// counts: over one colour alone, a part of that colour would look like nothing.
fn flip_map(expected: &Picture, actual: &Picture) -> Vec<f32> {
    let over = |background: u8| {
        flip::error_map(&opaque(expected, background), &opaque(actual, background), expected.width as usize)
    };
    let mut map = over(0);
    if [expected, actual].iter().any(|p| p.rgba.chunks_exact(4).any(|pixel| !pixel.ends_with(&[255]))) {
        map.iter_mut().zip(over(255)).for_each(|(error, white)| *error = error.max(white));
    }
    map
}

/// The colours of an image over a grey background.
fn opaque(picture: &Picture, background: u8) -> Vec<u8> {
    let over = |value: u8, alpha: u8| {
        let (value, alpha, background) = (u32::from(value), u32::from(alpha), u32::from(background));
        u8::try_from((value * alpha + background * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    let pixels = picture.rgba.chunks_exact(4);
    pixels.flat_map(|p| p.iter().take(3).map(|&v| over(v, p.get(3).copied().unwrap_or(255)))).collect()
}

/// Black, through red and yellow, to white.
fn heat(error: f32) -> [u8; 4] {
    // The root shows small errors, which are most of them.
    let x = error.clamp(0.0, 1.0).sqrt() * 3.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let level = |from: f32| ((x - from).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    [level(0.0), level(1.0), level(2.0), 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey image whose pixels some function changes.
    fn picture(size: u32, change: impl Fn(u32, u32) -> i8) -> Picture {
        let pixels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        let rgba = pixels.flat_map(|(x, y)| [128, 128_u8.saturating_add_signed(change(x, y)), 128, 255]);
        Picture { width: size, height: size, rgba: rgba.collect() }
    }

    fn tolerance() -> ImageTolerance {
        ImageTolerance { levels: 2, mean: 0.01, worst: 0.1 }
    }

    #[test]
    fn identical_images_have_no_difference() {
        let difference = compare(&picture(8, |_, _| 0), &picture(8, |_, _| 0), 0).unwrap();
        assert_eq!((difference.rule(), difference.pixels(), difference.largest), (Rule::Identical, 0, 0));
        assert!(difference.passes(&ImageTolerance { levels: 0, mean: 0.0, worst: 0.0 }));
    }

    #[test]
    fn images_of_other_sizes_are_not_compared() {
        assert_eq!(compare(&picture(8, |_, _| 0), &picture(9, |_, _| 0), 2), None);
    }

    #[test]
    fn tolerated_levels_are_no_part_of_flip() {
        let expected = picture(64, |_, _| 0);
        let rounded = |x: u32, y: u32| if (x + y).is_multiple_of(2) { 2 } else { -1 };
        let difference = compare(&expected, &picture(64, rounded), 2).unwrap();
        assert_eq!((difference.rule(), difference.pixels(), difference.largest), (Rule::Levels, 4096, 2));
        assert_eq!(difference.off, [2048, 2048, 0, 0]);
        assert_eq!((difference.mean, difference.worst.0), (0.0, 0.0));
        // One pixel at an edge is judged as if the others were the same.
        let edge = |x: u32, y: u32| if (x, y) == (40, 9) { 90 } else { 0 };
        let alone = compare(&expected, &picture(64, edge), 2).unwrap();
        let both = |x: u32, y: u32| if edge(x, y) == 0 { rounded(x, y) } else { edge(x, y) };
        let together = compare(&expected, &picture(64, both), 2).unwrap();
        assert_eq!((together.rule(), together.beyond, together.largest), (Rule::Flip, 1, 90));
        assert_eq!(together.map, alone.map);
        assert_eq!(together.worst.1, [32, 0]);
        assert!(alone.mean > 0.0 && together.passes(&tolerance()));
    }

    #[test]
    fn what_people_see_fails() {
        let expected = picture(64, |_, _| 0);
        let patch = |x: u32, y: u32| if x < 12 && y < 12 { 90 } else { 0 };
        let difference = compare(&expected, &picture(64, patch), 2).unwrap();
        assert_eq!((difference.beyond, difference.worst.1), (144, [0, 0]));
        assert!(!difference.passes(&tolerance()), "{difference:?}");
        // Either bound alone fails it.
        let (mean, worst) = (difference.mean, difference.worst.0);
        assert!(difference.passes(&ImageTolerance { levels: 2, mean, worst }));
        assert!(!difference.passes(&ImageTolerance { levels: 2, mean: mean * 0.99, worst }));
        assert!(!difference.passes(&ImageTolerance { levels: 2, mean, worst: worst * 0.99 }));
    }

    #[test]
    fn alpha_counts_as_a_channel() {
        let mut clear = picture(8, |_, _| 0);
        clear.rgba[3] = 252;
        let difference = compare(&picture(8, |_, _| 0), &clear, 2).unwrap();
        assert_eq!((difference.beyond, difference.off, difference.largest), (1, [0, 0, 1, 0], 3));
        // Grey, and nothing: they look the same over grey, but over nothing else.
        let mut nothing = picture(8, |_, _| 0);
        nothing.rgba.chunks_exact_mut(4).for_each(|p| p.copy_from_slice(&[128, 128, 128, 0]));
        let difference = compare(&picture(8, |_, _| 0), &nothing, 2).unwrap();
        assert!(difference.mean > 0.1 && !difference.passes(&tolerance()), "{difference:?}");
    }
}
