//! Compares a posed case with its goldens.

use std::fs;
use std::path::{Path, PathBuf};

use crate::accept::beside;
use crate::golden;
use crate::golden::{Drawn, GoldenError, Joints};
use crate::golden_folders::GoldenFolders;
use crate::record::{ContentsCache, RecordedScene, SceneRecord};
use crate::region::Region;
use crate::render::DecodedImage;
use crate::suite::{Case, ReportCheck};
use crate::tolerance::{ImageTolerance, JointTolerance};

use super::image_check::{Draw, ImageCheck, Verdict};
use super::{Finding, GoldenScene, Outcome, Posed, RunSettings, Status, Update, thresholds};

/// Settings and resources of the run that the check of a case needs.
pub(crate) struct CheckContext<'a> {
    pub(crate) goldens: GoldenFolders<'a>,
    pub(crate) settings: &'a RunSettings,
    /// Whether a golden image must contain its scene.
    pub(crate) require_scenes: bool,
    pub(crate) contents: &'a ContentsCache,
    pub(crate) draw: &'a Draw<'a>,
}

/// Compares a case with its goldens. Writes new goldens, or saves each result that differs in a file beside its golden.
///
/// # Errors
/// A one-line message if a golden cannot be read or written.
pub(crate) fn case(
    index: usize,
    case: &Case,
    posed: &dyn Posed,
    actual: Option<Drawn>,
    context: &CheckContext<'_>,
) -> Result<Outcome, String> {
    let update = context.settings.update;
    let skeleton = &posed.puppet().character().skeleton;
    let mut outcome = Outcome {
        digest: actual.as_ref().map(|a| crc32fast::hash(&a.image.rgba)),
        reports: posed.reports().iter().map(|r| (skeleton.label(r.node), r.clone())).collect(),
        ..Outcome::new(index, Status::Passed)
    };
    let mut new_goldens: Vec<NewGolden> = Vec::new();
    let region = case.checks.region.resolve(posed.puppet())?;
    let mut has_scene = true;
    if let (Some(tolerance), Some(actual)) = (&case.checks.image, actual) {
        let (golden, is_recorded) = image(&mut outcome, case, posed, actual, tolerance, &region, context)?;
        has_scene = is_recorded;
        new_goldens.push(golden);
    }
    if let Some(tolerance) = &case.checks.joints {
        let path = context.goldens.shared(&format!("{}.json", case.slug));
        let actual = posed.joints();
        let expected = readable(Joints::read(&path), update)?;
        let verdict = joints(&mut outcome, tolerance, &region, &actual, expected.as_ref());
        new_goldens.push(NewGolden { path, content: GoldenContent::Joints(actual), verdict });
    }
    let report_passes = case.checks.report.as_ref().is_none_or(|check| report(&mut outcome, check));
    outcome.status = finish(&new_goldens, report_passes && has_scene, update)?;
    let replaces = matches!(update, Update::Failing | Update::All);
    outcome.has_results = !replaces && new_goldens.iter().any(|g| g.verdict != Verdict::Same);
    if outcome.status.is_failure() {
        outcome.findings.extend(thresholds::finding(&outcome, &case.checks));
    }
    Ok(outcome)
}

/// Compares the image of a case. Returns the new golden, and `false` if the suite requires a scene that the golden does not contain.
fn image(
    outcome: &mut Outcome,
    case: &Case,
    posed: &dyn Posed,
    mut actual: Drawn,
    tolerance: &ImageTolerance,
    region: &Region,
    context: &CheckContext<'_>,
) -> Result<(NewGolden, bool), String> {
    let update = context.settings.update;
    let path = context.goldens.find(&format!("{}.png", case.slug));
    let DecodedImage { width, height, .. } = actual.image;
    let found = readable(Drawn::read(&path.read, width, height), update)?;
    let contents = context.contents.of(posed.puppet());
    let record = SceneRecord::with(posed.puppet(), &posed.frame(), (width, height), &contents);
    let check = ImageCheck {
        tolerance,
        kinds: &case.checks.kinds,
        region,
        posed,
        shows_poses: context.settings.images,
        record: &record,
        draw: context.draw,
    };
    let verdict = check.compare(outcome, &actual, found)?;
    let lacks_scene = verdict == Verdict::Same && outcome.scene != GoldenScene::Recorded;
    // The scene is added only to an identical image, because it must match the pixels.
    let is_identical = outcome.expected.as_ref().is_some_and(|golden| golden.image == actual.image);
    let adds_scene = update == Update::Scenes && lacks_scene && is_identical;
    if verdict != Verdict::Same || update == Update::All || adds_scene {
        actual.scene = Some(RecordedScene::encode(&record)?);
    }
    if let (true, Some(golden)) = (adds_scene, &mut outcome.expected) {
        golden.scene = actual.scene.clone();
        let bytes = golden.encode().map_err(|e| e.to_string())?;
        golden::write(&path.read, &bytes).map_err(|e| e.to_string())?;
        outcome.scene = GoldenScene::Recorded;
    } else if update == Update::Scenes && lacks_scene {
        outcome.notes.push("the golden did not get a scene, because its pixels differ".into());
    }
    let is_recorded = !context.require_scenes || !lacks_scene || adds_scene || update == Update::All;
    if !is_recorded {
        // The scene can be added only if the image is identical.
        let which = if is_identical { "scenes" } else { "all" };
        let text = "image: the golden does not contain its scene, which the suite requires; see --update";
        outcome.findings.push(Finding { passed: false, text: format!("{text}={which}") });
    }
    Ok((NewGolden { path: path.write, content: GoldenContent::Image(actual), verdict }, is_recorded))
}

