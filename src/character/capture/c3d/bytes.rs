//! Numbers in C3D files, in the formats of three processors.

use super::C3dError;

/// The processor that wrote a file. It determines the number format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Processor {
    /// Little-endian, IEEE 754.
    Intel,
    /// Little-endian integers, and floating-point numbers of the VAX.
    Dec,
    /// Big-endian, IEEE 754.
    Mips,
}

impl Processor {
    /// Returns the processor for a code in the file.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        match code {
            84 => Some(Self::Intel),
            85 => Some(Self::Dec),
            86 => Some(Self::Mips),
            _ => None,
        }
    }

    /// Converts a 16-bit integer.
    pub(super) fn integer(self, bytes: [u8; 2]) -> i16 {
        match self {
            Self::Intel | Self::Dec => i16::from_le_bytes(bytes),
            Self::Mips => i16::from_be_bytes(bytes),
        }
    }

    /// Converts a 32-bit floating-point number.
    pub(super) fn float(self, bytes: [u8; 4]) -> f64 {
        match self {
            Self::Intel => f32::from_le_bytes(bytes).into(),
            Self::Mips => f32::from_be_bytes(bytes).into(),
            Self::Dec => vax_float(bytes),
        }
    }
}

/// Converts an F_floating number of the VAX: a sign, an exponent with a bias of 128, and the binary fraction 0.1f. The 16-bit
/// words are little-endian, and the high one comes first (VAX Architecture Reference Manual, 1987).
fn vax_float([a, b, c, d]: [u8; 4]) -> f64 {
    let bits = u32::from_le_bytes([c, d, a, b]);
    let exponent = (bits >> 23) & 0xFF;
    if exponent == 0 {
        return 0.0;
    }
    let fraction = f64::from(bits & 0x7F_FFFF) / f64::from(1 << 23);
    let magnitude = (1.0 + fraction) * f64::from(exponent).exp2() * 2.0_f64.powi(-129);
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

/// The bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    pub(super) all: &'a [u8],
    pub(super) processor: Processor,
}

impl<'a> Bytes<'a> {
    /// Returns `count` bytes, starting at a position.
    ///
    /// # Errors
    /// An error if the file is too short.
    pub(super) fn slice(&self, at: usize, count: usize) -> Result<&'a [u8], C3dError> {
        let end = at.checked_add(count);
        let bytes = end.and_then(|end| self.all.get(at..end));
        bytes.ok_or_else(|| {
            C3dError::at(format!("byte {at}"), "the file ends within the header or the parameters")
        })
    }

    pub(super) fn byte(&self, at: usize) -> Result<u8, C3dError> {
        Ok(self.slice(at, 1)?.first().copied().unwrap_or_default())
    }

    pub(super) fn integer(&self, at: usize) -> Result<i16, C3dError> {
        let bytes = self.slice(at, 2)?.first_chunk().copied().unwrap_or_default();
        Ok(self.processor.integer(bytes))
    }

    /// Reads an unsigned 16-bit integer.
    pub(super) fn count(&self, at: usize) -> Result<usize, C3dError> {
        Ok(usize::from(self.integer(at)?.cast_unsigned()))
    }

    pub(super) fn float(&self, at: usize) -> Result<f64, C3dError> {
        let bytes = self.slice(at, 4)?.first_chunk().copied().unwrap_or_default();
        Ok(self.processor.float(bytes))
    }
}
