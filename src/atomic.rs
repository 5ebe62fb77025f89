//! Files are written beside their place and then renamed: whoever reads sees the old one or the new one, whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Names that are tried for what is written beside.
const NAMES: std::ops::Range<u32> = 0..1000;

/// A file that is being written beside its place. Dropped, it stays there unless it is empty: what it holds so far may
/// be all there is.
#[derive(Debug)]
pub struct Draft {
    file: File,
    beside: PathBuf,
    empty: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.empty {
            // A leftover that cannot be removed changes nothing.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

impl Draft {
    /// Begins a file in the folder of its place, under a hidden name that nothing has: `.NAME.PROCESS.part`.
    ///
    /// # Errors
    /// What the system says of the folder.
    pub fn new(place: &Path) -> io::Result<Self> {
        let name = place.file_name().ok_or_else(|| io::Error::other("names no file"))?;
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in NAMES {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}.part", std::process::id()));
            if number > 0 {
                hidden.push(number.to_string());
            }
            let beside = place.with_file_name(hidden);
            match File::create_new(&beside) {
                Ok(file) => return Ok(Self { file, beside, empty: true }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Adds to it.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.empty = false;
        self.file.write_all(bytes)
    }

    /// Where it is until it has its name.
    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// Gives it its name, in the folder that it was begun in, in place of a file that has it already.
    ///
    /// # Errors
    /// What the system says; the draft is then where it was.
    pub fn replace(&mut self, place: &Path) -> io::Result<()> {
        self.empty = false;
        fs::rename(&self.beside, place)
    }

    /// Gives it a name that nothing has yet.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something has it, which is then untouched; else what the system says.
    pub fn keep(&mut self, place: &Path) -> io::Result<()> {
        // Asking first would leave a moment in which somebody else takes the name: taking it is one step.
        File::create_new(place)?;
        let named = self.replace(place);
        if named.is_err() {
            let _ = fs::remove_file(place);
        }
        named
    }

    /// Gives it up.
    pub fn discard(mut self) {
        self.empty = true;
    }
}

/// Writes a file, replacing one of that name only when all is written.
///
/// Links are followed. What is no regular file (a pipe, `/dev/stdout`) is written to as it is.
///
/// # Errors
/// What the system says; the old file is then untouched and nothing is left beside it.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = match fs::metadata(path) {
        Ok(there) if !there.is_file() => return fs::write(path, bytes),
        Ok(_) => path.canonicalize()?,
        Err(_) => path.to_path_buf(),
    };
    whole(&place, bytes, Draft::replace)
}

/// Writes a file under a name that nothing has yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where something has it, which is then untouched; else what the system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Where the name is taken nothing need be written.
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    whole(path, bytes, Draft::keep)
}

fn whole(
    place: &Path,
    bytes: &[u8],
    name: impl FnOnce(&mut Draft, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let mut draft = Draft::new(place)?;
    let written = draft.write(bytes).and_then(|()| name(&mut draft, place));
    if written.is_err() {
        draft.discard();
    }
    written
}
