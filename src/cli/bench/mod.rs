//! `sinew bench`: compares the solvers on seeded cases.

mod cases;
mod measure;
mod tables;

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::ik::Method;

use super::failure::Failure;
use super::output;

use cases::Set;
use measure::Row;
use tables::{DragRow, Table};

#[derive(Args, Debug)]
#[command(after_help = "Example: sinew bench --methods dls,ccd --joints 3,10 --set reach,near")]
pub(super) struct BenchArgs {
    /// Methods to compare [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    methods: Vec<Method>,
    /// Chain lengths, in joints
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "3,6,10,20", value_parser = joints)]
    joints: Vec<usize>,
    /// Sets of targets
    #[arg(long, value_name = "SET,…", value_delimiter = ',', default_value = "reach")]
    set: Vec<Set>,
    /// Bodies to solve: chains without limits (off), chains and arms with limits (on), or both
    #[arg(long, value_name = "WHICH", default_value = "both")]
    limits: LimitsArg,
    /// Number of targets for each body
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = cases_count)]
    cases: usize,
    /// Seed of the random targets
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Distance at which a goal counts as reached, as a fraction of the body's length
    #[arg(long, value_name = "FRACTION", default_value_t = 1e-4, value_parser = fraction)]
    tolerance: f64,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 500)]
    iterations: usize,
    /// Print one of these tables instead
    #[arg(long, value_name = "NAME")]
    table: Option<Table>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LimitsArg {
    On,
    Off,
    Both,
}

#[derive(Serialize)]
struct BenchReport {
    format: &'static str,
    floor_ns: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drags: Vec<DragRow>,
}

fn joints(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (1..=10_000).contains(n));
    count.ok_or_else(|| "must be a whole number from 1 to 10000".into())
}

fn cases_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (1..=1_000_000).contains(n));
    count.ok_or_else(|| "must be a whole number from 1 to 1000000".into())
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction = text.parse().ok().filter(|t: &f64| t.is_finite() && *t > 0.0);
    fraction.ok_or_else(|| "must be a positive number".into())
}

pub(super) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let failure = |e: crate::ik::SolveError| Failure::Usage(e.to_string());
    let floor_ns = measure::reference_time();
    if let Some(table) = args.table {
        return print_table(args, table, floor_ns);
    }
    let mut all = Vec::new();
    if args.limits != LimitsArg::On {
        for &set in &args.set {
            for &n in &args.joints {
                all.push(cases::free(n, set, args.cases, args.seed).map_err(failure)?);
            }
        }
    }
    if args.limits != LimitsArg::Off {
        all.extend(cases::arms(args.cases, args.seed).map_err(failure)?);
        for &n in &args.joints {
            all.push(cases::limited(n, args.cases, args.seed).map_err(failure)?);
        }
    }
    let methods = if args.methods.is_empty() { &Method::ALL[..] } else { &args.methods };
    let mut rows = Vec::new();
    if !args.json {
        output::lines(heading(floor_ns).lines())?;
    }
    for cases in &all {
        for &method in methods {
            if let Some(row) =
                measure::row(cases, method, args.tolerance, args.iterations).map_err(failure)?
            {
                if !args.json {
                    output::lines([line(&row)])?;
                }
                rows.push(row);
            }
        }
    }
    if args.json {
        output::json(None, &BenchReport { format: "sinew-bench-1", floor_ns, rows, drags: Vec::new() })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Computes and prints one of the tables of `--table`.
fn print_table(args: &BenchArgs, table: Table, floor_ns: f64) -> Result<ExitCode, Failure> {
    let failure = |e: crate::ik::SolveError| Failure::Usage(e.to_string());
    let (rows, drags) = match table {
        Table::Paper => (tables::paper(args.cases, args.seed).map_err(failure)?, Vec::new()),
        Table::Fabrik => (tables::fabrik(args.cases, args.seed).map_err(failure)?, Vec::new()),
        Table::Drag => {
            let default =
                [Method::TwoBone, Method::Dls, Method::Fused, Method::FullBody, Method::Ccd, Method::Fabrik];
            let methods = if args.methods.is_empty() { &default[..] } else { &args.methods };
            (Vec::new(), tables::drag(methods).map_err(failure)?)
        }
    };
    if args.json {
        output::json(None, &BenchReport { format: "sinew-bench-1", floor_ns, rows, drags })?;
        return Ok(ExitCode::SUCCESS);
    }
    if table == Table::Drag {
        let mut text = format!(
            "reference time of this machine (dependent single-precision 1/sqrt): {floor_ns:.1} ns each\n{:<10} {:<10} {:>6} {:>10} {:>10} {:>6} {:>9} {:>9} {:>10}\n",
            "path", "method", "joints", "p99 rad", "max rad", "flips", "jitter", "drift", "median us"
        );
        for d in &drags {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:<10} {:<10} {:>6} {:>10.4} {:>10.4} {:>6} {:>9.1e} {:>9.1e} {:>10.2}",
                d.path, d.method, d.joints, d.p99, d.largest, d.flips, d.jitter, d.drift, d.median_us
            );
        }
        output::lines(text.lines())?;
    } else {
        output::lines(heading(floor_ns).lines())?;
        for row in &rows {
            let published = row.published.as_deref().unwrap_or_default();
            output::lines([format!("{}   published: {published}", line(row))])?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn heading(floor_ns: f64) -> String {
    format!(
        "reference time of this machine (dependent single-precision 1/sqrt): {floor_ns:.1} ns each\n\
         {:<10} {:<19} {:>6} {:>6} {:>8} {:>10} {:>10} {:>10} {:>7} {:>9} {:>9} {:>9}\n",
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
