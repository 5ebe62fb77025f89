//! Reading files that may be anything: only regular files, and only up to a size.
//!
//! A device may never end, and opening a pipe may wait forever. Input that the caller has already opened for this
//! program (`/dev/stdin`, and `/dev/fd/63` of a shell's `<(…)`) is read where nothing is read twice.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file.
///
/// # Errors
/// What the system says; [`io::ErrorKind::InvalidInput`] if it is something else.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Opens a regular file, or input that the caller has opened.
///
/// # Errors
/// As [`open_regular`].
pub fn open(path: &Path) -> io::Result<File> {
    if is_descriptor(path) { File::open(path) } else { open_regular(path) }
}

/// The bytes of a regular file, or of input that the caller has opened, if they are not more than `most`.
///
/// # Errors
/// As [`open`]; [`io::ErrorKind::FileTooLarge`].
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, most)
}

/// The same as text.
///
/// # Errors
/// As [`read`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_to_string(path: &Path, most: u64) -> io::Result<String> {
    let is_not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text");
    String::from_utf8(read(path, most)?).map_err(is_not_text)
}

/// The bytes of a regular file.
///
/// # Errors
/// As [`open_regular`]; [`io::ErrorKind::FileTooLarge`].
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open_regular(path)?, most)
}

fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let is_too_large = || {
        let text = format!("larger than {} MiB, the most for such a file", most >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    let size = file.metadata()?.len();
    if size > most {
        return Err(is_too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    // It may grow while it is read, and not everything has a size.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(is_too_large()) } else { Ok(bytes) }
}

/// Whether a path names what the caller has opened for this program: `/dev/stdin`, `/dev/fd/3`.
pub(crate) fn is_descriptor(path: &Path) -> bool {
    let streams = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let is_process = || path.starts_with("/proc") && path.components().any(|c| c.as_os_str() == "fd");
    cfg!(unix)
        && (streams.iter().any(|s| path == Path::new(s)) || path.starts_with("/dev/fd") || is_process())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_a_size() {
        let path = std::env::temp_dir().join(format!("sinew-bounded-{}", std::process::id()));
        fs::write(&path, "a\u{e4}").unwrap();
        assert_eq!(read_to_string(&path, 3).unwrap(), "a\u{e4}");
        assert_eq!(read(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_regular(&path, 1).unwrap(), b"\xff");
        assert_eq!(read_to_string(&path, 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // Sparse: no memory is taken for what is not read.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read(&path, 16 << 20).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert_eq!(error, "larger than 16 MiB, the most for such a file");
        assert_eq!(read(&path, 1).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(read(&std::env::temp_dir(), 1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_even_where_input_of_the_shell_is_read() {
        for path in ["/dev/zero", "/dev/null", "/dev/fd"] {
            assert!(read(Path::new(path), 1).is_err(), "{path}");
        }
    }
}
