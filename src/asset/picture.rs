//! Decoded pixels, and how they come out of PNG and JPEG files.

use std::io::Cursor;

use png::Transformations;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::image::{MAX_IMAGE_SIDE, MAX_IMAGES_BYTES};

/// Pixels: straight RGBA, row 0 on top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Four bytes per pixel; colours as sRGB, data as it is.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// Decodes a PNG or JPEG file, whatever its name says.
    ///
    /// # Errors
    /// The reason as one line: unknown format, damaged data, or a side longer than [`MAX_IMAGE_SIDE`].
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        Encoded::new(bytes)?.decode()
    }

    /// The channels of all pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = [u8; 4]> {
        self.rgba.chunks_exact(4).filter_map(|pixel| pixel.first_chunk().copied())
    }

    /// The colours of all pixels, three bytes each, without alpha.
    pub fn rgb(&self) -> Vec<u8> {
        let (pixels, _) = self.rgba.as_chunks::<4>();
        let mut rgb = vec![0; pixels.len() * 3];
        for (color, [r, g, b, _]) in rgb.as_chunks_mut().0.iter_mut().zip(pixels) {
            *color = [*r, *g, *b];
        }
        rgb
    }

    /// The channels of one pixel, if the picture has it.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let inside = x < self.width && y < self.height;
        let start = (y as usize).checked_mul(self.width as usize)?.checked_add(x as usize)?.checked_mul(4)?;
        self.rgba.get(start..)?.first_chunk().copied().filter(|_| inside)
    }
}

/// A file whose header has been read. No pixel has been decoded.
pub(super) struct Encoded<'a> {
    format: Format<'a>,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bytes of pixels that decoding takes at once.
    pub(super) decoded_bytes: u64,
}

enum Format<'a> {
    Png(Box<png::Reader<Cursor<&'a [u8]>>>),
    Jpeg(Box<JpegDecoder<ZCursor<&'a [u8]>>>),
}

impl<'a> Encoded<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let encoded = match bytes {
            [0x89, b'P', b'N', b'G', ..] => Self::png(bytes)?,
            [0xff, 0xd8, 0xff, ..] => Self::jpeg(bytes)?,
            _ => return Err("not a PNG or JPEG image".into()),
        };
        let (width, height) = (encoded.width, encoded.height);
        if width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE {
            return Err(format!("{width}x{height} pixels (at most {MAX_IMAGE_SIDE} a side)"));
        }
        Ok(encoded)
    }

    fn png(bytes: &'a [u8]) -> Result<Self, String> {
        let limits = png::Limits { bytes: usize::try_from(MAX_IMAGES_BYTES * 2).unwrap_or(usize::MAX) };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(Transformations::EXPAND | Transformations::ALPHA);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().map_err(damaged)?;
        let (width, height) = reader.info().size();
        let pixels = u64::from(width) * u64::from(height);
        // What is not eight bits of RGBA is decoded as it is first.
        let first = match reader.output_color_type() {
            (png::ColorType::Rgba, png::BitDepth::Eight) => 0,
            _ => reader.output_buffer_size().map_or(u64::MAX, |bytes| bytes as u64),
        };
        let decoded_bytes = (pixels * 4).saturating_add(first);
        Ok(Self { format: Format::Png(Box::new(reader)), width, height, decoded_bytes })
    }

    fn jpeg(bytes: &'a [u8]) -> Result<Self, String> {
        // Longer sides are refused by the caller, with the words that it has for every format.
        let side = usize::from(u16::MAX);
        let options = DecoderOptions::default()
            .set_strict_mode(false)
            .set_max_width(side)
            .set_max_height(side)
            .jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        decoder.decode_headers().map_err(damaged)?;
        let (width, height) = decoder.dimensions().ok_or("damaged: the image has no size")?;
        let side = |pixels: usize| u32::try_from(pixels).map_err(damaged);
        let (width, height) = (side(width)?, side(height)?);
        // As RGB, then with alpha: four inks to RGBA go wrong in zune-jpeg 0.5.
        let decoded_bytes = u64::from(width) * u64::from(height) * (3 + 4);
        Ok(Self { format: Format::Jpeg(Box::new(decoder)), width, height, decoded_bytes })
    }

    pub(super) fn decode(self) -> Result<Picture, String> {
        let (width, height) = (self.width, self.height);
        let size = usize::try_from(u64::from(width) * u64::from(height) * 4).map_err(damaged)?;
        let rgba = match self.format {
            Format::Jpeg(mut decoder) => opaque(&decoder.decode().map_err(damaged)?),
            Format::Png(mut reader) => {
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
            return Err(format!("damaged: {} bytes of pixels instead of {size}", rgba.len()));
        }
        Ok(Picture { width, height, rgba })
    }
}

/// The nearest eight bits of channels of sixteen.
fn rounded(wide: &[u8]) -> Vec<u8> {
    let nearest = |pair: &[u8; 2]| (u32::from(u16::from_be_bytes(*pair)) + 128) / 257;
    wide.as_chunks().0.iter().map(|pair| u8::try_from(nearest(pair)).unwrap_or(u8::MAX)).collect()
}

/// Grey with alpha as RGBA.
fn widened(grey: &[u8]) -> Vec<u8> {
    grey.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
}

/// RGB as RGBA.
fn opaque(rgb: &[u8]) -> Vec<u8> {
    rgb.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect()
}

fn damaged(cause: impl std::fmt::Display) -> String {
    format!("damaged: {cause}")
}
