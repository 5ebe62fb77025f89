//! Drafts: files that are being written under a hidden name in their destination folder.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::registry::DRAFTS;
use super::{destination, folder, permissions, sync_folder};

/// Numbers to try in a hidden name until an unused name is found.
const NUMBERS: std::ops::Range<u32> = 0..1000;
/// Maximum number of bytes of a file's name that are copied into its hidden name. Most file systems limit names to 255
/// bytes, and some to 143.
const MAX_NAME: usize = 100;
/// On a file system without locks, a draft that has not been modified for this time counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DraftKind {
    /// A partly saved file. It is useless if the save does not finish.
    Save,
    /// A recording, which exists nowhere else.
    Recording,
}

impl DraftKind {
    fn extension(self) -> &'static str {
        match self {
            Self::Save => "sinew-tmp",
            Self::Recording => "part",
        }
    }
}

/// A file that is being written under a unique hidden name in its destination folder.
///
/// An unfinished save is removed when its draft is dropped. An unfinished recording is kept, unless it is empty. The draft is locked while
/// it is being written, and the lock is released when the process ends.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    /// The path of the finished file.
    destination: PathBuf,
    kind: DraftKind,
    /// Whether the file on disk is kept when this `Draft` is dropped.
    is_persistent: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_persistent {
            // A leftover draft does no harm, so errors are ignored.
            let _ = fs::remove_file(&self.path);
            DRAFTS.unregister(&self.path);
        }
    }
}

impl Draft {
    /// Starts to save a file as `.NAME.sinew-tmp`. Removes drafts of this file that were left by processes
    /// that have ended.
    ///
    /// # Errors
    /// Returns the system's error for the folder, or for the existing file if that file is not writable.
    pub fn of_save(file: &Path) -> io::Result<Self> {
        Self::new(&destination(file)?, DraftKind::Save)
    }

    /// Starts a recording as `.NAME.part`. [`Self::replace`] renames it.
    ///
    /// # Errors
    /// The same as for [`Self::of_save`].
    pub fn of_recording(file: &Path) -> io::Result<Self> {
        Self::new(&destination(file)?, DraftKind::Recording)
    }

    /// Starts a recording whose final name is passed to [`Self::keep`]. The hidden name is derived from `file`.
    ///
    /// # Errors
    /// Returns the system's error for the folder.
    pub fn of_new_recording(file: &Path) -> io::Result<Self> {
        Self::begin(file, None, DraftKind::Recording)
    }

    /// Creates a draft. `destination` is a regular file or does not exist yet.
    fn new(destination: &Path, kind: DraftKind) -> io::Result<Self> {
        let replaced = fs::metadata(destination).ok();
        if replaced.is_some() {
            // Renaming could replace a read-only file, so this checks that it is writable.
            OpenOptions::new().write(true).open(destination)?;
        }
        Self::begin(destination, replaced.as_ref(), kind)
    }

