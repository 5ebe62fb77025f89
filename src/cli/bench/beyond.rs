//! Targets beyond the reach of bodies with limits. The nearest pose of such a body is unknown, and the error has many
//! local minima, so every method is compared with the best of many random starts.

use std::time::Instant;

use glam::{DVec3, EulerRot};
use rayon::prelude::*;
use serde::Serialize;

use crate::ik::{Body, Goal, Limit, LinkIndex, Method, Options, SolveError, Solver};
use sinew_base::Random;

use super::measure::{nearest_rank, sorted};
use crate::ik::benchmark::cases::{self, arm, degrees, pose_randomly};
use crate::ik::benchmark::robots::Robot;

/// Number of random starts used to search for the best pose. Each is solved without restarts.
const STARTS: usize = 200;
/// A result counts as nearest if its distance from the target exceeds the smallest known distance by no more than this fraction of the
/// reach.
const NEAR: f64 = 0.01;
/// Distances of the targets from the base, as multiples of the reach.
const DISTANCES: [f64; 2] = [1.001, 1.5];

/// The methods to compare by default. Methods that claim to find the nearest pose come first.
pub(super) const METHODS: [Method; 11] = [
    Method::Auto,
    Method::Dls,
    Method::Sdls,
    Method::Fused,
    Method::Optimize,
    Method::FullBody,
    Method::Ccd,
    Method::Fabrik,
    Method::Particle,
    Method::PseudoInverse,
    Method::JacobianTranspose,
];

/// A problem, and the smallest error found by the random starts.
#[derive(Clone, Debug)]
pub(super) struct FarCase {
    pub(super) body: Body,
    pub(super) goal: Goal,
    pub(super) reach: f64,
    pub(super) least: f64,
}

/// The results of one method on one kind of body.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BeyondRow {
    pub(super) set: String,
    pub(super) method: String,
    pub(super) cases: usize,
    /// Fraction of the cases in which the error is at most 1 % of the reach above the error of the best random start.
    pub(super) nearest: f64,
    /// 95th and 99th percentiles of the excess over the error of the best random start, as fractions of the reach.
    pub(super) excess_p95: f64,
    pub(super) excess_p99: f64,
    pub(super) iterations: f64,
    pub(super) median_us: f64,
    pub(super) p99_us: f64,
}

/// Returns the sets of cases. `count` is the total number of cases.
pub(super) fn sets(count: usize, seed: u64) -> Result<Vec<(String, Vec<FarCase>)>, SolveError> {
    let mut bodies: Vec<(String, Body)> =
        cases::arms(0, seed)?.into_iter().map(|c| (c.name, c.body)).collect();
    for robot in [Robot::Panda, Robot::Ur5] {
        bodies.push((robot.name().into(), robot.cases(0, seed)?.body));
    }
    for n in [3, 6] {
        bodies.push((format!("chain-{n}"), cases::limited(n, 0, seed)?.body));
    }
    let (mut random, sets) = (Random(seed), bodies.len() + 1);
    let mut all = Vec::new();
    for (index, set) in (0..sets).map(|i| (i, bodies.get(i))) {
        let share = (count * (index + 1)) / sets - (count * index) / sets;
        let mut cases = Vec::with_capacity(share);
        for _ in 0..share {
            let body = match set {
                Some((_, body)) => body.clone(),
                None => random_chain(&mut random)?,
            };
            cases.push(case(body, &mut random));
        }
        cases.par_iter_mut().enumerate().try_for_each(|(i, case)| case.search(seed + i as u64))?;
        all.push((set.map_or("random", |(name, _)| name).to_owned(), cases));
    }
    Ok(all)
}

/// Returns a problem with a target beyond the reach in a random direction. On average, half of the problems start in a random pose.
fn case(mut body: Body, random: &mut Random) -> FarCase {
    let links = body.links();
    let (end, reach) = (LinkIndex(links.len() - 1), links.iter().skip(1).map(|l| l.offset.length()).sum());
    let base = links.first().map_or(DVec3::ZERO, |l| l.offset);
    let way = random.direction();
    let target = base + way * (reach * random.range(DISTANCES[0], DISTANCES[1]));
    if random.unit() < 0.5 {
        pose_randomly(&mut body, random);
    }
    FarCase { body, goal: Goal::position(end, target), reach, least: f64::INFINITY }
}

