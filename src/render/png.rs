//! Pictures as files.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

use super::{Background, Picture, RenderError};

impl Picture {
    /// The picture as PNG: with alpha only where the background is transparent.
    ///
    /// # Errors
    /// [`RenderError::Png`] for a picture whose bytes are not those of its size.
    pub fn png(&self, background: Background) -> Result<Vec<u8>, RenderError> {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive);
        let mut rgb = Vec::new();
        let (pixels, kind) = if background == Background::Transparent {
            (&self.rgba, ExtendedColorType::Rgba8)
        } else {
            rgb.extend(self.rgba.chunks_exact(4).flat_map(|p| p.iter().take(3)));
            (&rgb, ExtendedColorType::Rgb8)
        };
        // The encoder panics where the bytes are not those of the size.
        let wanted = u64::from(self.width)
            * u64::from(self.height)
            * if kind == ExtendedColorType::Rgba8 { 4 } else { 3 };
        if u64::try_from(pixels.len()) != Ok(wanted) {
            return Err(RenderError::Png(format!("{} bytes instead of {wanted}", pixels.len())));
        }
        encoder
            .write_image(pixels, self.width, self.height, kind)
            .map_err(|e| RenderError::Png(e.to_string()))?;
        Ok(bytes)
    }
}
