//! A pass of each method over a free chain of twenty links, and the solves that it is part of.

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DQuat, DVec3};
use sinew::asset;
use sinew::ik::{Body, Goal, Limb, LimbGoal, Link, Method, Options, Solver, Start, solve_limb, solve_limbs};
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{self, Binding, default_base};

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
    full_body(c);
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
    let plain: Vec<LimbGoal> = goals.iter().map(|g| LimbGoal { pole: DVec3::ZERO, ..*g }).collect();
    let mut group = c.benchmark_group("two bones");
    group.throughput(Throughput::Elements(1000));
    for (name, goals) in [("", &plain), (", poles", &goals)] {
        group.bench_function(format!("one by one{name}"), |b| {
            b.iter(|| {
                for ((limb, goal), out) in limbs.iter().zip(goals).zip(&mut turns) {
                    *out = solve_limb(limb, goal);
                }
            });
        });
        group.bench_function(format!("abreast{name}"), |b| b.iter(|| solve_limbs(&limbs, goals, &mut turns)));
    }
    group.finish();
}

/// Five goals and two pins on a humanoid, dragged on circles: a frame to a millimetre, from the last answer.
fn full_body(c: &mut Criterion) {
    let mut group = c.benchmark_group("full body, a warm frame");
    let adventurer = crate::external("quaternius/modular_men/Adventurer/Adventurer.glb");
    let mut characters = vec![(
        "mannequin",
        asset::mannequin().unwrap(),
        ["leftHand", "rightHand", "head", "upperChest", "hips", "leftFoot", "rightFoot"],
    )];
    if let Some(path) = adventurer {
        let names = ["Hand.L", "Hand.R", "Head", "Chest", "Hips", "Foot.L", "Foot.R"];
        characters.push(("Adventurer", asset::load(&path).unwrap(), names));
    }
    for (name, character, names) in characters {
        let nodes = names.map(|n| character.skeleton.find(n).unwrap());
        let pose = Pose::rest(&character.skeleton);
        let mut world = Vec::new();
        world_matrices(&character.skeleton, &pose, &mut world);
        let binding = Binding::new(
            &character.skeleton,
            &character.skins,
            &rig::find(&character),
            default_base(&character, nodes[0]),
            &nodes,
        )
        .unwrap();
        let mut body = binding.body(&character.skeleton, &pose, &world).unwrap();
        let place = |n: usize| glam::Vec3::from(world[n].translation).as_dvec3();
        let goals = |frame: i32| -> Vec<Goal> {
            let t = f64::from(frame) * 0.05;
            nodes
                .iter()
                .enumerate()
                .map(|(i, &node)| {
                    let (link, offset) = binding.link(node, &pose).unwrap();
                    let goal = if i < 5 {
                        // The trunk goes as one, the hands as they like.
                        let phase = t + if i < 2 { 1.0 + i as f64 } else { 0.0 };
                        let swing = DVec3::new(phase.cos(), phase.sin(), (0.7 * phase).sin()) * 0.04;
                        // Arms are straight at rest: nearer than that, they reach.
                        let near = place(node).lerp(place(nodes[3]), if i < 2 { 0.25 } else { 0.0 });
                        Goal::position(link, near + swing - DVec3::Y * 0.06)
                    } else {
                        Goal::pin(link, place(node), rig::orientation(&character.skeleton, &pose, node))
                    };
                    Goal { offset, ..goal }
                })
                .collect()
        };
        let options = Options {
            method: Method::FullBody,
            root_motion: true,
            tolerance: Some(1e-3),
            ..Options::default()
        };
        let mut solver = Solver::default();
        let frames: Vec<Vec<Goal>> = (0..600).map(goals).collect();
        let mut frame = 0;
        let (mut passes, mut reached, mut solved) = (0, 0, 0_usize);
        group.bench_function(name, |b| {
            b.iter(|| {
                frame = (frame + 1) % frames.len();
                let report = solver.solve(&mut body, &frames[frame], &options).unwrap();
                (passes, solved) = (passes + report.iterations, solved + 1);
                reached += usize::from(report.reached());
            });
        });
        assert!(reached * 10 >= solved * 9, "{name}: {reached} of {solved} frames reached, {passes} passes");
    }
    group.finish();
}
