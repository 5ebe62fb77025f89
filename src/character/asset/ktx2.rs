//! Decodes KTX 2.0 files with the two encodings that `KHR_texture_basisu` allows: ETC1S and UASTC.
//!
//! The transcoder trusts the offsets and sizes in the header, so they are checked here first.

use basisu::{DecodeFlags, TargetFormat, Transcoder};

/// The first bytes of a KTX 2.0 file.
pub(super) const IDENTIFIER: [u8; 12] = *b"\xABKTX 20\xBB\r\n\x1A\n";
/// Maximum number of levels, from a side of [`super::MAX_IMAGE_SIDE`] pixels down to one pixel.
const MAX_LEVELS: u32 = 15;
/// Size of the fixed header. The level index follows it.
const HEADER_SIZE: usize = 80;
/// Size of an entry in the level index.
const LEVEL_SIZE: usize = 24;
/// Size of a UASTC block of 4 by 4 pixels, in bytes.
const BLOCK_SIZE: u64 = 16;
/// Maximum Zstandard window for small images. Every decoder must support this size.
const MIN_WINDOW: u64 = 8 << 20;
/// Bytes of the header that store the offset and the size of the key/value data.
const KEY_VALUE_DATA: std::ops::Range<usize> = 56..64;
/// Supercompression schemes.
const BASIS_LZ: u32 = 1;
const ZSTANDARD: u32 = 2;
/// Colour models of the data format descriptor.
const ETC1S: u8 = 163;
const UASTC: u8 = 166;

/// Information from the header about the largest level.
pub(super) struct Header {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Peak memory during decoding, in bytes.
    pub(super) decoded_bytes: u64,
}

/// Reads and checks the header.
pub(super) fn header(file: &[u8]) -> Result<Header, String> {
    read_header(file).ok_or("damaged: a field of the KTX header is missing")?
}

/// Returns `None` if the header is truncated.
fn read_header(file: &[u8]) -> Option<Result<Header, String>> {
    let unsupported = |what: String| Some(Err(format!("KTX2: {what} is not supported")));
    let (width, height) = (u32_at(file, 20)?, u32_at(file, 24)?);
    let (depth, layers, faces) = (u32_at(file, 28)?, u32_at(file, 32)?, u32_at(file, 36)?);
    let (levels, scheme) = (u32_at(file, 40)?, u32_at(file, 44)?);
    if width == 0 || height == 0 || depth != 0 || layers > 1 || faces != 1 {
        return unsupported("an image that is not a single two-dimensional one".into());
    }
    if levels == 0 || levels > MAX_LEVELS {
        return unsupported(format!("a number of {levels} levels"));
    }
    let descriptor = u32_at(file, 48)? as usize;
    let model = *file.get(descriptor.checked_add(12)?)?;
    if u32_at(file, 12)? != 0 || !matches!((model, scheme), (ETC1S, BASIS_LZ) | (UASTC, 0 | ZSTANDARD)) {
        return unsupported(format!("colour model {model} with supercompression {scheme}"));
    }
    if !ranges(file, levels)?.iter().all(|(start, size)| is_inside(file, *start, *size)) {
        return Some(Err("damaged: a part of the KTX file is outside the file".into()));
    }
    // The caller refuses large images. Products must not overflow before that check.
    let blocks = u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4));
    let blocks_size = blocks.saturating_mul(BLOCK_SIZE);
    let window = match scheme {
        ZSTANDARD => match check_zstandard(file, blocks_size)? {
            Ok(window) => window,
            Err(cause) => return Some(Err(cause)),
        },
        _ => 0,
    };
    // This counts the pixels, the blocks, and a record for each block.
    let pixels = u64::from(width).saturating_mul(u64::from(height));
    let decoded_bytes = [pixels.saturating_mul(4), blocks_size.saturating_mul(2), window, file.len() as u64]
        .into_iter()
        .fold(0, u64::saturating_add);
    Some(Ok(Header { width, height, decoded_bytes }))
}

/// Returns the offsets and sizes of all parts of a file.
fn ranges(file: &[u8], levels: u32) -> Option<Vec<(u64, u64)>> {
    let mut ranges = vec![
        (u32_at(file, 48)?.into(), u32_at(file, 52)?.into()),
        (u32_at(file, 56)?.into(), u32_at(file, 60)?.into()),
        (u64_at(file, 64)?, u64_at(file, 72)?),
    ];
    for level in 0..levels as usize {
        let at = HEADER_SIZE + level * LEVEL_SIZE;
        ranges.push((u64_at(file, at)?, u64_at(file, at + 8)?));
    }
    Some(ranges)
}

fn is_inside(file: &[u8], start: u64, size: u64) -> bool {
    start.checked_add(size).is_some_and(|end| end <= file.len() as u64)
}

/// Checks the size of the largest level, and returns the size of the window that is needed to decompress it.
fn check_zstandard(file: &[u8], size: u64) -> Option<Result<u64, String>> {
    let declared = u64_at(file, HEADER_SIZE + 16)?;
    if declared != size {
        return Some(Err(format!("damaged: the level has {declared} bytes instead of {size}")));
    }
    let level = file.get(usize::try_from(u64_at(file, HEADER_SIZE)?).ok()?..)?;
    let window = window(level)?;
    let maximum = size.max(MIN_WINDOW);
    Some(if window <= maximum {
        Ok(window)
    } else {
        Err(format!("damaged: a window of {window} bytes is too large"))
    })
}

/// Returns the size of the window of a Zstandard frame (RFC 8878, section 3.1.1.1).
fn window(frame: &[u8]) -> Option<u64> {
    let descriptor = *frame.get(4)?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let byte = u64::from(*frame.get(5)?);
        let base = 1_u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * (byte & 7));
    }
    let dictionary_size = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = frame.get(5 + dictionary_size..)?;
    Some(match descriptor >> 6 {
        0 => u64::from(*content.first()?),
        1 => u64::from(u16::from_le_bytes(*content.first_chunk()?)) + 256,
        2 => u64::from(u32::from_le_bytes(*content.first_chunk()?)),
        _ => u64::from_le_bytes(*content.first_chunk()?),
    })
}

/// Decodes the largest level to RGBA.
pub(super) fn decode(file: &[u8]) -> Result<Vec<u8>, String> {
    header(file)?;
    let damaged = |error: basisu::Error| format!("damaged: {error:?}");
    // Version 0.1.0 of the transcoder panics if the last entry of the key/value data is too short. The data is not
    // needed, so it is left out.
    let mut file = file.to_vec();
    if let Some(range) = file.get_mut(KEY_VALUE_DATA) {
        range.fill(0);
    }
    let transcoder = Transcoder::new(&file).map_err(damaged)?;
    transcoder.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(damaged)
}

fn u32_at(file: &[u8], at: usize) -> Option<u32> {
    file.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(file: &[u8], at: usize) -> Option<u64> {
    file.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
