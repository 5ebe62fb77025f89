//! Projects, `NAME.sinew`: everything that the user has made with a character, as diff-friendly text. The format is described in
//! `docs/project.md`.
//!
//! A project is translated into commands that restore a session's state, like the first commands of a recording. Nodes and clips are
//! referenced by name, so projects survive a re-export of the character.

use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, Table};

use crate::files;
use crate::files::bounded;
use crate::text::printable;
use crate::text::toml::{
    Lines, SpannedError, check_file, check_keys, each, flag, number_where, optional, parse, required, single,
    string, within,
};

use super::Transfer;
use super::replay::{LineError, ReplayError};
use super::session::added_clips::is_built_in;

mod free;
pub(super) mod library;
mod read;
mod settings;
mod write;

pub(crate) use write::{ProjectContents, text, work};

/// Extension of project files.
pub(crate) const EXTENSION: &str = "sinew";
const VERSION: i64 = 1;
/// The value that removes the rig file's assignment of a bone.
const NO_BONE: &str = "none";
/// Maximum size of a project file in bytes. A pose of 100,000 joints takes a fifth of this size.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// Default width and height of the view in pixels.
const SIZE: [f32; 2] = [1280.0, 800.0];
/// The tables and keys of a project, except for `version`.
const KEYS: [&str; 11] =
    ["character", "fingerprint", "units", "clips", "view", "solver", "pose", "goal", "pin", "rig", "motion"];

/// Returns whether a path has the extension of a project.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(EXTENSION))
}

/// A project file whose character is not loaded yet.
#[derive(Debug)]
pub(crate) struct Project {
    path: PathBuf,
    document: Document<String>,
    /// The character's file as written in the project. `None` stands for the built-in character.
    pub(crate) character: Option<String>,
    pub(crate) fingerprint: String,
    /// Length in metres of one unit of the character's file.
    pub(crate) units: Option<f64>,
    pub(crate) clips: Vec<ProjectClips>,
    /// Width and height of the view in pixels.
    pub(crate) size: [f32; 2],
}

/// A file whose clips were added to the character.
#[derive(Clone, Debug)]
pub(crate) struct ProjectClips {
    pub(crate) line: usize,
    /// The path as written in the project or recording.
    pub(crate) file: PathBuf,
    pub(crate) fingerprint: String,
    pub(crate) name: Option<String>,
    pub(crate) transfer: Transfer,
}

impl Project {
    /// Reads a project file. Names of nodes and clips are not looked up yet.
    ///
    /// # Errors
    /// [`ReplayError`] if the file cannot be read or a line is invalid.
    pub(crate) fn open(path: &Path) -> Result<Self, ReplayError> {
        let failed = |source| ReplayError::Read { path: path.into(), source };
        let text = bounded::read_to_string(path, MAX_BYTES).map_err(failed)?;
        let error = |e: SpannedError| line_error(path, &text, e);
        let document = parse(text.clone()).map_err(error)?;
        let (units, size, clips) = header(document.as_table(), &text).map_err(error)?;
        let character = owned(document.as_table(), "character").map_err(error)?;
        let fingerprint = owned(document.as_table(), "fingerprint").map_err(error)?.unwrap_or_default();
        Ok(Self { path: path.into(), character, fingerprint, units, clips, size, document })
    }

    pub(crate) fn text(&self) -> &str {
        self.document.raw()
    }

    fn error(&self, error: SpannedError) -> ReplayError {
        line_error(&self.path, self.document.raw(), error)
    }
}

type Header = (Option<f64>, [f32; 2], Vec<ProjectClips>);

/// Reads the part of the project that is needed before the character is loaded.
fn header(root: &Table, text: &str) -> Result<Header, SpannedError> {
    check_file(root, VERSION, &KEYS, "; a newer program may have written this project")?;
    let units = optional(root, "units", positive)?;
    let view = root.get("view").and_then(|v| v.as_table());
    let size = |key: &str, default: f32| {
        let size = view.map_or(Ok(None), |view| optional(view, key, within(1.0..=32_768.0)));
        size.map(|size| size.map_or(default, single))
    };
    let size = [size("width", SIZE[0])?, size("height", SIZE[1])?];
    let lines = Lines::of(text);
    let clips = each(root, "clips", |table, _| clips(table, lines.at(table.span())))?;
    Ok((units, size, clips))
}

/// Reads the table of a file with clips, which starts on a line.
fn clips(table: &Table, line: usize) -> Result<ProjectClips, SpannedError> {
    check_keys(table, &["file", "fingerprint", "name", "keep_hands", "smooth", "clip"])?;
    let file = required(table, "file", string)?.into();
    let keep_hands = optional(table, "keep_hands", flag)?.unwrap_or_default();
    let smooth = optional(table, "smooth", positive)?;
    Ok(ProjectClips {
        line,
        file,
        fingerprint: owned(table, "fingerprint")?.unwrap_or_default(),
        name: owned(table, "name")?,
        transfer: Transfer { keep_hands, smooth, clip: owned(table, "clip")? },
    })
}

/// Reads an optional string.
fn owned(table: &Table, key: &str) -> Result<Option<String>, SpannedError> {
    Ok(optional(table, key, string)?.map(str::to_owned))
}

/// Reads a number greater than 0.
fn positive(item: &Item, key: &str) -> Result<f64, SpannedError> {
    number_where(item, key, |x| x > 0.0, || format!("{key} must be a positive number"))
}

/// Returns the table `key` of a project, or `None` if it is missing.
fn table<'t>(root: &'t Table, key: &str) -> Result<Option<&'t Table>, SpannedError> {
    optional(root, key, |item, key| {
        item.as_table().ok_or_else(|| SpannedError::at(item, format!("{key} must be written as [{key}]")))
    })
}

fn line_error(path: &Path, text: &str, error: SpannedError) -> ReplayError {
    let (line, cause) = error.line_and_cause(text);
    ReplayError::Line { path: path.into(), line, cause: LineError::Value(printable::cause(&cause)) }
}

/// Returns a file's path relative to a folder, as text. The name of the built-in character is returned unchanged, because it is not a path.
fn relative_to(folder: &Path, file: &Path) -> String {
    if is_built_in(file) {
        return file.to_string_lossy().into_owned();
    }
    let path = files::relative_to(folder, file);
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
