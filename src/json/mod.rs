//! JSON documents whose numbers are all finite.
//!
//! `serde_json` writes `null` for a number that is not finite, and the file cannot be read again. Documents are written
//! through these functions instead, which refuse such a number and say where it stands.

use std::io;

use serde::Serialize;

mod finite;

pub(crate) use finite::not_finite;

/// Why a document was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    /// A number to be written is infinite or NaN.
    #[error("{at} is not finite")]
    NotFinite {
        /// Its path, such as `nodes[3].translation[0]`.
        at: String,
    },
    /// The value refuses to be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<JsonError> for io::Error {
    fn from(error: JsonError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error.to_string())
    }
}

/// A value as JSON on one line.
///
/// # Errors
/// [`JsonError::NotFinite`] if a number in it is not finite; [`JsonError::Json`] if the value refuses.
pub(crate) fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, JsonError> {
    check(value)?;
    Ok(serde_json::to_vec(value)?)
}

/// As [`to_vec`], as text.
#[cfg(feature = "render")]
pub(crate) fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    check(value)?;
    Ok(serde_json::to_string(value)?)
}

/// As [`to_vec`], as text with indents.
#[cfg(feature = "viewer")]
pub(crate) fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    check(value)?;
    Ok(serde_json::to_string_pretty(value)?)
}

/// As [`to_vec`], as a tree of values.
#[cfg(feature = "render")]
pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<serde_json::Value, JsonError> {
    check(value)?;
    Ok(serde_json::to_value(value)?)
}

fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), JsonError> {
    not_finite(value).map_or(Ok(()), |at| Err(JsonError::NotFinite { at }))
}
