//! `sinew test`: runs a suite of image and joint regression tests.

use std::collections::HashSet;
use std::iter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use clap::Args;

use crate::asset::References;
use crate::regress::Rule;
use crate::regress::shared::{
    Case, EarlierRun, Machine, OptionKey, Outcome, Run, RunSettings, Status, Suite, Update, orphans, sweep,
    without_scene,
};
use crate::render::AdapterChoice;

use super::failure::Failure;
use super::progress::Progress;
use super::{Verbosity, failure, output};

use cases::{AssetCache, CaseArgs};

mod accept;
mod cases;
mod init;
mod junit;
mod motion;
mod results;
mod sources;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew test --init hero.glb -o suite.toml
  sinew test suite.toml --update
  sinew test suite.toml
  sinew test suite.toml --report report.html --junit report.xml
  sinew test suite.toml --filter walk --update
  sinew test suite.toml --accept \"walk 0.5\" wave")]
pub(super) struct TestArgs {
    /// Suite file in the format of docs/testing.md
    #[arg(value_name = "SUITE.toml", required_unless_present = "init")]
    suite: Option<PathBuf>,
    /// Also read files outside of a model's folder to which the model refers
    #[arg(long)]
    allow_parent: bool,
    /// Write a suite for these models: rest, clips and the range of motion of the joints [default: the built-in character]
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with_all = ["suite", "update", "accept", "prune", "report", "junit", "csv", "json", "sweep", "filter", "case", "list", "jobs", "shard", "fail_fast"])]
    init: Option<Vec<PathBuf>>,
    /// Suite to write with --init [default: suite.toml]
    #[arg(
        short,
        long,
        value_name = "SUITE.toml",
        requires = "init",
        default_value = "suite.toml",
        hide_default_value = true
    )]
    output: PathBuf,
    /// Replace an existing suite
    #[arg(long, requires = "init")]
    force: bool,
    /// Update the goldens of failing cases, or of all cases, or only add the recorded scene to goldens that lack it
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "failing", value_parser = ["failing", "all", "scenes"])]
    update: Option<String>,
    /// Make the results of failed cases their goldens, without drawing again: NAME.new.png and NAME.new.json of the last run
    #[arg(long, value_name = "CASE", num_args = 1.., conflicts_with_all = ["update", "prune", "report", "junit", "csv", "json", "filter", "case", "list", "jobs", "shard", "fail_fast"])]
    accept: Vec<String>,
    /// Remove goldens that no case uses and .new files of earlier failures
    #[arg(long)]
    prune: bool,
    /// Write an HTML report of the changes
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Show the results of an earlier run (a file written by --json) next to this run in the report
    #[arg(long, value_name = "OUT.json", requires = "report")]
    earlier: Option<PathBuf>,
    /// Write a JUnit report
    #[arg(long, value_name = "OUT.xml")]
    junit: Option<PathBuf>,
    /// Write the measured differences, one line per case
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Write the outcomes with their explanations as JSON
    #[arg(long, value_name = "OUT.json")]
    json: Option<PathBuf>,
    /// Print how many cases would fail at other tolerances
    #[arg(long)]
    sweep: bool,
    /// Run only cases whose name contains TEXT (repeat to match any of several)
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Run only the case or check with exactly this name (repeatable)
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,
    /// List the cases without running them
    #[arg(long)]
    list: bool,
    /// Number of cases to run in parallel [default: number of processors plus one]
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZero<usize>>,
    /// Run only part I of N equal parts of the cases
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Stop after the first failure
    #[arg(long)]
    fail_fast: bool,
    /// Graphics adapter: auto, cpu, vulkan, gl, metal or dx12; TEXT is part of the adapter's name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "cpu")]
    adapter: AdapterChoice,
}

/// Part `index` of `count` parts, counted from one.
#[derive(Clone, Copy, Debug)]
struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let (index, count) = parsed.ok_or_else(|| "expected I/N, for example 1/4".to_owned())?;
        if (1..=count).contains(&index) {
            Ok(Self { index, count })
        } else {
            Err("I must be from 1 to N".into())
        }
    }
}

fn jobs(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "must be a whole number of at least 1".into())
}

impl TestArgs {
    /// Returns the permitted locations of the files that the models reference.
    fn references(&self) -> References {
        References { allow_parent: self.allow_parent, ..References::default() }
    }
}

