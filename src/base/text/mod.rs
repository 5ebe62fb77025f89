//! Text formats that several modules share.
//!
//! - `printable` escapes and shortens text from files, networks and drivers before it is shown.
//! - `toml` reads TOML files, with errors that name the line and the key.
//! - `json` writes JSON, and returns an error for a number that is not finite.
//! - `shell` quotes words of commands.

pub mod json;
pub mod printable;
pub mod shell;
pub mod toml;
