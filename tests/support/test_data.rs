//! Test data: the files of this repository, and the external files below the folder that `SINEW_TEST_DATA` names.
//! `docs/test-data.md` says how that folder is laid out.

#[path = "skipped.rs"]
pub mod skipped;

use std::env;
use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use skipped::{Kind, Record};

/// An external file or folder, such as `models/bvh`, for a test that also runs on built-in data. Where it is missing,
/// it is recorded that the test ran on the built-in data only.
#[track_caller]
pub fn external(path: &str) -> Option<PathBuf> {
    locate_or_note(path, Kind::BuiltInOnly)
}

/// An external file or folder for a test that checks nothing without it. Where it is missing, the test is recorded as
/// skipped and must return.
#[track_caller]
pub fn external_or_skip(path: &str) -> Option<PathBuf> {
    locate_or_note(path, Kind::Skipped)
}

/// Records the running test as skipped; the test must return. `reason` is a clause such as `Chromium is missing`.
#[track_caller]
pub fn skip(reason: &str) {
    note(Kind::Skipped, reason);
}

/// The characters in `assets` and the file of the suite, as glTF files.
pub fn built_in_gltf_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["arm", "awkward", "mannequin", "spider", "tentacle"]
        .map(|name| root.join(format!("assets/{name}.glb")))
        .to_vec();
    files.push(root.join("tests/suite/bar.gltf"));
    files
}

/// [`built_in_gltf_files`], and the files below an external folder where that exists.
#[track_caller]
pub fn gltf_files_and(folder: &str) -> Vec<PathBuf> {
    let mut files = built_in_gltf_files();
    files.extend(external(folder).iter().flat_map(|folder| gltf_files(folder)));
    files
}

/// All `.gltf` and `.glb` files below a folder, sorted.
pub fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    files_below(folder, &["gltf", "glb"])
}

/// All files below a folder with one of some extensions, sorted.
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

/// An external file or folder, or why it cannot be used. A `SINEW_TEST_DATA` that is wrong panics: a typing error must
/// not turn tests into skips.
fn locate(path: &str) -> Result<PathBuf, String> {
    let Some(folder) = env::var_os("SINEW_TEST_DATA").filter(|folder| !folder.is_empty()) else {
        return Err("SINEW_TEST_DATA is not set".to_owned());
    };
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir(), "SINEW_TEST_DATA: {} is not a folder", folder.display());
    let found = folder.join(path);
    if found.exists() { Ok(found) } else { Err(format!("SINEW_TEST_DATA has no {path}")) }
}

/// Whether every test must run in full, on external test data too: with `SINEW_REQUIRE_TEST_DATA=1`.
pub fn is_required() -> bool {
    env::var_os("SINEW_REQUIRE_TEST_DATA").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Records what the running test does not do. Panics where the data is required.
#[track_caller]
fn note(kind: Kind, reason: &str) {
    // The harness names the thread of a test after the test. Elsewhere the line of the call stands in for the name.
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main");
    let name = name.map_or_else(|| Location::caller().to_string(), str::to_owned);
    let test = format!("{}::{name}", env!("CARGO_CRATE_NAME"));
    let record = Record { kind, test: test.clone(), reason: reason.to_owned() };
    static KNOWN: Mutex<Vec<Record>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(&record) {
        if kind == Kind::Skipped {
            // Not `eprintln!`, which the harness captures.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
        }
        // Under nextest no target comes last, so nobody would print the records.
        if env::var_os("NEXTEST").is_none() {
            let _ = skipped::append(&record);
        }
        known.push(record);
    }
    drop(known);
    assert!(!is_required(), "SINEW_REQUIRE_TEST_DATA is set, but {test} cannot run in full: {reason}");
}