pub(super) fn case_options() -> Vec<OptionKey> {
    CaseArgs::keys()
}

pub(super) fn run(args: &TestArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    if let Some(files) = &args.init {
        return init::run(files, args, verbosity);
    }
    let started = Instant::now();
    let path = args.suite.as_deref().unwrap_or(Path::new(""));
    let suite = Suite::read(path, &CaseArgs::keys()).map_err(|e| Failure::Usage(e.to_string()))?;
    if !args.accept.is_empty() {
        return accept::run(&suite, &args.accept, verbosity);
    }
    let indices = selected(&suite, args)?;
    if args.list {
        let names: Vec<&str> =
            indices.iter().filter_map(|&p| Some(suite.cases.get(p)?.name.as_str())).collect();
        let checks = suite.motion_checks.iter().filter(|c| motion::is_selected(c, args));
        output::lines(names.into_iter().chain(checks.map(|c| c.name.as_str())))?;
        return Ok(ExitCode::SUCCESS);
    }
    let has_checks = suite.motion_checks.iter().any(|c| motion::is_selected(c, args));
    if indices.is_empty() && !has_checks {
        let cause = if suite.cases.is_empty() {
            "the suite contains no cases"
        } else {
            "no case to run; check --filter and --shard"
        };
        return Err(Failure::Usage(format!("{}: {cause}", path.display())));
    }
    results::check(args, &suite)?;
    let earlier = args.earlier.as_deref().map(EarlierRun::read).transpose().map_err(Failure::Usage)?;
    let cache = AssetCache::new(args.references());
    let pose = |case: &Case| cache.pose(case);
    let settings = RunSettings {
        update: match args.update.as_deref() {
            None => Update::No,
            Some("all") => Update::All,
            Some("scenes") => Update::Scenes,
            Some(_) => Update::Failing,
        },
        jobs: args
            .jobs
            .map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get) + 1, NonZero::get),
        fail_fast: args.fail_fast,
        images: args.report.is_some(),
    };
    let run = Run::new(&suite, &pose, &args.adapter, settings);
    let progress = Progress::new(indices.len().try_into().unwrap_or(u32::MAX), "cases", verbosity);
    let mut printed = Ok(());
    let outcomes = run.cases(&indices, |outcome| {
        let name = suite.cases.get(outcome.case).map_or("", |c| c.name.as_str());
        if printed.is_ok() {
            printed = progress.suspend(|| print_case(name, outcome, verbosity));
        }
        progress.step();
    });
    progress.finish();
    let outcomes = outcomes?;
    // In a sharded run, the first shard runs the checks.
    let is_first = args.shard.is_none_or(|shard| shard.index == 1);
    let images = args.report.is_some().then_some(&args.adapter);
    let checks = if is_first { motion::run(&suite, args, images, verbosity)? } else { Vec::new() };
    let seconds = started.elapsed().as_secs_f64();
    let machine = run.machine();
    let printed =
        printed.and_then(|()| print_summary(&outcomes, indices.len(), seconds, &machine, verbosity));
    // A run of only some cases is not expected to move all joints.
    let is_whole = args.filter.is_empty() && args.case.is_empty() && args.shard.is_none();
    if is_whole && outcomes.len() == suite.cases.len() {
        verbosity.warn(&cache.coverage_warnings());
    }
    let failed_checks = checks.iter().filter(|row| row.fails).count();
    let printed = printed.and_then(|()| match checks.len() {
        0 => Ok(()),
        _ if verbosity.quiet => Ok(()),
        count => output::lines([format!("motion checks: {count} clips, {failed_checks} failed")]),
    });
    let printed = printed.and_then(|()| if args.sweep { print_sweep(&suite, &outcomes) } else { Ok(()) });
    failure::combine(iter::once(printed).chain(results::write(
        args,
        &suite,
        &outcomes,
        &checks,
        &machine,
        seconds,
        earlier.as_ref(),
    )))?;
    if args.prune {
        prune(&suite, &outcomes, verbosity)?;
    }
    let failed = outcomes.iter().any(|o| o.status.is_failure()) || checks.iter().any(|row| row.fails);
    Ok(ExitCode::from(u8::from(failed)))
}

