//! Reads and writes image files in tests.

use std::path::Path;

use sinew_character::asset::DecodedImage;

pub use png::ColorType;

/// Decodes a PNG or JPEG file.
pub fn open(path: &Path) -> DecodedImage {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    DecodedImage::decode(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Encodes pixels with eight bits per channel as PNG.
pub fn png(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Returns whether a PNG file stores alpha.
pub fn has_alpha(path: &Path) -> bool {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    reader.info().color_type == ColorType::Rgba
}

/// Access to the pixels of an image.
pub trait PixelAccess {
    /// Returns the width and height.
    fn size(&self) -> (u32, u32);
    /// Returns the pixel at a position. Panics outside the image.
    fn at(&self, x: u32, y: u32) -> [u8; 4];
    /// Returns the pixels of a rectangle, given by left, top, width and height.
    fn part(&self, part: [u32; 4]) -> Vec<[u8; 4]>;
}

impl PixelAccess for DecodedImage {
    fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixel(x, y).unwrap()
    }

    fn part(&self, [left, top, width, height]: [u32; 4]) -> Vec<[u8; 4]> {
        let rows = top..top + height;
        rows.flat_map(|y| (left..left + width).map(move |x| self.at(x, y))).collect()
    }
}
