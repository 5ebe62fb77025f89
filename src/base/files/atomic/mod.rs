//! Writes files atomically: each file is either complete or absent, even after a crash or a power failure.
//!
//! The bytes are written to a [`Draft`], which is a hidden file in the same folder. Once they are synced to disk, the draft is renamed to
//! its destination, and then the folder is synced.
//!
//! A replaced file keeps its permissions. It also keeps its owner and group where the system allows this. If the group
//! cannot be kept, the file's new group gets only the permissions that all other users have. Access control lists and
//! extended attributes are not kept. A read-only file is not replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::bounded;

mod draft;
mod permissions;
mod registry;
mod sequence;
#[cfg(test)]
mod tests;

pub use draft::Draft;
pub use draft::leftovers;
pub use sequence::Sequence;

/// Maximum number of symbolic links to follow, as in Linux. A longer chain is refused, because it may be a loop.
const MAX_LINKS: usize = 40;

/// Writes a file. An existing file is replaced once all bytes are on disk.
///
/// Follows links, even to a file that does not exist yet. Writes directly to anything that is not a regular file (a
/// pipe, `/dev/null`), and appends to files that the caller has opened (`/dev/fd/3`).
///
/// ```
/// use sinew_base::files::atomic;
///
/// let path = std::env::temp_dir().join(format!("sinew-doctest-{}.txt", std::process::id()));
/// atomic::write(&path, b"first")?;
/// atomic::write(&path, b"second")?;
/// assert_eq!(std::fs::read(&path)?, b"second");
/// // An existing file is not replaced by this function.
/// assert!(atomic::write_new(&path, b"third").is_err());
/// std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns the system's error. An existing file is then unchanged, and no draft is left.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_special(path) {
        // A file that the caller has opened may already have content.
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let mut draft = Draft::of_save(path)?;
    draft.write(bytes)?;
    draft.replace()
}

/// Writes a file that does not exist yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if the file exists. The existing file then remains unchanged. In other cases, returns the system's
/// error.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Fails early, before anything is written.
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut draft = Draft::of_save(path)?;
    draft.write(bytes)?;
    draft.keep(path)
}

/// Checks that [`write()`] could write a file. The file does not change.
///
/// # Errors
/// Returns the system's error for the folder or for the existing file.
pub fn check(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_special(path) { Ok(()) } else { Draft::of_save(path).map(drop) }
}

/// Returns whether two paths refer to the same regular file. The file need not exist yet. Pipes and devices never count
/// as the same file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| {
        let file = destination(path).ok()?;
        Some(folder(&file).canonicalize().ok()?.join(file.file_name()?))
    };
    resolved(a).is_some_and(|a| resolved(b).is_some_and(|b| a == b))
}

/// Removes the drafts of all unfinished saves, and then calls `end` while no new draft can be created. A program that
/// must exit immediately should call this function. Recordings remain unless they are empty.
#[cfg(unix)]
pub fn end(end: impl FnOnce()) {
    registry::DRAFTS.remove_all(end);
}

/// Returns whether a path refers to something other than a regular file, or to a file that the caller has opened.
fn is_special(path: &Path) -> bool {
    bounded::is_descriptor(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Returns the path of a file after following all links. The file may not exist yet.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return path.canonicalize(),
        Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // `..` in a link is relative to the real path of the link's folder.
            Ok(target) => path = folder(&path).canonicalize()?.join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs a folder's entries to disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // On other systems, a folder cannot be opened as a file, so the system decides when a rename reaches the disk.
    if !cfg!(unix) {
        return Ok(());
    }
    // A folder that is writable but not readable cannot be opened, so it is not synced.
    let Ok(folder) = File::open(folder) else { return Ok(()) };
    match folder.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(error)
        }
        _ => Ok(()),
    }
}
