//! The files that a run writes: an HTML page, a JUnit report, a table.

use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::regress::{Machine, Outcome, Suite, csv, junit, page};

use super::TestArgs;

/// Checks before the run that each file can be written, and that none replaces another or one that is read.
pub(super) fn check(args: &TestArgs, suite: &Suite) -> Result<(), Failure> {
    let goldens = suite.cases.iter().flat_map(|case| suite.goldens_of(case));
    let read: Vec<PathBuf> = goldens.chain([args.suite.clone()]).collect();
    let files: Vec<&Path> =
        [&args.report, &args.junit, &args.csv].into_iter().flatten().map(PathBuf::as_path).collect();
    for (place, file) in files.iter().enumerate() {
        output::spare(file, read.iter().map(PathBuf::as_path))?;
        if files.iter().take(place).any(|other| same(other, file)) {
            return Err(Failure::Usage(format!("{}: two results cannot be one file", file.display())));
        }
        output::check(file)?;
    }
    Ok(())
}

/// Writes the files. One that cannot be written does not cost the others.
pub(super) fn write(
    args: &TestArgs,
    suite: &Suite,
    outcomes: &[Outcome],
    machine: &Machine,
    seconds: f64,
) -> [Result<(), Failure>; 3] {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> Result<String, String>| match path {
        Some(path) => text().map_err(Failure::Usage).and_then(|text| output::file(path, text.as_bytes())),
        None => Ok(()),
    };
    [
        write(&args.report, &|| page(suite, outcomes, machine, seconds)),
        write(&args.junit, &|| junit(suite, outcomes, machine)),
        write(&args.csv, &|| Ok(csv(suite, outcomes))),
    ]
}

/// Whether two paths name one file, which may not exist yet. What is no regular file may take several.
fn same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(parent.canonicalize().ok()?.join(path.file_name()?)))
    };
    (a.is_file() || !a.exists()) && whole(a).is_some_and(|a| whole(b).is_some_and(|b| a == b))
}
