//! Reads the data to which a file refers by URI. The data is embedded in the URI or stored in another file in the same
//! folder.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, alphabet};
use gltf::json::Root;
use percent_encoding::percent_decode_str;

use crate::asset::references::Folder;
use crate::files::{Progress, Stopped, bounded};
use crate::platform::fs;

/// Maximum size of a file in bytes, which is the largest 32-bit length of a GLB.
pub(super) const MAX_BYTES: u64 = u32::MAX as u64;

/// Number of base64 characters that are decoded at once, a multiple of 4.
const BASE64_PIECE: usize = 4 << 20;

/// The base64 decoder. It accepts data with or without padding at the end, because exporters differ in this.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads the bytes of a URI.
///
/// A file must be in a location that `folder` allows. Absolute paths and all schemes except `data:` are refused.
pub(super) fn read(uri: &str, folder: Option<Folder<'_>>, progress: &Progress) -> Result<Vec<u8>, String> {
    match uri.split_once(':') {
        Some((scheme, body)) if scheme.eq_ignore_ascii_case("data") => read_data(body, progress),
        _ => read_file(uri, folder, progress),
    }
}

fn read_data(body: &str, progress: &Progress) -> Result<Vec<u8>, String> {
    let (head, data) = body.split_once(',').ok_or("the data URI has no comma")?;
    if head.to_ascii_lowercase().ends_with(";base64") {
        decode_base64(data.trim().as_bytes(), progress)
    } else {
        Ok(percent_decode_str(data).collect())
    }
}

/// Decodes base64 in pieces. Decoding can be stopped between two pieces.
fn decode_base64(data: &[u8], progress: &Progress) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3 + 3);
    for (i, piece) in data.chunks(BASE64_PIECE).enumerate() {
        progress.check().map_err(|stopped: Stopped| stopped.to_string())?;
        let (before, start) = (bytes.len(), i * BASE64_PIECE);
        BASE64.decode_vec(piece, &mut bytes).map_err(|error| invalid_base64(error, start))?;
        // Only the last piece may be padded, and it is the only one that may be shorter.
        let is_last = start + piece.len() == data.len();
        if !is_last && bytes.len() - before != piece.len() / 4 * 3 {
            let padding = start + piece.len() - 1;
            return Err(invalid_base64(DecodeError::InvalidByte(padding, b'='), 0));
        }
    }
    Ok(bytes)
}

/// Describes an error whose position is counted from byte `start`.
fn invalid_base64(error: DecodeError, start: usize) -> String {
    let error = match error {
        DecodeError::InvalidByte(at, byte) => DecodeError::InvalidByte(start + at, byte),
        other => other,
    };
    format!("the data URI is not valid base64: {error}")
}

fn read_file(uri: &str, folder: Option<Folder<'_>>, progress: &Progress) -> Result<Vec<u8>, String> {
    let name = decode(uri)?;
    let folder = folder.ok_or_else(|| format!("\"{uri}\" is another file, but the asset has no folder"))?;
    let path = folder.find(&name).map_err(|e| e.to_string())?;
    bounded::read_regular_with(&path, MAX_BYTES, progress).map_err(|e| format!("\"{name}\": {e}"))
}

/// Returns the paths of the files that an asset references, without duplicates. Paths that `folder` does not allow are left out.
pub(super) fn files(root: &Root, folder: Option<Folder<'_>>) -> Vec<PathBuf> {
    let Some(folder) = folder else { return Vec::new() };
    let uris = root.buffers.iter().map(|b| &b.uri).chain(root.images.iter().map(|i| &i.uri)).flatten();
    // Data URIs and all other URIs with a scheme are not paths.
    let path = |uri: &String| {
        let name = decode(uri).ok()?;
        folder.find(&name).or_else(|_| folder.path(&name)).ok()
    };
    let paths: BTreeSet<PathBuf> = uris.filter_map(path).collect();
    paths.into_iter().collect()
}

/// Returns the total size of the existing files that an asset references.
pub(super) fn sizes(root: &Root, folder: Option<Folder<'_>>) -> u64 {
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    files(root, folder).iter().map(size).fold(0, u64::saturating_add)
}

/// Decodes a URI that is a relative path.
fn decode(uri: &str) -> Result<Cow<'_, str>, String> {
    // RFC 3986: a colon before the first slash marks a scheme.
    if uri.split(['/', '\\']).next().is_some_and(|first| first.contains(':')) {
        return Err(format!("\"{uri}\" is not supported (only data: URIs and relative paths)"));
    }
    percent_decode_str(uri).decode_utf8().map_err(|_| format!("\"{uri}\" is not UTF-8"))
}
