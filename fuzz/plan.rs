//! Parses the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::decoders::{self, Decoder};
use crate::format::{ALL, Format};

/// The options of a run.
pub(crate) struct Plan {
    /// The duration of the run, or `None` for one round.
    pub(crate) time: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) formats: Vec<&'static Format>,
    /// Decoders to test individually instead of whole formats.
    pub(crate) targets: Vec<&'static Decoder>,
    /// The number of mutations for each decoder, or `None` for a few.
    pub(crate) runs: Option<u64>,
    /// Files with inputs to check instead of generated ones.
    pub(crate) inputs: Vec<PathBuf>,
    /// The folder for failing inputs.
    pub(crate) keep: PathBuf,
    pub(crate) threads: usize,
}

const HELP: &str = "cargo test --test fuzz -- [--seconds N] [--seed N] [--format NAME]… [--input FILE]… [--keep DIR] [--threads N]
       cargo test --test fuzz -- --target NAME|all… [--runs N] [--seconds N] [--seed N] [--input FILE]… [--keep DIR]";

impl Plan {
    /// Parses the arguments. Returns `None` if there is nothing to do. Options of Rust's test harness are ignored.
    ///
    /// # Errors
    /// An error message with the usage, or only the usage for `--help`.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let keep = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        let mut plan = Self {
            time: None,
            seed: 0,
            formats: Vec::new(),
            targets: Vec::new(),
            runs: None,
            inputs: Vec::new(),
            keep,
            threads,
        };
        let mut filters: Vec<String> = Vec::new();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} needs a value\nusage: {HELP}"));
            let number = |text: String| {
                text.parse::<u64>().map_err(|_| format!("{argument} must be a whole number, but is {text:?}"))
            };
            match argument.as_str() {
                "--list" => return Ok(None),
                "--help" | "-h" => return Err(HELP.to_owned()),
                "--seconds" => plan.time = Some(Duration::from_secs(number(value()?)?)),
                "--seed" => plan.seed = number(value()?)?,
                "--threads" => plan.threads = usize::try_from(number(value()?)?).unwrap_or(1).max(1),
                "--format" => plan.formats.push(named(&value()?)?),
                "--target" => plan.targets.extend(targets(&value()?)?),
                "--runs" => plan.runs = Some(number(value()?)?),
                "--input" => plan.inputs.push(value()?.into()),
                "--keep" => plan.keep = value()?.into(),
                // Options of Rust's test harness are accepted, because `cargo test` passes them to all targets.
                "--test-threads" | "--color" => drop(value()?),
                "--nocapture" | "--no-capture" | "--quiet" | "-q" | "--exact" | "--ignored"
                | "--include-ignored" | "--show-output" | "--format=terse" => {}
                other if other.starts_with('-') => {
                    return Err(format!("unknown option {other}\nusage: {HELP}"));
                }
                filter => filters.push(filter.to_owned()),
            }
        }
        if !filters.is_empty() && !filters.iter().any(|f| "fuzz".contains(f.as_str())) {
            return Ok(None);
        }
        if plan.formats.is_empty() {
            plan.formats = ALL.iter().collect();
        }
        Ok(Some(plan))
    }
}

pub(crate) fn named(name: &str) -> Result<&'static Format, String> {
    let names = || ALL.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
    ALL.iter()
        .find(|f| f.name == name)
        .ok_or_else(|| format!("format {name:?} does not exist; the formats are {}", names()))
}

/// Returns the decoder with the given name, or all decoders for `all`.
fn targets(name: &str) -> Result<Vec<&'static Decoder>, String> {
    let found: Vec<_> = decoders::ALL.iter().filter(|d| name == "all" || d.name == name).collect();
    if found.is_empty() {
        let names = decoders::ALL.iter().map(|d| d.name).collect::<Vec<_>>().join(", ");
        return Err(format!("decoder {name:?} does not exist; the decoders are {names}, or all"));
    }
    Ok(found)
}
