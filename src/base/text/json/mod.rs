//! Reads JSON, and writes JSON whose numbers are all finite.
//!
//! `serde_json` writes `null` for a number that is not finite, so the file cannot be read again. These functions return
//! an error with the number's path instead.

use std::io;

use serde::Serialize;

mod finite;

pub use finite::not_finite;

/// An error while writing JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// A number is infinite or NaN.
    #[error("{at} is not finite")]
    NotFinite {
        /// The number's path, for example `nodes[3].translation[0]`.
        at: String,
    },
    /// The value's `Serialize` implementation failed.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<JsonError> for io::Error {
    fn from(error: JsonError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error.to_string())
    }
}

/// Returns a value as JSON on one line.
///
/// # Errors
/// [`JsonError::NotFinite`] if a number is not finite. [`JsonError::Json`] if the value cannot be serialized.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, JsonError> {
    check(value)?;
    Ok(serde_json::to_vec(value)?)
}

/// Like [`to_vec`], but returns a string.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    check(value)?;
    Ok(serde_json::to_string(value)?)
}

/// Like [`to_vec`], but returns an indented string.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    check(value)?;
    Ok(serde_json::to_string_pretty(value)?)
}

/// Like [`to_vec`], but returns a tree of JSON values.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<serde_json::Value, JsonError> {
    check(value)?;
    Ok(serde_json::to_value(value)?)
}

/// Converts the JSON value to text and reads the result from that text. The program then contains only one deserializer
/// for a large type, not two.
///
/// # Errors
/// Returns a description of what is wrong with the value.
pub fn from_value<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> Result<T, String> {
    serde_json::from_slice(value.to_string().as_bytes()).map_err(|error| {
        let text = error.to_string();
        // Remove the position, because the user has not seen this text.
        let place = format!(" at line {} column {}", error.line(), error.column());
        text.strip_suffix(&place).unwrap_or(&text).to_owned()
    })
}

fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), JsonError> {
    not_finite(value).map_or(Ok(()), |at| Err(JsonError::NotFinite { at }))
}
