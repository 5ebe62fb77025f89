//! `sinew bench`: compares the solvers on seeded cases.

mod args;
mod batch;
mod beyond;
mod drag;
mod drag_bodies;
mod least_turn;
mod measure;
mod paper;
mod poses;
mod tables;

use std::process::ExitCode;

use serde::Serialize;

use crate::ik::{DEFAULT_ITERATIONS, OptionOverrides, Options, SolveError, Start};

use super::failure::Failure;
use super::output;

use crate::ik::benchmark::cases::{self, Set};
use crate::ik::benchmark::robots::Robot;
pub(super) use args::BenchArgs;
use args::LimitsArg;
use batch::BatchRow;
use beyond::BeyondRow;
use drag::DragRow;
use measure::Row;
use paper::PaperRow;
use poses::{PoseRow, Targets};
use tables::Table;

/// Default number of targets for a body, and for a robot arm.
const CASES: usize = 1000;
const ROBOT_CASES: usize = 10_000;
/// Default tolerance as a fraction of the body's length.
const TOLERANCE: f64 = 1e-4;

#[derive(Serialize)]
struct BenchReport {
    format: &'static str,
    floor_ns: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drags: Vec<DragRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    poses: Vec<PoseRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paper: Vec<PaperRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beyond: Vec<BeyondRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    batches: Vec<BatchRow>,
}

impl BenchReport {
    fn new(floor_ns: f64) -> Self {
        Self {
            format: "sinew-bench-1",
            floor_ns,
            rows: Vec::new(),
            drags: Vec::new(),
            poses: Vec::new(),
            paper: Vec::new(),
            beyond: Vec::new(),
            batches: Vec::new(),
        }
    }
}

