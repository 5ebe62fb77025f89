//! The outcomes of an earlier run, which a report shows beside the current outcomes.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::bounded;
use crate::outcomes_json::FORMAT;

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The outcomes of an earlier run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EarlierRun {
    #[serde(skip_serializing)]
    format: String,
    version: String,
    adapter: Option<String>,
    #[serde(serialize_with = "by_name")]
    cases: Vec<EarlierCase>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct EarlierCase {
    name: String,
    status: String,
    explanation: Option<EarlierExplanation>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct EarlierExplanation {
    verdict: String,
    changes: Vec<EarlierChange>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct EarlierChange {
    kind: String,
    /// Earlier versions did not write this field.
    #[serde(default)]
    cause: String,
    fails: bool,
}

fn by_name<S: serde::Serializer>(cases: &[EarlierCase], serializer: S) -> Result<S::Ok, S::Error> {
    let map: BTreeMap<&str, &EarlierCase> = cases.iter().map(|case| (case.name.as_str(), case)).collect();
    map.serialize(serializer)
}

impl EarlierRun {
    /// Reads a file that `sinew test --json` has written.
    ///
    /// # Errors
    /// A message with the path if the file cannot be read or has a different format.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = |cause: String| format!("{}: {cause}", path.display());
        let bytes = bounded::read(path, MAX_BYTES).map_err(|e| at(e.to_string()))?;
        let run: Self = serde_json::from_slice(&bytes)
            .map_err(|e| at(format!("not the outcomes of a run (sinew test --json): {e}")))?;
        if run.format != FORMAT {
            return Err(at(format!("format is \"{}\", but must be \"{FORMAT}\"", run.format)));
        }
        Ok(run)
    }
}
