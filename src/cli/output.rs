//! Writes results as JSON or text, to stdout or to a file that is either complete or absent.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::files::atomic;
use crate::text::{json, printable};

use super::failure::Failure;

const STDOUT: &str = "stdout";

/// Writes a value as one line of JSON to a file or to stdout. Writes nothing if a number is not finite.
pub(super) fn json(path: Option<&Path>, value: &impl Serialize) -> Result<(), Failure> {
    let at = path.unwrap_or(Path::new(STDOUT));
    let mut text = json::to_vec(value).map_err(|e| Failure::write(at)(e.into()))?;
    text.push(b'\n');
    file(path.unwrap_or(Path::new("-")), &text)
}

/// Writes lines of text to stdout. Line breaks within a line are escaped, and long lines are not shortened.
pub(super) fn lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> Result<(), Failure> {
    let text: String = lines
        .into_iter()
        .flat_map(|line| [printable::escaped(line.as_ref()).into_owned(), "\n".into()])
        .collect();
    stdout(text.as_bytes())
}

/// Writes a file, or replaces it once all bytes are written. `-` is stdout.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) { stdout(bytes) } else { atomic::write(path, bytes).map_err(Failure::write(path)) }
}

/// The files of an image sequence.
#[derive(Default)]
pub(super) struct Sequence {
    files: atomic::Sequence,
}

impl Sequence {
    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.files.write(path, bytes).map_err(Failure::write(path))
    }

    /// Syncs all files to disk. Errors contain the path `name`.
    pub(super) fn finish(self, name: &Path) -> Result<(), Failure> {
        self.files.finish().map_err(Failure::write(name))
    }
}

fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    // Flush explicitly, because an error in the implicit flush at exit would not be reported.
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(Failure::write(Path::new(STDOUT)))
}

/// Returns whether a path means stdout. `/dev/stdout` may be a file to which the shell appends, so it must be neither replaced
/// nor truncated.
pub(super) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Checks that a file can be written, before the work starts.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { atomic::check(path).map_err(Failure::write(path)) }
}

/// Refuses an output that would overwrite one of `inputs`.
pub(super) fn protect<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    if inputs.into_iter().any(|file| atomic::is_same(file, output)) {
        let path = output.display();
        return Err(Failure::Usage(format!("{path}: output would overwrite an input; choose another file")));
    }
    Ok(())
}
