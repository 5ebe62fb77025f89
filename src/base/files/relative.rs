//! Relative paths between files that are moved together.

use std::path::{Component, Path, PathBuf, absolute};

use crate::platform::fs;

/// Resolves a path from a suite, a project or a recording that is stored in `folder`. Such a file may come from Windows. If a path with `\`
/// does not exist, each `\` is therefore read as `/`.
pub fn beside(folder: &Path, name: &Path) -> PathBuf {
    let path = folder.join(name);
    match name.to_str().filter(|name| name.contains('\\')) {
        Some(name) if fs::metadata(&path).is_err() => folder.join(name.replace('\\', "/")),
        _ => path,
    }
}

/// Returns the path of a file relative to a folder, so that both can be moved together. The path contains `..` if the file is
/// outside the folder. It is absolute if the file and the folder have no common parent.
pub fn relative_to(folder: &Path, file: &Path) -> PathBuf {
    let real = |path: &Path| {
        let path = absolute(path).unwrap_or_else(|_| path.to_path_buf());
        fs::canonicalize(&path).unwrap_or(path)
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A link to a file keeps its own name, because other files are stored beside the link.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_are_found() {
        let folder = Path::new("suites");
        let expected = folder.join("models").join("hero.glb");
        for name in ["models/hero.glb", "models\\hero.glb"] {
            assert_eq!(beside(folder, Path::new(name)), expected);
        }
        assert_eq!(beside(folder, Path::new("..\\hero.glb")), folder.join("..").join("hero.glb"));
    }

    /// On Unix, a name may contain a backslash.
    #[cfg(unix)]
    #[test]
    fn a_file_with_a_backslash_in_its_name_comes_first() {
        let folder = std::env::temp_dir().join(format!("sinew-beside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a\\b.glb");
        std::fs::write(&file, []).unwrap();
        assert_eq!(beside(&folder, Path::new("a\\b.glb")), file);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
