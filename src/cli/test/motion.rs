//! Runs the `[[check]]` tables of a suite.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use crate::asset;
use crate::check::{CheckRow, ClipReport, Severity};
use crate::cli::check::{Strips, line, reports};
use crate::cli::failure::Failure;
use crate::cli::{Verbosity, output};
use crate::files::Progress;
use crate::regress::shared::{MotionCheck, Suite};
use crate::render::AdapterChoice;
use crate::rig;
use crate::text::shell::quoted;

use super::TestArgs;

/// Runs the checks that `--filter` and `--case` select and prints their results. `images` is the adapter that draws
/// failing clips, or `None` to draw none.
pub(super) fn run(
    suite: &Suite,
    args: &TestArgs,
    images: Option<&AdapterChoice>,
    verbosity: Verbosity,
) -> Result<Vec<CheckRow>, Failure> {
    let mut rows = Vec::new();
    for check in suite.motion_checks.iter().filter(|c| is_selected(c, args)) {
        match clips(check, args, images, verbosity) {
            Ok(found) => rows.extend(found),
            // A file that cannot be read fails only its own check.
            Err(failure) => {
                let row = CheckRow::broken(check.name.clone(), failure.to_string(), command(check, None));
                output::lines([format!("broken  {}: {failure}", check.name)])?;
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Returns whether `--filter` or `--case` selects a check.
pub(super) fn is_selected(check: &MotionCheck, args: &TestArgs) -> bool {
    let all = args.filter.is_empty() && args.case.is_empty();
    all || args.case.contains(&check.name)
        || args.filter.iter().any(|text| check.name.contains(text.as_str()))
}

fn clips(
    check: &MotionCheck,
    args: &TestArgs,
    images: Option<&AdapterChoice>,
    verbosity: Verbosity,
) -> Result<Vec<CheckRow>, Failure> {
    let character = match &check.model {
        Some(path) => asset::load_with_references(path, None, &args.references(), &Progress::default())?,
        None => asset::mannequin()?,
    };
    let rig = rig::load(&character, check.rig.as_deref()).map_err(|e| Failure::Usage(e.to_string()))?;
    let clips: Vec<usize> = if check.clips.is_empty() {
        (0..character.clips.len()).collect()
    } else {
        check.clips.iter().map(|name| character.clip_index(name)).collect::<Result<_, _>>()?
    };
    let started = Instant::now();
    let reports = reports(&character, &rig, &clips, &check.options)?;
    let seconds = started.elapsed().as_secs_f64() / reports.len().max(1) as f64;
    let mut strips = match images {
        Some(adapter) if !reports.iter().all(ClipReport::passed) => {
            Some(Strips::new(&character, &rig, adapter)?)
        }
        _ => None,
    };
    let mut rows = Vec::new();
    for (&clip, report) in clips.iter().zip(&reports) {
        let clip_name = character.clip_name(clip);
        let status = if report.passed() { "passed" } else { "failed" };
        let head = format!("{status:8}{} {clip_name}  {:.1} ms", check.name, seconds * 1e3);
        let is_shown = |severity: Severity| severity == Severity::Error || verbosity.verbose;
        let shown = report.findings.iter().filter(|f| is_shown(f.severity));
        output::lines(std::iter::once(head).chain(shown.map(|f| format!("      {}", line(&character, f)))))?;
        let row_name = format!("{} {clip_name}", check.name);
        let repeat = command(check, Some(&clip_name));
        let mut row = CheckRow::new(row_name, report, &character.skeleton, seconds, repeat);
        if let Some(strips) = &mut strips {
            row.strip = strips.draw(clip, report)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the command that repeats a check.
fn command(check: &MotionCheck, clip: Option<&str>) -> String {
    let mut text = "sinew check".to_owned();
    let path = |path: &Path| quoted(&path.display().to_string());
    if let Some(model) = &check.model {
        let _ = write!(text, " {}", path(model));
    }
    if let Some(rig) = &check.rig {
        let _ = write!(text, " --rig {}", path(rig));
    }
    if let Some(clip) = clip {
        let _ = write!(text, " --clip {}", quoted(clip));
    }
    for (check, limit) in &check.options.limits {
        let _ = write!(text, " --limit {check}={limit}");
    }
    for check in &check.options.only {
        let _ = write!(text, " --only {check}");
    }
    for check in &check.options.skip {
        let _ = write!(text, " --skip {check}");
    }
    text
}
