//! Writes the outcomes of a suite as a self-contained HTML page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::puppet::GoalReport;
use crate::text::json;

use super::explain::{Explanation, PoseView};
use super::golden::Drawn;
use super::machine::Machine;
use super::run::{Outcome, Status};
use super::suite::Suite;

const PAGE: &str = include_str!("report.html");
/// Maximum number of joints to list for a case.
const MAX_JOINTS: usize = 40;

#[derive(Serialize)]
struct PageData<'a> {
    suite: String,
    version: &'a str,
    machine: String,
    seconds: f64,
    cases: Vec<CaseRow<'a>>,
}

#[derive(Serialize)]
struct CaseRow<'a> {
    name: &'a str,
    status: &'a str,
    fails: bool,
    milliseconds: f64,
    findings: Vec<(bool, &'a str)>,
    size: Option<(u32, u32)>,
    /// The expected image as a data URL.
    expected: Option<String>,
    /// The machine that drew the expected image, if the golden names it.
    expected_by: Option<&'a str>,
    /// The actual image as a data URL. `None` if it is identical to the expected one.
    actual: Option<String>,
    difference: Option<String>,
    /// Names of the joints that differ, with distances and angles. The largest differences come first.
    joints: Vec<(&'a str, f64, f64)>,
    explanation: Option<ExplanationRow<'a>>,
    view: Option<&'a PoseView>,
    more_joints: usize,
    goals: Vec<GoalRow>,
}

#[derive(Serialize)]
struct ExplanationRow<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    /// The change of each pixel as an image: [`Explanation::image`].
    map: Option<String>,
}

#[derive(Serialize)]
struct GoalRow {
    node: String,
    kind: String,
    method: &'static str,
    outcome: String,
    iterations: usize,
    error: Option<f64>,
}

/// Returns the page. `seconds` is the duration of the whole run.
///
/// # Errors
/// A message if an image cannot be encoded.
pub fn page(suite: &Suite, outcomes: &[Outcome], machine: &Machine, seconds: f64) -> Result<String, String> {
    let mut cases = outcomes
        .iter()
        .filter_map(|o| suite.cases.get(o.case).map(|case| row(&case.name, o)))
        .collect::<Result<Vec<_>, String>>()?;
    // Failures come first.
    cases.sort_by_key(|row| !row.fails);
    let name = suite.path.display().to_string();
    let data = PageData {
        suite: name,
        version: env!("CARGO_PKG_VERSION"),
        machine: machine.to_string(),
        seconds,
        cases,
    };
    let json = json::to_string(&data).map_err(|e| e.to_string())?;
    // Inside a script element, `</script` and `<!--` would not be treated as text.
    let json = json.replace('<', "\\u003c");
    Ok(PAGE.replacen("{{data}}", &json, 1))
}

fn row<'a>(name: &'a str, outcome: &'a Outcome) -> Result<CaseRow<'a>, String> {
    let is_identical = outcome.difference.as_ref().is_some_and(|d| d.pixels() == 0);
    let url = |drawn: &Option<Drawn>| drawn.as_ref().map(data_url).transpose();
    let difference = outcome.difference.as_ref().filter(|d| d.beyond > 0).zip(outcome.actual.as_ref());
    let difference = difference.map(|(d, a)| Drawn::new(d.image(a.image.width, a.image.height)));
    let finite = |x: f64| if x.is_finite() { x } else { f64::MAX };
    let goal = |(name, r): &(String, GoalReport)| GoalRow {
        node: name.clone(),
        kind: r.kind.to_string(),
        method: r.method.name(),
        outcome: r.outcome.to_string(),
        iterations: r.iterations,
        error: r.position_error.map(finite),
    };
    let explanation = match (&outcome.explanation, &outcome.actual) {
        (Some(explanation), Some(actual)) => {
            let map = explanation.image(actual.image.width, actual.image.height);
            Some(ExplanationRow { explanation, map: Some(data_url(&Drawn::new(map))?) })
        }
        _ => None,
    };
    let moved = outcome.joints.iter().filter(|j| j.distance != 0.0 || j.angle != 0.0);
    let moved = moved.filter(|_| outcome.status != Status::Passed);
    Ok(CaseRow {
        name,
        status: outcome.status.name(),
        fails: outcome.status.is_failure(),
        milliseconds: outcome.seconds * 1e3,
        findings: outcome.findings.iter().map(|f| (f.passed, f.text.as_str())).collect(),
        size: outcome.actual.as_ref().map(|a| (a.image.width, a.image.height)),
        expected: url(&outcome.expected)?,
        expected_by: outcome.expected.as_ref().and_then(|e| e.drawn_by.as_deref()),
        actual: if is_identical { None } else { url(&outcome.actual)? },
        difference: url(&difference)?,
        more_joints: moved.clone().count().saturating_sub(MAX_JOINTS),
        joints: moved
            .take(MAX_JOINTS)
            .map(|j| (j.name.as_str(), finite(j.distance), finite(j.angle)))
            .collect(),
        explanation,
        view: outcome.view.as_ref(),
        goals: outcome.reports.iter().map(goal).collect(),
    })
}

fn data_url(drawn: &Drawn) -> Result<String, String> {
    let encoded = drawn.encode().map_err(|e| e.to_string())?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(encoded)))
}
