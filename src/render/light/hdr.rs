//! Reads Radiance images (`.hdr`): light in all directions as a panorama (Ward 1991, "Real pixels").

use std::f32::consts::{PI, TAU};
use std::path::{Path, PathBuf};

use glam::Vec3;

use crate::files::bounded;

use super::environment::Environment;

/// Maximum size of a file in bytes, and of an image in pixels.
const MAX_BYTES: u64 = 64 << 20;
const MAX_PIXELS: usize = 16 << 20;
/// Maximum length of a line of the header in bytes.
const MAX_HEADER: usize = 1 << 16;
/// Cosine of the angle between the brightest pixel and the edge of the key light.
const KEY_COSINE: f32 = 0.85;

/// The reason why an environment image could not be read. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[error("{}{cause}", path.as_ref().map(|path| format!("{}: ", path.display())).unwrap_or_default())]
#[non_exhaustive]
pub struct HdrError {
    /// The file, or `None` if bytes were read.
    pub path: Option<PathBuf>,
    /// Description of the error.
    pub cause: String,
}

/// Maximum width and height of the panorama that is sampled. Larger images are reduced to this size, so that no small lamp is missed.
const REDUCED: (usize, usize) = (256, 128);
/// Maximum light of a pixel, about the brightness of the sun relative to a clear sky.
const MAX_LIGHT: f32 = 1e6;

/// The pixels of a file: three mantissas and their common exponent.
struct Pixels {
    width: usize,
    height: usize,
    values: Vec<[u8; 4]>,
}

/// Light in all directions: the top row is straight up, and the centre is the direction −Z.
struct Panorama {
    width: usize,
    height: usize,
    light: Vec<Vec3>,
}

impl Environment {
    /// Reads a panorama from a Radiance image. Its brightest area becomes the key light.
    ///
    /// # Errors
    /// [`HdrError`] if the file cannot be read, is not a Radiance image, or is too large.
    pub fn load(path: &Path) -> Result<Self, HdrError> {
        let failed = |cause: String| HdrError { path: Some(path.to_owned()), cause };
        let bytes = bounded::read(path, MAX_BYTES).map_err(|e| failed(e.to_string()))?;
        Self::read_hdr(&bytes).map_err(failed)
    }

    /// Reads a panorama from the bytes of a Radiance image.
    ///
    /// # Errors
    /// [`HdrError`] if the bytes are not a Radiance image, or if the image is too large.
    pub fn from_hdr(bytes: &[u8]) -> Result<Self, HdrError> {
        Self::read_hdr(bytes).map_err(|cause| HdrError { path: None, cause })
    }

    fn read_hdr(bytes: &[u8]) -> Result<Self, String> {
        let panorama = Panorama::new(&read(bytes)?);
        let (towards, threshold) = (panorama.brightest(), panorama.threshold());
        let light = |d: Vec3| panorama.radiance(d);
        let key = |d: Vec3| {
            let all = light(d);
            let share = (1.0 - threshold / luminance(all).max(1e-9)).max(0.0);
            if d.dot(towards) > KEY_COSINE { all * share } else { Vec3::ZERO }
        };
        Ok(Self::new(light, key))
    }
}

impl Pixels {
    fn light(&self, x: usize, y: usize) -> Vec3 {
        let [r, g, b, e] = self.values.get(y * self.width + x).copied().unwrap_or_default();
        // 136 is the exponent's bias of 128, plus 8 because the mantissa is a fraction of 256.
        let scale = if e == 0 { 0.0 } else { (f32::from(e) - 136.0).exp2() };
        (Vec3::new(r.into(), g.into(), b.into()) * scale).min(Vec3::splat(MAX_LIGHT))
    }
}

impl Panorama {
    fn new(pixels: &Pixels) -> Self {
        let (width, height) = (pixels.width.min(REDUCED.0), pixels.height.min(REDUCED.1));
        let range = |cell: usize, cells: usize, size: usize| cell * size / cells..(cell + 1) * size / cells;
        let mean = |index: usize| {
            let (mut sum, mut count) = (Vec3::ZERO, 0.0);
            for y in range(index / width, height, pixels.height) {
                for x in range(index % width, width, pixels.width) {
                    sum += pixels.light(x, y);
                    count += 1.0;
                }
            }
            sum / count
        };
        Self { width, height, light: (0..width * height).map(mean).collect() }
    }

    fn pixel(&self, x: usize, y: usize) -> Vec3 {
        let at = y.min(self.height - 1) * self.width + x % self.width;
        self.light.get(at).copied().unwrap_or_default()
    }

    /// Returns the bilinearly interpolated radiance in a direction.
    fn radiance(&self, d: Vec3) -> Vec3 {
        let u = d.x.atan2(-d.z) / TAU + 0.5;
        let v = d.y.clamp(-1.0, 1.0).acos() / PI;
        let x = u * to_f32(self.width) - 0.5 + to_f32(self.width);
        let y = (v * to_f32(self.height) - 0.5).max(0.0);
        let (left, top) = (to_usize(x), to_usize(y));
        let row = |y: usize| self.pixel(left, y).lerp(self.pixel(left + 1, y), x.fract());
        row(top).lerp(row(top + 1), y.fract())
    }

