//! `sinew mend`: repairs the faults that `sinew check` finds, and writes a copy of the file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::asset::Character;
use crate::check::mend::{Difference, Mended, Repair, mend};
use crate::check::{CheckOptions, Checker, Severity};
use crate::export::bake::{BakedClip, ClipFormat};
use crate::export::{animated_copy, animated_copy_loss};

use super::check::{SelectionArgs, line};
use super::failure::Failure;
use super::rig_args::RigArgs;
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, names, output};

/// Frame rate of the written BVH file, in frames per second.
const BVH_RATE: f32 = 60.0;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew mend character.glb -o mended.glb
  sinew mend character.glb --clip walk --only foot-slide --dry-run")]
pub(super) struct MendArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Write a copy of the model with the repaired clips to OUT.glb, or a repaired clip to OUT.bvh
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rig: RigArgs,
    /// Only report what would be changed
    #[arg(long)]
    dry_run: bool,
    /// Write the changes as JSON
    #[arg(long, value_name = "OUT.json")]
    json: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
}

/// A clip in the JSON of `--json`.
#[derive(Serialize)]
struct ClipRow {
    name: String,
    errors_before: usize,
    errors_after: usize,
    #[serde(flatten)]
    difference: DifferenceRow,
    changes: Vec<ChangeRow>,
    remaining: Vec<String>,
}

#[derive(Serialize)]
struct ChangeRow {
    check: &'static str,
    joints: Vec<String>,
    from: f32,
    to: f32,
    text: String,
    #[serde(flatten)]
    difference: DifferenceRow,
}

/// The difference between two clips. Lengths are scaled to a character 1.75 m tall.
#[derive(Serialize)]
struct DifferenceRow {
    mean_degrees: f64,
    max_degrees: f64,
    mean_millimetres: f64,
    max_millimetres: f64,
}

impl From<Difference> for DifferenceRow {
    fn from(d: Difference) -> Self {
        Self {
            mean_degrees: d.mean_degrees,
            max_degrees: d.max_degrees,
            mean_millimetres: d.mean_millimetres,
            max_millimetres: d.max_millimetres,
        }
    }
}

pub(super) fn run(args: &MendArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let inputs = || args.model.file.iter().map(PathBuf::as_path).chain(args.rig.file());
    for out in [&args.output, &args.json].into_iter().flatten() {
        output::protect(out, inputs())?;
        output::check(out)?;
    }
    let format = args.output.as_deref().filter(|_| !args.dry_run).map(|out| {
        let unknown =
            || Failure::Usage(format!("--output {}: unknown file type; use .glb or .bvh", out.display()));
        ClipFormat::of(out).map(|format| (out, format)).ok_or_else(unknown)
    });
    let format = format.transpose()?;
    let options = args.selection.options()?;
    let mut character = args.model.load()?;
    if let Some(out) = &args.output {
        output::protect(out, character.files.iter().map(PathBuf::as_path))?;
    }
    let rig = args.rig.load(&character)?;
    let clips = args.selection.clips(&character)?;
    verbosity.warn(&names::namesakes(&character, &args.selection.clip));
    if clips.is_empty() {
        return Err(Failure::Usage(format!("{}: the file has no clips", character.path.display())));
    }
    watch.stage("load");
    let mended = mend_all(&character, &rig, &clips, &options)?;
    watch.stage("mend");
    print(&character, &clips, &mended, verbosity)?;
    for (&index, mended) in clips.iter().zip(&mended) {
        if let Some(clip) = character.clips.get_mut(index) {
            *clip = mended.clip.clone();
        }
    }
    if let Some((out, format)) = format {
        write(args, &character, &clips, out, format, verbosity)?;
    }
    if let Some(path) = &args.json {
        let rows: Vec<ClipRow> = clips.iter().zip(&mended).map(|(i, m)| row(&character, *i, m)).collect();
        output::json(Some(path), &rows)?;
    }
    watch.stage("write");
    watch.total();
    Ok(ExitCode::from(u8::from(!mended.iter().all(|m| m.after.passed()))))
}

fn mend_all(
    character: &Character,
    rig: &crate::rig::Rig,
    clips: &[usize],
    options: &CheckOptions,
) -> Result<Vec<Mended>, Failure> {
    let checker = Checker::new(character, rig);
    let clips = clips.iter().filter_map(|index| character.clips.get(*index));
    let mended = clips.map(|clip| mend(&checker, clip, options));
    mended.collect::<Result<_, _>>().map_err(|e| Failure::Usage(format!("{}: {e}", character.path.display())))
}

