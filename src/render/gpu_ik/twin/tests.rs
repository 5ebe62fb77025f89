//! Checks that the shaders and their twins compute the same numbers. Uses the software adapter, unless `SINEW_ADAPTER` names
//! another adapter.

use glam::{DAffine3, DQuat, DVec3, EulerRot, Quat, Vec3};

use crate::Gpu;
use crate::gpu_ik::block_buffers::BufferPool;
use crate::gpu_ik::gpu_types::{ChainTarget, PackedJoint, TreeGoal};
use crate::gpu_ik::group::{Group, groups};
use crate::gpu_ik::limb::{LimbKernel, packed};
use crate::gpu_ik::options::GpuOptions;
use crate::gpu_ik::pipeline::Block;
use crate::gpu_ik::solver::GpuSolver;
use crate::ik::{Body, Goal, Limb, LimbGoal, Limit, Link, LinkIndex, Method, Options};
use sinew_base::Random;

use super::limb::solve_limb;
use super::tree::{DescentSettings, TreeTwin};

pub(super) const STATES: usize = 1000;
/// Maximum differences between positions, as a fraction of the error that a step removes, and between angles, in radians.
const PLACE: f32 = 1e-4;
const ANGLE: f32 = 1e-4;
/// Number of states that may differ by more. In a few states, rounding changes a decision: whether a joint is locked, whether
/// a step is accepted, or which of two equal limits is nearer.
const DECISIONS: usize = 20;

fn rotation(random: &mut Random) -> DQuat {
    DQuat::from_scaled_axis(random.turn(1.8))
}

fn point(random: &mut Random) -> DVec3 {
    random.turn(1.0)
}

/// Returns a limit for a joint, cycling through the kinds of limits.
fn limit(index: usize) -> Limit {
    match index % 5 {
        0 => Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.1, 0.6], twist: [-0.7, 0.4] },
        1 => Limit::Hinge { axis: DVec3::X, min: -0.2, max: 2.4 },
        2 => Limit::Euler { order: EulerRot::ZXY, min: [-0.8, -0.5, -1.0], max: [0.3, 0.9, 1.2] },
        3 => Limit::Free,
        _ => Limit::Euler { order: EulerRot::XZY, min: [-0.4; 3], max: [1.0, 0.7, 0.5] },
    }
}

/// Returns a body in which every joint is a child of an earlier joint, and every kind of limit occurs.
pub(super) fn body(joints: usize, parent: impl Fn(usize) -> Option<usize>) -> Body {
    let mut random = Random(11);
    let link = |index: usize| {
        Link::base()
            .with_parent(parent(index).map(LinkIndex))
            .with_offset(DVec3::Y * 0.3 + random.turn(0.1))
            .with_rest(DQuat::from_scaled_axis(random.turn(0.5)))
            .with_limit(limit(index))
            .with_weight(if index % 4 == 2 { 0.5 } else { 1.0 })
            .with_reversed(index % 3 == 1)
    };
    Body::new((0..joints).map(link).collect(), DAffine3::IDENTITY).unwrap()
}

/// Returns bodies in random poses within their limits, and the goals of each body.
pub(super) fn problems(body: &Body, links: &[usize]) -> (Vec<Body>, Vec<Vec<Goal>>) {
    let mut random = Random(5);
    let mut pose = || {
        let mut posed = body.clone();
        for index in 0..body.links().len() {
            let link = body.links()[index];
            posed.set_rotation(LinkIndex(index), link.nearest(link.rest * rotation(&mut random)));
        }
        posed
    };
    let bodies: Vec<Body> = (0..STATES).map(|_| pose()).collect();
    let mut random = Random(6);
    let mut goal = |(place, link): (usize, &usize)| {
        let (at, turn) = (point(&mut random), rotation(&mut random));
        let link = LinkIndex(*link);
        match place % 3 {
            0 => Goal::pose(link, at, turn),
            1 => Goal::position(link, at).with_offset(DVec3::X * 0.1).with_weight(0.5),
            _ => Goal::pin(link, at, turn),
        }
    };
    let goals = (0..STATES).map(|_| links.iter().enumerate().map(&mut goal).collect()).collect();
    (bodies, goals)
}

pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    let away = a.conjugate() * b;
    2.0 * away.xyz().length().atan2(away.w.abs())
}

