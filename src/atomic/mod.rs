//! Writing files so that each is either complete or absent, also after a crash or a power failure.
//!
//! The bytes go to a hidden file in the same folder, a [`Draft`]. When all of them are synced to disk, the draft gets the
//! name of the file, and then the folder is synced too.
//!
//! A file that is replaced keeps its permissions; its owner and group where the system allows it. Where the group
//! cannot be kept, the new group gets the permissions of everybody else. Access control lists and extended attributes
//! are those of a new file. A file that may not be written to is not replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::bounded;

mod draft;
mod permissions;
mod registry;
mod sequence;
#[cfg(test)]
mod tests;

pub use draft::{Draft, leftovers};
pub use sequence::Sequence;

/// Links that are followed from one to the next before they count as a loop; Linux follows as many.
const MAX_LINKS: usize = 40;

/// Writes a file, or replaces it when everything is on the disk.
///
/// Links are followed, also to a file that does not exist yet. What is not a regular file (a pipe, `/dev/null`) is
/// written to directly; what the caller has opened (`/dev/fd/3`) is appended to.
///
/// # Errors
/// What the system says; the old file is then untouched and nothing is left beside it.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_special(path) {
        // A file that the caller has opened may have content from before.
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let mut draft = Draft::of_save(path)?;
    draft.write(bytes)?;
    draft.replace()
}

/// Writes a file that does not exist yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if something has this name, which is then untouched; else what the system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // If the name is taken, nothing needs to be written.
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut draft = Draft::of_save(path)?;
    draft.write(bytes)?;
    draft.keep(path)
}

/// Checks that [`write()`] could write a file; leaves everything as it is.
///
/// # Errors
/// What the system says of the folder, or of the file if it exists.
pub fn check(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_special(path) { Ok(()) } else { Draft::of_save(path).map(drop) }
}

/// Whether two paths lead to one regular file, which may not exist yet. A pipe or a device can receive several.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let file = destination(path).ok()?;
        Some(folder(&file).canonicalize().ok()?.join(file.file_name()?))
    };
    whole(a).is_some_and(|a| whole(b).is_some_and(|b| a == b))
}

/// Removes the drafts of all saves that have not ended, then runs `end` while no new draft can be begun: for a program
/// that must end at once. Recordings stay, unless they are empty.
pub fn end(end: impl FnOnce()) {
    registry::DRAFTS.remove_all(end);
}

/// Whether a path leads to something that is not a regular file, or that the caller has opened.
fn is_special(path: &Path) -> bool {
    bounded::is_descriptor(path) || fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Where a file is, or will be, when all links have been followed.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => return path.canonicalize(),
        Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // `..` in a link is seen from where the link's folder really is.
            Ok(target) => path = folder(&path).canonicalize()?.join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs the names in a folder to disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened, and renaming is as durable as the system makes it.
    if !cfg!(unix) {
        return Ok(());
    }
    // A folder may be writable and yet not readable.
    let Ok(folder) = File::open(folder) else { return Ok(()) };
    match folder.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(error)
        }
        _ => Ok(()),
    }
}
