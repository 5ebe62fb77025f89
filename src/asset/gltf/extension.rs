//! Which extensions are understood.

use gltf::json::Root;
use serde_json::Value;

use super::{Fault, Warnings};

/// What this loader supports, and so may be required.
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

/// The first required extension that is not supported is the error; optional ones are warnings.
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

/// A number in an extension's JSON, in single precision; `None` where there is none. `at`: where `value` is.
pub(super) fn number(value: &Value, key: &str, at: &str) -> Result<Option<f32>, Fault> {
    let Some(number) = value.get(key).and_then(Value::as_f64) else { return Ok(None) };
    single(number, &format!("{at}.{key}")).map(Some)
}

/// A number in single precision.
pub(super) fn single(number: f64, at: &str) -> Result<f32, Fault> {
    #[expect(clippy::cast_possible_truncation, reason = "glTF's numbers are single precision")]
    let single = number as f32;
    if single.is_finite() { Ok(single) } else { Err(Fault::new(at, "value is too large")) }
}

/// An unsigned number in an extension's JSON.
pub(super) fn index(value: &Value, key: &str) -> Option<usize> {
    value.get(key).and_then(Value::as_u64).and_then(|x| usize::try_from(x).ok())
}
