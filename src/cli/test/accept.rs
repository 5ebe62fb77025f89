//! `sinew test --accept`: accepts the results of failed cases as their new goldens.

use std::collections::BTreeSet;
use std::process::ExitCode;

use crate::api::Missing;
use crate::cli::failure::Failure;
use crate::cli::{Verbosity, output};
use crate::regress::shared::{Suite, accept};

/// Accepts the results of the cases with these names.
pub(super) fn run(suite: &Suite, cases: &[String], verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let indices =
        cases.iter().map(|name| index(suite, name)).collect::<Result<BTreeSet<usize>, Failure>>()?;
    let indices: Vec<usize> = indices.into_iter().collect();
    let accepted = accept(suite, &indices).map_err(|e| Failure::Usage(e.to_string()))?;
    if !verbosity.quiet {
        output::lines(accepted.iter().map(|golden| format!("accepted {}", golden.display())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the index of the case with exactly this name.
pub(super) fn index(suite: &Suite, name: &str) -> Result<usize, Failure> {
    let known = || suite.cases.iter().map(|case| case.name.as_str());
    known().position(|known| known == name).ok_or_else(|| {
        let checks = suite.motion_checks.iter().map(|check| check.name.as_str());
        let missing = Missing::name("case", name, known().chain(checks));
        Failure::Usage(format!("{}: {missing}", suite.path.display()))
    })
}
