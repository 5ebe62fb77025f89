//! Tables of papers made again, and how solvers feel in the hand.

use std::f64::consts::{FRAC_PI_4, TAU};

use glam::{DQuat, DVec3};
use serde::Serialize;

use crate::ik::{Body, Goal, Method, Options, SolveError, Solver, Start};

use super::cases::{self, Set};
use super::measure::{self, Row, nearest_rank};

/// Which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Table {
    /// Table 1 of Li & Peng 2013: a three-link arm, without and with its limits
    Paper,
    /// The ten-joint table of Aristidou & Lasenby 2011
    Fabrik,
    /// Speeds and jumps of joints along dragged paths
    Drag,
}

/// The paper's arm. Its figures: CCD 5.6e-8 in 0.5 s and 0.77 s, fused 2.5e-9 in 24 µs and 230 µs.
pub(super) fn paper(count: usize, seed: u64) -> Result<Vec<Row>, SolveError> {
    let mut rows = Vec::new();
    for limits in [false, true] {
        let cases = cases::paper_cases(limits, count, seed)?;
        for (method, published) in [
            (Method::Ccd, ["5.6e-8, 0.5 s", "5.6e-8, 0.77 s"]),
            (Method::Fused, ["2.5e-9, 24 us", "2.5e-9, 230 us"]),
        ] {
            // The tolerance is below the errors that the paper tells.
            if let Some(mut row) = measure::row(&cases, method, 1e-9, 500)? {
                row.published = Some(published[usize::from(limits)].into());
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Ten joints, targets within reach, to a thousandth: passes beside those that were published.
pub(super) fn fabrik(count: usize, seed: u64) -> Result<Vec<Row>, SolveError> {
    let cases = cases::free(10, Set::Reach, count, seed)?;
    let published = [
        (Method::Fabrik, "15.461 passes"),
        (Method::Ccd, "26.308 passes"),
        (Method::JacobianTranspose, "1311.190 passes"),
        (Method::Dls, "998.648 passes"),
        (Method::PseudoInverse, "808.797 passes (by singular values, damped)"),
    ];
    let mut rows = Vec::new();
    for (method, published) in published {
        if let Some(mut row) = measure::row(&cases, method, 1e-3, 2000)? {
            row.published = Some(published.into());
            rows.push(row);
        }
    }
    Ok(rows)
}

/// How a method follows a path.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Drag {
    pub(super) path: &'static str,
    pub(super) method: String,
    pub(super) joints: usize,
    /// Radians that a joint turns in a frame: the 99th of a hundred frames, and the most.
    pub(super) p99: f64,
    pub(super) largest: f64,
    /// Frames in which some joint turns by more than 45°.
    pub(super) flips: usize,
    /// Radians that anything moves while the target rests.
    pub(super) jitter: f64,
    /// Radians between the answers for a target before and after a way out and back, from rest.
    pub(super) drift: f64,
    pub(super) median_us: f64,
}

const FRAMES: usize = 600;
/// A place for each share of the way.
type Path = fn(f64) -> DVec3;

const PATHS: [(&str, Path); 6] = [
    ("line", |t| DVec3::new(0.8 * (TAU * t).cos(), 0.3, 0.2)),
    ("circle", |t| DVec3::new(0.5 * (TAU * t).cos(), 0.4, 0.5 * (TAU * t).sin())),
    ("lissajous", |t| {
        DVec3::new(0.6 * (2.0 * TAU * t).sin(), 0.3 + 0.4 * (3.0 * TAU * t).cos(), 0.4 * (TAU * t).sin())
    }),
    // Past the base, at a hundredth of the reach.
    ("base", |t| DVec3::new(0.7 * (TAU * t).cos(), 0.01, 0.0)),
    ("border", |t| DVec3::new(0.3, (1.0 + 0.3 * (2.0 * TAU * t).sin()) * 0.9, 0.2 * (TAU * t).cos())),
    ("pole", |t| DVec3::new(0.1 * (TAU * t).sin(), 0.6 * (TAU * t).cos(), 0.3 * (TAU * t).sin())),
];

pub(super) fn drag(methods: &[Method]) -> Result<Vec<Drag>, SolveError> {
    let mut rows = Vec::new();
    for (name, path) in PATHS {
        for &method in methods {
            let joints = if method == Method::TwoBone { 2 } else { 6 };
            rows.push(follow(name, path, method, joints)?);
        }
    }
    Ok(rows)
}

fn follow(name: &'static str, path: Path, method: Method, joints: usize) -> Result<Drag, SolveError> {
    let options = Options { method, ..Options::default() };
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
        turns.push(turned(&before, &body));
    }
    // A target that rests, asked for by a solver that remembers nothing.
    let before = body.rotations().to_vec();
    for _ in 0..10 {
        Solver::default().solve(&mut body, &[goal(1.0)], &options)?;
    }
    let jitter = turned(&before, &body);
    let rest = Options { start: Start::Rest, ..options };
    let mut answer = |t: f64| -> Result<Body, SolveError> {
        let mut body = start.clone();
        solver.solve(&mut body, &[goal(t)], &rest)?;
        Ok(body)
    };
    let first = answer(0.2)?;
    for t in [0.3, 0.4, 0.5, 0.4, 0.3] {
        answer(t)?;
    }
    let drift = turned(first.rotations(), &answer(0.2)?);
    turns.sort_by(f64::total_cmp);
    times.sort_by(f64::total_cmp);
    Ok(Drag {
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

/// The most that a joint has turned, radians.
fn turned(before: &[DQuat], body: &Body) -> f64 {
    let angle = |(a, b): (&DQuat, &DQuat)| {
        let d = a.conjugate() * *b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    };
    before.iter().zip(body.rotations()).map(angle).fold(0.0, f64::max)
}
