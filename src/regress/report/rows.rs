//! The rows of the report's data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::explain::{Explanation, PoseView};
use crate::golden::Drawn;
use crate::puppet::GoalReport;
use crate::run::{Outcome, Status};
use crate::suite::Suite;

use super::command;

/// Maximum number of joints to list for a case.
const MAX_JOINTS: usize = 40;

#[derive(Serialize)]
pub(super) struct CaseRow<'a> {
    name: &'a str,
    status: &'a str,
    pub(super) fails: bool,
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
    more_joints: usize,
    explanation: Option<ExplanationRow<'a>>,
    view: Option<&'a PoseView>,
    goals: Vec<GoalRow>,
    /// The command that reruns the case.
    repeat: String,
    /// The command that accepts the results of the case as its goldens, if the case wrote any.
    accept: Option<String>,
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

/// Returns the row of an outcome, or `None` if its case is not in the suite.
///
/// # Errors
/// A message if an image cannot be encoded.
pub(super) fn row<'a>(suite: &'a Suite, outcome: &'a Outcome) -> Result<Option<CaseRow<'a>>, String> {
    let Some(case) = suite.cases.get(outcome.case) else { return Ok(None) };
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
    let findings = outcome.findings.iter().map(|f| (f.passed, f.text.as_str()));
    Ok(Some(CaseRow {
        name: &case.name,
        status: outcome.status.name(),
        fails: outcome.status.is_failure(),
        milliseconds: outcome.seconds * 1e3,
        findings: findings.chain(outcome.notes.iter().map(|note| (true, note.as_str()))).collect(),
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
        repeat: command::repeat(&suite.path, &case.name),
        accept: outcome.has_results.then(|| command::accept(&suite.path, &case.name)),
    }))
}

fn data_url(drawn: &Drawn) -> Result<String, String> {
    // The golden's scene record is left out, because the page does not read it.
    let plain = drawn.scene.is_some().then(|| Drawn::new(drawn.image.clone()));
    let encoded = plain.as_ref().unwrap_or(drawn).encode().map_err(|e| e.to_string())?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(encoded)))
}
