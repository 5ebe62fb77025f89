//! Where a file's other bytes are: data URIs, and files in its own folder.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json::Root;
use percent_encoding::percent_decode_str;

use crate::bounded;

/// The length of a GLB is a number of 32 bits; no other file of an asset is larger.
pub(super) const MAX_BYTES: u64 = u32::MAX as u64;

/// Exporters differ about the padding at the end; nothing depends on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes behind a URI.
///
/// A file must lie in `folder` or below it, also after links are followed. Absolute paths and any scheme but `data:`
/// are refused.
pub(super) fn read(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    match uri.split_once(':') {
        Some((scheme, body)) if scheme.eq_ignore_ascii_case("data") => read_data(body),
        _ => read_file(uri, folder),
    }
}

fn read_data(body: &str) -> Result<Vec<u8>, String> {
    let (head, data) = body.split_once(',').ok_or("the data URI has no comma")?;
    if head.to_ascii_lowercase().ends_with(";base64") {
        BASE64.decode(data.trim()).map_err(|e| format!("the data URI is not base64: {e}"))
    } else {
        Ok(percent_decode_str(data).collect())
    }
}

fn read_file(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    let path = relative_path(uri)?;
    let folder =
        folder.ok_or_else(|| format!("\"{uri}\" is another file, and there is no folder to find it in"))?;
    let full = folder.join(&path);
    let named = |e: io::Error| format!("\"{}\": {e}", path.display());
    let inside = full.canonicalize().map_err(named)?.starts_with(folder.canonicalize().map_err(named)?);
    if !inside {
        return Err(format!("\"{uri}\" leaves the folder of the asset"));
    }
    bounded::read_regular(&full, MAX_BYTES).map_err(named)
}

/// The files that an asset names and that may be read, each once.
pub(super) fn files(root: &Root, folder: Option<&Path>) -> Vec<PathBuf> {
    let Some(folder) = folder else { return Vec::new() };
    let uris = root.buffers.iter().map(|b| &b.uri).chain(root.images.iter().map(|i| &i.uri)).flatten();
    // Data and whatever else has a scheme is no path.
    let paths: BTreeSet<PathBuf> = uris.filter_map(|uri| relative_path(uri).ok()).collect();
    paths.into_iter().map(|path| folder.join(path)).collect()
}

/// A relative URI as a path that stays below where it starts.
fn relative_path(uri: &str) -> Result<PathBuf, String> {
    let decoded = percent_decode_str(uri).decode_utf8().map_err(|_| format!("\"{uri}\" is not UTF-8"))?;
    if decoded.contains(['\0', '\\']) {
        return Err(format!("\"{uri}\" is not a relative path"));
    }
    // RFC 3986: a colon before the first slash makes a scheme.
    if decoded.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err(format!(
            "\"{uri}\" is not a file in the folder of the asset (only data: and relative paths)"
        ));
    }
    let mut path = PathBuf::new();
    for component in Path::new(decoded.as_ref()).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            _ => return Err(format!("\"{uri}\" leaves the folder of the asset")),
        }
    }
    if path.as_os_str().is_empty() {
        return Err(format!("\"{uri}\" names no file"));
    }
    Ok(path)
}