/// Prints a line for each clip, and a line for each of its changes and remaining errors.
fn print(
    character: &Character,
    clips: &[usize],
    all: &[Mended],
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for (index, mended) in clips.iter().zip(all) {
        let (before, after) = (errors(&mended.before), errors(&mended.after));
        let name = character.clip_name(*index);
        if mended.changes.is_empty() && before == 0 {
            lines.push(format!("unchanged  {name}"));
            continue;
        }
        let status = if after == 0 { "mended" } else { "failed" };
        let difference = difference(&mended.difference);
        lines.push(format!("{status}  {name}  {before} errors, {after} remain; {difference}"));
        lines.extend(mended.changes.iter().map(|change| change_line(character, change)));
        let remaining = mended.after.findings.iter().filter(|f| f.severity == Severity::Error);
        lines.extend(remaining.map(|f| format!("  remains:{}", line(character, f))));
    }
    let failed = all.iter().filter(|m| !m.after.passed()).count();
    if !verbosity.quiet {
        lines.push(format!("{} clips, {failed} with errors that remain", all.len()));
    }
    output::lines(lines)
}

fn errors(report: &crate::check::ClipReport) -> usize {
    report.findings.iter().filter(|f| f.severity == Severity::Error).count()
}

fn difference(d: &Difference) -> String {
    format!(
        "mean change {:.3}° and {:.2} mm, largest {:.1}° and {:.1} mm",
        d.mean_degrees, d.mean_millimetres, d.max_degrees, d.max_millimetres
    )
}

fn change_line(character: &Character, change: &Repair) -> String {
    const NAMED: usize = 3;
    let Repair { check, nodes, from, to, text, difference: d, .. } = change;
    let mut names: Vec<String> = nodes.iter().take(NAMED).map(|n| character.skeleton.label(*n)).collect();
    if nodes.len() > NAMED {
        names.push(format!("{} others", nodes.len() - NAMED));
    }
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    format!("  {check} {from:.3}–{to:.3} s: {text}{names}; {}", difference(d))
}

fn row(character: &Character, index: usize, mended: &Mended) -> ClipRow {
    let change = |c: &Repair| ChangeRow {
        check: c.check.name(),
        joints: c.nodes.iter().map(|n| character.skeleton.label(*n)).collect(),
        from: c.from,
        to: c.to,
        text: c.text.clone(),
        difference: c.difference.into(),
    };
    let remaining = mended.after.findings.iter().filter(|f| f.severity == Severity::Error);
    ClipRow {
        name: character.clip_name(index),
        errors_before: errors(&mended.before),
        errors_after: errors(&mended.after),
        difference: mended.difference.into(),
        changes: mended.changes.iter().map(change).collect(),
        remaining: remaining.map(|f| line(character, f).trim_start().to_owned()).collect(),
    }
}

/// Writes the file with all its clips, some of them repaired.
fn write(
    args: &MendArgs,
    character: &Character,
    clips: &[usize],
    out: &Path,
    format: ClipFormat,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let model = args.model.file.as_deref();
    match (format, clips) {
        (ClipFormat::Bvh, [index]) => {
            let clip = character.clips.get(*index).cloned().unwrap_or_default();
            let baked = BakedClip::new(clip, &character.skeleton, 0.0, BVH_RATE);
            let written = baked.file(character, model, format);
            let written = written.map_err(|e| Failure::Usage(format!("{}: {e}", out.display())))?;
            verbosity.warn(&written.warnings);
            output::file(out, &written.bytes)
        }
        (ClipFormat::Bvh, _) => Err(Failure::Usage(format!(
            "--output {}: a BVH file has one clip; choose it with --clip",
            out.display()
        ))),
        _ => {
            for clip in &character.clips {
                verbosity
                    .warn(&animated_copy_loss(&character.skeleton, clip).into_iter().collect::<Vec<_>>());
            }
            let lost = character.clips.iter().filter(|c| !c.properties.is_empty()).count();
            if lost > 0 {
                verbosity.warn(&[format!(
                    "{lost} clips lose their animated materials and visibility in the copy"
                )]);
            }
            output::file(out, &animated_copy(character, model, &character.clips)?)
        }
    }
}
