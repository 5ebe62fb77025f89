//! Writes the outcomes of a suite as JSON for other programs.

use serde::Serialize;

use crate::check::CheckRow;
use crate::text::json;

use super::explain::Explanation;
use super::machine::Machine;
use super::run::{GoldenScene, Outcome, without_scene};
use super::suite::Suite;

/// The name of the format.
pub(super) const FORMAT: &str = "sinew-test-1";

#[derive(Serialize)]
struct RunData<'a> {
    format: &'static str,
    suite: String,
    version: &'static str,
    adapter: Option<&'a str>,
    adapter_class: Option<&'a str>,
    processor: &'a str,
    seconds: f64,
    /// Number of golden images without a readable scene.
    goldens_without_scene: usize,
    cases: Vec<CaseData<'a>>,
    /// The checks of clips.
    #[serde(skip_serializing_if = "<[CheckRow]>::is_empty")]
    checks: &'a [CheckRow],
}

#[derive(Serialize)]
struct CaseData<'a> {
    name: &'a str,
    file: &'a str,
    status: &'static str,
    seconds: f64,
    findings: Vec<FindingData<'a>>,
    /// Remarks about a case that passes.
    notes: &'a [String],
    /// Whether the golden image contains its scene.
    golden_scene: &'static str,
    image: Option<ImageData>,
    explanation: Option<&'a Explanation>,
    joints: Vec<JointData<'a>>,
}

#[derive(Serialize)]
struct FindingData<'a> {
    passed: bool,
    text: &'a str,
}

#[derive(Serialize)]
struct ImageData {
    rule: &'static str,
    pixels: usize,
    beyond_levels: usize,
    largest: u8,
    alpha_pixels: usize,
    alpha_largest: u8,
    flip_mean: f32,
    flip_worst_tile: f32,
}

#[derive(Serialize)]
struct JointData<'a> {
    name: &'a str,
    distance: f64,
    angle: f64,
}

/// Returns the outcomes as JSON, with the changes of each image that differs. Lengths are in metres and angles in radians. Equal
/// joints are left out.
///
/// # Errors
/// The path of a number that is not finite.
pub fn outcomes_json(
    suite: &Suite,
    outcomes: &[Outcome],
    checks: &[CheckRow],
    machine: &Machine,
    seconds: f64,
) -> Result<String, String> {
    let cases = outcomes.iter().filter_map(|outcome| {
        let case = suite.cases.get(outcome.case)?;
        let finite = |x: f64| if x.is_finite() { x } else { f64::MAX };
        let moved = outcome.joints.iter().filter(|joint| joint.distance != 0.0 || joint.angle != 0.0);
        Some(CaseData {
            name: &case.name,
            file: &case.slug,
            status: outcome.status.name(),
            seconds: outcome.seconds,
            findings: outcome
                .findings
                .iter()
                .map(|f| FindingData { passed: f.passed, text: &f.text })
                .collect(),
            notes: &outcome.notes,
            golden_scene: match outcome.scene {
                GoldenScene::Recorded => "recorded",
                GoldenScene::Missing => "missing",
                GoldenScene::Unreadable => "unreadable",
            },
            image: outcome.difference.as_ref().map(|d| ImageData {
                rule: d.rule().name(),
                pixels: d.pixels(),
                beyond_levels: d.beyond,
                largest: d.largest,
                alpha_pixels: d.alpha.0,
                alpha_largest: d.alpha.1,
                flip_mean: d.mean,
                flip_worst_tile: d.worst.0,
            }),
            explanation: outcome.explanation.as_ref(),
            joints: moved
                .map(|j| JointData { name: &j.name, distance: finite(j.distance), angle: finite(j.angle) })
                .collect(),
        })
    });
    let data = RunData {
        format: FORMAT,
        suite: suite.path.display().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        adapter: machine.adapter.as_deref(),
        adapter_class: machine.class.as_deref(),
        processor: &machine.processor,
        seconds,
        goldens_without_scene: without_scene(outcomes),
        cases: cases.collect(),
        checks,
    };
    json::to_string(&data).map(|text| text + "\n").map_err(|e| e.to_string())
}
