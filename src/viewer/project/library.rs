//! The pose library of a project: poses as JSON with thumbnails, in a folder beside the project.

use std::io;
use std::path::{Path, PathBuf};

use crate::SaveError;
use crate::export::MAX_POSE_BYTES;
use crate::files::{atomic, bounded};
use crate::platform::fs;

/// Maximum number of listed poses.
const MAX_POSES: usize = 500;
/// Maximum length of a name in bytes, so that every file system accepts it with its extension.
const MAX_NAME_BYTES: usize = 120;
/// Maximum size of a thumbnail's file in bytes.
const MAX_THUMBNAIL_BYTES: u64 = 1 << 20;
/// Maximum number of files with the same name in the trash.
const MAX_TRASHED: u32 = 9999;
const POSE: &str = "json";
const THUMBNAIL: &str = "png";
/// The folder for removed poses.
const TRASH: &str = ".trash";

/// The names of the poses in a folder. The pose files are only read when needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoseLibrary {
    folder: PathBuf,
    names: Vec<String>,
}

/// Returns the folder of the poses of a project: `sit.poses` beside `sit.sinew`.
pub fn poses_of(project: &Path) -> PathBuf {
    project.with_extension("poses")
}

impl PoseLibrary {
    /// Lists the poses in a folder, sorted by name. A folder that cannot be read counts as empty.
    pub fn open(folder: &Path) -> Self {
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let name = |path: PathBuf| {
            let is_pose = path.extension().is_some_and(|e| e == POSE);
            let name = path.file_stem()?.to_str()?.to_owned();
            (is_pose && is_valid(&name) && fs::is_file(&path)).then_some(name)
        };
        let mut names: Vec<String> = files.filter_map(|file| name(file.path())).collect();
        names.sort_by_key(|name| (name.to_lowercase(), name.clone()));
        names.truncate(MAX_POSES);
        Self { folder: folder.to_path_buf(), names }
    }

    /// The library's folder, which may not exist yet.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The pose names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the JSON text of a pose.
    ///
    /// # Errors
    /// [`SaveError::Write`] if the file cannot be read.
    pub fn pose(&self, name: &str) -> Result<String, SaveError> {
        let path = self.path(name, POSE);
        bounded::read_to_string(&path, MAX_POSE_BYTES as u64)
            .map_err(|source| SaveError::Write { path, source })
    }

    /// Returns the PNG file of a pose's thumbnail, if it has one.
    pub fn thumbnail(&self, name: &str) -> Option<Vec<u8>> {
        bounded::read_regular(&self.path(name, THUMBNAIL), MAX_THUMBNAIL_BYTES).ok()
    }

    /// Adds a pose with a thumbnail. An empty name becomes `pose 1` or the next free number.
    ///
    /// # Errors
    /// [`SaveError::Exists`] if a pose with that name exists, or [`SaveError::Write`] if the name is invalid or the files cannot be
    /// written.
    pub fn add(&mut self, name: &str, pose: &[u8], thumbnail: Option<&[u8]>) -> Result<String, SaveError> {
        let name = match name.trim() {
            "" => self.free_name(),
            name => name.to_owned(),
        };
        let path = self.checked(&name)?;
        let failed = |source| SaveError::Write { path: path.clone(), source };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        atomic::write_new(&path, pose).map_err(|source| named_error(&path, source))?;
        // A pose without a thumbnail is still useful.
        let _ = thumbnail.map(|png| atomic::write(&self.path(&name, THUMBNAIL), png));
        *self = Self::open(&self.folder);
        Ok(name)
    }

    /// Renames a pose.
    ///
    /// # Errors
    /// Same as [`Self::add`].
    pub fn rename(&mut self, name: &str, to: &str) -> Result<(), SaveError> {
        let to = to.trim();
        if to == name {
            return Ok(());
        }
        let path = self.checked(to)?;
        move_new(&self.path(name, POSE), &path).map_err(|source| named_error(&path, source))?;
        let _ = move_new(&self.path(name, THUMBNAIL), &self.path(to, THUMBNAIL));
        *self = Self::open(&self.folder);
        Ok(())
    }

    /// Moves a pose to the folder `.trash` of the library. Returns the new path of the pose's file.
    ///
    /// # Errors
    /// [`SaveError::Write`] if the pose cannot be moved.
    pub fn remove(&mut self, name: &str) -> Result<PathBuf, SaveError> {
        let trash = self.folder.join(TRASH);
        let failed = |source| SaveError::Write { path: trash.clone(), source };
        fs::create_dir_all(&trash).map_err(failed)?;
        let numbered = (2..=MAX_TRASHED).map(|number| format!("{name} {number}"));
        let mut result = Err(io::ErrorKind::AlreadyExists.into());
        for trashed in std::iter::once(name.to_owned()).chain(numbered) {
            let path = trash.join(format!("{trashed}.{POSE}"));
            result = move_new(&self.path(name, POSE), &path).map(|()| path);
            match &result {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Ok(_) => {
                    let png = trash.join(format!("{trashed}.{THUMBNAIL}"));
                    let _ = fs::rename(self.path(name, THUMBNAIL), png);
                    break;
                }
                Err(_) => break,
            }
        }
        *self = Self::open(&self.folder);
        result.map_err(failed)
    }

    /// Copies poses from another library if their names do not exist in this one. Returns the first error.
    ///
    /// # Errors
    /// [`SaveError`] if a pose cannot be copied. The others are still copied.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), SaveError> {
        let mut result = Ok(());
        for name in other.names.iter().filter(|name| !self.names.contains(name)).cloned().collect::<Vec<_>>()
        {
            let thumbnail = other.thumbnail(&name);
            let copied = other
                .pose(&name)
                .and_then(|pose| self.add(&name, pose.as_bytes(), thumbnail.as_deref()).map(|_| ()));
            result = result.and(copied);
        }
        result
    }

    fn path(&self, name: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{name}.{extension}"))
    }

    /// Validates the name of a new pose and returns the path of its file.
    fn checked(&self, name: &str) -> Result<PathBuf, SaveError> {
        if is_valid(name) {
            return Ok(self.path(name, POSE));
        }
        let source = io::Error::new(
            io::ErrorKind::InvalidInput,
            "a name must be short and must not contain / \\ : or begin with a dot",
        );
        Err(SaveError::Write { path: PathBuf::from(name), source })
    }

    fn free_name(&self) -> String {
        let numbered = (1..=MAX_POSES + 1).map(|number| format!("pose {number}"));
        let is_free = |name: &String| !self.names.contains(name);
        numbered.into_iter().find(is_free).unwrap_or_else(|| "pose".to_owned())
    }
}

/// Returns whether a name is a valid file name on every system.
fn is_valid(name: &str) -> bool {
    let is_forbidden = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.starts_with('.') && !name.contains(is_forbidden)
}

fn named_error(path: &Path, source: io::Error) -> SaveError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists { path: path.into() },
        _ => SaveError::Write { path: path.into(), source },
    }
}

/// Moves a file without replacing an existing file.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}
