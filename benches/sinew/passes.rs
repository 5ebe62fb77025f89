//! What a pass costs, without the solve around it: solves to a tight tolerance less solves to a loose one, over the passes
//! that lie between.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DVec3};
use sinew::ik::{Body, Goal, Link, Method, Options, Solver, Start};

const LINKS: usize = 20;
const TARGETS: usize = 64;
/// Metres, of twenty that the chain is long.
const LOOSE: f64 = 0.5;
const TIGHT: f64 = 1e-2;
/// Targets that take more are left out: there a method may stall, and something else takes over.
const MOST: usize = 16;

/// Methods, and how often a pass of each goes along the chain: from the tip or from the base is once.
const PASSES: [(Method, &str, usize); 3] = [
    (Method::Ccd, "ccd, a joint and sweep", 1),
    (Method::Fabrik, "fabrik, a link", 2),
    (Method::Particle, "particle, a link", 16),
];

pub(crate) fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("once along a chain");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1/sqrt, a link (6.4 ns on the reference machine)", |b| {
        b.iter(|| (0..1000).fold(black_box(2.0_f32), |x, _| 1.0 / x.sqrt()));
    });
    let links = (0..=LINKS).map(|i| i.checked_sub(1).map_or(Link::base(), |p| Link::child(p, DVec3::Y)));
    let mut body = Body::new(links.collect(), DAffine3::IDENTITY).unwrap();
    let all: Vec<Goal> = (0..TARGETS).map(goal).collect();
    for (method, name, times) in PASSES {
        let mut solver = Solver::default();
        let mut solve = |goals: &[Goal], tolerance: f64| {
            let options =
                Options { method, start: Start::Rest, tolerance: Some(tolerance), ..Options::default() };
            let started = Instant::now();
            let passes =
                |goal| solver.solve(&mut body, std::slice::from_ref(goal), &options).unwrap().iterations;
            (goals.iter().map(passes).sum::<usize>(), started.elapsed())
        };
        let few = |g: &&Goal| solve(std::slice::from_ref(*g), TIGHT).0 <= MOST;
        let goals: Vec<Goal> = all.iter().filter(few).copied().collect();
        let between = solve(&goals, TIGHT).0 - solve(&goals, LOOSE).0;
        group.throughput(Throughput::Elements((between * times * LINKS) as u64));
        group.bench_function(name, |b| {
            b.iter_custom(|count| {
                let difference = |_| solve(&goals, TIGHT).1.saturating_sub(solve(&goals, LOOSE).1);
                (0..count).map(difference).sum::<Duration>()
            });
        });
    }
    group.finish();
}

/// Places from two fifths to four fifths of the reach, to all sides.
fn goal(index: usize) -> Goal {
    let t = index as f64;
    let (height, way) = ((1.7 * t).sin() * 0.7, 2.4 * t);
    let side = (1.0 - height * height).sqrt();
    let distance = LINKS as f64 * (0.6 + 0.2 * (0.9 * t).sin());
    Goal::position(LINKS, DVec3::new(side * way.cos(), height, side * way.sin()) * distance)
}
