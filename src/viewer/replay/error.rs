//! Why a session could not be played back, by its line.

use std::io;
use std::path::PathBuf;

use crate::printable;

use super::{FORMAT, LONGEST};

/// Why a session could not be played back.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The session's file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line of it will not do.
    #[error("{}: line {line}: {cause}", path.display())]
    Line {
        /// The session's file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is the matter with it.
        cause: LineError,
    },
}

/// What is the matter with a line of a session.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The first line does not say that this is a session.
    #[error("this is no recorded session (\"format\":\"{FORMAT}\" is missing)")]
    Format,
    /// It is one, but of another version.
    #[error("the format is {0}, this program reads {FORMAT}")]
    Version(String),
    /// It is too long to be one.
    #[error("it is longer than {LONGEST} bytes")]
    Long,
    /// Its time is before that of the line above, or none.
    #[error("{0} s is no time after the line before")]
    Time(f64),
    /// The picture has no such size.
    #[error("there is no picture of {0}x{1} pixels at {2} pixels a point")]
    Size(f32, f32, f32),
    /// A file of clips cannot be read, or not be put on the character.
    #[error("{0}")]
    Clips(String),
    /// Its command holds what no session can carry out.
    #[error("{0}")]
    Value(String),
    /// No command is written like this.
    #[error("{0}")]
    Syntax(String),
}

impl From<serde_json::Error> for LineError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        // The file's line is said already; within it the column is what helps.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let said = text.strip_suffix(&place).unwrap_or(&text);
        Self::Syntax(format!("{} (column {})", printable::cause(said), error.column()))
    }
}
