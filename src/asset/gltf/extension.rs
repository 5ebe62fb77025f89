//! Checks which extensions a file uses, and reads numbers from their JSON.

use gltf::json::Root;
use serde_json::Value;

use super::{ObjectError, Warnings};

/// Extensions that this loader supports. A file may require them.
const SUPPORTED: [&str; 8] = [
    "EXT_meshopt_compression",
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_texture_transform",
    "VRM",
    "VRMC_vrm",
];

/// Warns of each optional extension that is not supported.
///
/// # Errors
/// The name of the first required extension that is not supported.
pub(super) fn check(root: &Root, warnings: &mut Warnings) -> Result<(), String> {
    let unsupported = |names: &[String]| -> Vec<String> {
        names.iter().filter(|n| !SUPPORTED.contains(&n.as_str())).cloned().collect()
    };
    if let Some(name) = unsupported(&root.extensions_required).into_iter().next() {
        return Err(name);
    }
    for name in unsupported(&root.extensions_used) {
        warnings.push(&format!("extensionsUsed: {name} is not supported and is ignored"));
    }
    Ok(())
}

/// Reads a number in an extension's JSON. Returns `None` if it is missing or not a number. `at` is the path of `value`.
pub(super) fn number(value: &Value, key: &str, at: &str) -> Result<Option<f32>, ObjectError> {
    let Some(number) = value.get(key).and_then(Value::as_f64) else { return Ok(None) };
    single(number, &format!("{at}.{key}")).map(Some)
}

/// Converts a number to single precision. Fails if it is too large.
pub(super) fn single(number: f64, at: &str) -> Result<f32, ObjectError> {
    #[expect(clippy::cast_possible_truncation, reason = "glTF's numbers are single precision")]
    let single = number as f32;
    if single.is_finite() { Ok(single) } else { Err(ObjectError::new(at, "value is too large")) }
}

/// Reads an unsigned integer in an extension's JSON.
pub(super) fn index(value: &Value, key: &str) -> Option<usize> {
    value.get(key).and_then(Value::as_u64).and_then(|x| usize::try_from(x).ok())
}