    fn begin(destination: &Path, replaced: Option<&Metadata>, kind: DraftKind) -> io::Result<Self> {
        let name = destination.file_name().ok_or_else(|| io::Error::other("path has no file name"))?;
        let options = permissions::draft_options(replaced);
        let hidden = |number: u32| destination.with_file_name(hidden(name, number, kind));
        for number in NUMBERS {
            let path = hidden(number);
            if kind == DraftKind::Save {
                remove_abandoned(&path);
            }
            match DRAFTS.create(&path, || options.open(&path)) {
                Ok(file) if lock(&file, &path) => {
                    let destination = destination.to_path_buf();
                    let draft = Self { file, path, destination, kind, is_persistent: false };
                    if let Some(replaced) = replaced {
                        permissions::copy(replaced, &draft.file)?;
                    }
                    if kind == DraftKind::Save {
                        remove_abandoned(&hidden(number + 1));
                    }
                    return Ok(draft);
                }
                Ok(_) => DRAFTS.unregister(&path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.kind == DraftKind::Recording && !self.is_persistent {
            self.is_persistent = true;
            DRAFTS.unregister(&self.path);
        }
        self.file.write_all(bytes)
    }

    /// Returns the hidden path of the draft.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the draft to disk and renames it to its destination. An existing file is replaced.
    ///
    /// # Errors
    /// Returns the system's error. The draft then keeps its hidden name, unless only syncing the folder failed.
    pub fn replace(&mut self) -> io::Result<()> {
        self.rename()?;
        sync_folder(folder(&self.destination))
    }

    /// Like [`Self::replace`], but returns the folder instead of syncing it.
    pub(super) fn rename(&mut self) -> io::Result<&Path> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.destination)?;
        self.finish();
        Ok(folder(&self.destination))
    }

    /// Syncs the draft to disk and renames it to `file`, a new file in its folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the file exists. The existing file then remains unchanged. Other errors are the same as for
    /// [`Self::replace`].
    pub fn keep(&mut self, file: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        // A hard link is complete from the start, and fails if the name is taken.
        match fs::hard_link(&self.path, file) {
            Ok(()) => {
                let _ = fs::remove_file(&self.path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not all file systems support hard links.
            Err(_) => {
                File::create_new(file)?;
                fs::rename(&self.path, file).inspect_err(|_| drop(fs::remove_file(file)))?;
            }
        }
        self.finish();
        sync_folder(folder(file))
    }

    fn finish(&mut self) {
        self.is_persistent = true;
        DRAFTS.unregister(&self.path);
    }
}

/// Returns a hidden name: `.NAME.sinew-tmp`, `.NAME.1.sinew-tmp` and so on. A long `NAME` is truncated.
fn hidden(name: &OsStr, number: u32, kind: DraftKind) -> String {
    let (name, extension) = (truncated(name), kind.extension());
    match number {
        0 => format!(".{name}.{extension}"),
        number => format!(".{name}.{number}.{extension}"),
    }
}

fn truncated(name: &OsStr) -> String {
    let mut name = name.to_string_lossy().into_owned();
    name.truncate(name.floor_char_boundary(MAX_NAME));
    name
}

/// Locks a new draft. Returns `false` if another process has removed it as abandoned before it could be locked.
fn lock(file: &File, path: &Path) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(file, path)
}

/// Removes a draft that no process is writing.
fn remove_abandoned(path: &Path) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    let Some(file) = is_file.then(|| OpenOptions::new().write(true).open(path).ok()).flatten() else {
        return;
    };
    let is_abandoned = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => is_old(&file),
    };
    // Only the owner of the lock may remove the draft. The draft may have been renamed to its destination in the
    // meantime.
    if is_abandoned && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

fn is_old(file: &File) -> bool {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > ABANDONED))
}

/// Returns whether a path still refers to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (open, current) = (file.metadata().map(id), fs::symlink_metadata(path).map(id));
    open.is_ok_and(|open| current.is_ok_and(|current| open == current))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}

/// Returns the unfinished recordings of a file that no process is writing.
pub fn leftovers(file: &Path) -> Vec<PathBuf> {
    let Some(name) = file.file_name() else { return Vec::new() };
    let start = format!(".{}.", truncated(name));
    let extension = DraftKind::Recording.extension();
    let is_hidden = |name: &OsStr| {
        let rest = name.to_str().and_then(|n| n.strip_prefix(&start)?.strip_suffix(extension));
        rest.is_some_and(|rest| {
            let number = rest.strip_suffix('.').unwrap_or(rest);
            rest.is_empty() || number != rest && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let is_leftover = |path: &PathBuf| {
        let has_content =
            fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
        let file = has_content.then(|| File::open(path).ok()).flatten();
        file.is_some_and(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    };
    let entries = fs::read_dir(folder(file)).into_iter().flatten().filter_map(Result::ok);
    let hidden = entries.filter(|entry| is_hidden(&entry.file_name())).map(|entry| entry.path());
    let mut leftovers: Vec<PathBuf> = hidden.filter(is_leftover).collect();
    leftovers.sort();
    leftovers
}
