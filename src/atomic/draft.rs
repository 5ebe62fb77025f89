//! Files that are being written, under hidden names beside their own.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::registry::DRAFTS;
use super::{destination, folder, permissions, sync_folder};

/// Numbers that are tried for a hidden name.
const NUMBERS: std::ops::Range<u32> = 0..1000;
/// Bytes of a file's name that its hidden name repeats: some file systems allow 143 in all, most 255.
const MAX_NAME: usize = 100;
/// Where a file system has no locks, a save that has not written for this long has ended.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// What a draft contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A part of a file that is being saved, which is worthless.
    Save,
    /// All that was recorded, which exists nowhere else.
    Recording,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Save => "sinew-tmp",
            Self::Recording => "part",
        }
    }
}

/// A file that is being written in the folder of its own, under a hidden name that nothing else has.
///
/// The draft of a save is removed when it is dropped before it has its name; that of a recording stays, unless it is
/// empty. A lock says that somebody is writing the draft, and ends with the process.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    /// The file that it will be.
    destination: PathBuf,
    kind: Kind,
    /// Whether it outlives this value.
    stays: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.stays {
            // Nothing depends on a leftover that cannot be removed.
            let _ = fs::remove_file(&self.path);
            DRAFTS.forget(&self.path);
        }
    }
}

impl Draft {
    /// Begins to save a file, as `.NAME.sinew-tmp`. Removes drafts of this file left by processes that have ended.
    ///
    /// # Errors
    /// What the system says of the folder, or of the file if it exists and may not be written to.
    pub fn of_save(file: &Path) -> io::Result<Self> {
        Self::new(&destination(file)?, Kind::Save)
    }

    /// Begins a recording, as `.NAME.part`, that will get its name by [`Self::replace`].
    ///
    /// # Errors
    /// As [`Self::of_save`].
    pub fn of_recording(file: &Path) -> io::Result<Self> {
        Self::new(&destination(file)?, Kind::Recording)
    }

    /// Begins a recording that will get a name by [`Self::keep`], and that is called after a file until then.
    ///
    /// # Errors
    /// What the system says of the folder.
    pub fn of_new_recording(file: &Path) -> io::Result<Self> {
        Self::begin(file, None, Kind::Recording)
    }

    /// `destination`: a regular file, or none yet.
    fn new(destination: &Path, kind: Kind) -> io::Result<Self> {
        let replaced = fs::metadata(destination).ok();
        if replaced.is_some() {
            // What the system refuses here must not be done by renaming.
            OpenOptions::new().write(true).open(destination)?;
        }
        Self::begin(destination, replaced.as_ref(), kind)
    }

    fn begin(destination: &Path, replaced: Option<&Metadata>, kind: Kind) -> io::Result<Self> {
        let name = destination.file_name().ok_or_else(|| io::Error::other("names no file"))?;
        let options = permissions::draft_options(replaced);
        let hidden = |number: u32| destination.with_file_name(hidden(name, number, kind));
        for number in NUMBERS {
            let path = hidden(number);
            if kind == Kind::Save {
                remove_abandoned(&path);
            }
            match DRAFTS.create(&path, || options.open(&path)) {
                Ok(file) if is_locked(&file, &path) => {
                    let draft =
                        Self { file, path, destination: destination.to_path_buf(), kind, stays: false };
                    if let Some(replaced) = replaced {
                        permissions::copy(replaced, &draft.file)?;
                    }
                    if kind == Kind::Save {
                        remove_abandoned(&hidden(number + 1));
                    }
                    return Ok(draft);
                }
                Ok(_) => DRAFTS.forget(&path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.kind == Kind::Recording && !self.stays {
            self.stays = true;
            DRAFTS.forget(&self.path);
        }
        self.file.write_all(bytes)
    }

    /// Where it is until it has its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings it to the disk and gives it the name that it was begun for, in place of a file that has this name.
    ///
    /// # Errors
    /// What the system says; the draft is then where it was. Only if the last step fails, which brings the new name to
    /// the disk, it has the name already.
    pub fn replace(&mut self) -> io::Result<()> {
        self.rename()?;
        sync_folder(folder(&self.destination))
    }

    /// The same, but does not bring the name to the disk; returns the folder that it is in.
    pub(super) fn rename(&mut self) -> io::Result<&Path> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.destination)?;
        self.named();
        Ok(folder(&self.destination))
    }

    /// Brings it to the disk and gives it a name in its folder that nothing has yet.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if something has this name, which is then untouched; else as [`Self::replace`].
    pub fn keep(&mut self, file: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        // A second name for the draft is complete from the start, and is refused if it is taken.
        match fs::hard_link(&self.path, file) {
            Ok(()) => {
                let _ = fs::remove_file(&self.path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not all file systems have second names.
            Err(_) => {
                File::create_new(file)?;
                fs::rename(&self.path, file).inspect_err(|_| drop(fs::remove_file(file)))?;
            }
        }
        self.named();
        sync_folder(folder(file))
    }

    fn named(&mut self) {
        self.stays = true;
        DRAFTS.forget(&self.path);
    }
}

/// `.NAME.sinew-tmp`, `.NAME.1.sinew-tmp`, …; of a long name the beginning.
fn hidden(name: &OsStr, number: u32, kind: Kind) -> String {
    let (name, ending) = (beginning(name), kind.ending());
    match number {
        0 => format!(".{name}.{ending}"),
        number => format!(".{name}.{number}.{ending}"),
    }
}

fn beginning(name: &OsStr) -> String {
    let mut name = name.to_string_lossy().into_owned();
    name.truncate(name.floor_char_boundary(MAX_NAME));
    name
}

/// Locks a draft that was just created. `false`: somebody took it for abandoned before it was locked.
fn is_locked(file: &File, path: &Path) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(file, path)
}

/// Removes a draft that nobody is writing any more.
fn remove_abandoned(path: &Path) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let Some(file) = is_file.then(|| OpenOptions::new().write(true).open(path).ok()).flatten() else {
        return;
    };
    let is_abandoned = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => is_old(&file),
    };
    // Whoever has the lock alone may remove it; it may have become the file meanwhile.
    if is_abandoned && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

fn is_old(file: &File) -> bool {
    let modified = file.metadata().and_then(|found| found.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > ABANDONED))
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: Metadata| (found.dev(), found.ino());
    let (open, there) = (file.metadata().map(place), fs::symlink_metadata(path).map(place));
    open.is_ok_and(|open| there.is_ok_and(|there| open == there))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}

/// Recordings of a file that were never ended, and that nobody is writing any more.
pub fn leftovers(file: &Path) -> Vec<PathBuf> {
    let Some(name) = file.file_name() else { return Vec::new() };
    let start = format!(".{}.", beginning(name));
    let is_hidden = |name: &OsStr| {
        let rest = name.to_str().and_then(|n| n.strip_prefix(&start)?.strip_suffix(Kind::Recording.ending()));
        rest.is_some_and(|rest| {
            let number = rest.strip_suffix('.').unwrap_or(rest);
            rest.is_empty() || number != rest && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let is_left = |path: &PathBuf| {
        let found = fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
        let file = found.then(|| File::open(path).ok()).flatten();
        file.is_some_and(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    };
    let entries = fs::read_dir(folder(file)).into_iter().flatten().filter_map(Result::ok);
    let hidden = entries.filter(|entry| is_hidden(&entry.file_name())).map(|entry| entry.path());
    let mut left: Vec<PathBuf> = hidden.filter(is_left).collect();
    left.sort();
    left
}
