//! A posed case against its goldens.

use std::fs;
use std::path::{Path, PathBuf};

use crate::render::Picture;

use super::golden::{self, Drawn, Found, GoldenError, Joints};
use super::image::{Difference, Rule, compare};
use super::run::{Finding, Outcome, Posed, Status, Update};
use super::suite::{Case, ImageTolerance, JointTolerance, ReportCheck};

/// Compares, and writes what there is to write.
///
/// # Errors
/// A golden that cannot be read or written, in a line.
pub(super) fn case(
    place: usize,
    case: &Case,
    goldens: &Path,
    posed: &dyn Posed,
    actual: Option<Drawn>,
    update: Update,
) -> Result<Outcome, String> {
    let skeleton = &posed.puppet().character().skeleton;
    let mut outcome = Outcome {
        case: place,
        status: Status::Passed,
        findings: Vec::new(),
        expected: None,
        actual: None,
        difference: None,
        digest: actual.as_ref().map(|a| crc32fast::hash(&a.picture.rgba)),
        joints: Vec::new(),
        reports: posed.reports().iter().map(|r| (skeleton.label(r.node), r.clone())).collect(),
        seconds: 0.0,
    };
    let mut fresh: Vec<Fresh> = Vec::new();
    if let (Some(tolerance), Some(actual)) = (&case.checks.image, actual) {
        let path = goldens.join(format!("{}.png", case.slug));
        let Picture { width, height, .. } = actual.picture;
        let found = there(Drawn::read(&path, width, height), update)?;
        let verdict = image(&mut outcome, tolerance, &actual, found);
        outcome.actual = Some(actual.clone());
        fresh.push(Fresh { path, what: What::Picture(actual), verdict });
    }
    if let Some(tolerance) = &case.checks.joints {
        let path = goldens.join(format!("{}.json", case.slug));
        let now = posed.joints();
        let verdict = joints(&mut outcome, tolerance, &now, there(Joints::read(&path), update)?.as_ref());
        fresh.push(Fresh { path, what: What::Joints(now), verdict });
    }
    let met = case.checks.report.as_ref().is_none_or(|check| report(&mut outcome, check));
    outcome.status = settle(&fresh, met, update)?;
    Ok(outcome)
}

/// A golden that is there. One that is none counts as missing where it may be written anew.
fn there<T>(read: Result<Option<T>, GoldenError>, update: Update) -> Result<Option<T>, String> {
    match read {
        Err(GoldenError::Bad { .. }) if update != Update::No => Ok(None),
        other => other.map_err(|e| e.to_string()),
    }
}

/// What a golden would be by now.
struct Fresh {
    path: PathBuf,
    what: What,
    verdict: Verdict,
}

/// What becomes bytes only where it is written: most goldens are as they were.
enum What {
    Picture(Drawn),
    Joints(Joints),
}

