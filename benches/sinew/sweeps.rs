//! Cost of a sweep along a chain, without the overhead of a solve. It is the difference between the times of solves with a tight and with a
//! loose tolerance, divided by the difference in sweeps.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DVec3};
use sinew::ik::{Body, Goal, Link, LinkIndex, Method, Options, Solver, Start};

const LINKS: usize = 20;
const TARGETS: usize = 64;
/// Tolerances in metres. The chain is twenty metres long.
const LOOSE: f64 = 0.5;
const TIGHT: f64 = 1e-2;
/// Maximum number of iterations for a target. Targets that need more are left out, because a method that stalls on them is replaced by
/// another.
const MAX_ITERATIONS: usize = 16;

/// The methods, each with its number of sweeps along the chain per iteration. A sweep runs from the tip to the base or back.
const SWEEPS: [(Method, &str, usize); 3] = [
    (Method::Ccd, "ccd, per joint", 1),
    (Method::Fabrik, "fabrik, per link", 4),
    (Method::Particle, "particle, per link", 16),
];

pub(crate) fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("sweep along a chain");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1/sqrt, per link (6.4 ns on the reference machine)", |b| {
        b.iter(|| (0..1000).fold(black_box(2.0_f32), |x, _| 1.0 / x.sqrt()));
    });
    let child = |parent| Link::child(LinkIndex(parent), DVec3::Y);
    let links = std::iter::once(Link::base()).chain((0..LINKS).map(child));
    let mut body = Body::new(links.collect(), DAffine3::IDENTITY).unwrap();
    let all: Vec<Goal> = (0..TARGETS).map(goal).collect();
    for (method, name, sweeps) in SWEEPS {
        let mut solver = Solver::default();
        let mut solve = |goals: &[Goal], tolerance: f64| {
            let options =
                Options::default().with_method(method).with_start(Start::Rest).with_tolerance(tolerance);
            let started = Instant::now();
            let iterations =
                |goal| solver.solve(&mut body, std::slice::from_ref(goal), &options).unwrap().iterations;
            (goals.iter().map(iterations).sum::<usize>(), started.elapsed())
        };
        let is_fast = |g: &&Goal| solve(std::slice::from_ref(*g), TIGHT).0 <= MAX_ITERATIONS;
        let goals: Vec<Goal> = all.iter().filter(is_fast).copied().collect();
        let iterations = solve(&goals, TIGHT).0 - solve(&goals, LOOSE).0;
        group.throughput(Throughput::Elements((iterations * sweeps * LINKS) as u64));
        group.bench_function(name, |b| {
            b.iter_custom(|count| {
                let difference = |_| solve(&goals, TIGHT).1.saturating_sub(solve(&goals, LOOSE).1);
                (0..count).map(difference).sum::<Duration>()
            });
        });
    }
    group.finish();
}

/// Returns a goal in a direction that depends on `index`, at a distance of two fifths to four fifths of the reach.
fn goal(index: usize) -> Goal {
    let t = index as f64;
    let (height, azimuth) = ((1.7 * t).sin() * 0.7, 2.4 * t);
    let side = (1.0 - height * height).sqrt();
    let distance = LINKS as f64 * (0.6 + 0.2 * (0.9 * t).sin());
    let direction = DVec3::new(side * azimuth.cos(), height, side * azimuth.sin());
    Goal::position(LinkIndex(LINKS), direction * distance)
}
