//! Solves cases, and what that gives.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

use crate::ik::{Method, Options, SolveError, Solver};

use super::cases::Cases;

/// How often each target is solved; the quickest counts.
const PASSES: usize = 3;

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) method: String,
    pub(super) joints: usize,
    pub(super) limits: bool,
    pub(super) cases: usize,
    /// Share of the cases that came as near as the best possible, with a tenth of the tolerance on top.
    pub(super) success: f64,
    pub(super) median_us: f64,
    pub(super) p99_us: f64,
    pub(super) mean_us: f64,
    pub(super) iterations: f64,
    pub(super) error_mean: f64,
    pub(super) error_p95: f64,
    pub(super) error_max: f64,
    /// What a paper says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<String>,
}

/// Solves all cases by a method; `None` if it cannot treat such a body. `tolerance`: a share of the reach.
pub(super) fn row(
    cases: &Cases,
    method: Method,
    tolerance: f64,
    iterations: usize,
) -> Result<Option<Row>, SolveError> {
    let options = Options {
        method,
        iterations,
        tolerance: Some(tolerance * cases.reach),
        angle_tolerance: tolerance,
        ..Options::default()
    };
    let count = cases.goals.len();
    let (mut times, mut errors) = (vec![f64::INFINITY; count], vec![0.0; count]);
    let (mut reached, mut passes) = (vec![false; count], vec![0; count]);
    let empty = empty_timer();
    let mut solver = Solver::default();
    for round in 0..if cases.warm { 1 } else { PASSES } {
        let mut body = cases.body.clone();
        // What was just asked is not solved again.
        solver.forget();
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
            let took = started.elapsed().as_secs_f64() - empty;
            times[i] = times[i].min(took.max(0.0));
            if round == 0 {
                passes[i] = report.iterations;
                let angle = report.goals.first().and_then(|g| g.orientation_error).unwrap_or(0.0);
                let error = cases.error(&body, goal);
                reached[i] = error <= 1.1 * tolerance * cases.reach && angle <= 1.1 * tolerance;
                errors[i] = error;
            }
        }
    }
    // The first goal of a path only sets the start.
    let first = usize::from(cases.warm);
    let (times, errors) = (sorted(&times[first..]), sorted(&errors[first..]));
    let reached = reached[first..].iter().filter(|r| **r).count();
    let passes: usize = passes[first..].iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let (all, passes, reached) = (errors.len() as f64, passes as f64, reached as f64);
    Ok(Some(Row {
        set: cases.name.clone(),
        method: method.to_string(),
        joints: cases.joints,
        limits: cases.limits,
        cases: errors.len(),
        success: reached / all,
        median_us: nearest_rank(&times, 0.5) * 1e6,
        p99_us: nearest_rank(&times, 0.99) * 1e6,
        mean_us: mean(&times) * 1e6,
        iterations: passes / all,
        error_mean: mean(&errors),
        error_p95: nearest_rank(&errors, 0.95),
        error_max: nearest_rank(&errors, 1.0),
        published: None,
    }))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The value at a share of sorted ones: the ⌈share · count⌉-th.
pub(super) fn nearest_rank(sorted: &[f64], share: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small counts"
    )]
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// What reading the clock takes, seconds.
fn empty_timer() -> f64 {
    let readings: Vec<f64> = (0..1001).map(|_| Instant::now().elapsed().as_secs_f64()).collect();
    nearest_rank(&sorted(&readings), 0.5)
}

/// Nanoseconds a link of a chain of dependent single-precision 1/√x: one root, one division, nothing else to do
/// meanwhile. What times of different machines, or of a busy one, can be scaled by.
pub(super) fn floor() -> f64 {
    const LINKS: u32 = 100_000;
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let started = Instant::now();
        let mut x = black_box(2.0_f32);
        for _ in 0..LINKS {
            x = 1.0 / x.sqrt();
        }
        black_box(x);
        best = best.min(started.elapsed().as_secs_f64());
    }
    best * 1e9 / f64::from(LINKS)
}
