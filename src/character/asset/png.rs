//! Encodes images as PNG.

use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use super::{DecodedImage, ImageError};

/// Whether an image file gets an alpha channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpha {
    /// Keeps the alpha channel of the image.
    Keep,
    /// Writes no alpha channel, so all pixels are opaque.
    Drop,
}

impl DecodedImage {
    /// Encodes the image as PNG. `alpha` can be the background of a rendered image. Only a transparent background keeps the alpha channel.
    ///
    /// ```
    /// use sinew_character::asset::{Alpha, DecodedImage};
    ///
    /// let image = DecodedImage { width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 255, 255] };
    /// let file = image.png(Alpha::Drop)?;
    /// assert_eq!(DecodedImage::decode(&file)?, image);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ImageError::Data`] if the number of bytes does not match the size.
    pub fn png(&self, alpha: impl Into<Alpha>) -> Result<Vec<u8>, ImageError> {
        let rgb;
        let (pixels, color) = if alpha.into() == Alpha::Keep {
            (&self.rgba, ColorType::Rgba)
        } else {
            rgb = self.rgb();
            (&rgb, ColorType::Rgb)
        };
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        let failed = |e: png::EncodingError| ImageError::Data { cause: format!("cannot encode PNG: {e}") };
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}
