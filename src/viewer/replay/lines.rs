//! The lines of a session file.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Command;
use crate::files::bounded;
use crate::platform::fs::File;
use crate::session::recorder::error::{LineError, ReplayError};
use crate::session::recorder::names::{self, SessionNames};
use crate::session::recorder::{FORMAT, Header, MAX_LINE_BYTES, MAX_SECONDS};

/// A command with its time. `None` is the end of the recording.
pub(super) type TimedCommand = (Duration, Option<Command>);

/// Reads a session file line by line.
#[derive(Debug)]
pub(super) struct SessionLines {
    pub(super) path: PathBuf,
    file: BufReader<File>,
    buffer: Vec<u8>,
    pub(super) number: usize,
    last: f64,
    /// Whether the last line has no line break, for example because the writing program was killed.
    pub(super) truncated: bool,
    /// The names of the character's nodes and clips. Without them, only the syntax of the lines is checked.
    pub(super) names: Option<SessionNames>,
}

impl SessionLines {
    pub(super) fn open(path: &Path) -> Result<Self, ReplayError> {
        // The file must not be a pipe, because it is read twice.
        let file = bounded::open_regular(path);
        let file = file.map_err(|source| ReplayError::Read { path: path.into(), source })?;
        let file = BufReader::new(file);
        Ok(Self {
            path: path.into(),
            file,
            buffer: Vec::new(),
            number: 0,
            last: 0.0,
            truncated: false,
            names: None,
        })
    }

    pub(super) fn error(&self, cause: LineError) -> ReplayError {
        ReplayError::Line { path: self.path.clone(), line: self.number, cause }
    }

    /// Reads the next line into the buffer. Returns false at the end of the file.
    fn advance(&mut self) -> Result<bool, ReplayError> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let read = self.file.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut self.buffer);
            read.map_err(|source| ReplayError::Read { path: self.path.clone(), source })?;
            let has_end = self.buffer.pop_if(|end| *end == b'\n').is_some();
            if !has_end && self.buffer.len() as u64 > MAX_LINE_BYTES {
                return Err(self.error(LineError::Long));
            }
            if self.buffer.is_empty() && !has_end {
                // Errors at the end of the file refer to the last line.
                self.number = (self.number - 1).max(1);
                return Ok(false);
            }
            if !self.buffer.trim_ascii().is_empty() {
                self.truncated = !has_end;
                return Ok(true);
            }
        }
    }

    pub(super) fn header(&mut self) -> Result<Header, ReplayError> {
        let has_line = self.advance()?;
        let value: serde_json::Value = serde_json::from_slice(&self.buffer).unwrap_or_default();
        let format = value.get("format").and_then(|f| f.as_str()).filter(|f| f.starts_with("sinew-session-"));
        match format.filter(|_| has_line) {
            None => return Err(self.error(LineError::Format)),
            Some(FORMAT) => {}
            Some(other) => return Err(self.error(LineError::Version(other.chars().take(40).collect()))),
        }
        let header: Header = serde_json::from_slice(&self.buffer).map_err(|e| self.error(e.into()))?;
        header.validate().map_err(|e| self.error(e))?;
        Ok(header)
    }

    pub(super) fn step(&mut self) -> Result<Option<TimedCommand>, ReplayError> {
        if !self.advance()? {
            return Ok(None);
        }
        let line = match names::read(&self.buffer, self.names.as_ref()) {
            Ok(line) => line,
            Err(_) if self.truncated => return Ok(None),
            Err(error) => return Err(self.error(error)),
        };
        if !(self.last..=MAX_SECONDS).contains(&line.at) {
            return Err(self.error(LineError::Time(line.at)));
        }
        let valid = line.command.as_ref().map_or(Ok(()), Command::validate);
        valid.map_err(|cause| self.error(LineError::Value(cause)))?;
        self.last = line.at;
        Ok(Some((Duration::from_secs_f64(line.at), line.command)))
    }
}