    /// Returns the directions of all pixels, with the sines of their polar angles and their luminances.
    fn cells(&self) -> impl Iterator<Item = (Vec3, f32, f32)> {
        self.light.iter().enumerate().map(|(index, light)| {
            let polar = (to_f32(index / self.width) + 0.5) / to_f32(self.height) * PI;
            let around = ((to_f32(index % self.width) + 0.5) / to_f32(self.width) - 0.5) * TAU;
            let (sin, cos) = polar.sin_cos();
            (Vec3::new(sin * around.sin(), cos, -sin * around.cos()), sin, luminance(*light))
        })
    }

    fn brightest(&self) -> Vec3 {
        let brightest = self.cells().max_by(|(_, _, a), (_, _, b)| a.total_cmp(b));
        brightest.map_or(Vec3::Y, |(direction, ..)| direction)
    }

    /// Returns the luminance above which light belongs to the key light: three times the mean of the image.
    fn threshold(&self) -> f32 {
        let (sum, weights) = self.cells().fold((0.0, 0.0), |(sum, weights), (_, weight, luminance)| {
            (sum + weight * luminance, weights + weight)
        });
        3.0 * sum / weights
    }
}

fn luminance(color: Vec3) -> f32 {
    color.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

fn read(bytes: &[u8]) -> Result<Pixels, String> {
    let (width, height, mut rest) = header(bytes)?;
    let count = width.checked_mul(height).filter(|count| (1..=MAX_PIXELS).contains(count));
    let count = count.ok_or_else(|| {
        format!("image size {width}x{height} is empty or larger than {} megapixels", MAX_PIXELS >> 20)
    })?;
    // The best compression takes eight bytes for 127 pixels.
    if rest.len() < count / 64 {
        return Err(format!("ends after {} bytes, too early for {width}x{height} pixels", bytes.len()));
    }
    let mut values = vec![[0; 4]; count];
    for (row, line) in values.chunks_exact_mut(width).enumerate() {
        scanline(&mut rest, line).ok_or_else(|| format!("row {row} is damaged or missing"))?;
    }
    Ok(Pixels { width, height, values })
}

/// Reads the header and returns width, height and the bytes of the pixels.
fn header(bytes: &[u8]) -> Result<(usize, usize, &[u8]), String> {
    if !(bytes.starts_with(b"#?RADIANCE") || bytes.starts_with(b"#?RGBE")) {
        return Err("not a Radiance image; it must begin with #?RADIANCE".into());
    }
    let mut rest = bytes;
    let mut line = || {
        let end = rest.iter().take(MAX_HEADER).position(|&byte| byte == b'\n')?;
        let (line, after) = (rest.get(..end)?, rest.get(end + 1..)?);
        rest = after;
        Some(String::from_utf8_lossy(line).trim_end_matches('\r').to_owned())
    };
    let missing = || "the header has no end".to_owned();
    for _ in 0..1000 {
        let text = line().ok_or_else(missing)?;
        if text.is_empty() {
            let size = line().ok_or_else(missing)?;
            let words: Vec<&str> = size.split(' ').collect();
            let &["-Y", height, "+X", width] = words.as_slice() else {
                return Err("unsupported orientation; the size must be written as -Y HEIGHT +X WIDTH".into());
            };
            let number =
                |text: &str| text.parse::<usize>().map_err(|_| "the size is not a number".to_owned());
            return Ok((number(width)?, number(height)?, rest));
        }
        if let Some(format) = text.strip_prefix("FORMAT=").filter(|format| *format != "32-bit_rle_rgbe") {
            let format: String = format.chars().take(40).collect();
            return Err(format!("format \"{format}\" is not supported; use 32-bit_rle_rgbe"));
        }
    }
    Err(missing())
}

/// Reads a row. Returns `None` if it is damaged.
fn scanline(bytes: &mut &[u8], line: &mut [[u8; 4]]) -> Option<()> {
    let width = line.len();
    let first = four(bytes)?;
    let is_new = first[0] == 2 && first[1] == 2 && first[2] < 128;
    if !is_new || !(8..=0x7FFF).contains(&width) {
        return old_scanline(first, bytes, line);
    }
    if usize::from(first[2]) << 8 | usize::from(first[3]) != width {
        return None;
    }
    for channel in 0..4 {
        let mut at = 0;
        while at < width {
            let count = usize::from(byte(bytes)?);
            let (length, repeated) =
                if count > 128 { (count - 128, Some(byte(bytes)?)) } else { (count, None) };
            // A length of zero would cause an endless loop.
            let run = line.get_mut(at..at + length).filter(|run| !run.is_empty())?;
            for pixel in run {
                *pixel.get_mut(channel)? = match repeated {
                    Some(value) => value,
                    None => byte(bytes)?,
                };
            }
            at += length;
        }
    }
    Some(())
}

/// Reads a row that is uncompressed or compressed by the first version of the format, in which (1, 1, 1, n) repeats a pixel.
fn old_scanline(first: [u8; 4], bytes: &mut &[u8], line: &mut [[u8; 4]]) -> Option<()> {
    let (mut at, mut shift, mut next) = (0, 0, Some(first));
    while at < line.len() {
        let pixel = match next.take() {
            Some(pixel) => pixel,
            None => four(bytes)?,
        };
        if let [1, 1, 1, count] = pixel {
            let length = usize::from(count) << shift;
            let before = *line.get(at.checked_sub(1)?)?;
            line.get_mut(at..at + length)?.fill(before);
            at += length;
            // A count of zero followed by further counts would change nothing.
            shift = if shift < 16 { shift + 8 } else { return None };
        } else {
            *line.get_mut(at)? = pixel;
            (at, shift) = (at + 1, 0);
        }
    }
    Some(())
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn four(bytes: &mut &[u8]) -> Option<[u8; 4]> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(*first)
}

#[expect(clippy::cast_precision_loss, reason = "at most 16 million pixels")]
fn to_f32(value: usize) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "coordinates are not negative")]
fn to_usize(value: f32) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";

    /// A panorama of 16x8 pixels in the new format: grey, with one bright pixel.
    fn image() -> Vec<u8> {
        let mut bytes = format!("{HEADER}-Y 8 +X 16\n").into_bytes();
        for row in 0..8 {
            bytes.extend([2, 2, 0, 16]);
            for channel in 0..4 {
                let (grey, bright) = if channel == 3 { (128, 136) } else { (128, 200) };
                if row == 2 {
                    // Four equal bytes, one different byte, and eleven equal ones.
                    bytes.extend([132, grey, 1, bright, 139, grey]);
                } else {
                    bytes.extend([144, grey]);
                }
            }
        }
        bytes
    }

    #[test]
    fn pixels_have_their_light() {
        let panorama = Panorama::new(&read(&image()).unwrap());
        assert_eq!((panorama.width, panorama.height), (16, 8));
        assert_eq!(panorama.pixel(0, 0), Vec3::splat(0.5));
        assert_eq!(panorama.pixel(4, 2), Vec3::splat(200.0));
        // The centre of the image is −Z, and the pixel is above and to the left of it.
        let towards = panorama.brightest();
        assert!(towards.x < -0.4 && towards.y > 0.3, "{towards}");
        assert!(panorama.radiance(towards).x > 50.0);
        assert!((panorama.radiance(Vec3::X) - 0.5).length() < 1e-4);
    }

    #[test]
    fn the_brightest_area_is_the_key_light() {
        let environment = Environment::from_hdr(&image()).unwrap();
        assert!(environment.key.direction.x < -0.4 && environment.key.direction.y > 0.3);
        assert!(environment.key.color.x > 1.0, "{}", environment.key.color);
        // The opposite side has the brightness of the panorama's grey pixels.
        let below = environment.reflected(Vec3::NEG_Y, 0.0);
        assert!((below.x - 0.5).abs() < 0.05, "{below}");
    }

    #[test]
    fn the_old_format_repeats_pixels() {
        let mut bytes = format!("{HEADER}-Y 1 +X 4\n").into_bytes();
        bytes.extend([64, 128, 192, 129, 1, 1, 1, 2, 32, 32, 32, 128]);
        let panorama = Panorama::new(&read(&bytes).unwrap());
        assert_eq!(panorama.pixel(2, 0), Vec3::new(0.5, 1.0, 1.5));
        assert_eq!(panorama.pixel(3, 0), Vec3::splat(0.125));
    }

    #[test]
    fn damaged_images_are_errors() {
        let image = image();
        for length in 0..image.len() {
            assert!(read(&image[..length]).is_err(), "{length} bytes");
        }
        for position in 0..image.len() {
            for value in [0, 1, 128, 255] {
                let mut damaged = image.clone();
                damaged[position] = value;
                // Any result is acceptable, as long as reading returns one.
                drop(read(&damaged));
            }
        }
        let cause = |text: &str| read(text.as_bytes()).err().unwrap();
        assert!(cause("PNG").contains("#?RADIANCE"));
        assert!(cause("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n").contains("32-bit_rle_xyze"));
        assert!(cause("#?RADIANCE\n\n+X 4 -Y 4\n").contains("orientation"));
        assert!(cause("#?RADIANCE\n\n-Y 0 +X 4\n").contains("empty"));
        assert!(cause("#?RADIANCE\n\n-Y 99999999 +X 99999999\n").contains("megapixels"));
        assert!(cause("#?RADIANCE\n\n-Y 18446744073709551615 +X 2\n").contains("megapixels"));
        assert!(cause("#?RADIANCE\n\n-Y 4000 +X 4000\n").contains("too early"));
        assert!(cause("#?RADIANCE\n\n-Y 2 +X 2\n\u{1}\u{1}\u{1}\u{1}").contains("row 0"));
    }
}
