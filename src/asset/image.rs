//! Encoded pictures, and the safe way to decode them.

use std::io::Cursor;
use std::sync::Arc;

use ::image::{ColorType, ImageDecoder, ImageReader, Limits, RgbaImage};

/// The longest side of an image that is decoded, pixels.
pub const MAX_IMAGE_SIDE: u32 = 16_384;
/// The most bytes that all images of a character may take decoded.
pub const MAX_IMAGES_BYTES: u64 = 1 << 30;

/// A PNG or JPEG picture as the file has it. Its size is known and within bounds before any pixel is decoded.
#[derive(Clone, Debug)]
pub struct Image {
    /// The file's name for it.
    pub name: Option<String>,
    /// Encoded bytes.
    pub bytes: Arc<[u8]>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Bytes that decoding takes at once.
    decoded_bytes: u64,
}

impl Image {
    /// Reads the header alone.
    ///
    /// # Errors
    /// A line that says why: not a PNG or JPEG picture, or a side longer than [`MAX_IMAGE_SIDE`].
    pub fn new(name: Option<String>, bytes: Arc<[u8]>) -> Result<Self, String> {
        let decoder = reader(&bytes)?.into_decoder().map_err(|e| e.to_string())?;
        let (width, height) = decoder.dimensions();
        if width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE {
            return Err(format!("{width}x{height} pixels (at most {MAX_IMAGE_SIDE} a side)"));
        }
        let pixels = u64::from(width) * u64::from(height);
        let rgba8 = decoder.color_type() == ColorType::Rgba8;
        // Any other format is decoded as it is, then turned into that one.
        let decoded_bytes = pixels * 4 + if rgba8 { 0 } else { decoder.total_bytes() };
        drop(decoder);
        Ok(Self { name, bytes, width, height, decoded_bytes })
    }

    /// Bytes that decoding takes at once: the picture as RGBA, and as the file has it where that differs.
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    /// The pixels as straight RGBA, row 0 on top.
    ///
    /// # Errors
    /// A line that says why the bytes hold no picture of the size that they announce.
    pub fn decode(&self) -> Result<RgbaImage, String> {
        let decoded = reader(&self.bytes)?.decode().map_err(|e| e.to_string())?;
        Ok(decoded.into_rgba8())
    }
}

/// A decoder that believes the bytes, not a name or MIME type, and refuses to allocate beyond the limits.
fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, String> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| e.to_string())?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_IMAGE_SIDE);
    limits.max_image_height = Some(MAX_IMAGE_SIDE);
    limits.max_alloc = Some(MAX_IMAGES_BYTES * 2);
    reader.limits(limits);
    Ok(reader)
}