impl Fresh {
    fn write(&self, path: &Path) -> Result<(), String> {
        let bytes = match &self.what {
            What::Picture(drawn) => drawn.encode()?,
            What::Joints(joints) => joints.encode().map_err(|e| format!("{}: {e}", path.display()))?,
        };
        golden::write(path, &bytes).map_err(|e| e.to_string())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Same,
    Differs,
    Missing,
}

/// Writes goldens anew, or what failed beside them; how the case ended.
fn settle(fresh: &[Fresh], met: bool, update: Update) -> Result<Status, String> {
    let mut updated = false;
    for golden @ Fresh { path, verdict, .. } in fresh {
        let beside = beside(path);
        let write = match update {
            Update::No => false,
            Update::Failing => *verdict != Verdict::Same,
            Update::All => true,
        };
        if write {
            golden.write(path)?;
            updated = true;
        } else if *verdict != Verdict::Same {
            golden.write(&beside)?;
            continue;
        }
        // What an earlier failure left there says nothing any more.
        let _ = fs::remove_file(beside);
    }
    let any = |verdict| fresh.iter().any(|f| f.verdict == verdict);
    Ok(match () {
        () if !met => Status::Failed,
        () if updated => Status::Updated,
        () if any(Verdict::Differs) => Status::Failed,
        () if any(Verdict::Missing) => Status::Missing,
        () => Status::Passed,
    })
}

/// `NAME.new.png` beside `NAME.png`.
fn beside(path: &Path) -> PathBuf {
    let kind = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_extension("").with_file_name(format!(
        "{}.new.{kind}",
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    ))
}

fn image(outcome: &mut Outcome, tolerance: &ImageTolerance, actual: &Drawn, found: Option<Found>) -> Verdict {
    let mut find = |passed: bool, text: String| outcome.findings.push(Finding { passed, text });
    let Picture { width, height, .. } = actual.picture;
    let expected = match found {
        None => {
            find(false, "image: there is no golden".into());
            return Verdict::Missing;
        }
        Some(Found::OtherSize(w, h)) => {
            find(false, format!("image: {width}x{height} instead of {w}x{h}"));
            return Verdict::Differs;
        }
        Some(Found::Drawn(expected)) => outcome.expected.insert(expected),
    };
    let Some(difference) = compare(&expected.picture, &actual.picture, tolerance.levels) else {
        find(false, format!("image: {width}x{height} pixels cannot be compared"));
        return Verdict::Differs;
    };
    let passed = difference.passes(tolerance);
    find(passed, describe(&difference, tolerance));
    outcome.difference = Some(difference);
    if passed { Verdict::Same } else { Verdict::Differs }
}

/// The rule that decided on an image, with its figures.
fn describe(difference: &Difference, tolerance: &ImageTolerance) -> String {
    let Difference { beyond, mean, worst: (worst, [x, y]), .. } = difference;
    let (pixels, largest) = (difference.pixels(), difference.largest);
    match difference.rule() {
        Rule::Identical => "image: identical".into(),
        Rule::Levels => {
            let limit = tolerance.levels;
            format!("image: equal by levels: {pixels} px differ, by at most {largest} (limit {limit})")
        }
        Rule::Flip => format!(
            "image: judged by FLIP: {beyond} px differ by more than {} levels (at most {largest}), \
             mean {mean:.5} (limit {}), worst tile {worst:.4} (limit {}) at {x},{y}",
            tolerance.levels, tolerance.mean, tolerance.worst
        ),
    }
}

fn joints(
    outcome: &mut Outcome,
    tolerance: &JointTolerance,
    now: &Joints,
    expected: Option<&Joints>,
) -> Verdict {
    let mut find = |passed: bool, text: String| outcome.findings.push(Finding { passed, text });
    let Some(expected) = expected else {
        find(false, "joints: there is no golden".into());
        return Verdict::Missing;
    };
    let differences = match now.compare(expected) {
        Ok(differences) => differences,
        Err(cause) => {
            find(false, format!("joints: {cause}"));
            return Verdict::Differs;
        }
    };
    let off = differences.iter().filter(|d| d.distance > tolerance.distance || d.angle > tolerance.angle);
    let off = off.count();
    let most = |of: fn(&golden::JointDifference) -> f64| {
        differences.iter().max_by(|a, b| of(a).total_cmp(&of(b))).map(|d| (of(d), d.name.clone()))
    };
    let (distance, far) = most(|d| d.distance).unwrap_or_default();
    let (angle, turned) = most(|d| d.angle).unwrap_or_default();
    find(
        off == 0,
        format!(
            "joints: {off} off; at most {distance:.2e} m of {:.2e} ({far}), {angle:.2e} rad of {:.2e} ({turned})",
            tolerance.distance, tolerance.angle
        ),
    );
    outcome.joints = differences;
    if off == 0 { Verdict::Same } else { Verdict::Differs }
}

/// Whether all goals came to what they should.
fn report(outcome: &mut Outcome, check: &ReportCheck) -> bool {
    let reports = &outcome.reports;
    let mut findings = Vec::new();
    if reports.is_empty() {
        if check.usual {
            return true;
        }
        findings.push(Finding { passed: false, text: "report: the case has no goal".into() });
    }
    if let Some(wanted) = &check.outcome {
        let other = reports.iter().map(|(_, r)| r.outcome.to_string()).find(|o| o != wanted);
        let text = match &other {
            None => format!("report: {wanted}"),
            Some(other) => format!("report: {other} instead of {wanted}"),
        };
        findings.push(Finding { passed: other.is_none(), text });
    }
    if let Some(most) = check.error {
        let worst = reports.iter().filter_map(|(_, r)| r.position_error).fold(0.0, f64::max);
        // NaN is never within.
        let passed =
            worst <= most && reports.iter().all(|(_, r)| r.position_error.is_none_or(f64::is_finite));
        findings.push(Finding { passed, text: format!("report: {worst:.2e} m off, of {most:.2e}") });
    }
    let met = findings.iter().all(|f| f.passed);
    outcome.findings.extend(findings);
    met
}
