//! Measures the success, time and error of solvers on cases.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

use crate::ik::{Options, SolveError, Solver};

use crate::ik::benchmark::cases::Cases;

/// Number of times each target is solved. The fastest solve counts.
const ROUNDS: usize = 3;

/// A row of the table, with the results of one method on one set of cases.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) method: String,
    pub(super) joints: usize,
    pub(super) limits: bool,
    pub(super) cases: usize,
    /// Fraction of the cases whose error exceeds the smallest possible error by at most 1.1 times the tolerance.
    pub(super) success: f64,
    pub(super) median_us: f64,
    pub(super) p99_us: f64,
    pub(super) mean_us: f64,
    pub(super) iterations: f64,
    pub(super) error_mean: f64,
    pub(super) error_p95: f64,
    pub(super) error_max: f64,
    /// In rows that recompute a table of a paper, the result that the paper reports for this method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<String>,
}

/// Solves all cases with a method. Returns `None` if the method does not support the body. `tolerance` is a fraction of the reach. It
/// replaces the tolerances in `options`.
pub(super) fn row(cases: &Cases, options: &Options, tolerance: f64) -> Result<Option<Row>, SolveError> {
    let options = options.with_tolerance(Some(tolerance * cases.reach)).with_angle_tolerance(tolerance);
    let count = cases.goals.len();
    let (mut times, mut errors) = (vec![f64::INFINITY; count], vec![0.0; count]);
    let (mut reached, mut iteration_counts) = (vec![false; count], vec![0; count]);
    let overhead = timer_overhead();
    let mut solver = Solver::default();
    for round in 0..if cases.warm { 1 } else { ROUNDS } {
        let mut body = cases.body.clone();
        for (i, goal) in cases.goals.iter().enumerate() {
            if !cases.warm {
                body.clone_from(&cases.body);
            }
            let started = Instant::now();
            let report = match solver.solve(&mut body, std::slice::from_ref(goal), &options) {
                Ok(report) => report,
                Err(SolveError::Unsuited { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            let seconds = started.elapsed().as_secs_f64() - overhead;
            times[i] = times[i].min(seconds.max(0.0));
            if round == 0 {
                iteration_counts[i] = report.iterations;
                let angle = report.goals.first().and_then(|g| g.orientation_error).unwrap_or(0.0);
                let error = cases.error(&body, goal);
                reached[i] = error <= 1.1 * tolerance * cases.reach && angle <= 1.1 * tolerance;
                errors[i] = error;
            }
        }
    }
    // The first goal of a path only sets the start pose.
    let first = usize::from(cases.warm);
    let (times, errors) = (sorted(&times[first..]), sorted(&errors[first..]));
    let reached = reached[first..].iter().filter(|r| **r).count();
    let iterations: usize = iteration_counts[first..].iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let (all, iterations, reached) = (errors.len() as f64, iterations as f64, reached as f64);
    Ok(Some(Row {
        set: cases.name.clone(),
        method: options.method.to_string(),
        joints: cases.joints,
        limits: cases.limits,
        cases: errors.len(),
        success: reached / all,
        median_us: nearest_rank(&times, 0.5) * 1e6,
        p99_us: nearest_rank(&times, 0.99) * 1e6,
        mean_us: mean(&times) * 1e6,
        iterations: iterations / all,
        error_mean: mean(&errors),
        error_p95: nearest_rank(&errors, 0.95),
        error_max: nearest_rank(&errors, 1.0),
        published: None,
    }))
}

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns a quantile of sorted values by the nearest-rank method: value number ⌈fraction · count⌉.
pub(super) fn nearest_rank(sorted: &[f64], fraction: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small counts"
    )]
    let rank = (fraction * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the time that it takes to read the clock, in seconds.
pub(super) fn timer_overhead() -> f64 {
    let readings: Vec<f64> = (0..1001).map(|_| Instant::now().elapsed().as_secs_f64()).collect();
    nearest_rank(&sorted(&readings), 0.5)
}

/// Measures the reference time of this machine in nanoseconds. It is the time of one single-precision 1/√x in a sequence in which each
/// input is the previous result. Times measured on different or busy machines can be compared as multiples of it.
pub(super) fn reference_time() -> f64 {
    const COUNT: u32 = 100_000;
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let started = Instant::now();
        let mut x = black_box(2.0_f32);
        for _ in 0..COUNT {
            x = 1.0 / x.sqrt();
        }
        black_box(x);
        best = best.min(started.elapsed().as_secs_f64());
    }
    best * 1e9 / f64::from(COUNT)
}
