//! Text that people and other programs read: printable names, TOML with line numbers, JSON without NaN.

pub(crate) mod json;
pub(crate) mod printable;
pub(crate) mod toml;
