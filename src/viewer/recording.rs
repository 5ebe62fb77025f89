//! A session's file while it is written: a line that says of what, then a line a command. `docs/session.md` has the format.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::atomic::Draft;
use crate::{bounded, json};

use super::history::History;
use super::replay::LineError;
use super::save::{free, numbered};
use super::{Addition, Command, SaveError, Session, fingerprint};

/// The format and its version.
pub(super) const FORMAT: &str = "sinew-session-1";

/// Bytes of the longest line: a pose of a hundred thousand nodes.
pub(super) const LONGEST: u64 = 16 << 20;
/// Seconds of the latest command, a month: until then nanoseconds survive being written as seconds.
pub(super) const LATEST: f64 = 30.0 * 86_400.0;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: String,
    /// The version of the program.
    pub(super) sinew: String,
    /// The character's file, seen from the session's folder; `None`: the one inside the program.
    pub(super) character: Option<String>,
    pub(super) fingerprint: String,
    /// Pixels across and down.
    pub(super) size: [f32; 2],
    /// Pixels a point.
    pub(super) scale: f32,
}

/// Any other line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line<C> {
    /// Seconds since the recording began.
    pub(super) at: f64,
    /// `None` on the last one: so long it ran.
    #[serde(rename = "do", default = "nothing", skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<C>,
}

fn nothing<C>() -> Option<C> {
    None
}

impl Header {
    /// Why no session is of such a size.
    pub(super) fn fault(&self) -> Option<LineError> {
        let ([width, height], scale) = (self.size, self.scale);
        let is_size = |x: f32| (1.0..=32_768.0).contains(&x);
        let is_sound = is_size(width) && is_size(height) && (0.1..=32.0).contains(&scale);
        (!is_sound).then_some(LineError::Size(width, height, scale))
    }

    /// `folder`: where the session's file will be.
    pub(super) fn of(session: &Session, scale: f32, folder: &Path) -> Self {
        Self {
            format: FORMAT.into(),
            sinew: env!("CARGO_PKG_VERSION").into(),
            character: session.file().map(|file| seen_from(folder, file)),
            fingerprint: fingerprint::of(
                session.puppet().character(),
                session.own_clips(),
                &session.loaded_rig,
            ),
            size: session.size().to_array(),
            scale,
        }
    }
}

/// A file's path from a folder that it is in, so that both can be moved together; else its whole path.
fn seen_from(folder: &Path, file: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    text(file.strip_prefix(folder).unwrap_or(&file))
}

