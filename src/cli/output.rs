//! Results: JSON and text, to stdout or to a file that is whole or not there.

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

/// Writes lines for people to stdout. Each stays one line, whatever a file put into it.
pub(super) fn lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> Result<(), Failure> {
    let text: String = lines
        .into_iter()
        .flat_map(|line| [printable::line(line.as_ref()).into_owned(), "\n".into()])
        .collect();
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::write(Path::new(STDOUT)))
}

/// Writes a message to stderr, on one line, whatever a file or a driver put into it.
pub(super) fn message(text: &str) {
    // Where stderr is closed or full nobody can be told.
    let _ = writeln!(io::stderr().lock(), "{}", printable::line(text));
}

/// Writes a file beside its place, then renames it; `-` is stdout.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path == Path::new("-") {
        return io::stdout().lock().write_all(bytes).map_err(Failure::write(Path::new(STDOUT)));
    }
    atomic::write(path, bytes).map_err(Failure::write(path))
}

/// Refuses to replace a file that is read: what was in it beside the result would be gone.
pub(super) fn spare<'a>(output: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let same =
        |a: &Path, b: &Path| a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if read.into_iter().any(|file| same(file, output)) {
        let path = output.display();
        return Err(Failure::Usage(format!("{path}: this file is read; name another one for the output")));
    }
    Ok(())
}
