//! Checks which extensions a file uses, and reads numbers from their JSON.

#[cfg(test)]
// The test files include compressed files.
#[cfg(feature = "meshopt")]
mod tests;

use std::collections::BTreeSet;

use gltf::json::Root;
use serde_json::Value;

use crate::asset::support::{Concern, Extension, Support};

use super::{ObjectError, Warnings};

/// Adds warnings about extensions that are not supported.
///
/// # Errors
/// The name of the first required extension without which the geometry would be wrong.
pub(super) fn check(root: &Root, warnings: &mut Warnings) -> Result<(), String> {
    for name in &root.extensions_required {
        match Extension::find(name) {
            None | Some(Extension { support: Support::Refused, .. }) => return Err(name.clone()),
            Some(Extension { support: Support::Ignored, concern: Concern::Look, .. }) => warnings
                .push(&format!("extensionsRequired: {name} is not supported, so the model looks different")),
            Some(Extension { support: Support::Ignored, .. }) => {
                warnings.push(&format!("extensionsRequired: {name} is not supported and is ignored"));
            }
            Some(_) => {}
        }
    }
    let required: BTreeSet<&String> = root.extensions_required.iter().collect();
    for name in root.extensions_used.iter().filter(|name| !required.contains(name)) {
        let is_supported = |e: &Extension| matches!(e.support, Support::Drawn | Support::Read);
        if !Extension::find(name).is_some_and(|e| is_supported(&e)) {
            warnings.push(&format!("extensionsUsed: {name} is not supported and is ignored"));
        }
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
