//! Results: JSON and text, to stdout or to a file that is complete or absent.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::{atomic, json, printable};

use super::failure::Failure;

const STDOUT: &str = "stdout";

/// Writes JSON on one line, to a file or to stdout. Nothing is written if a number is not finite.
pub(super) fn json(path: Option<&Path>, value: &impl Serialize) -> Result<(), Failure> {
    let at = path.unwrap_or(Path::new(STDOUT));
    let mut text = json::to_vec(value).map_err(|e| Failure::write(at)(e.into()))?;
    text.push(b'\n');
    file(path.unwrap_or(Path::new("-")), &text)
}

/// Writes lines for people to stdout. Each stays one line, whatever a file put into it, and none is shortened.
pub(super) fn lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> Result<(), Failure> {
    let text: String = lines
        .into_iter()
        .flat_map(|line| [printable::escaped(line.as_ref()).into_owned(), "\n".into()])
        .collect();
    stdout(text.as_bytes())
}

/// Writes a message to stderr, on one line, whatever a file or a driver put into it.
pub(super) fn message(text: &str) {
    // If stderr is closed or full, there is nowhere to report to.
    let _ = writeln!(io::stderr().lock(), "{}", printable::line(text));
}

/// Writes a file, or replaces it when everything is written; `-` is stdout.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) { stdout(bytes) } else { atomic::write(path, bytes).map_err(Failure::write(path)) }
}

/// The files of a sequence.
#[derive(Default)]
pub(super) struct Sequence {
    files: atomic::Sequence,
}

impl Sequence {
    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.files.write(path, bytes).map_err(Failure::write(path))
    }

    /// Brings all of them to the disk. `name`: how an error names them.
    pub(super) fn finish(self, name: &Path) -> Result<(), Failure> {
        self.files.finish().map_err(Failure::write(name))
    }
}

fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    // At the end of the program nobody would hear that the rest of the last line was lost.
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(Failure::write(Path::new(STDOUT)))
}

/// `/dev/stdout` may be a file that the shell appends to: it must be neither replaced nor truncated.
fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Checks that a file can be written, before the work that it is written after.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { atomic::check(path).map_err(Failure::write(path)) }
}

/// Refuses to replace a file that is read, or that the same run writes: its content would be gone.
pub(super) fn spare<'a>(output: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    if read.into_iter().any(|file| atomic::is_same(file, output)) {
        let path = output.display();
        return Err(Failure::Usage(format!("{path}: this file is read; name another one for the output")));
    }
    Ok(())
}
