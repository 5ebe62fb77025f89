//! A pass of each method over a free chain of twenty links, and the solves that it is part of.

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, Limb, LimbGoal, Link, Method, Options, Solver, Start, solve_limb, solve_limbs};

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
    for method in Method::ALL.into_iter().filter(|m| *m != Method::TwoBone) {
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
    limbs(c);
}

/// A thousand limbs, one after another and abreast.
fn limbs(c: &mut Criterion) {
    let limb =
        Limb { upper: DVec3::new(0.05, 0.48, 0.1), lower: DVec3::new(0.0, 0.45, -0.2), bend: DVec3::X };
    let goal = |i: i32| {
        let t = f64::from(i) * 0.37;
        let target = DVec3::new(t.sin(), (1.3 * t).cos(), (0.7 * t).sin()) * (0.3 + 0.2 * (0.11 * t).sin());
        LimbGoal { target, pole: DVec3::Z }
    };
    let (limbs, goals): (Vec<Limb>, Vec<LimbGoal>) = (0..1000).map(|i| (limb, goal(i))).unzip();
    let mut turns = vec![[DQuat::IDENTITY; 2]; 1000];
    let mut group = c.benchmark_group("two bones");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("one by one", |b| {
        b.iter(|| {
            for ((limb, goal), out) in limbs.iter().zip(&goals).zip(&mut turns) {
                *out = solve_limb(limb, goal);
            }
        });
    });
    group.bench_function("abreast", |b| b.iter(|| solve_limbs(&limbs, &goals, &mut turns)));
    group.finish();
}
