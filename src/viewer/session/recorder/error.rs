//! Errors of a replay, with the line of the session file.

use std::io;
use std::path::PathBuf;

use crate::api::Missing;
use crate::files::Stopped;
use crate::text::printable;

use super::{FORMAT, MAX_LINE_BYTES, MAX_SECONDS};

/// Why a session could not be played back.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The session's file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Reading was stopped from another thread.
    #[error("{}: {stopped}", path.display())]
    Stopped {
        /// The session's file.
        path: PathBuf,
        /// Why reading was stopped.
        stopped: Stopped,
    },
    /// A line is invalid.
    #[error("{}: line {line}: {cause}", path.display())]
    Line {
        /// The session's file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with the line.
        cause: LineError,
    },
}

/// What is wrong with a line of a session file.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The first line is not the header of a session.
    #[error("not a recorded session: \"format\":\"{FORMAT}\" is missing")]
    Format,
    /// The session has a different version of the format.
    #[error("format {0} is not supported; this program reads {FORMAT}")]
    Version(String),
    /// The line is too long.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
    Long,
    /// The time is earlier than on the previous line, too large or not finite.
    #[error("time {0} s must be at least that of the previous line and at most {MAX_SECONDS} s")]
    Time(f64),
    /// The view size or the scale is out of range.
    #[error("a size of {0}x{1} pixels at {2} pixels per point is out of range")]
    Size(f32, f32, f32),
    /// A clip file could not be read, or does not fit the character.
    #[error("{0}")]
    Clips(String),
    /// The command names a node or a clip that does not exist.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The command has a value that no session can execute.
    #[error("{0}")]
    Value(String),
    /// The command has invalid syntax.
    #[error("{0}")]
    Syntax(String),
}

impl From<serde_json::Error> for LineError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        // serde_json parses one line at a time, so its line number is always 1 and only the column is useful.
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = text.strip_suffix(&position).unwrap_or(&text);
        Self::Syntax(format!("{} (column {})", printable::cause(message), error.column()))
    }
}
