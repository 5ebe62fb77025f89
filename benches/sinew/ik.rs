//! A pass of each method over a free chain of twenty links, and the solves that it is part of.

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DVec3};
use sinew::ik::{Body, Goal, Link, Method, Options, Solver, Start};

const LINKS: usize = 20;
/// Far from the straight chain, within its reach.
const TARGETS: [DVec3; 2] = [DVec3::new(9.0, 4.0, 7.0), DVec3::new(-8.0, 5.0, 8.0)];

pub(crate) fn bench(c: &mut Criterion) {
    let chain = (0..=LINKS).map(|i| match i.checked_sub(1) {
        Some(parent) => Link::child(parent, DVec3::Y),
        None => Link::base(),
    });
    let mut body = Body::new(chain.collect(), DAffine3::IDENTITY).unwrap();
    let mut group = c.benchmark_group("ik, links turned");
    for method in Method::ALL {
        let options = Options { method, start: Start::Rest, ..Options::default() };
        let mut solver = Solver::default();
        let mut solve = |target: DVec3| {
            let goal = Goal::position(LINKS, target);
            solver.solve(&mut body, &[goal], &options).unwrap().iterations
        };
        // Both targets in turn: the same question twice is not solved twice.
        let passes: usize = TARGETS.map(&mut solve).iter().sum();
        group.throughput(Throughput::Elements((passes * LINKS) as u64));
        group.bench_function(format!("{method}, {passes} passes"), |b| b.iter(|| TARGETS.map(&mut solve)));
    }
    group.finish();
}
