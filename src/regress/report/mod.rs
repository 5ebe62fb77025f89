//! Writes the outcomes of a suite as one HTML page, which needs no other file and no network.

use serde::Serialize;

use crate::check::CheckRow;
use crate::text::json;

use super::machine::Machine;
use super::run::Outcome;
use super::suite::Suite;

use rows::{CaseRow, row};

mod command;
mod earlier;
mod rows;

pub use earlier::EarlierRun;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The scripts of the page in the order in which they run. They share one scope.
const SCRIPTS: [&str; 13] = [
    include_str!("base.js"),
    include_str!("list.js"),
    include_str!("causes.js"),
    include_str!("images.js"),
    include_str!("stage.js"),
    include_str!("compare.js"),
    include_str!("raster.js"),
    include_str!("view3d.js"),
    include_str!("details.js"),
    include_str!("curves.js"),
    include_str!("checks.js"),
    include_str!("keys.js"),
    include_str!("main.js"),
];

#[derive(Serialize)]
struct PageData<'a> {
    suite: String,
    version: &'a str,
    machine: String,
    seconds: f64,
    cases: Vec<CaseRow<'a>>,
    checks: &'a [CheckRow],
    /// The outcomes of an earlier run, to compare with.
    earlier: Option<&'a EarlierRun>,
}

/// Returns the page of a suite. `checks` are its motion checks, `seconds` is the duration of the whole run, and `earlier` is a run to show
/// alongside.
///
/// # Errors
/// A message if an image cannot be encoded, or if a number of a check is not finite.
pub fn page(
    suite: &Suite,
    outcomes: &[Outcome],
    checks: &[CheckRow],
    machine: &Machine,
    seconds: f64,
    earlier: Option<&EarlierRun>,
) -> Result<String, String> {
    let rows = outcomes.iter().filter_map(|outcome| row(suite, outcome).transpose());
    let mut cases = rows.collect::<Result<Vec<_>, String>>()?;
    // Failures come first.
    cases.sort_by_key(|row| !row.fails);
    assemble(&PageData {
        suite: suite.path.display().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        machine: machine.to_string(),
        seconds,
        cases,
        checks,
        earlier,
    })
}

/// Returns the page of motion checks without a suite. `title` is the name of the file that was checked, and `seconds` is the duration of
/// the whole run.
///
/// # Errors
/// A message if a number of a check is not finite.
pub fn checks_page(
    title: &str,
    checks: &[CheckRow],
    machine: &Machine,
    seconds: f64,
) -> Result<String, String> {
    assemble(&PageData {
        suite: title.to_owned(),
        version: env!("CARGO_PKG_VERSION"),
        machine: machine.to_string(),
        seconds,
        cases: Vec::new(),
        checks,
        earlier: None,
    })
}

fn assemble(data: &PageData<'_>) -> Result<String, String> {
    let json = json::to_string(data).map_err(|e| e.to_string())?;
    // Inside a script element, `</script` and `<!--` would not be treated as text.
    let json = json.replace('<', "\\u003c");
    let script = format!("\"use strict\";\n{}", SCRIPTS.join("\n"));
    // The data is inserted last, because names in it may contain the placeholders of the other parts.
    let page = PAGE.replacen("{{style}}", STYLE, 1).replacen("{{script}}", &script, 1);
    Ok(page.replacen("{{data}}", &json, 1))
}