/// Returns a chain of 3 to 8 joints with random limits of every kind.
fn random_chain(random: &mut Random) -> Result<Body, SolveError> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "3 to 8")]
    let count = random.range(3.0, 9.0) as usize;
    let joints: Vec<_> = (0..count)
        .map(|_| {
            let axis = random.direction();
            let kind = random.range(0.0, 3.0);
            let mut range = |most| [-degrees(random.range(5.0, most)), degrees(random.range(5.0, most))];
            let limit = if kind < 1.0 {
                let [min, max] = range(150.0);
                Limit::Hinge { axis, min, max }
            } else if kind < 2.0 {
                let (swing, twist) = (range(110.0).map(f64::abs), range(90.0));
                Limit::Cone { axis, side: axis.any_orthonormal_vector(), swing, twist }
            } else {
                let ranges = [range(120.0), range(80.0), range(120.0)];
                Limit::Euler { order: EulerRot::XYZ, min: ranges.map(|r| r[0]), max: ranges.map(|r| r[1]) }
            };
            (limit, random.direction() * random.range(0.1, 0.5))
        })
        .collect();
    arm(&joints)
}

impl FarCase {
    /// Finds the smallest error among many random starts.
    fn search(&mut self, seed: u64) -> Result<(), SolveError> {
        let options = Options::default().with_method(Method::Dls).with_restarts(0).with_iterations(200);
        let (mut solver, mut body, mut random) = (Solver::default(), self.body.clone(), Random(seed));
        for _ in 0..STARTS {
            pose_randomly(&mut body, &mut random);
            self.least = self.least.min(solver.solve(&mut body, &[self.goal], &options)?.position_error());
        }
        Ok(())
    }
}

/// Solves the cases of one set with a method. Returns `None` if the method does not support the bodies.
pub(super) fn row(
    set: &str,
    cases: &[FarCase],
    method: Method,
    iterations: usize,
) -> Result<Option<BeyondRow>, SolveError> {
    let options = Options::default().with_method(method).with_iterations(iterations);
    let (mut solver, mut total) = (Solver::default(), 0);
    let (mut excess, mut times) = (Vec::with_capacity(cases.len()), Vec::with_capacity(cases.len()));
    for case in cases {
        let mut body = case.body.clone();
        let started = Instant::now();
        let report = match solver.solve(&mut body, &[case.goal], &options) {
            Ok(report) => report,
            Err(SolveError::Unsuited { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        times.push(started.elapsed().as_secs_f64());
        excess.push((report.position_error() - case.least) / case.reach);
        total += report.iterations;
    }
    let near = excess.iter().filter(|e| **e <= NEAR).count();
    let (excess, times) = (sorted(&excess), sorted(&times));
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let (near, total, count) = (near as f64, total as f64, cases.len().max(1) as f64);
    Ok(Some(BeyondRow {
        set: set.into(),
        method: method.to_string(),
        cases: cases.len(),
        nearest: near / count,
        excess_p95: nearest_rank(&excess, 0.95),
        excess_p99: nearest_rank(&excess, 0.99),
        iterations: total / count,
        median_us: nearest_rank(&times, 0.5) * 1e6,
        p99_us: nearest_rank(&times, 0.99) * 1e6,
    }))
}

pub(super) fn heading() -> String {
    format!(
        "{:<10} {:<19} {:>6} {:>9} {:>9} {:>9} {:>7} {:>10} {:>10}",
        "set", "method", "cases", "nearest", "p95", "p99", "iters", "median us", "p99 us",
    )
}

impl BeyondRow {
    pub(super) fn line(&self) -> String {
        format!(
            "{:<10} {:<19} {:>6} {:>7.2} % {:>9.4} {:>9.4} {:>7.1} {:>10.1} {:>10.1}",
            self.set,
            self.method,
            self.cases,
            self.nearest * 100.0,
            self.excess_p95,
            self.excess_p99,
            self.iterations,
            self.median_us,
            self.p99_us,
        )
    }
}
