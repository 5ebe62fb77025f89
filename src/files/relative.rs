//! Paths in files that can be moved together with what they name.

use std::path::{Component, Path, PathBuf, absolute};

use crate::platform::fs;

/// Returns the path of a file relative to a folder, with `..` where the file is outside, so that both can be moved together.
/// A file that has no folder in common with it keeps its absolute path.
pub(crate) fn relative_to(folder: &Path, file: &Path) -> PathBuf {
    let real = |path: &Path| {
        let path = absolute(path).unwrap_or_else(|_| path.to_path_buf());
        fs::canonicalize(&path).unwrap_or(path)
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A link to a file keeps its own name, because other files lie beside the link.
    let beside = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (folder, file) = (real(folder), real(beside).join(file.file_name().unwrap_or_default()));
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let shared = folder.components().take(common).any(|c| matches!(c, Component::Normal(_)));
    if !shared {
        return file;
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}
