//! What came of a suite, as one page that needs nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::json;

use super::golden::Drawn;
use super::machine::Machine;
use super::run::{Outcome, Status};
use super::suite::Suite;

const PAGE: &str = include_str!("report.html");
/// Joints that a case lists.
const JOINTS: usize = 40;

#[derive(Serialize)]
struct Data<'a> {
    suite: String,
    version: &'a str,
    machine: String,
    seconds: f64,
    cases: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    status: &'a str,
    fails: bool,
    milliseconds: f64,
    findings: Vec<(bool, &'a str)>,
    size: Option<(u32, u32)>,
    /// Data addresses; without an actual picture it is the expected one.
    expected: Option<String>,
    /// The machine that drew the expected image, where the golden says so.
    expected_by: Option<&'a str>,
    actual: Option<String>,
    difference: Option<String>,
    /// Those that moved, the farthest first.
    joints: Vec<(&'a str, f64, f64)>,
    more_joints: usize,
    goals: Vec<Goal>,
}

#[derive(Serialize)]
struct Goal {
    node: String,
    method: &'static str,
    outcome: String,
    iterations: usize,
    error: Option<f64>,
}

/// The page. `seconds`: time of the whole run.
///
/// # Errors
/// Why a picture cannot be encoded.
pub fn page(suite: &Suite, outcomes: &[Outcome], machine: &Machine, seconds: f64) -> Result<String, String> {
    let mut cases = outcomes
        .iter()
        .filter_map(|o| suite.cases.get(o.case).map(|case| row(&case.name, o)))
        .collect::<Result<Vec<_>, String>>()?;
    // What fails is what one opens the page for.
    cases.sort_by_key(|row| !row.fails);
    let name = suite.path.display().to_string();
    let data = Data {
        suite: name,
        version: env!("CARGO_PKG_VERSION"),
        machine: machine.to_string(),
        seconds,
        cases,
    };
    let json = json::to_string(&data).map_err(|e| e.to_string())?;
    // In a script element its own end tag, and a comment's start, are more than text.
    let json = json.replace('<', "\\u003c");
    Ok(PAGE.replacen("{{data}}", &json, 1))
}

fn row<'a>(name: &'a str, outcome: &'a Outcome) -> Result<Row<'a>, String> {
    let same = outcome.difference.as_ref().is_some_and(|d| d.pixels() == 0);
    let address = |drawn: &Option<Drawn>| drawn.as_ref().map(data_address).transpose();
    let difference = outcome.difference.as_ref().filter(|d| d.beyond > 0).zip(outcome.actual.as_ref());
    let difference = difference
        .map(|(d, a)| Drawn { picture: d.picture(a.picture.width, a.picture.height), drawn_by: None });
    let finite = |x: f64| if x.is_finite() { x } else { f64::MAX };
    let goal = |(name, r): &(String, crate::puppet::GoalReport)| Goal {
        node: name.clone(),
        method: r.method.name(),
        outcome: r.outcome.to_string(),
        iterations: r.iterations,
        error: r.position_error.map(finite),
    };
    let moved = outcome.joints.iter().filter(|j| j.distance != 0.0 || j.angle != 0.0);
    let moved = moved.filter(|_| outcome.status != Status::Passed);
    Ok(Row {
        name,
        status: outcome.status.name(),
        fails: outcome.status.is_failure(),
        milliseconds: outcome.seconds * 1e3,
        findings: outcome.findings.iter().map(|f| (f.passed, f.text.as_str())).collect(),
        size: outcome.actual.as_ref().map(|a| (a.picture.width, a.picture.height)),
        expected: address(&outcome.expected)?,
        expected_by: outcome.expected.as_ref().and_then(|e| e.drawn_by.as_deref()),
        actual: if same { None } else { address(&outcome.actual)? },
        difference: address(&difference)?,
        more_joints: moved.clone().count().saturating_sub(JOINTS),
        joints: moved.take(JOINTS).map(|j| (j.name.as_str(), finite(j.distance), finite(j.angle))).collect(),
        goals: outcome.reports.iter().map(goal).collect(),
    })
}

fn data_address(drawn: &Drawn) -> Result<String, String> {
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(drawn.encode()?)))
}
