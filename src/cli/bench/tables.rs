//! Recomputes tables of published papers, and measures the continuity of solvers along dragged paths.

use std::f64::consts::{FRAC_PI_4, TAU};

use glam::{DQuat, DVec3};
use serde::Serialize;

use crate::ik::{Body, Goal, Method, OptionOverrides, Options, SolveError, Solver, Start};

use super::cases::Set;
use super::measure::{Row, nearest_rank};
use super::{cases, measure};

/// A table of `sinew bench --table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Table {
    /// Table 1 of Li & Peng 2013, a three-link arm without and with limits
    Paper,
    /// The ten-joint table of Aristidou & Lasenby 2011
    Fabrik,
    /// Joint speeds, flips, jitter and drift along dragged paths
    Drag,
    /// Random poses of the Franka Panda, a robot arm of seven hinges
    Panda,
    /// Random poses of an arm of six hinges with the measures of a Universal Robots UR5
    Ur5,
}

impl Table {
    /// Returns the options of `sinew bench` that have an effect on the table.
    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Paper | Self::Fabrik => &["--cases", "--seed"],
            Self::Drag => &["--methods"],
            Self::Panda | Self::Ur5 => &["--methods", "--cases", "--seed", "--iterations", "--targets"],
        }
    }
}

/// Recomputes table 1 of the paper. For CCD, the paper reports errors of 5.6e-8 and times of 0.5 s without limits and
/// 0.77 s with limits. For the fused method, it reports errors of 2.5e-9 and times of 24 µs and 230 µs.
pub(super) fn paper(count: usize, seed: u64) -> Result<Vec<Row>, SolveError> {
    let mut rows = Vec::new();
    for limits in [false, true] {
        let cases = cases::paper_cases(limits, count, seed)?;
        for (method, published) in [
            (Method::Ccd, ["5.6e-8, 0.5 s", "5.6e-8, 0.77 s"]),
            (Method::Fused, ["2.5e-9, 24 us", "2.5e-9, 230 us"]),
        ] {
            // The tolerance of 1e-9 is smaller than the errors in the paper, so that it does not limit the accuracy.
            if let Some(mut row) = measure::row(&cases, method, 1e-9, 500, &OptionOverrides::default())? {
                row.published = Some(published[usize::from(limits)].into());
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Recomputes the ten-joint table for comparison with the published iteration counts. The targets are within reach, and
/// the tolerance is a thousandth of the reach.
pub(super) fn fabrik(count: usize, seed: u64) -> Result<Vec<Row>, SolveError> {
    let cases = cases::free(10, Set::Reach, count, seed)?;
    let published = [
        (Method::Fabrik, "15.461 iterations"),
        (Method::Ccd, "26.308 iterations"),
        (Method::JacobianTranspose, "1311.190 iterations"),
        (Method::Dls, "998.648 iterations"),
        (Method::PseudoInverse, "808.797 iterations (by damped singular values)"),
    ];
    let mut rows = Vec::new();
    for (method, published) in published {
        if let Some(mut row) = measure::row(&cases, method, 1e-3, 2000, &OptionOverrides::default())? {
            row.published = Some(published.into());
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The continuity of a method along a dragged path.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DragRow {
    pub(super) path: &'static str,
    pub(super) method: String,
    pub(super) joints: usize,
    /// The largest rotation of a joint in a frame that 99 % of the frames do not exceed, radians.
    pub(super) p99: f64,
    /// Largest rotation of a joint in one frame, radians.
    pub(super) largest: f64,
    /// Number of frames in which a joint turns by more than 45°.
    pub(super) flips: usize,
    /// Largest rotation of a joint while the target does not move, radians.
    pub(super) jitter: f64,
    /// Largest difference of a joint in radians between two solves of the same target from rest, with other targets
    /// solved in between.
    pub(super) drift: f64,
    /// Median time of a solve, microseconds.
    pub(super) median_us: f64,
}

const FRAMES: usize = 600;
/// Returns the target position at a fraction of the path, from 0 to 1.
type Path = fn(f64) -> DVec3;

const PATHS: [(&str, Path); 6] = [
    ("line", |t| DVec3::new(0.8 * (TAU * t).cos(), 0.3, 0.2)),
    ("circle", |t| DVec3::new(0.5 * (TAU * t).cos(), 0.4, 0.5 * (TAU * t).sin())),
    ("lissajous", |t| {
        DVec3::new(0.6 * (2.0 * TAU * t).sin(), 0.3 + 0.4 * (3.0 * TAU * t).cos(), 0.4 * (TAU * t).sin())
    }),
    // This path passes the base at a distance of a hundredth of the reach.
    ("base", |t| DVec3::new(0.7 * (TAU * t).cos(), 0.01, 0.0)),
    ("border", |t| DVec3::new(0.3, (1.0 + 0.3 * (2.0 * TAU * t).sin()) * 0.9, 0.2 * (TAU * t).cos())),
    ("pole", |t| DVec3::new(0.1 * (TAU * t).sin(), 0.6 * (TAU * t).cos(), 0.3 * (TAU * t).sin())),
];

pub(super) fn drag(methods: &[Method]) -> Result<Vec<DragRow>, SolveError> {
    let mut rows = Vec::new();
    for (name, path) in PATHS {
        for &method in methods {
            let joints = if method == Method::TwoBone { 2 } else { 6 };
            rows.push(drag_along(name, path, method, joints)?);
        }
    }
    Ok(rows)
}

fn drag_along(name: &'static str, path: Path, method: Method, joints: usize) -> Result<DragRow, SolveError> {
    let options = Options { method, start: Start::Continue, ..Options::default() };
    let pole = (name == "pole" && method == Method::TwoBone).then_some(DVec3::new(0.0, 0.2, 3.0));
    let goal = |t: f64| Goal { pole, ..Goal::position(joints, path(t)) };
    let start = cases::free_chain(joints)?;
    let (mut body, mut solver) = (start.clone(), Solver::default());
    solver.solve(&mut body, &[goal(0.0)], &options)?;
    let (mut turns, mut times) = (Vec::with_capacity(FRAMES), Vec::with_capacity(FRAMES));
    for frame in 1..=FRAMES {
        let before = body.rotations().to_vec();
        #[expect(clippy::cast_precision_loss, reason = "frames are few")]
        let goal = goal(frame as f64 / FRAMES as f64);
        let started = std::time::Instant::now();
        solver.solve(&mut body, &[goal], &options)?;
        times.push(started.elapsed().as_secs_f64());
        turns.push(largest_turn(&before, &body));
    }
    // Solve for the last target again with new solvers, which have no warm start.
    let before = body.rotations().to_vec();
    for _ in 0..10 {
        Solver::default().solve(&mut body, &[goal(1.0)], &options)?;
    }
    let jitter = largest_turn(&before, &body);
    let rest = Options { start: Start::Rest, ..options };
    let mut solve = |t: f64| -> Result<Body, SolveError> {
        let mut body = start.clone();
        solver.solve(&mut body, &[goal(t)], &rest)?;
        Ok(body)
    };
    let first = solve(0.2)?;
    for t in [0.3, 0.4, 0.5, 0.4, 0.3] {
        solve(t)?;
    }
    let drift = largest_turn(first.rotations(), &solve(0.2)?);
    turns.sort_by(f64::total_cmp);
    times.sort_by(f64::total_cmp);
    Ok(DragRow {
        path: name,
        method: method.to_string(),
        joints,
        p99: nearest_rank(&turns, 0.99),
        largest: nearest_rank(&turns, 1.0),
        flips: turns.iter().filter(|t| **t > FRAC_PI_4).count(),
        jitter,
        drift,
        median_us: nearest_rank(&times, 0.5) * 1e6,
    })
}

/// The largest angle by which a joint has turned, radians.
fn largest_turn(before: &[DQuat], body: &Body) -> f64 {
    let angle = |(a, b): (&DQuat, &DQuat)| {
        let d = a.conjugate() * *b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    };
    before.iter().zip(body.rotations()).map(angle).fold(0.0, f64::max)
}
