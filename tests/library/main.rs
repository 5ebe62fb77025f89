//! Tests of the library through its public API, in the folders of the modules that they test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "values of json! are made for a single call")]

mod asset;
#[cfg(feature = "capture")]
mod capture;
mod export;
mod motion;
mod reports;
mod rig;
mod secondary;
mod skin;
mod style;
mod trace;

use std::path::Path;

use sinew::asset::{Character, gltf};

/// Loads a file from memory.
fn load(bytes: &[u8]) -> Result<Character, String> {
    gltf::load_bytes(Path::new("test.gltf"), bytes, None).map_err(|e| e.to_string())
}

/// Returns the message with which a file is rejected.
fn refusal(bytes: &[u8]) -> String {
    load(bytes).expect_err("the file is broken")
}
