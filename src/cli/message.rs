//! Messages on stderr.

use std::io::{self, Write};

use crate::text::printable;

/// Writes a message to stderr on one line. Line breaks in the message, which may come from a file or a driver, are escaped.
pub(super) fn print(text: &str) {
    // If stderr is closed or full, the error cannot be reported anywhere.
    let _ = writeln!(io::stderr().lock(), "{}", printable::line(text));
}
