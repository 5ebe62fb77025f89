//! `sinew test --init`: writes a suite for characters. Through fixed cameras, the cases show the rest pose, frames of all clips, and the
//! range of motion of the joints.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::asset::Character;
use crate::cli::failure::Failure;
use crate::cli::test::TestArgs;
use crate::cli::{ModelArg, Verbosity, output, rig_of};
use crate::files::atomic;
use crate::regress::shared::{Coverage, NewCase, SuiteWriter, distinct};
use crate::text::shell::quoted;

use cameras::VIEW_ANGLE;
use model_cases::ModelCases;

mod cameras;
mod model_cases;

/// Width and height of the images. At this size, weight changes are visible, and drawing takes a few milliseconds.
const SIZE: f64 = 256.0;
/// Name of the goldens folder of a suite that has the default name.
const GOLDENS: &str = "goldens";

/// Writes a suite for the given files. If no files are given, the suite is for the built-in character.
pub(super) fn run(files: &[PathBuf], args: &TestArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let (suite, replaces) = (args.output.as_path(), args.force);
    output::protect(suite, files.iter().map(PathBuf::as_path))?;
    output::check(suite)?;
    let exists = || Failure::Usage(format!("{}: file exists; use --force to replace it", suite.display()));
    if !replaces && !output::is_stdout(suite) && suite.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let models: Vec<Option<&Path>> = match files {
        [] => vec![None],
        files => files.iter().map(|file| Some(file.as_path())).collect(),
    };
    let folder = match output::is_stdout(suite) {
        true => Path::new(""),
        false => suite.parent().unwrap_or(Path::new("")),
    };
    let has_one = models.len() == 1;
    let with_model = |case: NewCase, model: Option<&Path>| match model {
        Some(file) => case.path("model", folder, file).map_err(Failure::Usage),
        None => Ok(case),
    };
    // If there is only one model, the suite names it once for all cases.
    let common = models.first().copied().flatten().filter(|_| has_one);
    let mut writer = SuiteWriter::new(&comment(suite), &goldens(suite), with_model(defaults(), common)?);
    let mut lines = Vec::new();
    for (model, prefix) in models.iter().zip(prefixes(&models)) {
        let model_arg = ModelArg {
            file: model.map(Path::to_path_buf),
            allow_parent: args.allow_parent,
            ..ModelArg::default()
        };
        let character = model_arg.load()?;
        output::protect(suite, character.files.iter().map(PathBuf::as_path))?;
        let shown = character.path.display().to_string();
        verbosity.warn(&character.warnings);
        let (before, coverage) = (writer.count(), Coverage::new(&character));
        let mut cases = ModelCases::new(character.clone(), rig_of(&character, None)?, coverage);
        for (name, case) in cases.all() {
            let model = model.filter(|_| !has_one);
            let name = if has_one { name } else { format!("{prefix} {name}") };
            writer.add(&name, with_model(case, model)?);
        }
        warn(&cases, &shown, &character, verbosity);
        let (joints, moved) = cases.coverage.counts();
        let count = writer.count() - before;
        lines.push(format!("{shown}: {count} cases move {moved} of {joints} joints with skin weights"));
    }
    let text = writer.finish();
    if output::is_stdout(suite) || replaces {
        output::file(suite, text.as_bytes())?;
    } else {
        atomic::write_new(suite, text.as_bytes()).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => Failure::write(suite)(error),
        })?;
    }
    if !output::is_stdout(suite) {
        lines.push(format!("wrote {}; draw its goldens with: {}", suite.display(), update(suite)));
        if !verbosity.quiet {
            output::lines(lines)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Warns about joints that no case moves and poses that cannot be drawn.
fn warn(cases: &ModelCases, shown: &str, character: &Character, verbosity: Verbosity) {
    let unmoved = cases.coverage.warning(character);
    let lines = cases.warnings.iter().cloned().chain(unmoved).map(|line| format!("{shown}: {line}"));
    verbosity.warn(&lines.collect::<Vec<_>>());
}

/// The values that all cases share.
fn defaults() -> NewCase {
    NewCase::default()
        .numbers("resolution", &[SIZE, SIZE])
        .number("camera-view-angle", VIEW_ANGLE)
        .text("ground", "off")
        .text("shadow", "off")
}

fn comment(suite: &Path) -> String {
    format!(
        "Written by `sinew test --init`. Nothing in it is chosen automatically any more: cameras and turns are numbers, which may be edited.\n\
         Each turn is an axis in the frame of a joint at rest, and as many degrees as it is long.\n\
         Draw the goldens: {}",
        update(suite)
    )
}

/// Returns the command that draws the goldens.
fn update(suite: &Path) -> String {
    let name = suite.display().to_string();
    let name = if output::is_stdout(suite) { "suite.toml".to_owned() } else { name };
    let name = if name.starts_with('-') { format!("./{name}") } else { name };
    format!("sinew test {} --update", quoted(&name))
}

/// Returns the name of the folder of goldens, which differs between suites in the same folder.
fn goldens(suite: &Path) -> String {
    let stem = suite.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    match stem {
        Some(stem) if stem != "suite" && !output::is_stdout(suite) => format!("{stem}-{GOLDENS}"),
        _ => GOLDENS.into(),
    }
}

/// Returns a distinct name for each model, as a prefix of its cases' names.
fn prefixes(models: &[Option<&Path>]) -> Vec<String> {
    let text = |name: Option<&std::ffi::OsStr>| name.map(|n| n.to_string_lossy().into_owned());
    let stem = |model: &Option<&Path>| model.and_then(|path| text(path.file_stem())).unwrap_or_default();
    let folder = |model: &Option<&Path>| {
        let path = model.and_then(|path| std::path::absolute(path).ok());
        path.as_deref().and_then(Path::parent).and_then(|p| text(p.file_name())).unwrap_or_default()
    };
    distinct(&models.iter().map(stem).collect::<Vec<_>>(), &models.iter().map(folder).collect::<Vec<_>>())
}
