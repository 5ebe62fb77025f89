//! Pictures compared: bit by bit, and as people see them.

use nv_flip::{DEFAULT_PIXELS_PER_DEGREE, FlipImageRgb8, flip};

use crate::render::Picture;

use super::suite::ImageTolerance;

/// Pixels of a side of the tiles of which the worst is told.
pub const TILE: u32 = 32;

/// By what two pictures of one size differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// How many pixels are not the same.
    pub pixels: usize,
    /// Mean FLIP error: 0 the same, 1 black against white (Andersson et al. 2020, "FLIP: A difference evaluator for
    /// alternating images").
    pub mean: f32,
    /// The mean of the tile where it is highest, and that tile's left upper pixel.
    pub worst: (f32, [u32; 2]),
    /// The error of each pixel, row by row, row 0 on top.
    pub map: Vec<f32>,
}

impl Difference {
    /// Whether a picture passes. `exact`: the golden was drawn by the same adapter.
    pub fn passes(&self, tolerance: &ImageTolerance, exact: bool) -> bool {
        let exact = exact && !tolerance.always;
        self.pixels == 0 || !exact && self.mean <= tolerance.mean && self.worst.0 <= tolerance.worst
    }

    /// The errors as a picture: the brighter, the more it is seen.
    pub fn picture(&self, width: u32, height: u32) -> Picture {
        let rgba = self.map.iter().flat_map(|&error| heat(error)).collect();
        Picture { width, height, rgba }
    }
}

/// Compares two pictures. `None` if they have not the same size.
pub fn compare(expected: &Picture, actual: &Picture) -> Option<Difference> {
    let (width, height) = (expected.width, expected.height);
    let size = width as usize * height as usize;
    let whole = |p: &Picture| p.rgba.len() == 4 * size;
    if (width, height) != (actual.width, actual.height) || !whole(expected) || !whole(actual) || size == 0 {
        return None;
    }
    let pairs = expected.rgba.chunks_exact(4).zip(actual.rgba.chunks_exact(4));
    let pixels = pairs.filter(|(a, b)| a != b).count();
    if pixels == 0 {
        return Some(Difference { pixels, mean: 0.0, worst: (0.0, [0, 0]), map: vec![0.0; size] });
    }
    let image = |picture: &Picture| FlipImageRgb8::with_data(width, height, &opaque(picture));
    let map = flip(image(expected), image(actual), DEFAULT_PIXELS_PER_DEGREE).to_vec();
    let mean = average(map.iter().copied());
    let tiles =
        (0..height.div_ceil(TILE)).flat_map(|y| (0..width.div_ceil(TILE)).map(move |x| [x * TILE, y * TILE]));
    let of_tile = |[x, y]: [u32; 2]| {
        let rows = map.chunks_exact(width as usize).skip(y as usize).take(TILE as usize);
        average(rows.flat_map(|row| row.iter().skip(x as usize).take(TILE as usize).copied()))
    };
    let worst = tiles.map(|tile| (of_tile(tile), tile)).max_by(|a, b| a.0.total_cmp(&b.0));
    Some(Difference { pixels, mean, worst: worst.unwrap_or_default(), map })
}

#[expect(clippy::cast_possible_truncation, reason = "a mean of single precision")]
fn average(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + f64::from(v), count + 1.0));
    if count > 0.0 { (sum / count) as f32 } else { 0.0 }
}

/// Colours over a middle grey, where they are not opaque.
fn opaque(picture: &Picture) -> Vec<u8> {
    let over = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        u8::try_from((value * alpha + 128 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
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
