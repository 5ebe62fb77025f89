//! The parameters of C3D files.

use std::collections::BTreeMap;

use super::C3dError;
use super::bytes::Bytes;

/// Size of a block in bytes.
pub(super) const BLOCK: usize = 512;

/// A parameter: an array of characters or numbers.
#[derive(Debug)]
struct Parameter<'a> {
    /// Type of the values: −1 for characters, otherwise the size of a number in bytes.
    kind: i8,
    dimensions: &'a [u8],
    data: &'a [u8],
}

/// The parameters of a file, by group name and parameter name in upper case.
#[derive(Debug)]
pub(super) struct Parameters<'a> {
    bytes: Bytes<'a>,
    by_name: BTreeMap<(String, String), Parameter<'a>>,
}

impl<'a> Parameters<'a> {
    /// Reads the parameter section, which starts at byte `start`.
    ///
    /// # Errors
    /// An error if a parameter does not fit into the file.
    pub(super) fn read(bytes: Bytes<'a>, start: usize) -> Result<Self, C3dError> {
        let (mut groups, mut all) = (BTreeMap::new(), Vec::new());
        // The section starts with two unused bytes, the number of its blocks, and the processor.
        let mut at = start.saturating_add(4);
        loop {
            let (length, id) = (bytes.byte(at)?.cast_signed(), bytes.byte(at + 1)?.cast_signed());
            // The length of the name is negative if the parameter is locked. An empty name ends the section.
            let length = usize::from(length.unsigned_abs());
            if length == 0 || id == 0 {
                break;
            }
            let name = text(bytes.slice(at + 2, length)?).to_uppercase();
            let link = at + 2 + length;
            let next = bytes.count(link)?;
            if id < 0 {
                groups.insert(id.unsigned_abs(), name);
            } else {
                all.push((id.unsigned_abs(), name, parameter(&bytes, link + 2)?));
            }
            if next < 2 {
                break;
            }
            at = link + next;
        }
        let named = |(id, name, parameter)| Some(((groups.get(&id)?.clone(), name), parameter));
        Ok(Self { bytes, by_name: all.into_iter().filter_map(named).collect() })
    }

    fn get(&self, name: &str) -> Option<&Parameter<'a>> {
        self.by_name.get(&("POINT".to_owned(), name.to_owned()))
    }

    /// Returns the first number of a parameter of the group `POINT`.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let (parameter, processor) = (self.get(name)?, self.bytes.processor);
        match parameter.kind {
            1 => Some(f64::from(parameter.data.first()?.cast_signed())),
            2 => Some(processor.integer(*parameter.data.first_chunk()?).into()),
            4 => Some(processor.float(*parameter.data.first_chunk()?)),
            _ => None,
        }
    }

    /// Returns a parameter of the group `POINT` that is an unsigned 16-bit integer.
    pub(super) fn count(&self, name: &str) -> Option<usize> {
        let parameter = self.get(name).filter(|parameter| parameter.kind == 2)?;
        Some(usize::from(self.bytes.processor.integer(*parameter.data.first_chunk()?).cast_unsigned()))
    }

    /// Returns the frame number of a parameter of the group `TRIAL`, two 16-bit words with the low one first.
    pub(super) fn trial_frame(&self, name: &str) -> Option<usize> {
        let parameter = self.by_name.get(&("TRIAL".to_owned(), name.to_owned()))?;
        let [low, high] = parameter.data.as_chunks().0 else { return None };
        let word = |bytes: &[u8; 2]| u32::from(self.bytes.processor.integer(*bytes).cast_unsigned());
        usize::try_from(word(low) | (word(high) << 16)).ok()
    }

    /// Returns the texts of a parameter of the group `POINT`, with spaces trimmed.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = String> + use<'a> {
        let parameter = self.get(name).filter(|parameter| parameter.kind == -1);
        let length = parameter.and_then(|p| p.dimensions.first()).map_or(1, |length| usize::from(*length));
        let data = parameter.map_or(&[][..], |parameter| parameter.data);
        data.chunks(length.max(1)).take(if length == 0 { 0 } else { usize::MAX }).map(text)
    }
}

/// Reads the part of a parameter that follows its name and the offset of the next parameter.
fn parameter<'a>(bytes: &Bytes<'a>, at: usize) -> Result<Parameter<'a>, C3dError> {
    let kind = bytes.byte(at)?.cast_signed();
    let dimensions = bytes.slice(at + 2, usize::from(bytes.byte(at + 1)?))?;
    let size = dimensions.iter().try_fold(usize::from(kind.unsigned_abs()), |size, count| {
        size.checked_mul(usize::from(*count)).filter(|size| *size <= bytes.all.len())
    });
    let size =
        size.ok_or_else(|| C3dError::at(format!("byte {at}"), "a parameter is larger than the file"))?;
    Ok(Parameter { kind, dimensions, data: bytes.slice(at + 2 + dimensions.len(), size)? })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()
}
