//! `sinew check`: looks for faults in the clips of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;

use crate::asset::{Character, Clip};
use crate::check::{
    Check, CheckOptions, CheckRow, Checker, ClipReport, Finding, Looping, Severity, checks_json,
};
use crate::regress::shared::{Machine, checks_page};
use crate::render::AdapterChoice;
use crate::rig::Rig;
use crate::text::shell::quoted;

use super::failure::Failure;
use super::rig_args::RigArgs;
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, names, output};

pub(super) use strip::Strips;

mod strip;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew check character.glb
  sinew check character.glb --clip walk --limit foot-slide=0.01
  sinew check character.glb --json findings.json --report report.html")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    model: ModelArg,
    #[command(flatten)]
    rig: RigArgs,
    /// Write findings and curves as JSON
    #[arg(long, value_name = "OUT.json")]
    json: Option<PathBuf>,
    /// Write an HTML report with images and curves
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Graphics adapter of the images: auto, cpu, vulkan, gl, metal or dx12; TEXT is part of the adapter's name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    adapter: AdapterChoice,
    #[command(flatten)]
    selection: SelectionArgs,
}

/// Which clips are checked, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct SelectionArgs {
    /// Check only this clip, by name or index (repeatable) [default: all clips]
    #[arg(long, value_name = "NAME")]
    pub(super) clip: Vec<String>,
    /// Run only this check (repeatable)
    #[arg(long, value_name = "CHECK")]
    only: Vec<Check>,
    /// Leave out this check (repeatable)
    #[arg(long, value_name = "CHECK")]
    skip: Vec<Check>,
    /// Largest accepted value of a check, in its unit (repeatable); lengths are for a person 1.75 m tall
    #[arg(long, value_name = "CHECK=VALUE", value_parser = limit)]
    limit: Vec<(Check, f64)>,
    /// Whether the clips are loops: detect, always or never
    #[arg(long = "loop", value_name = "WHEN", default_value = "detect", value_parser = looping)]
    looping: Looping,
    /// Height of the floor in metres [default: where the feet of most clips stand]
    #[arg(long, value_name = "METRES")]
    floor: Option<f32>,
    /// Speed in metres per second at which a program moves a character whose clips walk in place
    #[arg(long, value_name = "SPEED")]
    speed: Option<f32>,
}

fn limit(text: &str) -> Result<(Check, f64), String> {
    let (check, value) = text.split_once('=').ok_or("expected CHECK=VALUE")?;
    let check = check.parse::<Check>().map_err(|e| e.to_string())?;
    let value = value.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
    Ok((check, value.ok_or("value must be a number of at least 0")?))
}

fn looping(text: &str) -> Result<Looping, String> {
    match text {
        "detect" => Ok(Looping::Detect),
        "always" => Ok(Looping::Always),
        "never" => Ok(Looping::Never),
        _ => Err("expected detect, always or never".into()),
    }
}

impl SelectionArgs {
    pub(super) fn options(&self) -> Result<CheckOptions, Failure> {
        let number = |option: &str, value: Option<f32>| match value {
            Some(value) if !value.is_finite() => {
                Err(Failure::Usage(format!("{option}: value must be finite")))
            }
            value => Ok(value),
        };
        let set = |checks: &[Check]| checks.iter().copied().collect::<BTreeSet<_>>();
        Ok(CheckOptions::default()
            .with_only(set(&self.only))
            .with_skip(set(&self.skip))
            .with_limits(self.limit.iter().copied().collect::<BTreeMap<_, _>>())
            .with_looping(self.looping)
            .with_floor(number("--floor", self.floor)?)
            .with_speed(number("--speed", self.speed)?))
    }

    pub(super) fn clips(&self, character: &Character) -> Result<Vec<usize>, Failure> {
        if self.clip.is_empty() {
            return Ok((0..character.clips.len()).collect());
        }
        Ok(self.clip.iter().map(|name| character.clip_index(name)).collect::<Result<_, _>>()?)
    }
}

