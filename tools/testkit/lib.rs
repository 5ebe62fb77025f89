//! Helpers for the tests of all crates: the files of this repository, the external files in the folder `SINEW_TEST_DATA`
//! (`docs/test-data.md` describes its layout), records of skipped tests, packets of live motion, and displays for windows. The feature
//! `files` adds images and characters.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub mod display;
#[cfg(feature = "files")]
pub mod draco;
#[cfg(feature = "files")]
pub mod gltf;
#[cfg(feature = "files")]
pub mod image;
#[cfg(feature = "files")]
mod mannequin;
pub mod osc;
pub mod skipped;

use std::env;
use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "files")]
pub use gltf::{Builder, instances};
#[cfg(feature = "files")]
pub use mannequin::{mannequin, mannequin_rig};
use skipped::{Kind, Record};

/// Returns an external file or folder, for example `models/bvh`, for a test that also runs on built-in data. If it
/// is missing, the test is recorded as having run only on the built-in data.
#[track_caller]
pub fn external(path: &str) -> Option<PathBuf> {
    locate_or_note(path, Kind::BuiltInOnly)
}

/// Returns an external file or folder for a test that checks nothing without it. If it is missing, records the test as
/// skipped and returns `None`, after which the test must return.
#[track_caller]
pub fn external_or_skip(path: &str) -> Option<PathBuf> {
    locate_or_note(path, Kind::Skipped)
}

/// Records the running test as skipped. The test must then return. `reason` is a clause, for example `Chromium is
/// missing`.
#[track_caller]
pub fn skip(reason: &str) {
    note(Kind::Skipped, reason);
}

/// Creates an empty folder for a test, or empties it. Each test binary has its own folders.
pub fn folder(name: &str) -> PathBuf {
    let folder = skipped::temporary().join(binary().unwrap_or_default()).join(name);
    // Ignore the error, because the folder may not exist yet.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the names of the files in a folder, sorted.
pub fn file_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the path of a file in `assets`.
pub fn asset_path(name: &str) -> PathBuf {
    in_repository("assets").join(name)
}

/// Returns the path of a file of this repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join(path)
}

/// Returns the glTF files of this repository: the characters in `assets` and the model of the suite.
pub fn built_in_gltf_files() -> Vec<PathBuf> {
    let characters = ["arm", "awkward", "mannequin", "spider", "tentacle"];
    let mut files: Vec<PathBuf> = characters.map(|name| asset_path(&format!("{name}.glb"))).to_vec();
    files.push(in_repository("tests/suite/bar.gltf"));
    files
}

/// Returns [`built_in_gltf_files`], and the glTF files in an external folder if it exists.
#[track_caller]
pub fn gltf_files_and(folder: &str) -> Vec<PathBuf> {
    let mut files = built_in_gltf_files();
    files.extend(external(folder).iter().flat_map(|folder| gltf_files(folder)));
    files
}

/// Returns all `.gltf` and `.glb` files under a folder, sorted.
pub fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    files_below(folder, &["gltf", "glb"])
}

/// Returns all files under a folder that have one of the extensions, sorted.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[track_caller]
fn locate_or_note(path: &str, kind: Kind) -> Option<PathBuf> {
    match locate(path) {
        Ok(path) => Some(path),
        Err(reason) => {
            note(kind, &reason);
            None
        }
    }
}

/// Returns an external file or folder, or the reason why it is missing. Panics if `SINEW_TEST_DATA` is not a folder, because a typo must
/// not cause tests to be skipped.
fn locate(path: &str) -> Result<PathBuf, String> {
    let Some(folder) = env::var_os("SINEW_TEST_DATA").filter(|folder| !folder.is_empty()) else {
        return Err("SINEW_TEST_DATA is not set".to_owned());
    };
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir(), "SINEW_TEST_DATA is not a folder: {}", folder.display());
    let found = folder.join(path);
    if found.exists() { Ok(found) } else { Err(format!("SINEW_TEST_DATA does not contain {path}")) }
}

/// Returns whether every test must run in full and on external test data, as `SINEW_REQUIRE_TEST_DATA=1` demands.
pub fn is_required() -> bool {
    env::var_os("SINEW_REQUIRE_TEST_DATA").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Records that the running test is incomplete. Panics if the data is required.
#[track_caller]
fn note(kind: Kind, reason: &str) {
    // The harness names the thread of a test after the test. In other threads, the location of the call is used
    // instead.
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main");
    let name = name.map_or_else(|| Location::caller().to_string(), str::to_owned);
    let test = format!("{}::{name}", binary().unwrap_or_default());
    let record = Record { kind, test: test.clone(), reason: reason.to_owned() };
    static KNOWN: Mutex<Vec<Record>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(&record) {
        if kind == Kind::Skipped {
            // The harness captures the output of `eprintln!`.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
        }
        // nextest has no last target that could print the records.
        if env::var_os("NEXTEST").is_none() {
            let _ = skipped::append(&record);
        }
        known.push(record);
    }
    drop(known);
    assert!(!is_required(), "SINEW_REQUIRE_TEST_DATA is set, but {test} cannot run in full: {reason}");
}

/// Returns the name of the running test binary. Cargo adds a hyphen and a hash to the name of its file.
fn binary() -> Option<String> {
    let path = env::current_exe().ok()?;
    let name = path.file_stem()?.to_str()?;
    Some(name.rsplit_once('-').map_or(name, |(name, _)| name).to_owned())
}
