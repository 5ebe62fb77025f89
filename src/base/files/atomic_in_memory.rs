//! Writes files in the memory of a web page. Each write is atomic. [`Draft`] has the same interface as the version for files on disk.

use std::io;
use std::path::{Path, PathBuf};

use crate::platform::fs;

/// Writes a file. An existing file is replaced.
///
/// # Errors
/// [`io::ErrorKind::IsADirectory`] if the path refers to a folder.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    fs::write(path, bytes);
    Ok(())
}

/// Writes a file that does not exist yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if the file exists. The existing file then remains unchanged.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok() { Err(io::ErrorKind::AlreadyExists.into()) } else { write(path, bytes) }
}

/// Checks that [`write()`] could write a file.
///
/// # Errors
/// The same as for [`write()`].
pub fn check(path: &Path) -> io::Result<()> {
    let is_folder = fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if is_folder { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(()) }
}

/// Returns whether two paths refer to the same file. The file need not exist yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    resolved(a) == resolved(b)
}

/// A file that is being written. It appears under its name when it is complete.
#[derive(Debug)]
pub struct Draft {
    bytes: Vec<u8>,
    destination: PathBuf,
}

impl Draft {
    /// Starts to save a file.
    ///
    /// # Errors
    /// The same as for [`write()`].
    pub fn of_save(file: &Path) -> io::Result<Self> {
        check(file).map(|()| Self { bytes: Vec::new(), destination: file.to_path_buf() })
    }

    /// Starts a recording.
    ///
    /// # Errors
    /// The same as for [`Self::of_save`].
    pub fn of_recording(file: &Path) -> io::Result<Self> {
        Self::of_save(file)
    }

    /// Starts a recording whose final name is passed to [`Self::keep`].
    ///
    /// # Errors
    /// The same as for [`Self::of_save`].
    pub fn of_new_recording(file: &Path) -> io::Result<Self> {
        Self::of_save(file)
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::OutOfMemory`] if the memory for the bytes cannot be allocated.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.try_reserve(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.destination
    }

    /// Writes the file. An existing file is replaced.
    ///
    /// # Errors
    /// The same as for [`write()`].
    pub fn replace(&mut self) -> io::Result<()> {
        write(&self.destination, &self.bytes)
    }

    /// Writes a file that does not exist yet.
    ///
    /// # Errors
    /// The same as for [`write_new`].
    pub fn keep(&mut self, file: &Path) -> io::Result<()> {
        write_new(file, &self.bytes)
    }
}
