//! Accepts the results of failed cases as their goldens, without posing or drawing again. The results are the files `NAME.new.png` and
//! `NAME.new.json`, which the report showed.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::files::bounded;
use crate::golden::{self, Drawn, GoldenError, Joints};
use crate::suite::Suite;

/// Maximum size of a result, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Maximum number of pixels of an image.
const MAX_PIXELS: u64 = 1 << 28;

/// An error while accepting results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// A case has no results that differ from its goldens.
    #[error("{}: case \"{case}\" has nothing to accept; {cause}", suite.display())]
    Nothing {
        /// The suite.
        suite: PathBuf,
        /// Name of the case.
        case: String,
        /// Why the case has no such results.
        cause: String,
    },
    /// A result cannot be read, or a golden cannot be written.
    #[error(transparent)]
    Golden(#[from] GoldenError),
}

/// A result and the golden that it becomes.
struct NewResult {
    result: PathBuf,
    golden: PathBuf,
    bytes: Vec<u8>,
}

/// Accepts the results of cases as their goldens, and returns the paths of these goldens. `indices` refer to the cases in the suite. All
/// results are read and checked before the first golden is written.
///
/// # Errors
/// [`AcceptError`] if a case has no results, if one of them is not valid, or if a file cannot be read or written.
pub fn accept(suite: &Suite, indices: &[usize]) -> Result<Vec<PathBuf>, AcceptError> {
    let mut accepted = Vec::new();
    for case in indices.iter().filter_map(|&index| suite.cases.get(index)) {
        let goldens = suite.goldens_of(case);
        let before = accepted.len();
        for golden in &goldens {
            accepted.extend(read(golden)?);
        }
        if accepted.len() == before {
            let cause = match goldens.first() {
                None => "it compares no image and no joints".to_owned(),
                Some(golden) => {
                    format!("{} does not exist, which a failed run writes", beside(golden).display())
                }
            };
            return Err(AcceptError::Nothing { suite: suite.path.clone(), case: case.name.clone(), cause });
        }
    }
    for NewResult { result, golden, bytes } in &accepted {
        golden::write(golden, bytes)?;
        fs::remove_file(result).map_err(|source| GoldenError::Io { path: result.clone(), source })?;
    }
    Ok(accepted.into_iter().map(|accepted| accepted.golden).collect())
}

/// Reads and checks the result beside a golden. Returns `None` if it does not exist.
fn read(golden: &Path) -> Result<Option<NewResult>, GoldenError> {
    let result = beside(golden);
    let io = |source| GoldenError::Io { path: result.clone(), source };
    let bytes = match bounded::read_regular(&result, MAX_BYTES) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(io)?,
    };
    if golden.extension().is_some_and(|extension| extension == "json") {
        Joints::read(&result)?;
    } else {
        let bad = |cause: String| GoldenError::Invalid { path: result.clone(), cause };
        let reader = png::Decoder::new(BufReader::new(File::open(&result).map_err(io)?)).read_info();
        let (width, height) = reader.map_err(|e| bad(e.to_string()))?.info().size();
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(bad(format!("image size {width}x{height} is too large")));
        }
        Drawn::read(&result, width, height)?;
    }
    Ok(Some(NewResult { result, golden: golden.into(), bytes }))
}

/// Returns the path for a result that differs from its golden: `NAME.new.png` for `NAME.png`.
pub(super) fn beside(path: &Path) -> PathBuf {
    let kind = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_extension("").with_file_name(format!(
        "{}.new.{kind}",
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    ))
}
