//! What came of a suite, for machines that read JUnit.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::run::{Outcome, Status};
use super::suite::Suite;

/// The outcomes as a JUnit document.
///
/// # Errors
/// What the writer says.
pub fn junit(suite: &Suite, outcomes: &[Outcome]) -> Result<String, String> {
    let name = suite.path.file_stem().map_or_else(|| "suite".into(), |s| s.to_string_lossy());
    let mut tests = TestSuite::new(clean(&name));
    for outcome in outcomes {
        let Some(case) = suite.cases.get(outcome.case) else { continue };
        let lines: Vec<String> = outcome.findings.iter().map(|f| clean(&f.text)).collect();
        let mut status = match outcome.status {
            Status::Passed | Status::Updated => TestCaseStatus::success(),
            Status::Failed | Status::Missing => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Status::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
        };
        if outcome.status.is_failure() {
            status.set_message(lines.first().cloned().unwrap_or_default());
            status.set_type(outcome.status.name());
            status.set_description(lines.join("\n"));
        }
        let mut test = TestCase::new(clean(&case.name), status);
        test.set_classname(clean(&name));
        test.set_time(Duration::from_secs_f64(outcome.seconds.max(0.0)));
        tests.add_test_case(test);
    }
    let mut report = Report::new("sinew");
    report.add_test_suite(tests);
    report.to_string().map_err(|e| e.to_string())
}

/// Without signs that XML has no way to write.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}
