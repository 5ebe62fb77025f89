//! Writes the HTML report, the JUnit report, the JSON and the CSV table of a run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::check::CheckRow;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::files::atomic;
use crate::regress::shared::{Case, EarlierRun, Machine, Outcome, Suite, csv, outcomes_json, page};

use super::TestArgs;
use super::junit::junit;

/// Checks before the run that each file can be written, and that none overwrites another result or an input.
pub(super) fn check(args: &TestArgs, suite: &Suite) -> Result<(), Failure> {
    let goldens = suite.cases.iter().flat_map(|case| suite.goldens_of(case));
    let checked = suite.motion_checks.iter().flat_map(|c| c.model.iter().chain(&c.rig).cloned());
    let inputs = suite.cases.iter().flat_map(inputs).chain(checked);
    let named = [suite.path.clone()].into_iter().chain(args.earlier.clone());
    let inputs: HashSet<PathBuf> = goldens.chain(inputs).chain(named).collect();
    let files: Vec<&Path> = [&args.report, &args.junit, &args.csv, &args.json]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    for (index, file) in files.iter().enumerate() {
        output::protect(file, inputs.iter().map(PathBuf::as_path))?;
        if files.iter().take(index).any(|other| atomic::is_same(other, file)) {
            let cause = "two outputs have the same path; choose another file";
            return Err(Failure::Usage(format!("{}: {cause}", file.display())));
        }
        output::check(file)?;
    }
    Ok(())
}

/// Writes the files. If one file cannot be written, the others are still written.
pub(super) fn write(
    args: &TestArgs,
    suite: &Suite,
    outcomes: &[Outcome],
    checks: &[CheckRow],
    machine: &Machine,
    seconds: f64,
    earlier: Option<&EarlierRun>,
) -> [Result<(), Failure>; 4] {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> Result<String, String>| match path {
        Some(path) => text().map_err(Failure::Usage).and_then(|text| output::file(path, text.as_bytes())),
        None => Ok(()),
    };
    [
        write(&args.report, &|| page(suite, outcomes, checks, machine, seconds, earlier)),
        write(&args.junit, &|| junit(suite, outcomes, checks, machine)),
        write(&args.csv, &|| Ok(csv(suite, outcomes))),
        write(&args.json, &|| outcomes_json(suite, outcomes, checks, machine, seconds)),
    ]
}

/// Returns the files that a case reads: its model, its session, and the files in its options.
fn inputs(case: &Case) -> impl Iterator<Item = PathBuf> {
    let options =
        case.arguments.iter().filter_map(|argument| argument.split_once('=')).map(|(_, value)| value);
    let files = options.map(PathBuf::from).filter(|path| path.is_file());
    case.model
        .clone()
        .into_iter()
        .chain(case.replay.as_ref().map(|replay| replay.session.clone()))
        .chain(files)
}
