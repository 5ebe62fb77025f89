//! Suites: a TOML file of cases, and lists that multiply into cases. `docs/testing.md` has the schema.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use toml_edit::Document;

use crate::bounded;
use crate::toml::{Fault, Lines};

use reader::Reader;

mod reader;
mod values;

/// Maximum size of a suite, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// An option of the command line that a case may set by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionKey {
    /// Its name, without the dashes.
    pub name: String,
    /// What it takes.
    pub takes: Takes,
    /// Whether it names a file: then relative to the suite.
    pub is_path: bool,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Flag,
    /// One value.
    One,
    /// Any number of values.
    Many,
}

/// What a case compares, and what is let pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Checks {
    /// The picture.
    pub image: Option<ImageTolerance>,
    /// World matrices of all nodes.
    pub joints: Option<JointTolerance>,
    /// How goals were met.
    pub report: Option<ReportCheck>,
}

/// How much an image may differ from its golden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageTolerance {
    /// A pixel counts as equal while no channel differs by more levels of 255.
    pub levels: u8,
    /// Maximum mean FLIP error of the image, 0 to 1, counting the other pixels alone.
    pub mean: f32,
    /// Maximum mean FLIP error of its worst tile, likewise.
    pub worst: f32,
}

impl Default for ImageTolerance {
    /// Above what drivers and CPUs differ by, below what the breaks of `tests/breaks` cause; `docs/testing.md` shows
    /// both distributions.
    fn default() -> Self {
        Self { levels: 2, mean: 0.007, worst: 0.04 }
    }
}

/// What a node's world matrix may differ by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTolerance {
    /// Metres.
    pub distance: f64,
    /// Radians.
    pub angle: f64,
}

impl Default for JointTolerance {
    fn default() -> Self {
        Self { distance: 1e-5, angle: 1e-4 }
    }
}

/// What all goals of a case must come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCheck {
    /// The outcome that each of them must have, as its name.
    pub outcome: Option<String>,
    /// Metres that none may be off by more.
    pub error: Option<f64>,
    /// Whether the suite's defaults say so: then a case without goals has nothing to report.
    pub usual: bool,
}

/// What of a recorded session is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// Its file.
    pub session: PathBuf,
    /// What it comes to at one time, or from its beginning to its end.
    pub moment: Moment,
    /// Frames a second.
    pub fps: f64,
}

/// Frames of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// One of them.
    Frame(u32),
    /// All.
    Track,
}

/// One thing that is posed, drawn and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name, as people read it.
    pub name: String,
    /// Its name as files are named.
    pub slug: String,
    /// Where the suite has it, from one.
    pub line: usize,
    /// `None`: the character inside the program.
    pub model: Option<PathBuf>,
    /// The recorded session that it plays back, if it does.
    pub replay: Option<Replayed>,
    /// Its options, as on the command line.
    pub arguments: Vec<String>,
    /// What it compares.
    pub checks: Checks,
}

/// Cases, and where their goldens are.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The suite's file.
    pub path: PathBuf,
    /// The folder of goldens.
    pub goldens: PathBuf,
    /// In the order in which the file has them.
    pub cases: Vec<Case>,
}

/// Why a suite cannot be run, with the line where it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// It cannot be read.
    #[error("{path}: {cause}")]
    Read {
        /// The suite.
        path: String,
        /// What the system said.
        cause: String,
    },
    /// Something in it will not do.
    #[error("{path}: line {line}: {cause}")]
    Fault {
        /// The suite.
        path: String,
        /// From one.
        line: usize,
        /// Why.
        cause: String,
    },
}

impl Suite {
    /// The paths of a case's goldens, whether they exist or not.
    pub fn goldens_of(&self, case: &Case) -> Vec<PathBuf> {
        let of =
            |compared: bool, kind: &str| compared.then(|| self.goldens.join(format!("{}.{kind}", case.slug)));
        let Checks { image, joints, .. } = &case.checks;
        of(image.is_some(), "png").into_iter().chain(of(joints.is_some(), "json")).collect()
    }

    /// Reads a suite whose cases may set some options.
    ///
    /// # Errors
    /// [`SuiteError`] with the line of what is no TOML, of a key that is not known, of a value that will not do, of a
    /// name that two cases have.
    pub fn read(path: &Path, options: &[OptionKey]) -> Result<Self, SuiteError> {
        let shown = path.display().to_string();
        let unread = |e: std::io::Error| SuiteError::Read { path: shown.clone(), cause: e.to_string() };
        let text = bounded::read_to_string(path, MAX_BYTES).map_err(unread)?;
        let fault = |f: Fault| {
            let (line, cause) = f.told(&text);
            SuiteError::Fault { path: shown.clone(), line, cause }
        };
        let document = Document::parse(text.clone()).map_err(|e| fault(Fault::of(&e)))?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let reader = Reader { folder: &folder, options, lines: Lines::of(&text) };
        let (goldens, cases) = reader.suite(document.as_table()).map_err(fault)?;
        let mut taken = HashSet::new();
        if let Some(case) = cases.iter().find(|c| !taken.insert(&c.slug)) {
            let cause = format!("another case is named \"{}\" too, or its files would be", case.name);
            return Err(SuiteError::Fault { path: shown, line: case.line, cause });
        }
        Ok(Self { path: path.into(), goldens: folder.join(goldens), cases })
    }
}
