//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use crate::format::{ALL, Format};

/// What is run.
pub(crate) struct Plan {
    /// For how long; `None`: one round.
    pub(crate) time: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) formats: Vec<&'static Format>,
    /// Inputs to run instead of made ones.
    pub(crate) inputs: Vec<PathBuf>,
    /// Where inputs that fail are written.
    pub(crate) keep: PathBuf,
    pub(crate) threads: usize,
}

const HELP: &str = "cargo test --test fuzz -- [--seconds N] [--seed N] [--format NAME]… [--input FILE]… [--keep DIR] [--threads N]";

impl Plan {
    /// Reads the arguments; `None`: nothing is to be run. Those of cargo's own test harness change nothing.
    ///
    /// # Errors
    /// In a line, what is wrong.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let keep = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        let mut plan = Self { time: None, seed: 0, formats: Vec::new(), inputs: Vec::new(), keep, threads };
        let mut filters: Vec<String> = Vec::new();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value; {HELP}"));
            let number =
                |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is not a whole number"));
            match argument.as_str() {
                "--list" => return Ok(None),
                "--help" | "-h" => return Err(HELP.to_owned()),
                "--seconds" => plan.time = Some(Duration::from_secs(number(value()?)?)),
                "--seed" => plan.seed = number(value()?)?,
                "--threads" => plan.threads = usize::try_from(number(value()?)?).unwrap_or(1).max(1),
                "--format" => plan.formats.push(named(&value()?)?),
                "--input" => plan.inputs.push(value()?.into()),
                "--keep" => plan.keep = value()?.into(),
                // What cargo's own harness takes, for whoever runs all targets with it.
                "--test-threads" | "--color" => drop(value()?),
                "--nocapture" | "--no-capture" | "--quiet" | "-q" | "--exact" | "--ignored"
                | "--include-ignored" | "--show-output" | "--format=terse" => {}
                other if other.starts_with('-') => return Err(format!("unknown option {other}; {HELP}")),
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

/// A format by its name.
pub(crate) fn named(name: &str) -> Result<&'static Format, String> {
    let names = || ALL.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
    ALL.iter().find(|f| f.name == name).ok_or_else(|| format!("format {name:?} does not exist: {}", names()))
}
