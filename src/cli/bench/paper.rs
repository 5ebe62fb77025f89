//! Table 1 of Li & Peng 2013: three methods on an arm of three links, with joint limits switched off and on.

use serde::Serialize;

use crate::ik::{Correction, FusedOptions, Method, Options, SolveError};

use super::measure::{self, Row};
use crate::ik::benchmark::cases;

/// Tolerance of all methods, as a fraction of the reach. It is smaller than the errors in the paper, so that it does
/// not limit the accuracy.
const TOLERANCE: f64 = 1e-9;
const ITERATIONS: usize = 500;

/// A note below the table. The note defines "limits off", because the paper does not.
pub(super) const NOTE: &str = "limits on: hinges in a plane with the paper's ranges; limits off: ball joints without \
    limits. Both have the same targets, which poses within the limits reach. A position is wrong if its error exceeds \
    1.1 times the tolerance. The form \"printed\" is textbook=true: the equations alone, with the -2 of eq. 14.";

/// A method of the table.
struct PaperMethod {
    name: &'static str,
    method: Method,
    correction: Correction,
    /// Published times in seconds, without and with limits.
    seconds: [f64; 2],
    /// Published times relative to the improved method.
    relative: [f64; 2],
    /// Published average error. It is also the method's tolerance when the table is recomputed the second time.
    error: f64,
    /// Published proportion of wrong positions, in percent.
    wrong: f64,
}

const METHODS: [PaperMethod; 3] = [
    PaperMethod {
        name: "ccd",
        method: Method::Ccd,
        correction: Correction::Midpoint,
        seconds: [0.5, 0.77],
        relative: [20_833.0, 3347.0],
        error: 5.6e-8,
        wrong: 1.02,
    },
    PaperMethod {
        name: "fused, eq. 14",
        method: Method::Fused,
        correction: Correction::MidAngle,
        seconds: [0.007, 0.009],
        relative: [292.0, 39.0],
        error: 3.3e-8,
        wrong: 0.5,
    },
    PaperMethod {
        name: "fused, improved",
        method: Method::Fused,
        correction: Correction::Midpoint,
        seconds: [0.000_024, 0.000_23],
        relative: [1.0, 1.0],
        error: 2.5e-9,
        wrong: 0.0,
    },
];

/// A row of the table: one method with or without limits.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PaperRow {
    pub(super) method: String,
    pub(super) limits: bool,
    /// Whether the option `textbook` is set, which restricts a method to the equations in its document.
    pub(super) textbook: bool,
    pub(super) cases: usize,
    /// Tolerance as a fraction of the reach.
    pub(super) tolerance: f64,
    pub(super) mean_us: f64,
    pub(super) median_us: f64,
    /// Mean time relative to the improved method with the same limits and kind of tolerance.
    pub(super) relative_time: f64,
    /// Mean number of iterations.
    pub(super) iterations: f64,
    /// Errors as fractions of the reach, which is one metre.
    pub(super) error_mean: f64,
    pub(super) error_max: f64,
    /// Fraction of the positions whose error exceeds 1.1 times the tolerance.
    pub(super) wrong: f64,
    /// The paper's results. The paper reports only one average error and one proportion of wrong positions, for solves without and with
    /// limits together.
    pub(super) published_seconds: f64,
    pub(super) published_relative_time: f64,
    pub(super) published_error_mean: f64,
    pub(super) published_wrong: f64,
}

/// Recomputes the table, first with the same tolerance for all methods, then with the paper's average error of each method as its
/// tolerance, and finally with the option `textbook`.
pub(super) fn table(count: usize, seed: u64) -> Result<Vec<PaperRow>, SolveError> {
    let mut rows = Vec::new();
    for (own_tolerance, textbook) in [(false, false), (true, false), (false, true)] {
        for limits in [false, true] {
            let cases = cases::paper_cases(limits, count, seed)?;
            let first = rows.len();
            for of in &METHODS {
                let tolerance = if own_tolerance { of.error } else { TOLERANCE };
                let fused = FusedOptions::default().with_correction(of.correction);
                let iterations = ITERATIONS;
                let options = Options::default()
                    .with_method(of.method)
                    .with_iterations(iterations)
                    .with_fused(fused)
                    .with_textbook(textbook);
                if let Some(row) = measure::row(&cases, &options, tolerance)? {
                    rows.push(of.row(&row, tolerance, textbook));
                }
            }
            let fastest = rows.last().map_or(1.0, |r: &PaperRow| r.mean_us);
            rows[first..].iter_mut().for_each(|r| r.relative_time = r.mean_us / fastest);
        }
    }
    Ok(rows)
}

impl PaperMethod {
    fn row(&self, row: &Row, tolerance: f64, textbook: bool) -> PaperRow {
        let which = usize::from(row.limits);
        PaperRow {
            method: self.name.into(),
            limits: row.limits,
            textbook,
            cases: row.cases,
            tolerance,
            mean_us: row.mean_us,
            median_us: row.median_us,
            relative_time: 1.0,
            iterations: row.iterations,
            error_mean: row.error_mean,
            error_max: row.error_max,
            wrong: 1.0 - row.success,
            published_seconds: self.seconds[which],
            published_relative_time: self.relative[which],
            published_error_mean: self.error,
            published_wrong: self.wrong / 100.0,
        }
    }
}

pub(super) fn heading() -> String {
    format!(
        "{:<6} {:<15} {:<7} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9} {:>8} | published: {:>9} {:>8} {:>9} {:>8}",
        "limits",
        "method",
        "form",
        "tolerance",
        "mean us",
        "median us",
        "ratio",
        "iterations",
        "err mean",
        "err max",
        "wrong",
        "time s",
        "ratio",
        "err mean",
        "wrong",
    )
}

impl PaperRow {
    pub(super) fn line(&self) -> String {
        format!(
            "{:<6} {:<15} {:<7} {:>9.1e} {:>10.2} {:>10.2} {:>9.2} {:>10.1} {:>9.1e} {:>9.1e} {:>6.2} % | {:>20.6} {:>8} {:>9.1e} {:>6.2} %",
            if self.limits { "on" } else { "off" },
            self.method,
            if self.textbook { "printed" } else { "sinew" },
            self.tolerance,
            self.mean_us,
            self.median_us,
            self.relative_time,
            self.iterations,
            self.error_mean,
            self.error_max,
            self.wrong * 100.0,
            self.published_seconds,
            self.published_relative_time,
            self.published_error_mean,
            self.published_wrong * 100.0,
        )
    }
}
