//! Writes the outcomes of a suite as a JUnit report.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::check::{CheckRow, CheckStatus};
use crate::regress::shared::{Machine, Outcome, Status, Suite, without_scene};

/// Returns the outcomes as a JUnit report. The properties of the suite identify the machine. The properties of a case contain the rule that
/// judged its image and the measured difference. The output of a case lists all comparisons and the outcome of each goal, pin and contact.
///
/// # Errors
/// The error message of the XML writer.
pub(super) fn junit(
    suite: &Suite,
    outcomes: &[Outcome],
    checks: &[CheckRow],
    machine: &Machine,
) -> Result<String, String> {
    let name = suite.path.file_stem().map_or_else(|| "suite".into(), |s| s.to_string_lossy());
    let mut tests = TestSuite::new(clean(&name));
    tests.add_property(Property::new("adapter", clean(machine.adapter.as_deref().unwrap_or("none"))));
    tests.add_property(Property::new("processor", clean(&machine.processor)));
    let without = without_scene(outcomes).to_string();
    tests.add_property(Property::new("goldens-without-scene", without));
    for outcome in outcomes {
        let Some(case) = suite.cases.get(outcome.case) else { continue };
        let lines: Vec<String> = outcome.findings.iter().map(|f| clean(&f.text)).collect();
        let reports = outcome.reports.iter().map(|(node, r)| {
            let error = r.position_error.map_or_else(String::new, |e| format!(", position error {e:.2e} m"));
            clean(&format!("{} {node}: {}{error}", r.kind, r.outcome))
        });
        let notes = outcome.notes.iter().map(|note| clean(&format!("note: {note}")));
        let output: Vec<String> = lines.iter().cloned().chain(notes).chain(reports).collect();
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
        test.set_system_out(output.join("\n"));
        if let Some(difference) = &outcome.difference {
            for (name, value) in [
                ("image-rule", difference.rule().name().to_owned()),
                ("image-pixels-beyond-levels", difference.beyond.to_string()),
                ("image-largest-difference", difference.largest.to_string()),
                ("image-flip-mean", difference.mean.to_string()),
                ("image-flip-worst-tile", difference.worst.0.to_string()),
            ] {
                test.add_property(Property::new(name, value));
            }
        }
        if let Some(explanation) = &outcome.explanation {
            test.add_property(Property::new("verdict", clean(&explanation.verdict)));
            for change in &explanation.changes {
                test.add_property(Property::new(
                    format!("change-{}", change.kind.name()),
                    clean(&change.text),
                ));
            }
        }
        tests.add_test_case(test);
    }
    for row in checks {
        tests.add_test_case(check_case(row, &name));
    }
    let mut report = Report::new("sinew");
    report.add_test_suite(tests);
    report.to_string().map_err(|e| e.to_string())
}

/// Returns the checks of a clip as a test case.
fn check_case(row: &CheckRow, suite: &str) -> TestCase {
    let lines: Vec<String> = row
        .findings
        .iter()
        .map(|f| clean(&format!("{} {} {:.3}–{:.3} s: {}", f.severity.name(), f.check, f.from, f.to, f.text)))
        .collect();
    let mut status = match row.status {
        CheckStatus::Passed => TestCaseStatus::success(),
        CheckStatus::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        CheckStatus::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if row.fails {
        status.set_message(lines.first().cloned().unwrap_or_default());
        status.set_description(lines.join("\n"));
    }
    let mut test = TestCase::new(clean(&row.name), status);
    test.set_classname(clean(suite));
    test.set_time(Duration::from_secs_f64((row.milliseconds * 1e-3).max(0.0)));
    test.set_system_out(lines.join("\n"));
    test
}

/// Escapes the characters that XML 1.0 cannot contain, such as `\u{1b}`. Line breaks and tabs are also escaped, because XML readers convert
/// them to spaces, which could make different names equal.
fn clean(text: &str) -> String {
    let is_allowed = |c: char| !c.is_control() && !matches!(c, '\u{FFFE}' | '\u{FFFF}');
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_allowed(c) { clean.push(c) } else { clean.extend(c.escape_default()) }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::shared::{Checks, Finding};

    #[test]
    fn names_with_any_characters_give_a_well_formed_report() {
        let case = crate::regress::shared::Case {
            name: "walk \u{FFFE}\u{FFFF}\u{1b}[2J\u{9b}\u{0} <&\">".into(),
            slug: "walk".into(),
            line: 2,
            model: None,
            replay: None,
            arguments: Vec::new(),
            checks: Checks::default(),
        };
        let suite = Suite {
            path: "a.toml".into(),
            goldens: "goldens".into(),
            golden_sets: Vec::new(),
            require_scenes: false,
            motion_checks: Vec::new(),
            cases: vec![case],
        };
        let findings = vec![Finding { passed: false, text: "joint \u{1}\u{FFFF}".into() }];
        let outcome = Outcome { findings, seconds: 0.5, ..Outcome::new(0, Status::Failed) };
        let text = junit(&suite, &[outcome], &[], &Machine::new(None)).unwrap();
        // XML 1.0, section 2.2.
        let is_char = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
        assert!(text.chars().all(is_char), "{text:?}");
        let name = "name=\"walk \\u{fffe}\\u{ffff}\\u{1b}[2J\\u{9b}\\u{0} &lt;&amp;&quot;&gt;\"";
        assert!(text.contains(name), "{text}");
        assert!(text.contains("joint \\u{1}\\u{ffff}"), "{text}");
    }
}
