//! Decodes PNG, JPEG, WebP and KTX2 images.

use image_webp::WebPDecoder;
use png::Transformations;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::files::{Progress, Stopped};

use super::stoppable::StoppableBytes;
use super::{ktx2, webp};

/// Maximum total size of all decoded images of a character, in bytes.
pub const MAX_IMAGES_BYTES: u64 = 1 << 30;

/// Maximum width and height of an image that is decoded, in pixels.
pub const MAX_IMAGE_SIDE: u32 = 16_384;

/// The reason why an image could not be decoded. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The data is not in a supported format.
    #[error("not a PNG, JPEG, WebP or KTX2 image")]
    Format,
    /// The width or the height exceeds [`MAX_IMAGE_SIDE`].
    #[error("image size {width}x{height} exceeds {MAX_IMAGE_SIDE} pixels per side")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The data is damaged or of an unsupported kind.
    #[error("{cause}")]
    Data {
        /// What is wrong with the data.
        cause: String,
    },
    /// Decoding was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<String> for ImageError {
    fn from(cause: String) -> Self {
        Self::Data { cause }
    }
}

/// A decoded image with straight alpha, top row first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodedImage {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Four bytes per pixel. Colours are sRGB-encoded. Other data, such as normals, is unchanged.
    pub rgba: Vec<u8>,
}

impl DecodedImage {
    /// Decodes a PNG, JPEG, WebP or KTX2 file, regardless of its name.
    ///
    /// ```
    /// use sinew_character::asset::{DecodedImage, ImageError};
    ///
    /// # std::env::set_current_dir("../..")?;
    /// let image = DecodedImage::decode(&std::fs::read("docs/cast/arm.png")?)?;
    /// assert_eq!(image.rgba.len(), 4 * image.width as usize * image.height as usize);
    /// assert_eq!(image.pixel(0, 0).map(|[.., alpha]| alpha), Some(255));
    /// assert!(matches!(DecodedImage::decode(b"no image"), Err(ImageError::Format)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ImageError`] if the format is unknown, the data is damaged, or a side is longer than [`MAX_IMAGE_SIDE`].
    pub fn decode(bytes: &[u8]) -> Result<Self, ImageError> {
        Ok(EncodedImage::new(bytes, &Progress::default())?.decode()?)
    }

    /// Iterates over the RGBA channels of all pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = [u8; 4]> {
        self.rgba.chunks_exact(4).filter_map(|pixel| pixel.first_chunk().copied())
    }

    /// Returns the colours of all pixels, three bytes each, without alpha.
    pub fn rgb(&self) -> Vec<u8> {
        let (pixels, _) = self.rgba.as_chunks::<4>();
        let mut rgb = vec![0; pixels.len() * 3];
        for (color, [r, g, b, _]) in rgb.as_chunks_mut().0.iter_mut().zip(pixels) {
            *color = [*r, *g, *b];
        }
        rgb
    }

    /// Returns the RGBA channels of a pixel, or `None` outside the image.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let inside = x < self.width && y < self.height;
        let start = (y as usize).checked_mul(self.width as usize)?.checked_add(x as usize)?.checked_mul(4)?;
        self.rgba.get(start..)?.first_chunk().copied().filter(|_| inside)
    }
}

/// An encoded image whose header has been read.
pub(super) struct EncodedImage<'a> {
    decoder: ImageDecoder<'a>,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Peak memory for the pixels during decoding, in bytes.
    pub(super) decoded_bytes: u64,
}

