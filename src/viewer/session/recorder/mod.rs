//! Writes a session file: a header line, then one line per command. `docs/session.md` describes the format.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::asset::Character;
use crate::files::atomic::Draft;
use crate::files::bounded;
use crate::platform::fs;
use crate::replay::LineError;
use crate::text::json;
use crate::{AddedClips, Command, SaveError, Session};

use names::SessionNames;

use super::added_clips::own_clips;
use super::files::{base_name, folder_of, with_free_name, write_numbered};
use super::fingerprint;
use crate::document::History;

pub(crate) mod error;
pub(crate) mod names;

/// The name of the format with its version.
pub(crate) const FORMAT: &str = "sinew-session-1";

/// Maximum length of a line in bytes, enough for a pose of 100,000 nodes.
pub(crate) const MAX_LINE_BYTES: u64 = 16 << 20;
/// Maximum time of a command in seconds (a month). Up to this time, an `f64` can represent differences of one nanosecond.
pub(crate) const MAX_SECONDS: f64 = 30.0 * 86_400.0;

/// The first line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) format: String,
    /// The version of the writing program.
    pub(crate) sinew: String,
    /// The character's file, relative to the session's folder if the file is inside that folder. `None` for the built-in character.
    pub(crate) character: Option<String>,
    pub(crate) fingerprint: String,
    /// Width and height in pixels.
    pub(crate) size: [f32; 2],
    /// Pixels per point.
    pub(crate) scale: f32,
    /// Whether springs are on before the first command. Older versions did not have springs.
    #[serde(default)]
    pub(crate) springs: bool,
}

/// Any other line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionLine<C> {
    /// Seconds since the recording began.
    pub(crate) at: f64,
    /// `None` on the last line, whose time is the length of the recording.
    #[serde(rename = "do", default = "none", skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<C>,
}

fn none<C>() -> Option<C> {
    None
}

impl Header {
    /// Checks the size and the scale.
    ///
    /// # Errors
    /// [`LineError::Size`] if one of them is out of range.
    pub(crate) fn validate(&self) -> Result<(), LineError> {
        let ([width, height], scale) = (self.size, self.scale);
        let is_size = |x: f32| (1.0..=32_768.0).contains(&x);
        let is_valid = is_size(width) && is_size(height) && (0.1..=32.0).contains(&scale);
        if is_valid { Ok(()) } else { Err(LineError::Size(width, height, scale)) }
    }

    /// Creates the header of a session. `folder` will contain the session file.
    pub(crate) fn of(session: &Session, scale: f32, folder: &Path) -> Self {
        Self {
            format: FORMAT.into(),
            sinew: env!("CARGO_PKG_VERSION").into(),
            character: session.file().map(|file| relative_to(folder, file)),
            fingerprint: fingerprint::of_character(
                session.puppet().character(),
                own_clips(session.puppet().character(), session.additions()),
                &session.rig_file.loaded,
            ),
            size: session.size().to_array(),
            scale,
            springs: true,
        }
    }
}

/// Returns a file's path relative to a folder, so that both can be moved together. A file outside the folder keeps its absolute
/// path.
fn relative_to(folder: &Path, file: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    text(file.strip_prefix(folder).unwrap_or(&file))
}

