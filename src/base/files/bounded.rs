//! Reads untrusted files: only regular files, and only up to a maximum size.
//!
//! A device may be endless, and opening a pipe may block forever. Functions that read a file only once also accept
//! input that the caller has opened for this program (`/dev/stdin`, or `/dev/fd/63` for a shell's `<(…)`).

use std::io::{self, Read};
use std::path::Path;

use crate::platform::fs::{self, File};

use super::Progress;

/// Number of bytes that are read between two checks for a stop request.
const CHUNK: u64 = 1 << 20;

/// Opens a regular file.
///
/// # Errors
/// Returns the system's error, or [`io::ErrorKind::InvalidInput`] if the path is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Opens a regular file, or input that the caller has opened.
///
/// # Errors
/// The same as for [`open_regular`].
pub fn open(path: &Path) -> io::Result<File> {
    if is_descriptor(path) { File::open(path) } else { open_regular(path) }
}

/// Reads at most `limit` bytes from a regular file, or from input that the caller has opened.
///
/// ```
/// use std::io::ErrorKind;
/// use std::path::Path;
///
/// use sinew_base::files::bounded;
///
/// # std::env::set_current_dir("../..")?;
/// let path = Path::new("assets/mannequin.glb");
/// assert!(bounded::read(path, 1 << 20)?.starts_with(b"glTF"));
/// assert_eq!(bounded::read(path, 1000).unwrap_err().kind(), ErrorKind::FileTooLarge);
/// assert_eq!(bounded::read(Path::new("assets"), 1000).unwrap_err().kind(), ErrorKind::InvalidInput);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns the system's error, [`io::ErrorKind::InvalidInput`] if the path is neither a regular file nor input that the
/// caller has opened, and [`io::ErrorKind::FileTooLarge`] if there are more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, limit, &Progress::default())
}

/// Like [`read`], but returns text.
///
/// # Errors
/// Fails like [`read`], or with [`io::ErrorKind::InvalidData`] if the bytes are not UTF-8.
pub fn read_to_string(path: &Path, limit: u64) -> io::Result<String> {
    read_to_string_with(path, limit, &Progress::default())
}

/// Reads at most `limit` bytes from a regular file.
///
/// # Errors
/// Fails like [`open_regular`], or with [`io::ErrorKind::FileTooLarge`] if there are more than `limit` bytes.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_regular_with(path, limit, &Progress::default())
}

/// Like [`read_regular`], but counts the bytes in `progress`, which can also stop the read.
///
/// # Errors
/// Fails like [`read_regular`], or with [`io::ErrorKind::Other`] containing [`super::Stopped`] if the read is stopped.
pub fn read_regular_with(path: &Path, limit: u64, progress: &Progress) -> io::Result<Vec<u8>> {
    read_all(open_regular(path)?, limit, progress)
}

/// Like [`read_to_string`], but counts the bytes in `progress`, which can also stop the read.
///
/// # Errors
/// Fails like [`read_to_string`], or with [`io::ErrorKind::Other`] containing [`super::Stopped`] if the read is stopped.
pub fn read_to_string_with(path: &Path, limit: u64, progress: &Progress) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text");
    String::from_utf8(read_all(open(path)?, limit, progress)?).map_err(not_utf8)
}

fn read_all(file: File, limit: u64, progress: &Progress) -> io::Result<Vec<u8>> {
    let too_large = || {
        let text = format!("larger than {} MiB, the limit for this kind of file", limit >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    // The file may grow while it is read, and a pipe has no size.
    progress.expect(size);
    let mut rest = file.take(limit.saturating_add(1));
    loop {
        progress.check()?;
        let count = rest.by_ref().take(CHUNK).read_to_end(&mut bytes)?;
        if count == 0 {
            break;
        }
        progress.add(count as u64);
    }
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Returns whether a path refers to a file that the caller has opened for this program, for example `/dev/stdin` or
/// `/dev/fd/3`.
pub(crate) fn is_descriptor(path: &Path) -> bool {
    let streams = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let is_process_fd = || path.starts_with("/proc") && path.components().any(|c| c.as_os_str() == "fd");
    cfg!(unix)
        && (streams.iter().any(|s| path == Path::new(s)) || path.starts_with("/dev/fd") || is_process_fd())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_exceeds_the_limit_is_refused() {
        let path = std::env::temp_dir().join(format!("sinew-bounded-{}", std::process::id()));
        fs::write(&path, "a\u{e4}").unwrap();
        assert_eq!(read_to_string(&path, 3).unwrap(), "a\u{e4}");
        assert_eq!(read(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_regular(&path, 1).unwrap(), b"\xff");
        assert_eq!(read_to_string(&path, 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // A sparse file of 1 TiB. No memory is allocated for it.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read(&path, 16 << 20).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert_eq!(error, "larger than 16 MiB, the limit for this kind of file");
        assert_eq!(read(&path, 1).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(read(&std::env::temp_dir(), 1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_even_by_functions_that_accept_stdin() {
        for path in ["/dev/zero", "/dev/null", "/dev/fd"] {
            assert!(read(Path::new(path), 1).is_err(), "{path}");
        }
    }
}