/// Returns the result of reading a golden, or `None` if the golden is invalid and `update` allows replacing it.
fn readable<T>(read: Result<Option<T>, GoldenError>, update: Update) -> Result<Option<T>, String> {
    match read {
        Err(GoldenError::Invalid { .. }) if update != Update::No => Ok(None),
        other => other.map_err(|e| e.to_string()),
    }
}

/// The current result of a case, which may become its golden.
struct NewGolden {
    path: PathBuf,
    content: GoldenContent,
    verdict: Verdict,
}

/// The content of a golden. It is encoded only when it is written, because most goldens do not change.
enum GoldenContent {
    Image(Drawn),
    Joints(Joints),
}

impl NewGolden {
    fn write(&self, path: &Path) -> Result<(), String> {
        let bytes = match &self.content {
            GoldenContent::Image(drawn) => drawn.encode().map_err(|e| e.to_string())?,
            GoldenContent::Joints(joints) => {
                joints.encode().map_err(|e| format!("{}: {e}", path.display()))?
            }
        };
        golden::write(path, &bytes).map_err(|e| e.to_string())
    }
}

/// Updates goldens, or saves each result that differs in a file beside its golden. Returns the status of the case. `passes` says
/// whether everything else passes.
fn finish(new_goldens: &[NewGolden], passes: bool, update: Update) -> Result<Status, String> {
    let mut updated = false;
    for golden @ NewGolden { path, verdict, .. } in new_goldens {
        let beside = beside(path);
        let write = match update {
            Update::No | Update::Scenes => false,
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
        // The result of an earlier failure is obsolete.
        let _ = fs::remove_file(beside);
    }
    let any = |verdict| new_goldens.iter().any(|g| g.verdict == verdict);
    Ok(match () {
        () if !passes => Status::Failed,
        () if updated => Status::Updated,
        () if any(Verdict::Differs) => Status::Failed,
        () if any(Verdict::Missing) => Status::Missing,
        () => Status::Passed,
    })
}

fn joints(
    outcome: &mut Outcome,
    tolerance: &JointTolerance,
    region: &Region,
    actual: &Joints,
    expected: Option<&Joints>,
) -> Verdict {
    let mut add = |passed: bool, text: String| outcome.findings.push(Finding { passed, text });
    let Some(expected) = expected else {
        add(false, "joints: golden is missing".into());
        return Verdict::Missing;
    };
    let differences = match actual.compare(expected) {
        Ok(differences) => differences.into_iter().filter(|d| region.has_joint(&d.name)).collect::<Vec<_>>(),
        Err(cause) => {
            add(false, format!("joints: {cause}"));
            return Verdict::Differs;
        }
    };
    let failing =
        differences.iter().filter(|d| d.distance > tolerance.distance || d.angle > tolerance.angle).count();
    let largest = |value: fn(&golden::JointDifference) -> f64| {
        differences.iter().max_by(|a, b| value(a).total_cmp(&value(b))).map(|d| (value(d), d.name.clone()))
    };
    let (distance, moved) = largest(|d| d.distance).unwrap_or_default();
    let (angle, turned) = largest(|d| d.angle).unwrap_or_default();
    add(
        failing == 0,
        format!(
            "joints: {failing} beyond tolerance, largest differences {distance:.2e} m (limit {:.2e}) at {moved} \
             and {:.2e}° (limit {:.2e}°) at {turned}",
            tolerance.distance,
            angle.to_degrees(),
            tolerance.angle.to_degrees()
        ),
    );
    outcome.joints = differences;
    if failing == 0 { Verdict::Same } else { Verdict::Differs }
}

/// Checks the reports of a case's goals, pins and contacts. Returns whether they all pass.
fn report(outcome: &mut Outcome, check: &ReportCheck) -> bool {
    let reports = &outcome.reports;
    let mut findings = Vec::new();
    if reports.is_empty() {
        if check.from_defaults {
            return true;
        }
        findings.push(Finding { passed: false, text: "report: the case has no goals".into() });
    }
    if let Some(expected) = &check.outcome {
        let other = reports.iter().find(|(_, r)| r.outcome.to_string() != *expected);
        let text = match &other {
            None => format!("report: {expected}"),
            Some((node, r)) => {
                format!("report: {} instead of {expected} for {} {node}", r.outcome, r.kind)
            }
        };
        findings.push(Finding { passed: other.is_none(), text });
    }
    if let Some(limit) = check.error {
        let errors = reports.iter().filter_map(|(node, r)| Some((r.position_error?, r.kind, node)));
        let largest = errors.max_by(|a, b| a.0.total_cmp(&b.0));
        let worst = largest.map_or(0.0, |(error, ..)| error);
        let of = largest.map_or_else(String::new, |(_, kind, node)| format!(" of {kind} {node}"));
        // NaN never passes.
        let passed =
            worst <= limit && reports.iter().all(|(_, r)| r.position_error.is_none_or(f64::is_finite));
        findings.push(Finding {
            passed,
            text: format!("report: position error {worst:.2e} m{of} (limit {limit:.2e})"),
        });
    }
    let passes = findings.iter().all(|f| f.passed);
    outcome.findings.extend(findings);
    passes
}