pub(super) fn run(args: &CheckArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let inputs = || args.model.file.iter().map(PathBuf::as_path).chain(args.rig.file());
    for out in [&args.json, &args.report].into_iter().flatten() {
        output::protect(out, inputs())?;
        output::check(out)?;
    }
    let options = args.selection.options()?;
    let character = args.model.load()?;
    let rig = args.rig.load(&character)?;
    watch.stage("load");
    let clips = args.selection.clips(&character)?;
    verbosity.warn(&names::namesakes(&character, &args.selection.clip));
    let started = Instant::now();
    let reports = reports(&character, &rig, &clips, &options)?;
    watch.stage("check");
    print(&character, &clips, &reports, verbosity)?;
    let seconds = started.elapsed().as_secs_f64() / reports.len().max(1) as f64;
    if args.json.is_some() || args.report.is_some() {
        let file = args.model.file.as_deref();
        let mut rows: Vec<CheckRow> = clips
            .iter()
            .zip(&reports)
            .map(|(clip, report)| row(file, &character, *clip, report, seconds))
            .collect();
        if !reports.iter().all(ClipReport::passed) {
            let mut strips = Strips::new(&character, &rig, &args.adapter)?;
            for ((row, clip), report) in rows.iter_mut().zip(&clips).zip(&reports) {
                row.strip = strips.draw(*clip, report)?;
            }
            watch.stage("images");
        }
        write(args, &rows)?;
        watch.stage("write");
    }
    watch.total();
    Ok(ExitCode::from(u8::from(!reports.iter().all(ClipReport::passed))))
}

/// Checks clips of a character, given by their indices.
pub(super) fn reports(
    character: &Character,
    rig: &Rig,
    clips: &[usize],
    options: &CheckOptions,
) -> Result<Vec<ClipReport>, Failure> {
    let checker = Checker::new(character, rig);
    let clips: Vec<&Clip> = clips.iter().filter_map(|index| character.clips.get(*index)).collect();
    checker
        .check_all(&clips, options)
        .map_err(|e| Failure::Usage(format!("{}: {e}", character.path.display())))
}

/// Prints one line per clip and per finding, and a line with the totals.
pub(super) fn print(
    character: &Character,
    clips: &[usize],
    reports: &[ClipReport],
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for (clip, report) in clips.iter().zip(reports) {
        let status = if report.passed() { "passed" } else { "failed" };
        lines.push(format!("{status}  {}  {:.2} s", character.clip_name(*clip), report.seconds));
        let shown = |f: &&Finding| f.severity != Severity::Information || verbosity.verbose;
        lines.extend(report.findings.iter().filter(shown).map(|f| line(character, f)));
        if verbosity.verbose {
            lines.extend(
                report.not_applied.iter().map(|n| format!("  not applied {}: {}", n.check, n.reason)),
            );
        }
    }
    if reports.is_empty() {
        lines.push("the file has no clips".to_owned());
    }
    let failed = reports.iter().filter(|r| !r.passed()).count();
    let count =
        |severity| reports.iter().flat_map(|r| &r.findings).filter(|f| f.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if !verbosity.quiet {
        lines.push(format!("{} clips, {failed} failed, {errors} errors, {warnings} warnings", reports.len()));
    }
    output::lines(lines)
}

/// Formats a finding as one line, with its time span and its numbers.
pub(super) fn line(character: &Character, finding: &Finding) -> String {
    let Finding { check, severity, node, from, to, value, limit, text, .. } = finding;
    let subject = node.map(|n| format!("{} ", character.skeleton.label(n))).unwrap_or_default();
    let unit = check.unit();
    let severity = severity.name();
    format!("  {severity} {check} {from:.3}–{to:.3} s: {subject}{text} ({value:.4} of {limit:.4} {unit})")
        .trim_end()
        .to_owned()
}

fn row(
    file: Option<&Path>,
    character: &Character,
    clip: usize,
    report: &ClipReport,
    seconds: f64,
) -> CheckRow {
    let model = file.and_then(Path::file_name).map_or_else(|| "built-in".into(), |f| f.to_string_lossy());
    let clip_name = character.clip_name(clip);
    let repeat = match file {
        Some(file) => {
            format!("sinew check {} --clip {}", quoted(&file.display().to_string()), quoted(&clip_name))
        }
        None => format!("sinew check --clip {}", quoted(&clip_name)),
    };
    CheckRow::new(format!("{model} {clip_name}"), report, &character.skeleton, seconds, repeat)
}

fn write(args: &CheckArgs, rows: &[CheckRow]) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let text = checks_json(rows).map_err(Failure::Usage)? + "\n";
        output::file(path, text.as_bytes())?;
    }
    if let Some(path) = &args.report {
        let title =
            args.model.file.as_deref().map_or("built-in character".into(), |f| f.display().to_string());
        let seconds = rows.iter().map(|row| row.milliseconds).sum::<f64>() / 1e3;
        let page = checks_page(&title, rows, &Machine::new(None), seconds).map_err(Failure::Usage)?;
        output::file(path, page.as_bytes())?;
    }
    Ok(())
}