enum ImageDecoder<'a> {
    Png(Box<png::Reader<StoppableBytes<'a>>>),
    Jpeg(Box<JpegDecoder<ZCursor<&'a [u8]>>>),
    Webp(Box<WebPDecoder<StoppableBytes<'a>>>),
    Ktx2(&'a [u8]),
}

/// Number of pixels above which the size in a JPEG header is checked, because decoding a wrong size may take seconds. Smaller images are
/// decoded as far as possible.
const UNCHECKED_PIXELS: u64 = 1 << 24;
/// Upper bound of the number of pixels per byte of a JPEG. The first scan has at least one bit for each block of 8x8 pixels.
const JPEG_PIXELS_PER_BYTE: u64 = 1024;

impl<'a> EncodedImage<'a> {
    /// Reads the header. `progress` stops the decoding of a PNG or WebP. The decoding of other formats cannot be stopped.
    pub(super) fn new(bytes: &'a [u8], progress: &Progress) -> Result<Self, ImageError> {
        let encoded = match bytes {
            [0x89, b'P', b'N', b'G', ..] => Self::png(bytes, progress)?,
            [0xff, 0xd8, 0xff, ..] => Self::jpeg(bytes)?,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::webp(bytes, progress)?,
            _ if bytes.starts_with(&ktx2::IDENTIFIER) => Self::ktx2(bytes)?,
            _ => return Err(ImageError::Format),
        };
        let (width, height) = (encoded.width, encoded.height);
        if width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE {
            return Err(ImageError::TooLarge { width, height });
        }
        Ok(encoded)
    }

    fn png(bytes: &'a [u8], progress: &Progress) -> Result<Self, String> {
        let limits = png::Limits { bytes: usize::try_from(MAX_IMAGES_BYTES * 2).unwrap_or(usize::MAX) };
        let mut decoder = png::Decoder::new_with_limits(StoppableBytes::new(bytes, progress), limits);
        decoder.set_transformations(Transformations::EXPAND | Transformations::ALPHA);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().map_err(damaged)?;
        let (width, height) = reader.info().size();
        let pixels = u64::from(width) * u64::from(height);
        // Every format except 8-bit RGBA is decoded to an intermediate buffer first.
        let first = match reader.output_color_type() {
            (png::ColorType::Rgba, png::BitDepth::Eight) => 0,
            _ => reader.output_buffer_size().map_or(u64::MAX, |bytes| bytes as u64),
        };
        let decoded_bytes = (pixels * 4).saturating_add(first);
        Ok(Self { decoder: ImageDecoder::Png(Box::new(reader)), width, height, decoded_bytes })
    }

    fn jpeg(bytes: &'a [u8]) -> Result<Self, String> {
        // The decoder accepts every size here, because the caller refuses large images with the same message for every format.
        let side = usize::from(u16::MAX);
        let options = DecoderOptions::default()
            .set_strict_mode(false)
            .set_max_width(side)
            .set_max_height(side)
            .jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        decoder.decode_headers().map_err(damaged)?;
        let (width, height) = decoder.dimensions().ok_or("damaged: the image size is missing")?;
        let side = |pixels: usize| u32::try_from(pixels).map_err(damaged);
        let (width, height) = (side(width)?, side(height)?);
        // The image is decoded as RGB and alpha is added afterwards, because zune-jpeg 0.5 converts CMYK to RGBA
        // incorrectly.
        let pixels = u64::from(width) * u64::from(height);
        if pixels > UNCHECKED_PIXELS && pixels / JPEG_PIXELS_PER_BYTE > bytes.len() as u64 {
            return Err(format!("damaged: {} bytes cannot contain {width}x{height} pixels", bytes.len()));
        }
        let decoded_bytes = pixels * (3 + 4);
        Ok(Self { decoder: ImageDecoder::Jpeg(Box::new(decoder)), width, height, decoded_bytes })
    }

    fn webp(bytes: &'a [u8], progress: &Progress) -> Result<Self, String> {
        // The planes of a lossy image, the alpha channel, and two results of up to 4 bytes per pixel.
        const BYTES_PER_PIXEL: u64 = 12;
        let decoder = WebPDecoder::new(StoppableBytes::new(bytes, progress)).map_err(damaged)?;
        if decoder.is_animated() {
            return Err("animated WebP images are not supported".into());
        }
        let (width, height) = decoder.dimensions();
        // The decoder allocates the image inside an extended file before it compares the image's size with the header's.
        if webp::coded_size(bytes).is_none_or(|size| size != (width, height)) {
            return Err("damaged: the image and the file have different sizes".into());
        }
        let decoded_bytes = u64::from(width) * u64::from(height) * BYTES_PER_PIXEL;
        Ok(Self { decoder: ImageDecoder::Webp(Box::new(decoder)), width, height, decoded_bytes })
    }

    fn ktx2(bytes: &'a [u8]) -> Result<Self, String> {
        let ktx2::Header { width, height, decoded_bytes } = ktx2::header(bytes)?;
        Ok(Self { decoder: ImageDecoder::Ktx2(bytes), width, height, decoded_bytes })
    }

    pub(super) fn decode(self) -> Result<DecodedImage, String> {
        let (width, height) = (self.width, self.height);
        let size = usize::try_from(u64::from(width) * u64::from(height) * 4).map_err(damaged)?;
        let rgba = match self.decoder {
            ImageDecoder::Jpeg(mut decoder) => opaque(&decoder.decode().map_err(damaged)?),
            ImageDecoder::Ktx2(bytes) => ktx2::decode(bytes)?,
            ImageDecoder::Webp(mut decoder) => {
                let mut decoded = vec![0; decoder.output_buffer_size().ok_or("too large to decode")?];
                decoder.read_image(&mut decoded).map_err(damaged)?;
                if decoder.has_alpha() { decoded } else { opaque(&decoded) }
            }
            ImageDecoder::Png(mut reader) => {
                let mut decoded = vec![0; reader.output_buffer_size().ok_or("too large to decode")?];
                let frame = reader.next_frame(&mut decoded).map_err(damaged)?;
                decoded.truncate(frame.buffer_size());
                if frame.bit_depth == png::BitDepth::Sixteen {
                    decoded = rounded(&decoded);
                }
                if frame.color_type == png::ColorType::GrayscaleAlpha { widened(&decoded) } else { decoded }
            }
        };
        if rgba.len() != size {
            return Err(format!("damaged: decoded to {} bytes instead of {size}", rgba.len()));
        }
        Ok(DecodedImage { width, height, rgba })
    }
}

/// Rounds 16-bit channels to the nearest 8-bit value.
fn rounded(channels: &[u8]) -> Vec<u8> {
    let nearest = |pair: &[u8; 2]| (u32::from(u16::from_be_bytes(*pair)) + 128) / 257;
    channels.as_chunks().0.iter().map(|pair| u8::try_from(nearest(pair)).unwrap_or(u8::MAX)).collect()
}

/// Converts grey with alpha to RGBA.
fn widened(grey: &[u8]) -> Vec<u8> {
    grey.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
}

/// Converts RGB to opaque RGBA.
fn opaque(rgb: &[u8]) -> Vec<u8> {
    rgb.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect()
}

fn damaged(cause: impl std::fmt::Display) -> String {
    format!("damaged: {cause}")
}