/// Returns the indices of the cases that `--filter`, `--case` and `--shard` select.
fn selected(suite: &Suite, args: &TestArgs) -> Result<Vec<usize>, Failure> {
    let is_check = |name: &&String| suite.motion_checks.iter().any(|check| check.name == **name);
    let named = args.case.iter().filter(|name| !is_check(name)).map(|name| accept::index(suite, name));
    let named = named.collect::<Result<HashSet<usize>, Failure>>()?;
    let all = args.filter.is_empty() && args.case.is_empty();
    let matches = |name: &str| args.filter.iter().any(|f| name.contains(f.as_str()));
    let is_selected = |(index, case): &(usize, &Case)| all || named.contains(index) || matches(&case.name);
    let indices = suite.cases.iter().enumerate().filter(is_selected).map(|(index, _)| index);
    let shard = args.shard.unwrap_or(Shard { index: 1, count: 1 });
    let in_shard = |position: &usize| position % shard.count == shard.index - 1;
    Ok(indices.enumerate().filter(|(position, _)| in_shard(position)).map(|(_, index)| index).collect())
}

/// Prints one line for a case, with its status, the rule that judged its image, and its time. This line is followed by
/// one line for each failed comparison, or for every comparison with `-v`.
fn print_case(name: &str, outcome: &Outcome, verbosity: Verbosity) -> Result<(), Failure> {
    let rule = outcome.difference.as_ref().map(|d| format!("{}, ", d.rule().name())).unwrap_or_default();
    let head = format!("{:8}{name}  {rule}{:.1} ms", outcome.status.name(), outcome.seconds * 1e3);
    let findings = outcome.findings.iter().filter(|f| !f.passed || verbosity.verbose);
    let notes = outcome.notes.iter().map(|note| format!("        note: {note}"));
    let lines = findings.map(|f| format!("        {}", f.text)).chain(notes);
    output::lines(std::iter::once(head).chain(lines))
}

/// Prints the number of cases with each status, the number of images that each rule judged, and the machine that drew
/// them.
fn print_summary(
    outcomes: &[Outcome],
    selected: usize,
    seconds: f64,
    machine: &Machine,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    // A suite may contain only checks of clips.
    if verbosity.quiet || selected == 0 {
        return Ok(());
    }
    let count = |status: Status| outcomes.iter().filter(|o| o.status == status).count();
    let all = [Status::Passed, Status::Updated, Status::Failed, Status::Missing, Status::Broken];
    let mut words: Vec<String> =
        all.iter().filter(|s| count(**s) > 0).map(|s| format!("{} {}", count(*s), s.name())).collect();
    if outcomes.len() < selected {
        words.push(format!("{} not run", selected - outcomes.len()));
    }
    let each = seconds * 1e3 / f64::from(u32::try_from(outcomes.len().max(1)).unwrap_or(u32::MAX));
    let judged_by = |rule: Rule| {
        outcomes.iter().filter_map(|o| o.difference.as_ref()).filter(|d| d.rule() == rule).count()
    };
    let mut lines = Vec::new();
    if machine.adapter.is_some() {
        let [identical, levels, flip] = [Rule::Identical, Rule::Levels, Rule::Flip].map(judged_by);
        lines.push(format!("images: {identical} identical, {levels} equal by levels, {flip} judged by FLIP"));
        lines.push(format!("drawn by {machine}"));
    }
    let without = without_scene(outcomes);
    if without > 0 {
        let cause = "so that changes cannot be explained (see --update=scenes)";
        lines.push(format!(
            "{without} {} without a scene, {cause}",
            if without == 1 { "golden" } else { "goldens" }
        ));
    }
    lines.push(format!("{}; {seconds:.2} s, {each:.1} ms per case", words.join(", ")));
    output::lines(lines)
}

fn print_sweep(suite: &Suite, outcomes: &[Outcome]) -> Result<(), Failure> {
    let cases =
        outcomes.iter().filter_map(|o| suite.cases.get(o.case).map(|c| (c.name.as_str(), o, &c.checks)));
    output::lines(sweep(cases))
}

fn prune(suite: &Suite, outcomes: &[Outcome], verbosity: Verbosity) -> Result<(), Failure> {
    let folder = &suite.goldens;
    for path in orphans(suite, outcomes).map_err(Failure::write(folder))? {
        std::fs::remove_file(&path).map_err(Failure::write(&path))?;
        verbosity.print(&format!("removed {}", path.display()));
    }
    Ok(())
}
