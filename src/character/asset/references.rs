//! The files that a model references: buffers, images, meshes and materials in other files.
//!
//! A model is not trusted, so the names in it are checked before a file is opened. All formats use the same check.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::platform::fs;

/// The folders of ROS packages by name, for the `package://NAME/…` references of robots.
pub type Packages = BTreeMap<String, PathBuf>;

/// The permitted locations of the files that a model references.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct References {
    /// The folders of packages that are neither ancestors of the robot's file nor siblings of an ancestor.
    pub packages: Packages,
    /// Whether files outside the model's folder are read, such as `../textures/skin.png`. Absolute paths are never followed.
    pub allow_parent: bool,
}

/// The reason why a referenced file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReferenceError {
    #[error("\"{0}\" is not a relative path")]
    NotRelative(String),
    #[error("\"{0}\" is not a file name")]
    Empty(String),
    #[error("\"{0}\" is outside of the model's folder; --allow-parent allows it")]
    Outside(String),
    #[error("\"{name}\": {cause}")]
    Unreadable { name: String, cause: String },
}

/// The folder to which the names in a model are relative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folder<'a> {
    start: &'a Path,
    /// The folder that must contain the files, after links are resolved. `None` allows any location.
    boundary: Option<&'a Path>,
}

impl<'a> Folder<'a> {
    /// Creates a folder that must contain all referenced files, unless `allow_parent` is set.
    pub(super) fn new(start: &'a Path, allow_parent: bool) -> Self {
        Self::within(start, start, allow_parent)
    }

    /// Creates a folder whose referenced files must be inside `boundary`, unless `allow_parent` is set. `boundary` contains the folder.
    pub(super) fn within(start: &'a Path, boundary: &'a Path, allow_parent: bool) -> Self {
        Self { start, boundary: (!allow_parent).then_some(boundary) }
    }

    /// Resolves a name to a path without looking for the file. `\` also separates folders, because Windows programs write it.
    pub(super) fn path(self, name: &str) -> Result<PathBuf, ReferenceError> {
        let relative = relative(name)?;
        let ups = relative.components().take_while(|part| *part == Component::ParentDir).count();
        // Links are not resolved here, so the depth below the boundary limits how far up a name may lead.
        let depth =
            |boundary| self.start.strip_prefix(boundary).map_or(0, |below: &Path| below.components().count());
        match self.boundary {
            Some(boundary) if ups > depth(boundary) => Err(ReferenceError::Outside(name.into())),
            _ => Ok(self.start.join(relative)),
        }
    }

    /// Returns the path of an existing file. A missing file is never reported as outside the folder, because permission to read it would
    /// not help.
    pub(super) fn find(self, name: &str) -> Result<PathBuf, ReferenceError> {
        let relative = relative(name)?;
        let path = in_any_case(self.start, &relative).unwrap_or_else(|| self.start.join(&relative));
        let real = |path: &Path| {
            let unreadable =
                |e: std::io::Error| ReferenceError::Unreadable { name: name.into(), cause: e.to_string() };
            fs::canonicalize(path).map_err(unreadable)
        };
        let file = real(&path)?;
        match self.boundary {
            Some(boundary) if !file.starts_with(real(boundary)?) => Err(ReferenceError::Outside(name.into())),
            _ => Ok(path),
        }
    }
}

/// Returns the last part of a path from any operating system.
#[cfg(any(feature = "fbx", feature = "urdf"))]
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Finds an existing path regardless of case, as Windows and macOS do.
fn in_any_case(start: &Path, relative: &Path) -> Option<PathBuf> {
    relative.components().try_fold(start.to_path_buf(), |folder, part| {
        let exact = folder.join(part);
        if part == Component::ParentDir || fs::metadata(&exact).is_ok() {
            return Some(exact);
        }
        let lower = |name: &OsStr| name.to_str().map(str::to_lowercase);
        let wanted = lower(part.as_os_str())?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let files = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
        files.filter(|file| file.file_name().and_then(lower).as_ref() == Some(&wanted)).min()
    })
}

/// Converts a name to a relative path. `..` remains only at the beginning.
fn relative(name: &str) -> Result<PathBuf, ReferenceError> {
    let portable = name.replace('\\', "/");
    // A colon marks a URI scheme or a Windows drive.
    let has_colon = |part: &str| part.contains(':');
    let has_colon =
        portable.split('/').next().is_some_and(has_colon) || cfg!(windows) && has_colon(&portable);
    if has_colon || portable.starts_with('/') || portable.contains('\0') {
        return Err(ReferenceError::NotRelative(name.into()));
    }
    let mut path = PathBuf::new();
    for part in portable.split('/') {
        match part {
            "" | "." => {}
            ".." if path.file_name().is_some() => drop(path.pop()),
            part => path.push(part),
        }
    }
    match path.file_name() {
        Some(_) => Ok(path),
        None => Err(ReferenceError::Empty(name.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_and_unix_are_the_same() {
        let folder = Folder::new(Path::new("model"), false);
        for name in ["tex/a.png", "tex\\a.png", ".\\tex\\a.png", "tex\\\\a.png", "b\\..\\tex/a.png"] {
            assert_eq!(folder.path(name), Ok(Path::new("model").join("tex").join("a.png")), "{name}");
        }
        for name in ["/etc/passwd", "\\etc\\passwd", "\\\\host\\share\\a.png", "C:\\a.png", "c:a.png", "a\0"]
        {
            assert_eq!(folder.path(name), Err(ReferenceError::NotRelative(name.into())));
        }
        for name in ["", ".", "./", "a/.."] {
            assert_eq!(folder.path(name), Err(ReferenceError::Empty(name.into())), "{name}");
        }
    }

    #[test]
    fn folders_above_need_permission() {
        let start = Path::new("robot/urdf");
        let (one, free) = (Folder::within(start, Path::new("robot"), false), Folder::new(start, true));
        let outside = |name: &str| Err(ReferenceError::Outside(name.into()));
        for name in ["../a.png", "..\\a.png", "b/../../a.png", "..\\..\\a.png"] {
            assert_eq!(Folder::new(start, false).path(name), outside(name));
            assert!(free.path(name).is_ok(), "{name}");
        }
        assert_eq!(one.path("..\\mesh\\a.stl"), Ok(start.join("../mesh/a.stl")));
        assert_eq!(one.path("../../a.stl"), outside("../../a.stl"));
        assert!(free.path("/a.png").is_err() && free.path("..").is_err());
        let line = outside("../a.png").map(|_: PathBuf| ()).unwrap_err().to_string();
        assert_eq!(line, "\"../a.png\" is outside of the model's folder; --allow-parent allows it");
    }

    #[test]
    fn letters_may_have_another_case() {
        let folder = std::env::temp_dir().join(format!("sinew-case-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("Textures")).unwrap();
        for name in ["Textures/Skin.PNG", "both.png", "Both.png"] {
            std::fs::write(folder.join(name), []).unwrap();
        }
        let find = |name: &str| Folder::new(&folder, false).find(name);
        for name in ["textures\\skin.png", "Textures/Skin.PNG", "TEXTURES/SKIN.png"] {
            let real = find(name).unwrap().canonicalize().unwrap();
            assert!(real.ends_with("Textures/Skin.PNG"), "{}", real.display());
        }
        // A file with the exact name takes precedence.
        assert!(
            find("both.png").unwrap().ends_with("both.png")
                && find("Both.png").unwrap().ends_with("Both.png")
        );
        assert!(find("textures/none.png").is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
