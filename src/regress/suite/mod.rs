//! Reads and writes suites: TOML files with cases, and with matrices that expand into cases. `docs/testing.md` describes the format.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::files::bounded;
use crate::region::RegionNames;
use crate::text::toml::{Lines, SpannedError, flag, optional, parse};
use crate::tolerance::{ImageTolerance, JointTolerance, KindTolerance};

use reader::SuiteReader;

mod motion_check;
mod reader;
mod values;
mod writer;

pub use motion_check::MotionCheck;
pub use writer::{NewCase, SuiteWriter, distinct, has_file_name};

/// Maximum size of a suite file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A command-line option that a case can set by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionKey {
    /// Name of the option, without the dashes.
    pub name: String,
    /// Which values the option accepts.
    pub takes: OptionArity,
    /// Whether the value is a path. It is then relative to the suite.
    pub is_path: bool,
}

/// Which values an option accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionArity {
    /// No value: the option is a switch.
    Flag,
    /// One value.
    One,
    /// Any number of values.
    Many,
}

/// The comparisons of a case, with their tolerances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    /// The image.
    pub image: Option<ImageTolerance>,
    /// Tolerances of the image by the kind of change.
    pub kinds: KindTolerance,
    /// The compared region of the image and the skeleton.
    pub region: RegionNames,
    /// The world matrices of all nodes.
    pub joints: Option<JointTolerance>,
    /// The reports of goals, pins and contacts.
    pub report: Option<ReportCheck>,
}

/// The requirements that all goals, pins and contacts of a case must meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCheck {
    /// Name of the outcome that each goal must have.
    pub outcome: Option<String>,
    /// Maximum position error of a goal, in metres.
    pub error: Option<f64>,
    /// Whether the check comes from the suite's defaults. If it does, a case without goals passes.
    pub from_defaults: bool,
}

/// The part of a recorded session that a case compares.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// File of the session.
    pub session: PathBuf,
    /// Whether a single frame or the whole session is compared.
    pub moment: Moment,
    /// Frames per second.
    pub fps: f64,
}

/// Which frames of a session are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A single frame.
    Frame(u32),
    /// All frames.
    AllFrames,
}

/// A test case: something to pose, draw and compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Human-readable name.
    pub name: String,
    /// Name of the goldens, without an extension.
    pub slug: String,
    /// Line number in the suite, starting at 1.
    pub line: usize,
    /// File of the character, or `None` for the built-in character.
    pub model: Option<PathBuf>,
    /// The recorded session to play back, if any.
    pub replay: Option<Replayed>,
    /// Options of the case, in the form of command-line arguments.
    pub arguments: Vec<String>,
    /// The comparisons of the case.
    pub checks: Checks,
}

/// A suite of test cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// File of the suite.
    pub path: PathBuf,
    /// Folder of the goldens.
    pub goldens: PathBuf,
    /// Classes of adapters that have their own goldens. The goldens of a class are in a folder with its name within `goldens`.
    pub golden_sets: Vec<String>,
    /// Whether each golden image must contain its scene.
    pub require_scenes: bool,
    /// The cases in the order of the file.
    pub cases: Vec<Case>,
    /// The checks of clips.
    pub motion_checks: Vec<MotionCheck>,
}

/// An error while reading a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{path}: {cause}")]
    Read {
        /// The suite.
        path: String,
        /// The error of the operating system.
        cause: String,
    },
    /// The content of the file is invalid.
    #[error("{path}: line {line}: {cause}")]
    Format {
        /// The suite.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// Description of the error.
        cause: String,
    },
}

impl Suite {
    /// The paths of a case's goldens, whether or not they exist.
    pub fn goldens_of(&self, case: &Case) -> Vec<PathBuf> {
        let Checks { image, joints, .. } = &case.checks;
        let mut paths = Vec::new();
        if image.is_some() {
            let name = format!("{}.png", case.slug);
            paths.extend(self.golden_sets.iter().map(|set| self.goldens.join(set).join(&name)));
            paths.push(self.goldens.join(&name));
        }
        if joints.is_some() {
            paths.push(self.goldens.join(format!("{}.json", case.slug)));
        }
        paths
    }

    /// Reads a suite. `options` are the command-line options that cases can set.
    ///
    /// # Errors
    /// [`SuiteError`] if the file cannot be read, or if it contains a TOML syntax error, an unknown key, an invalid
    /// value, or a name that two cases share. An error in the content includes the line number.
    pub fn read(path: &Path, options: &[OptionKey]) -> Result<Self, SuiteError> {
        let shown = path.display().to_string();
        let read_error = |e: std::io::Error| SuiteError::Read { path: shown.clone(), cause: e.to_string() };
        let text = bounded::read_to_string(path, MAX_BYTES).map_err(read_error)?;
        let format_error = |f: SpannedError| {
            let (line, cause) = f.line_and_cause(&text);
            SuiteError::Format { path: shown.clone(), line, cause }
        };
        let document = parse(text.as_str()).map_err(format_error)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let reader = SuiteReader { folder: &folder, options, lines: Lines::of(&text) };
        let root = document.as_table();
        let (goldens, golden_sets, cases) = reader.suite(root).map_err(format_error)?;
        let require_scenes = optional(root, "require-scenes", flag).map_err(format_error)?;
        let motion_checks = motion_check::motion_checks(root, &folder).map_err(format_error)?;
        let mut taken = HashSet::new();
        if let Some(case) = cases.iter().find(|c| !taken.insert(&c.slug)) {
            let cause = format!("case \"{}\" has the same file name as another case; rename it", case.name);
            return Err(SuiteError::Format { path: shown, line: case.line, cause });
        }
        let goldens = folder.join(goldens);
        let require_scenes = require_scenes.unwrap_or_default();
        Ok(Self { path: path.into(), goldens, golden_sets, require_scenes, cases, motion_checks })
    }
}
