//! The file types that can be opened, and the next or previous file in a folder.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "window")]
use crate::capture::TAKE_EXTENSIONS;
use crate::platform::fs;
#[cfg(feature = "window")]
use crate::session::files::folder_of;

/// Lower-case extensions of the models that a joint can carry.
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub(super) const PROP_EXTENSIONS: [&str; 4] = ["glb", "gltf", "vrm", "fbx"];

/// Extensions of character files and of files that contain only motion.
pub(super) const EXTENSIONS: [&str; 6] = ["glb", "gltf", "vrm", "fbx", "urdf", MOTION_EXTENSION];
const MOTION_EXTENSION: &str = "bvh";
/// Extensions of the viewer's own files: projects and recorded sessions.
#[cfg(feature = "window")]
const OWN_EXTENSIONS: [&str; 2] = ["sinew", "session"];

/// Extension of exported poses, which need a character.
#[cfg(feature = "window")]
const POSE_EXTENSION: &str = "json";

/// Returns all extensions in lower and upper case. The file dialogs of some systems are case-sensitive.
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub(super) fn all_extensions() -> Vec<String> {
    let lower_case =
        || EXTENSIONS.iter().chain(&TAKE_EXTENSIONS).chain([&POSE_EXTENSION]).chain(&OWN_EXTENSIONS);
    lower_case().map(|e| (*e).to_owned()).chain(lower_case().map(|e| e.to_uppercase())).collect()
}

/// Returns the extensions of files whose clips can be added, in lower and upper case.
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub(super) fn motion_extensions() -> Vec<String> {
    let lower_case = || EXTENSIONS.iter().chain(&TAKE_EXTENSIONS).filter(|e| **e != "urdf");
    lower_case().map(|e| (*e).to_owned()).chain(lower_case().map(|e| e.to_uppercase())).collect()
}

/// Returns the motion-only files in the character's folder, sorted by name.
#[cfg(feature = "window")]
pub(super) fn motions(file: &Path) -> Vec<PathBuf> {
    /// Maximum number of files that fit into a menu.
    const MAX_FILES: usize = 100;
    let folder = folder_of(file);
    let known = || TAKE_EXTENSIONS.iter().chain([&MOTION_EXTENSION]);
    let is_motion = |path: &PathBuf| {
        path != file && path.extension().is_some_and(|e| known().any(|known| e.eq_ignore_ascii_case(known)))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut motions: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_motion).collect();
    motions.sort();
    motions.truncate(MAX_FILES);
    motions
}

/// Returns whether a file is an exported pose, judging by its extension.
#[cfg(feature = "window")]
pub(super) fn is_pose(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case(POSE_EXTENSION))
}

/// Returns whether a file is a project or a recorded session, judging by its extension.
#[cfg(feature = "window")]
pub(super) fn is_own(file: &Path) -> bool {
    file.extension().is_some_and(|e| OWN_EXTENSIONS.iter().any(|own| e.eq_ignore_ascii_case(own)))
}

/// Returns the next or previous model in the folder of a file, in order of name. The first model follows the last one. Motion files are
/// skipped unless `file` is one. Returns `None` if there is no other model.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn neighbour(file: &Path, forward: bool) -> io::Result<Option<PathBuf>> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let has_extension = |p: &Path, known: &str| p.extension().is_some_and(|e| e.eq_ignore_ascii_case(known));
    // Opening a motion file would add its clips to the current character instead of replacing it.
    let is_model = |p: &PathBuf| {
        let known = EXTENSIONS.iter().find(|known| has_extension(p, known));
        known.is_some_and(|known| *known != MOTION_EXTENSION || has_extension(file, MOTION_EXTENSION))
            && fs::is_file(p)
    };
    let mut models: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path()).filter(is_model).collect();
    models.sort();
    let name = file.file_name();
    // Files are compared by name, so `file` may have been deleted.
    let (before, after): (Vec<_>, Vec<_>) =
        models.into_iter().filter(|p| p.file_name() != name).partition(|p| p.file_name() < name);
    let mut around = after.into_iter().chain(before);
    Ok(if forward { around.next() } else { around.last() })
}

#[cfg(all(test, feature = "window"))]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_shows_extensions_in_lower_and_upper_case() {
        let extensions = all_extensions();
        for name in ["glb", "GLB", "gltf", "GLTF", "vrm", "VRM", "bvh", "BVH", "csv", "CSV"] {
            assert!(extensions.iter().any(|e| e == name), "{name}");
        }
    }
}
