//! The options for the ground of a crowd.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use clap::Args;
use glam::Vec2;

use crate::crowd::Terrain;
use crate::files::bounded;
use crate::scene::CrowdGround;

use super::failure::Failure;
use super::posing::metres;

/// Maximum size of an image in bytes and in pixels.
const MAX_BYTES: u64 = 1 << 28;
const MAX_PIXELS: u64 = 1 << 22;
/// Default of `--terrain-height`, in metres.
const HEIGHT: f64 = 10.0;
/// Width in metres of a ground that is then stretched. Scaling by a power of two is exact.
const ANY_WIDTH: f64 = 128.0;

#[derive(Args, Debug)]
pub(super) struct TerrainArgs {
    /// Ground on which the characters walk: hills with slopes of up to 20 degrees, flat, or an image that is brighter where the ground is higher
    #[arg(long, value_name = "hills|flat|FILE.png", default_value = "hills", value_parser = ground)]
    terrain: Ground,
    /// Width of the ground from an image in metres [default: large enough for the crowd]
    #[arg(long, value_name = "METRES", value_parser = metres)]
    terrain_size: Option<f64>,
    /// Height of white above black in the image in metres [default: 10]
    #[arg(long, value_name = "METRES", value_parser = metres)]
    terrain_height: Option<f64>,
}

/// Kinds of ground.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ground {
    Flat,
    Hills,
    Image(PathBuf),
}

fn ground(text: &str) -> Result<Ground, String> {
    let path = PathBuf::from(text);
    match text {
        "flat" => Ok(Ground::Flat),
        "hills" => Ok(Ground::Hills),
        _ if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) => Ok(Ground::Image(path)),
        _ => Err("expected hills, flat or a PNG file".to_owned()),
    }
}

impl TerrainArgs {
    /// Returns the ground. Reads the image if there is one.
    pub(super) fn load(&self) -> Result<CrowdGround, Failure> {
        let path = match &self.terrain {
            Ground::Image(path) => path,
            Ground::Flat => return self.without_image(CrowdGround::Flat),
            Ground::Hills => return self.without_image(CrowdGround::Hills),
        };
        let refused = |cause: String| Failure::Usage(format!("{}: {cause}", path.display()));
        let bytes = bounded::read(path, MAX_BYTES).map_err(|error| refused(error.to_string()))?;
        let width = self.terrain_size.unwrap_or(ANY_WIDTH);
        let height = self.terrain_height.unwrap_or(HEIGHT);
        let terrain = decode(&bytes, width as f32, height as f32).map_err(refused)?;
        Ok(if self.terrain_size.is_some() {
            CrowdGround::Terrain(terrain)
        } else {
            CrowdGround::Fitted(terrain)
        })
    }

    /// Returns a ground without an image, or an error if an option for images is given.
    fn without_image(&self, ground: CrowdGround) -> Result<CrowdGround, Failure> {
        let options = [("size", self.terrain_size), ("height", self.terrain_height)];
        match options.iter().find(|(_, value)| value.is_some()) {
            Some((option, _)) => Err(Failure::Usage(format!(
                "--terrain-{option} has an effect only on images; remove it, or add --terrain FILE.png"
            ))),
            None => Ok(ground),
        }
    }

    /// Returns the image of the ground, which must not be overwritten.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.terrain {
            Ground::Image(path) => Some(path),
            Ground::Flat | Ground::Hills => None,
        }
    }
}

/// Returns the terrain of an image around the origin. Its columns follow the x axis and its rows the z axis. `width` is the extent along
/// the x axis, and `height` is the height of white, both in metres.
fn decode(bytes: &[u8], width: f32, height: f32) -> Result<Terrain, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (columns, rows) = reader.info().size();
    if u64::from(columns) * u64::from(rows) > MAX_PIXELS {
        return Err(format!("an image of a terrain has at most {MAX_PIXELS} pixels, such as 2048x2048"));
    }
    let mut samples = vec![0; reader.output_buffer_size().ok_or("image is too large")?];
    let frame = reader.next_frame(&mut samples).map_err(|error| error.to_string())?;
    samples.truncate(frame.buffer_size());
    let size = if frame.bit_depth == png::BitDepth::Sixteen { 2 } else { 1 };
    let is_color = matches!(frame.color_type, png::ColorType::Rgb | png::ColorType::Rgba);
    // The mean of red, green and blue. Alpha has no effect.
    let colors = if is_color { 3 } else { 1 };
    let brightness = |sample: &[u8]| match *sample {
        [high, low] => f32::from(u16::from_be_bytes([high, low])) / f32::from(u16::MAX),
        [level] => f32::from(level) / f32::from(u8::MAX),
        _ => 0.0,
    };
    let pixels = samples.chunks_exact(frame.color_type.samples() * size);
    let height_of = |pixel: &[u8]| {
        let sum: f32 = pixel.chunks_exact(size).take(colors).map(brightness).sum();
        height * sum / colors as f32
    };
    let heights: Vec<f32> = pixels.map(height_of).collect();
    let cell = width / (columns.max(2) - 1) as f32;
    let origin = -0.5 * cell * Vec2::new((columns.max(1) - 1) as f32, (rows.max(1) - 1) as f32);
    Terrain::from_heights(heights, columns, rows, cell, origin).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a PNG file with two rows.
    fn image(columns: u32, color: png::ColorType, depth: png::BitDepth, samples: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, columns, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(samples).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn brightness_is_height() {
        use png::{BitDepth, ColorType};
        let fine = [0, 0, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1];
        let terrain = decode(&image(3, ColorType::Grayscale, BitDepth::Sixteen, &fine), 8.0, 6.0).unwrap();
        assert_eq!((terrain.size(), terrain.cell()), ((3, 2), 4.0));
        assert_eq!(terrain.origin(), Vec2::new(-4.0, -2.0));
        let [a, b, c, d, e, f] = terrain.heights() else { panic!("{:?}", terrain.heights()) };
        assert!((*a, *c, *d, *e) == (0.0, 6.0, 6.0, 0.0) && (b - 3.0).abs() < 1e-4);
        assert!(*f > 0.0 && *f < 1e-3);
        let color = [255, 0, 0, 9, 255, 255, 255, 9, 0, 0, 0, 9, 0, 255, 255, 9];
        let terrain = decode(&image(2, ColorType::Rgba, BitDepth::Eight, &color), 1.0, 3.0).unwrap();
        assert_eq!(terrain.heights(), [1.0, 3.0, 0.0, 2.0]);
    }

    #[test]
    fn invalid_images_are_refused() {
        assert!(decode(b"no image", 1.0, 1.0).is_err());
        let narrow = image(1, png::ColorType::Grayscale, png::BitDepth::Eight, &[1, 2]);
        assert!(decode(&narrow, 1.0, 1.0).unwrap_err().contains("at least 2 columns"));
        assert!(decode(&narrow[..40], 1.0, 1.0).is_err());
        assert_eq!(ground("hills.PNG"), Ok(Ground::Image("hills.PNG".into())));
        assert!(ground("valley").is_err());
    }
}
