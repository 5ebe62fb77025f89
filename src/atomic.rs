//! Files are written beside their place and then renamed: whoever reads sees the old one or the new one, whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

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
    let name = place.file_name().ok_or_else(|| io::Error::other("names no file"))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = place.with_file_name(beside);
    let written =
        File::create(&beside).and_then(|mut f| f.write_all(bytes)).and_then(|()| fs::rename(&beside, &place));
    if written.is_err() {
        // The first error is the one to tell; a leftover that cannot be removed changes nothing about it.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Writes a file under a name that nothing has yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where something has it, which is then untouched; else what the system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Asking first would leave a moment in which somebody else takes the name: taking it is one step.
    File::create_new(path)?;
    let written = write(path, bytes);
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
