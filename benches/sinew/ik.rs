//! IK benchmarks: each method on a free chain of twenty links, two-bone limbs, and full-body drags.

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DQuat, DVec3};
use sinew::asset;
use sinew::ik::{
    Body, Goal, Limb, LimbGoal, Link, LinkIndex, Method, Options, Solver, Start, solve_limb, solve_limbs,
};
use sinew::pose::{Pose, world_matrices};
use sinew::rig;
use sinew::rig::{Binding, default_base};

const LINKS: usize = 20;
/// Target positions that are far from the end of the straight chain but within its reach.
const TARGETS: [DVec3; 2] = [DVec3::new(9.0, 4.0, 7.0), DVec3::new(-8.0, 5.0, 8.0)];

pub(crate) fn bench(c: &mut Criterion) {
    let chain = (0..=LINKS).map(|i| match i.checked_sub(1) {
        Some(parent) => Link::child(LinkIndex(parent), DVec3::Y),
        None => Link::base(),
    });
    let mut body = Body::new(chain.collect(), DAffine3::IDENTITY).unwrap();
    let mut group = c.benchmark_group("ik, per link and iteration");
    for method in Method::ALL.into_iter().filter(|m| *m != Method::TwoBone) {
        let options = Options::default().with_method(method).with_start(Start::Rest);
        let mut solver = Solver::default();
        let mut solve = |target: DVec3| {
            let goal = Goal::position(LinkIndex(LINKS), target);
            solver.solve(&mut body, &[goal], &options).unwrap().iterations
        };
        // Alternate between two targets, because a repeated problem is not solved again.
        let iterations: usize = TARGETS.map(&mut solve).iter().sum();
        group.throughput(Throughput::Elements((iterations * LINKS) as u64));
        group.bench_function(format!("{method}, {iterations} iterations"), |b| {
            b.iter(|| TARGETS.map(&mut solve))
        });
    }
    group.finish();
    limbs(c);
    full_body(c);
}

/// Benchmarks a thousand limbs, solved one by one and in SIMD batches.
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
    for (name, goals) in [("", &plain), (", with poles", &goals)] {
        group.bench_function(format!("one by one{name}"), |b| {
            b.iter(|| {
                for ((limb, goal), out) in limbs.iter().zip(goals).zip(&mut turns) {
                    *out = solve_limb(limb, goal);
                }
            });
        });
        group.bench_function(format!("batched{name}"), |b| b.iter(|| solve_limbs(&limbs, goals, &mut turns)));
    }
    group.finish();
}

/// Benchmarks a full-body solve for a humanoid with five goals that move on circles and two pins. Each frame starts
/// from the last solution and has a tolerance of one millimetre.
fn full_body(c: &mut Criterion) {
    let mut group = c.benchmark_group("full body, warm start");
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
            &rig::detect(&character),
            default_base(&character, nodes[0]),
            &nodes,
        )
        .unwrap();
        let mut body = binding.body(&character.skeleton, &pose, &world).unwrap();
        let position = |n: usize| glam::Vec3::from(world[n].translation).as_dvec3();
        let goals = |frame: i32| -> Vec<Goal> {
            let t = f64::from(frame) * 0.05;
            nodes
                .iter()
                .enumerate()
                .map(|(i, &node)| {
                    let (link, offset) = binding.link(node, &pose).unwrap();
                    let goal = if i < 5 {
                        // The goals of the torso move together, and each hand has its own phase.
                        let phase = t + if i < 2 { 1.0 + i as f64 } else { 0.0 };
                        let swing = DVec3::new(phase.cos(), phase.sin(), (0.7 * phase).sin()) * 0.04;
                        // The arms are straight in the rest pose. Goals that are closer to the body than the hands remain
                        // reachable.
                        let near = position(node).lerp(position(nodes[3]), if i < 2 { 0.25 } else { 0.0 });
                        Goal::position(link, near + swing - DVec3::Y * 0.06)
                    } else {
                        Goal::pin(link, position(node), rig::orientation(&character.skeleton, &pose, node))
                    };
                    goal.with_offset(offset)
                })
                .collect()
        };
        let options =
            Options::default().with_method(Method::FullBody).with_root_motion(true).with_tolerance(1e-3);
        let mut solver = Solver::default();
        let frames: Vec<Vec<Goal>> = (0..600).map(goals).collect();
        let mut frame = 0;
        let (mut iterations, mut reached, mut solved) = (0, 0, 0_usize);
        group.bench_function(name, |b| {
            b.iter(|| {
                frame = (frame + 1) % frames.len();
                let report = solver.solve(&mut body, &frames[frame], &options).unwrap();
                (iterations, solved) = (iterations + report.iterations, solved + 1);
                reached += usize::from(report.reached());
            });
        });
        assert!(
            reached * 10 >= solved * 9,
            "{name}: {reached} of {solved} frames reached their goals in {iterations} iterations"
        );
    }
    group.finish();
}
