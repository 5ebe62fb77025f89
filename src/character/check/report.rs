//! Rows of JSON reports.

use serde::Serialize;

use crate::asset::Skeleton;
use crate::text::json;

use super::checker::ClipReport;
use super::finding::{Curve, Finding};
use super::kind::Severity;

/// The outcome of the checks of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// No finding is an error.
    Passed,
    /// A finding is an error.
    Failed,
    /// The clip could not be checked.
    Broken,
}

/// A clip in a report.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CheckRow {
    /// Name of the case, or of the file and the clip.
    pub name: String,
    /// The outcome.
    pub status: CheckStatus,
    /// Whether the row makes the run fail.
    pub fails: bool,
    /// Time that the checks took, in milliseconds.
    pub milliseconds: f64,
    /// Length of the clip in seconds.
    pub duration: f32,
    /// The command that repeats the checks.
    pub repeat: String,
    /// Faults and observations, errors first.
    pub findings: Vec<FindingRow>,
    /// Measured values over time.
    pub curves: Vec<CurveRow>,
    /// Images of the clip at increasing times. Empty if no image was drawn.
    pub strip: Vec<StripImage>,
}

/// A finding in a report.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FindingRow {
    /// Name of the check.
    pub check: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// False if the finding makes the clip fail.
    pub passed: bool,
    /// One sentence.
    pub text: String,
    /// Name of the joint at fault.
    pub subject: Option<String>,
    /// First time in seconds.
    pub from: f32,
    /// Last time in seconds.
    pub to: f32,
    /// The largest measured value.
    pub value: f64,
    /// The largest accepted value.
    pub limit: f64,
    /// The unit of `value` and `limit`.
    pub unit: &'static str,
}

/// A curve in a report.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CurveRow {
    /// Name of the check.
    pub check: &'static str,
    /// Name of the joint. Empty for the clip as a whole.
    pub subject: String,
    /// The unit of the values.
    pub unit: &'static str,
    /// The largest accepted value.
    pub limit: Option<f64>,
    /// Times in seconds.
    pub times: Vec<f32>,
    /// One value per time.
    pub values: Vec<f64>,
}

/// An image of a strip.
#[derive(Clone, Debug, Serialize)]
pub struct StripImage {
    /// Time in seconds.
    pub time: f32,
    /// The image as a data URL.
    pub image: String,
}

impl CheckRow {
    /// Converts the report of a clip. `seconds` is the time that the checks took.
    pub fn new(name: String, report: &ClipReport, skeleton: &Skeleton, seconds: f64, repeat: String) -> Self {
        let passed = report.passed();
        Self {
            name,
            status: if passed { CheckStatus::Passed } else { CheckStatus::Failed },
            fails: !passed,
            milliseconds: seconds * 1e3,
            duration: report.seconds,
            repeat,
            findings: report.findings.iter().map(|f| FindingRow::new(f, skeleton)).collect(),
            curves: report.curves.iter().map(|c| CurveRow::new(c, skeleton)).collect(),
            strip: Vec::new(),
        }
    }

    /// Creates the row of a clip that could not be checked.
    pub fn broken(name: String, cause: String, repeat: String) -> Self {
        let finding = FindingRow {
            check: "load",
            severity: Severity::Error,
            passed: false,
            text: cause,
            subject: None,
            from: 0.0,
            to: 0.0,
            value: 0.0,
            limit: 0.0,
            unit: "",
        };
        Self {
            name,
            status: CheckStatus::Broken,
            fails: true,
            milliseconds: 0.0,
            duration: 0.0,
            repeat,
            findings: vec![finding],
            curves: Vec::new(),
            strip: Vec::new(),
        }
    }
}

impl FindingRow {
    fn new(finding: &Finding, skeleton: &Skeleton) -> Self {
        let finite = |x: f64| if x.is_finite() { x } else { f64::MAX };
        let subject = finding.node.map(|n| skeleton.label(n));
        let subject_text = subject.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
        let text = format!("{subject_text}{}, {:.2}–{:.2} s", finding.text, finding.from, finding.to);
        Self {
            check: finding.check.name(),
            severity: finding.severity,
            passed: finding.severity != Severity::Error,
            text,
            subject,
            from: finding.from,
            to: finding.to,
            value: finite(finding.value),
            limit: finite(finding.limit),
            unit: finding.check.unit(),
        }
    }
}

impl CurveRow {
    fn new(curve: &Curve, skeleton: &Skeleton) -> Self {
        let finite = |x: &f64| if x.is_finite() { *x } else { 0.0 };
        Self {
            check: curve.check.name(),
            subject: curve.node.map(|n| skeleton.label(n)).unwrap_or_default(),
            unit: curve.check.unit(),
            limit: curve.limit,
            times: curve.times.clone(),
            values: curve.values.iter().map(finite).collect(),
        }
    }
}

/// Returns rows as a JSON object with the array `checks`.
///
/// # Errors
/// A message if a number is not finite.
pub fn checks_json(rows: &[CheckRow]) -> Result<String, String> {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        checks: &'a [CheckRow],
    }
    json::to_string(&Document { format: "sinew-checks-1", checks: rows }).map_err(|e| e.to_string())
}
