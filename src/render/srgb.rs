//! The sRGB transfer function (IEC 61966-2-1) in both directions. All values are from 0 to 1.

/// Converts an sRGB value to linear light.
pub(crate) fn to_linear(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) }
}

/// Converts linear light to an sRGB value.
pub(super) fn from_linear(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}
