//! Reads the size of the image inside a WebP file.

/// Returns the width and height of the first coded image in a file that is not animated. The header of an extended file
/// may give a different size, which is invalid.
pub(super) fn coded_size(file: &[u8]) -> Option<(u32, u32)> {
    let mut at = 12_usize;
    loop {
        let kind = file.get(at..at.checked_add(4)?)?;
        let size: [u8; 4] = file.get(at + 4..at + 8)?.try_into().ok()?;
        let size = usize::try_from(u32::from_le_bytes(size)).ok()?;
        let data = file.get(at + 8..)?;
        match kind {
            b"VP8 " => return lossy(data),
            b"VP8L" => return lossless(data),
            _ => at = at.checked_add(8)?.checked_add(size.checked_next_multiple_of(2)?)?,
        }
    }
}

/// Reads the header of a lossy image: a tag of 3 bytes, a start code of 3 bytes, and two sizes of 14 bits with a scale.
fn lossy(data: &[u8]) -> Option<(u32, u32)> {
    let &[a, b, c, d] = data.get(6..)?.first_chunk()?;
    let side = |bytes| u32::from(u16::from_le_bytes(bytes) & 0x3fff);
    Some((side([a, b]), side([c, d])))
}

/// Reads the header of a lossless image: a signature, and two 14-bit sizes minus one.
fn lossless(data: &[u8]) -> Option<(u32, u32)> {
    let bits = u32::from_le_bytes(*data.get(1..)?.first_chunk()?);
    Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
}
