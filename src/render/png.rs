//! Encodes images as PNG.

use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use super::{Background, DecodedImage, RenderError};

impl DecodedImage {
    /// Encodes the image as PNG. It gets an alpha channel only if the background is transparent.
    ///
    /// ```
    /// use sinew::asset::DecodedImage;
    /// use sinew::render::Background;
    ///
    /// let image = DecodedImage { width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 255, 255] };
    /// let file = image.png(Background::BLACK)?;
    /// assert_eq!(DecodedImage::decode(&file)?, image);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError::Png`] if the number of bytes does not match the size.
    pub fn png(&self, background: Background) -> Result<Vec<u8>, RenderError> {
        let rgb;
        let (pixels, color) = if background == Background::Transparent {
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
        let failed = |e: png::EncodingError| RenderError::Png(e.to_string());
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}
