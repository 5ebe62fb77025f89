//! The numbers that rig files contain.

use toml_edit::{Array, Value};

/// Rounds to six decimals, which is readable and more precise than any joint needs. Numbers of 1e9 and more stay
/// unchanged.
pub(super) fn round(x: f64) -> f64 {
    if x.abs() < 1e9 { (x * 1e6).round() / 1e6 + 0.0 } else { x }
}

pub(super) fn list<const N: usize>(values: [f64; N]) -> Value {
    values.into_iter().map(round).collect::<Array>().into()
}
