//! Decodes buffer views of `EXT_meshopt_compression` and `KHR_meshopt_compression` with the reference library (feature `meshopt`).

#[cfg(feature = "meshopt")]
mod codec;

use serde_json::Value;

use crate::asset::gltf::{ObjectError, extension};

use super::Buffers;

/// Decodes a buffer view and returns its bytes and stride. Returns `None` if the view is not compressed, or if the library
/// was built without the feature `meshopt` and the file does not require the extension. Such a file has an uncompressed copy
/// of the view.
pub(in crate::asset::gltf) fn decode(
    buffers: &Buffers<'_>,
    view: usize,
) -> Result<Option<(Vec<u8>, usize)>, ObjectError> {
    let extensions = buffers.root().buffer_views.get(view).and_then(|v| v.extensions.as_ref());
    let names = ["KHR_meshopt_compression", "EXT_meshopt_compression"];
    let Some((name, value)) =
        extensions.and_then(|e| names.iter().find_map(|n| Some((*n, e.others.get(*n)?))))
    else {
        return Ok(None);
    };
    if cfg!(not(feature = "meshopt")) && !buffers.root().extensions_required.iter().any(|e| e == name) {
        return Ok(None);
    }
    let at = format!("bufferViews[{view}].extensions.{name}");
    let field = |key: &str| {
        extension::index(value, key)
            .ok_or_else(|| ObjectError::new(&*at, format!("{key} is missing or not an unsigned integer")))
    };
    let (buffer, length, stride, count) =
        (field("buffer")?, field("byteLength")?, field("byteStride")?, field("count")?);
    let offset = extension::index(value, "byteOffset").unwrap_or(0);
    let encoded = buffers.slice(buffer, offset, length, &at)?;
    let size = count
        .checked_mul(stride)
        .ok_or_else(|| ObjectError::new(&*at, "count times byteStride overflows"))?;
    buffers.claim(size as u64, &at)?;
    let text = |key: &str, default| value.get(key).and_then(Value::as_str).unwrap_or(default);
    let bytes = codec::decode(encoded, count, stride, text("mode", ""), text("filter", "NONE"));
    bytes.map(|b| Some((b, stride))).map_err(|cause| ObjectError::new(at, cause))
}

#[cfg(not(feature = "meshopt"))]
mod codec {
    pub(super) fn decode(_: &[u8], _: usize, _: usize, _: &str, _: &str) -> Result<Vec<u8>, String> {
        Err("sinew was built without the feature meshopt".to_owned())
    }
}