/// A file's whole path.
fn whole(file: &Path) -> String {
    text(&file.canonicalize().unwrap_or_else(|_| file.to_path_buf()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// How a recording is called at its end.
#[derive(Debug)]
enum Name {
    New(PathBuf),
    Replacing(PathBuf),
    /// The next number that is free in a folder.
    Numbered(PathBuf, String),
}

/// Writes a session down while it goes on.
///
/// Every line is written at once, to a hidden file beside the one that it will become: what is there when the program
/// ends without warning is a session too, up to that moment.
#[derive(Debug)]
pub struct Recorder {
    draft: Draft,
    name: Name,
    failed: Option<io::Error>,
    /// What could be taken back before.
    pub(super) before: History,
}

impl Recorder {
    /// Records to a file. `replace`: there may be one of that name, until then.
    ///
    /// # Errors
    /// [`SaveError::Write`] where nothing can be written, or where there is such a file that must not be replaced.
    pub fn new(path: &Path, replace: bool) -> Result<Self, SaveError> {
        let failed = |source| SaveError::Write { path: path.into(), source };
        if !replace && path.symlink_metadata().is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        let (draft, name) = if replace {
            (Draft::of_recording(path), Name::Replacing(path.into()))
        } else {
            (Draft::of_new_recording(path), Name::New(path.into()))
        };
        let draft = draft.map_err(failed)?;
        Ok(Self { draft, name, failed: None, before: History::default() })
    }

    /// Records to `NAME-0001.session` or the next number that is free in a folder.
    ///
    /// # Errors
    /// [`SaveError::Write`] where nothing can be written.
    pub(super) fn numbered(folder: &Path, name: String) -> Result<Self, SaveError> {
        let path = folder.join(format!("{name}.{ENDING}"));
        let draft = Draft::of_new_recording(&path).map_err(|source| SaveError::Write { path, source })?;
        let name = Name::Numbered(folder.into(), name);
        Ok(Self { draft, name, failed: None, before: History::default() })
    }

    /// Where the file will be.
    pub(super) fn folder(&self) -> &Path {
        let folder = self.draft.path().parent().filter(|p| !p.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    pub(super) fn begin(&mut self, header: &Header) -> Result<(), SaveError> {
        let text = match header.fault() {
            None => json::to_string(header).map_err(io::Error::from),
            Some(fault) => Err(io::Error::other(fault.to_string())),
        };
        let written = text.and_then(|text| self.draft.write(format!("{text}\n").as_bytes()));
        written.map_err(|source| SaveError::Write { path: self.draft.path().into(), source })
    }

    /// Writes a command down; `false`: text cannot say it.
    pub(super) fn log(&mut self, now: Duration, command: &Command) -> bool {
        if matches!(command, Command::Tick(_)) {
            return true;
        }
        let Ok(text) = json::to_string(&Line { at: now.as_secs_f64(), command: Some(command) }) else {
            return false;
        };
        let back = serde_json::from_str::<Line<Command>>(&text).ok().and_then(|line| line.command);
        let is_read = text.len() as u64 <= LONGEST && command.fault().is_none();
        if !is_read || back.as_ref() != Some(command) {
            return false;
        }
        if now.as_secs_f64() > LATEST {
            self.failed.get_or_insert(io::Error::other("the recording is longer than a month"));
        }
        self.write(&text);
        true
    }

    /// Writes down where clips are from. A take that was recorded here is written beside the recording first, unless it
    /// is in there, and is from there from now on; `name`: what it is called after. What cannot be written ends the
    /// recording.
    pub(super) fn log_added(&mut self, now: Duration, addition: &mut Addition, name: &str) -> bool {
        let folder = self.folder().to_path_buf();
        if let Some(csv) = addition.csv() {
            let there = bounded::read_regular(&addition.file, csv.len() as u64);
            let there = there.is_ok_and(|bytes| bytes == csv.as_bytes());
            if !there || seen_from(&folder, &addition.file) == whole(&addition.file) {
                match numbered(&folder, &format!("{name}-take"), "csv", csv.as_bytes()) {
                    Ok(path) => addition.file = path,
                    Err(error) => {
                        self.failed.get_or_insert(io::Error::other(error.to_string()));
                        return true;
                    }
                }
            }
        }
        let mut told = addition.clone();
        told.file = seen_from(&folder, &addition.file).into();
        self.log(now, &Command::Add(Box::new(told)))
    }

    fn write(&mut self, line: &str) {
        if self.failed.is_none() {
            self.failed = self.draft.write(format!("{line}\n").as_bytes()).err();
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The last line, and the name. What cannot have its name stays where it is, and the error says where.
    pub(super) fn finish(mut self, now: Duration) -> Result<PathBuf, SaveError> {
        let end = json::to_string(&Line::<Command> { at: now.as_secs_f64(), command: None });
        if let Ok(end) = end {
            self.write(&end);
        }
        let mut draft = self.draft;
        let failed = |path: PathBuf, source| SaveError::Write { path, source };
        let named = match (self.failed, self.name) {
            (Some(source), Name::New(path) | Name::Replacing(path) | Name::Numbered(path, _)) => {
                Err(failed(path, source))
            }
            (None, Name::New(path)) => {
                draft.keep(&path).map(|()| path.clone()).map_err(|source| failed(path, source))
            }
            (None, Name::Replacing(path)) => {
                draft.replace().map(|()| path.clone()).map_err(|source| failed(path, source))
            }
            (None, Name::Numbered(folder, name)) => free(&folder, &name, ENDING, |path| draft.keep(path)),
        };
        named.map_err(|error| match error {
            // Where only the last step failed, which syncs the folder, it has its name already.
            SaveError::Write { path, source } if draft.path().exists() => {
                let left = draft.path().display();
                failed(
                    path,
                    io::Error::new(source.kind(), format!("{source}; what was recorded is in {left}")),
                )
            }
            other => other,
        })
    }
}

/// What sessions' files are called.
const ENDING: &str = "session";