/// Returns the absolute path of a file.
fn absolute(file: &Path) -> String {
    text(&fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// The final path of a recording.
#[derive(Debug)]
enum FinalPath {
    New(PathBuf),
    Replacing(PathBuf),
    /// A path in a folder, with a base name and the next free number.
    Numbered(PathBuf, String),
}

/// Writes a session to a file while it runs.
///
/// Each line is written immediately to a hidden file beside the final path. If the program is killed, that file is a
/// valid session up to that moment.
#[derive(Debug)]
pub struct Recorder {
    draft: Draft,
    name: FinalPath,
    failed: Option<io::Error>,
    /// The names of the character's nodes and clips.
    pub(crate) names: SessionNames,
    /// The undo history from before the recording.
    pub(crate) before: History,
}

impl Recorder {
    /// Creates a recorder for a file. If `replace` is set, an existing file is replaced when the recording ends.
    ///
    /// # Errors
    /// [`SaveError::Write`] if the file cannot be written, or if it exists and `replace` is not set.
    pub fn new(path: &Path, replace: bool) -> Result<Self, SaveError> {
        let failed = |source| SaveError::Write { path: path.into(), source };
        if !replace && path.symlink_metadata().is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        let (draft, name) = if replace {
            (Draft::of_recording(path), FinalPath::Replacing(path.into()))
        } else {
            (Draft::of_new_recording(path), FinalPath::New(path.into()))
        };
        let draft = draft.map_err(failed)?;
        let names = SessionNames::default();
        Ok(Self { draft, name, failed: None, names, before: History::default() })
    }

    /// Creates a recorder for `NAME-0001.session` or the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError::Write`] if the file cannot be written.
    #[cfg_attr(not(feature = "window"), allow(dead_code, reason = "only the window chooses names"))]
    pub(crate) fn numbered(folder: &Path, name: String) -> Result<Self, SaveError> {
        let path = folder.join(format!("{name}.{EXTENSION}"));
        let draft = Draft::of_new_recording(&path).map_err(|source| SaveError::Write { path, source })?;
        let name = FinalPath::Numbered(folder.into(), name);
        let names = SessionNames::default();
        Ok(Self { draft, name, failed: None, names, before: History::default() })
    }

    pub(crate) fn folder(&self) -> &Path {
        folder_of(self.draft.path())
    }

    pub(crate) fn begin(&mut self, header: &Header, names: SessionNames) -> Result<(), SaveError> {
        self.names = names;
        let valid = header.validate().map_err(|e| io::Error::other(e.to_string()));
        let text = valid.and_then(|()| json::to_string(header).map_err(io::Error::from));
        let written = text.and_then(|text| self.draft.write(format!("{text}\n").as_bytes()));
        written.map_err(|source| SaveError::Write { path: self.draft.path().into(), source })
    }

    /// Writes a command of a session with a character. Returns false if the command cannot be represented as text. File paths are written
    /// relative to the folder of the recording. If a take is saved beside the recording, the command gets that file's path.
    pub(crate) fn record(&mut self, now: Duration, command: &mut Command, character: &Character) -> bool {
        match command {
            Command::AddClips(addition) => self.log_added(now, addition, character),
            Command::Style(_) | Command::Props(_) => {
                let folder = self.folder().to_path_buf();
                self.log(now, &command.clone().with_files(|file| relative_to(&folder, file).into()))
            }
            command => self.log(now, command),
        }
    }

    /// Writes a command. Returns false if the command cannot be represented as text.
    fn log(&mut self, now: Duration, command: &Command) -> bool {
        if matches!(command, Command::Tick(_)) {
            return true;
        }
        let Some(text) = names::write(now.as_secs_f64(), command, &self.names) else { return false };
        let parsed = names::read(text.as_bytes(), Some(&self.names)).ok().and_then(|line| line.command);
        let is_readable = text.len() as u64 <= MAX_LINE_BYTES && command.validate().is_ok();
        if !is_readable || parsed.as_ref() != Some(command) {
            return false;
        }
        if now.as_secs_f64() > MAX_SECONDS {
            self.failed.get_or_insert(io::Error::other("the recording is longer than a month"));
        }
        self.write(&text);
        true
    }

    /// Writes the origin of added clips. If a take was recorded in this program and is not yet beside the recording, it is first saved
    /// there, and `addition` gets the path of the new file. If the take cannot be saved, the recording fails.
    pub(crate) fn log_added(
        &mut self,
        now: Duration,
        addition: &mut AddedClips,
        character: &Character,
    ) -> bool {
        let folder = self.folder().to_path_buf();
        if let Some(csv) = addition.take_csv() {
            let existing = bounded::read_regular(&addition.file, csv.len() as u64);
            let exists = existing.is_ok_and(|bytes| bytes == csv.as_bytes());
            if !exists || relative_to(&folder, &addition.file) == absolute(&addition.file) {
                match write_numbered(
                    &folder,
                    &format!("{}-take", base_name(character)),
                    "csv",
                    csv.as_bytes(),
                ) {
                    Ok(path) => addition.file = path,
                    Err(error) => {
                        self.failed.get_or_insert(io::Error::other(error.to_string()));
                        return true;
                    }
                }
            }
        }
        let mut logged = addition.clone();
        if !addition.is_built_in() {
            logged.file = relative_to(&folder, &addition.file).into();
        }
        self.log(now, &Command::AddClips(Box::new(logged)))
    }

    fn write(&mut self, line: &str) {
        if self.failed.is_none() {
            self.failed = self.draft.write(format!("{line}\n").as_bytes()).err();
        }
    }

    #[cfg(feature = "window")]
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Writes the last line and moves the file to its final path. If that fails, the hidden file remains, and the error contains its path.
    pub(crate) fn finish(mut self, now: Duration) -> Result<PathBuf, SaveError> {
        let end = json::to_string(&SessionLine::<Command> { at: now.as_secs_f64(), command: None });
        if let Ok(end) = end {
            self.write(&end);
        }
        let mut draft = self.draft;
        let failed = |path: PathBuf, source| SaveError::Write { path, source };
        let result = match (self.failed, self.name) {
            (
                Some(source),
                FinalPath::New(path) | FinalPath::Replacing(path) | FinalPath::Numbered(path, _),
            ) => Err(failed(path, source)),
            (None, FinalPath::New(path)) => {
                draft.keep(&path).map(|()| path.clone()).map_err(|source| failed(path, source))
            }
            (None, FinalPath::Replacing(path)) => {
                draft.replace().map(|()| path.clone()).map_err(|source| failed(path, source))
            }
            (None, FinalPath::Numbered(folder, name)) => {
                with_free_name(&folder, &name, EXTENSION, |path| draft.keep(path))
            }
        };
        result.map_err(|error| match error {
            // If only the final sync of the folder failed, the file already has its final name.
            SaveError::Write { path, source } if fs::metadata(draft.path()).is_ok() => {
                let left = draft.path().display();
                failed(
                    path,
                    io::Error::new(source.kind(), format!("{source}; the recording was left in {left}")),
                )
            }
            other => other,
        })
    }
}

/// Extension of session files.
const EXTENSION: &str = "session";
