//! Encoded images of a character.

use std::sync::Arc;

use super::picture::{Encoded, Picture};

/// The longest side of an image that is decoded, pixels.
pub const MAX_IMAGE_SIDE: u32 = 16_384;
/// The most bytes that all images of a character may take decoded.
pub const MAX_IMAGES_BYTES: u64 = 1 << 30;

/// A PNG or JPEG image as the file has it. Its size is known and within bounds before any pixel is decoded.
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
    /// Bytes of pixels that decoding takes at once.
    decoded_bytes: u64,
}

impl Image {
    /// Reads the header alone. The format is found from the bytes, not from a name or MIME type.
    ///
    /// # Errors
    /// The reason as one line: not a PNG or JPEG image, damaged, or a side longer than [`MAX_IMAGE_SIDE`].
    pub fn new(name: Option<String>, bytes: Arc<[u8]>) -> Result<Self, String> {
        let Encoded { width, height, decoded_bytes, .. } = Encoded::new(&bytes)?;
        Ok(Self { name, bytes, width, height, decoded_bytes })
    }

    /// Bytes of pixels that decoding takes at once: the image as RGBA, and as the file has it where that differs.
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    /// Decodes the pixels.
    ///
    /// # Errors
    /// The reason as one line, where the bytes do not hold an image of the size in their header.
    pub fn decode(&self) -> Result<Picture, String> {
        Picture::decode(&self.bytes)
    }
}