/// Compares the answers of a shader after one step with the answers of its twin. `stride` is the number of vectors in an answer.
fn compare(
    joints: &[PackedJoint],
    goals: &[TreeGoal],
    targets: &[ChainTarget],
    starts: &[[f32; 4]],
    settings: DescentSettings,
    answers: &[[f32; 4]],
    stride: usize,
) {
    let count = joints.len();
    let (mut differences, mut rejected) = (Vec::new(), 0);
    for (state, answer) in answers.chunks(stride).enumerate() {
        let targets = &targets[state * goals.len()..][..goals.len()];
        let mut twin = TreeTwin::new(joints, goals, targets, settings, &starts[state * count..][..count]);
        let (before, own) = (twin.cost, twin.own.clone());
        twin.take_step(1.0);
        if twin.cost >= 0.9999 * before {
            // The shader rejects the step.
            (twin.own, twin.root, rejected) = (own, Vec3::ZERO, rejected + 1);
            twin.forward();
        }
        let turns = answer.iter().zip(&twin.own).map(|(own, e)| angle(Quat::from_array(*own), *e));
        let has_root = stride > count + 1;
        let cost = answer[if has_root { count + 1 } else { count }][0];
        let root = if has_root { Vec3::from_slice(&answer[count]) } else { Vec3::ZERO };
        let place = (cost.sqrt() - twin.cost.sqrt()).abs().max(root.distance(twin.root)) / before.sqrt();
        differences.push(turns.fold(0.0, f32::max) / ANGLE + place / PLACE);
    }
    differences.sort_by(f32::total_cmp);
    let far = differences.iter().filter(|d| d.is_nan() || **d >= 1.0).count();
    let quantile = |percent: usize| differences[STATES * percent / 100];
    println!("{far} far, {rejected} rejected, median {}, 95 % {}", quantile(50), quantile(95));
    assert!(far <= DECISIONS, "{far}");
    assert!(rejected < STATES / 2, "{rejected}");
}

pub(super) fn only_group(bodies: &[Body], goals: &[Vec<Goal>], options: &Options) -> Group {
    let (mut found, unsupported) = groups(bodies, goals, options);
    assert!(unsupported.is_empty(), "{unsupported:?}");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// Returns the options for a single step.
pub(super) fn one_step(options: Options) -> GpuOptions {
    GpuOptions::default().with_options(options).with_restarts(0).with_iterations(1)
}

/// Solves the problems of a group in several blocks, and measures their errors.
pub(super) fn blocks(
    group: &Group,
    bodies: &[Body],
    goals: &[Vec<Goal>],
    options: &GpuOptions,
    bytes: u64,
) -> Vec<Block> {
    let mut solver = GpuSolver::new(&Gpu::of_tests());
    solver.set_max_buffer_size(bytes);
    let mut pipeline = solver.pipeline(group, goals, options, true).unwrap();
    let mut blocks = Vec::new();
    while let Some(block) = pipeline.next(&mut solver.buffers, bodies, goals).unwrap() {
        blocks.push(block);
    }
    assert!(blocks.len() > 2, "{} blocks", blocks.len());
    blocks
}

/// Returns a whole body: two trunks of five joints with two limbs of five joints each, and a tail.
pub(super) fn tree() -> Body {
    body(70, |index| match index {
        10 | 15 | 20 => Some(4),
        25 => Some(9),
        _ => index.checked_sub(1),
    })
}

#[test]
fn chains_take_the_same_steps_as_their_twin() {
    let options = Options::default();
    let body = body(5, |index| index.checked_sub(1));
    let (bodies, goals) = problems(&body, &[4]);
    let group = only_group(&bodies, &goals, &options);
    let inputs = group.inputs(0..STATES, &bodies, &goals, &options);
    let chain = group.chain(&goals[0][0], &options);
    let (_, tree_goals, _) = group.tree(&goals[0], &options);
    let blocks = blocks(&group, &bodies, &goals, &one_step(options), 1 << 15);
    let answers: Vec<_> = blocks.into_iter().flat_map(Block::into_answers).collect();
    let settings =
        DescentSettings { damping: chain.tolerances[3], damping_floor: 1e-7, rounds: 4, root_weight: 0.0 };
    let joints = &group.structure.packed;
    compare(joints, &tree_goals, &inputs.targets, &inputs.starts, settings, &answers, 6);
}

#[test]
fn bodies_take_the_same_steps_as_their_twin() {
    let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    let (bodies, goals) = problems(&tree(), &[14, 19, 24, 69]);
    let group = only_group(&bodies, &goals, &options);
    let inputs = group.inputs(0..STATES, &bodies, &goals, &options);
    let (tree, tree_goals, _) = group.tree(&goals[0], &options);
    let blocks = blocks(&group, &bodies, &goals, &one_step(options), 1 << 18);
    let answers: Vec<_> = blocks.into_iter().flat_map(Block::into_answers).collect();
    let settings =
        DescentSettings { damping: tree.damping, damping_floor: 1e-6, rounds: 3, root_weight: 1.0 };
    let (joints, stride) = (&group.structure.packed, group.structure.joints.len() + 2);
    compare(joints, &tree_goals, &inputs.targets, &inputs.starts, settings, &answers, stride);
}

#[test]
fn limbs_turn_as_their_twin() {
    let mut random = Random(3);
    let mut problem = |index: usize| {
        let limb = Limb { upper: point(&mut random), lower: point(&mut random), bend: point(&mut random) };
        let pole = if index.is_multiple_of(2) { DVec3::ZERO } else { point(&mut random) };
        packed(&limb, &LimbGoal { target: point(&mut random), pole })
    };
    let problems: Vec<_> = (0..STATES).map(&mut problem).collect();
    let gpu = Gpu::of_tests();
    let mut pool = BufferPool::default();
    let turns = LimbKernel::new(&gpu).solve(&gpu, &mut pool, &problems, 1 << 14).unwrap();
    for (index, (problem, turns)) in problems.iter().zip(turns.chunks(2)).enumerate() {
        for (turn, expected) in turns.iter().zip(solve_limb(problem)) {
            let away = angle(Quat::from_array(*turn), expected);
            assert!(away < ANGLE, "limb {index}: {away}");
        }
    }
}
