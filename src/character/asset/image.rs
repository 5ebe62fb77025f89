//! Encoded images of a character.

use std::sync::Arc;

use crate::files::Progress;

use super::decode::{DecodedImage, EncodedImage, ImageError};

/// An encoded PNG, JPEG, WebP or KTX2 image. Its size is checked before any pixel is decoded.
#[derive(Clone, Debug)]
pub struct Image {
    /// Name in the file.
    pub name: Option<String>,
    /// The encoded data.
    pub bytes: Arc<[u8]>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Peak memory for the pixels during decoding, in bytes.
    decoded_bytes: u64,
}

impl Image {
    /// Reads only the header. The format is detected from the data, not from a name or MIME type.
    ///
    /// # Errors
    /// [`ImageError`] if the format is unknown, the data is damaged, or a side is longer than
    /// [`MAX_IMAGE_SIDE`](super::MAX_IMAGE_SIDE).
    pub fn new(name: Option<String>, bytes: Arc<[u8]>) -> Result<Self, ImageError> {
        let EncodedImage { width, height, decoded_bytes, .. } =
            EncodedImage::new(&bytes, &Progress::default())?;
        Ok(Self { name, bytes, width, height, decoded_bytes })
    }

    /// Returns the peak memory for the pixels while the image is decoded, in bytes: the RGBA result and any
    /// intermediate image.
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    /// Decodes the pixels.
    ///
    /// # Errors
    /// [`ImageError`] if the data is damaged or does not match the size in its header.
    pub fn decode(&self) -> Result<DecodedImage, ImageError> {
        self.decode_with(&Progress::default())
    }

    /// Does the same as [`Self::decode`], but can be stopped from another thread.
    ///
    /// # Errors
    /// Same as [`Self::decode`], or [`ImageError::Stopped`].
    pub fn decode_with(&self, progress: &Progress) -> Result<DecodedImage, ImageError> {
        progress.check()?;
        Ok(EncodedImage::new(&self.bytes, progress)?.decode()?)
    }
}