pub(super) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    args.check()?;
    if let Some(path) = &args.targets {
        output::check(path)?;
    }
    let floor_ns = measure::reference_time();
    if !args.json {
        output::lines([format!(
            "reference time of this machine (dependent single-precision 1/sqrt): {floor_ns:.1} ns each"
        )])?;
    }
    let mut report = BenchReport::new(floor_ns);
    match args.table {
        None => compare(args, &mut report)?,
        Some(table) => print_table(args, table, &mut report)?,
    }
    if args.json {
        output::json(None, &report)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failure(error: SolveError) -> Failure {
    Failure::Usage(error.to_string())
}

/// Compares methods on chains and arms.
fn compare(args: &BenchArgs, report: &mut BenchReport) -> Result<(), Failure> {
    let (count, seed) = (args.cases(CASES), args.seed());
    let joints = if args.joints.is_empty() { &[3, 6, 10, 20][..] } else { &args.joints };
    let sets = if args.set.is_empty() { &[Set::Reach][..] } else { &args.set };
    let mut all = Vec::new();
    if args.limits != Some(LimitsArg::On) {
        for &set in sets {
            for &n in joints {
                all.push(cases::free(n, set, count, seed).map_err(failure)?);
            }
        }
    }
    if args.limits != Some(LimitsArg::Off) {
        all.extend(cases::arms(count, seed).map_err(failure)?);
        for &n in joints {
            all.push(cases::limited(n, count, seed).map_err(failure)?);
        }
    }
    if !args.json {
        output::lines([heading()])?;
    }
    let mut overrides = OptionOverrides::default();
    for (option, value) in &args.option {
        overrides.set(option, *value).map_err(|e| Failure::Usage(e.to_string()))?;
    }
    let tolerance = args.tolerance.unwrap_or(TOLERANCE);
    for cases in &all {
        for method in args.methods_or_all() {
            let start = if cases.warm { Start::Continue } else { Start::Current };
            let mut options =
                Options::default().with_method(method).with_iterations(args.iterations()).with_start(start);
            overrides.apply(&mut options);
            let row = measure::row(cases, &options, tolerance);
            if let Some(row) = row.map_err(failure)? {
                if !args.json {
                    output::lines([line(&row)])?;
                }
                report.rows.push(row);
            }
        }
    }
    Ok(())
}

/// Computes and prints one of the tables of `--table`.
fn print_table(args: &BenchArgs, table: Table, report: &mut BenchReport) -> Result<(), Failure> {
    let (count, seed) = (args.cases(CASES), args.seed());
    let print = |line: String| if args.json { Ok(()) } else { output::lines([line]) };
    match table {
        Table::Paper => {
            report.paper = paper::table(count, seed).map_err(failure)?;
            print(paper::NOTE.into())?;
            print(paper::heading())?;
            report.paper.iter().try_for_each(|row| print(row.line()))
        }
        Table::Fabrik => {
            report.rows = tables::fabrik(count, seed).map_err(failure)?;
            print(heading())?;
            report.rows.iter().try_for_each(|row| {
                let published = row.published.as_deref().unwrap_or_default();
                print(format!("{}   published: {published}", line(row)))
            })
        }
        Table::Drag => {
            print(drag::heading())?;
            let take = |row: DragRow| {
                let printed = print(row.line());
                report.drags.push(row);
                printed.map_err(|e| e.to_string())
            };
            drag::measure(args.methods(&drag::METHODS), take).map_err(Failure::Usage)
        }
        Table::Beyond => print_beyond(args, report),
        Table::Panda => print_poses(args, Robot::Panda, report),
        Table::Ur5 => print_poses(args, Robot::Ur5, report),
        Table::Iiwa => print_poses(args, Robot::Iiwa, report),
        Table::Fr3 => print_poses(args, Robot::Fr3, report),
        Table::Batch => batch::print(args.adapter.as_ref(), args.cases(ROBOT_CASES), seed, args.json)
            .map(|rows| report.batches = rows),
    }
}

/// Measures all methods on the poses of a robot arm, and prints each row when it is complete.
fn print_poses(args: &BenchArgs, robot: Robot, report: &mut BenchReport) -> Result<(), Failure> {
    let cases = robot.cases(args.cases(ROBOT_CASES), args.seed()).map_err(failure)?;
    if let Some(path) = &args.targets {
        output::json(Some(path), &Targets::new(&cases))?;
    }
    if !args.json {
        output::lines([poses::heading()])?;
    }
    for method in args.methods_or_all() {
        if let Some(row) = poses::row(&cases, method, args.iterations()).map_err(failure)? {
            if !args.json {
                output::lines([row.line()])?;
            }
            report.poses.push(row);
        }
    }
    Ok(())
}

/// Measures all methods on targets beyond the reach of bodies with limits, for each set of bodies and for all sets together.
fn print_beyond(args: &BenchArgs, report: &mut BenchReport) -> Result<(), Failure> {
    let sets = beyond::sets(args.cases(CASES), args.seed()).map_err(failure)?;
    let all = sets.iter().flat_map(|(_, cases)| cases).cloned().collect();
    if !args.json {
        output::lines([beyond::heading()])?;
    }
    for (set, cases) in sets.iter().chain([&("all".to_owned(), all)]).filter(|(_, cases)| !cases.is_empty()) {
        for &method in args.methods(&beyond::METHODS) {
            if let Some(row) = beyond::row(set, cases, method, args.iterations.unwrap_or(DEFAULT_ITERATIONS))
                .map_err(failure)?
            {
                if !args.json {
                    output::lines([row.line()])?;
                }
                report.beyond.push(row);
            }
        }
    }
    Ok(())
}

fn heading() -> String {
    format!(
        "{:<10} {:<19} {:>6} {:>6} {:>8} {:>10} {:>10} {:>10} {:>7} {:>9} {:>9} {:>9}",
        "set",
        "method",
        "joints",
        "limits",
        "success",
        "median us",
        "p99 us",
        "mean us",
        "iters",
        "err mean",
        "err p95",
        "err max",
    )
}

fn line(row: &Row) -> String {
    let limits = if row.limits { "on" } else { "off" };
    format!(
        "{:<10} {:<19} {:>6} {limits:>6} {:>6.1} % {:>10.2} {:>10.2} {:>10.2} {:>7.1} {:>9.1e} {:>9.1e} {:>9.1e}",
        row.set,
        row.method,
        row.joints,
        row.success * 100.0,
        row.median_us,
        row.p99_us,
        row.mean_us,
        row.iterations,
        row.error_mean,
        row.error_p95,
        row.error_max,
    )
}
