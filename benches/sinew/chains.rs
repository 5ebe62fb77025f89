//! Benchmarks of the default method on free chains, both on a bare body and through a character in the middle of a clip. The time for a
//! character is the time of its updates with a target minus their time without a target. It therefore includes the binding, the write-back
//! and the matrices of the moved nodes.

use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3A};
use sinew::asset;
use sinew::ik::{Body, Goal, Link, LinkIndex, Method, Options, Solver};
use sinew::puppet::{Puppet, Target};
use sinew::rig::Rig;

const FRAMES: usize = 256;
const ROUNDS: usize = 15;
/// The first and the last joint of each chain. The chains are in the middle of the tentacle, so the clip moves their bases.
const CHAINS: [(usize, usize); 3] = [(20, 23), (20, 30), (10, 30)];

pub(crate) fn bench(c: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/tentacle.glb");
    let character = asset::load(&path).unwrap();
    let mut group = c.benchmark_group("dls on a free chain");
    group.throughput(Throughput::Elements(FRAMES as u64));
    for (first, last) in CHAINS {
        let mut puppet = Puppet::with_rig(character.clone(), 0, Rig::default());
        puppet.options.solver = Options::default().with_method(Method::Dls).with_restarts(0);
        let node = |i: usize| puppet.character().skeleton.find(&format!("segment_{i:02}")).unwrap();
        let nodes: Vec<usize> = (first..=last).map(node).collect();
        let frames: Vec<ChainProblem> =
            (0..FRAMES).map(|i| ChainProblem::new(&mut puppet, &nodes, i)).collect();
        let n = last - first;
        let mut update = |frame: &ChainProblem, solve: bool| {
            puppet.time = frame.time;
            puppet.targets.clear();
            puppet.targets.extend(solve.then_some(frame.target));
            let started = Instant::now();
            let reports = puppet.update().unwrap();
            let reported = reports.first().map_or(0.0, |r| r.seconds);
            (started.elapsed(), Duration::from_secs_f64(reported))
        };
        group.bench_function(format!("{n} joints, character"), |b| {
            b.iter_custom(|count| {
                let with = fastest(&frames, count, |frame| update(frame, true).0);
                with.saturating_sub(fastest(&frames, count, |frame| update(frame, false).0))
            });
        });
        group.bench_function(format!("{n} joints, character, reported"), |b| {
            b.iter_custom(|count| fastest(&frames, count, |frame| update(frame, true).1));
        });
        let (mut body, mut solver, options) =
            (frames[0].body.clone(), Solver::default(), puppet.options.solver);
        group.bench_function(format!("{n} joints, bare"), |b| {
            b.iter_custom(|count| {
                let solve = fastest(&frames, count, |frame| {
                    let rotations = frame.body.rotations().iter().enumerate();
                    rotations.for_each(|(link, rotation)| body.set_rotation(LinkIndex(link), *rotation));
                    let started = Instant::now();
                    let reached = solver.solve(&mut body, &[frame.goal], &options).unwrap().reached();
                    let elapsed = started.elapsed();
                    assert!(reached);
                    elapsed
                });
                solve.saturating_sub(fastest(&frames, count, |_| Instant::now().elapsed()))
            });
        });
    }
    group.finish();
}

/// Returns the total time of all frames, multiplied by `count`. Each frame is measured several times and the shortest time counts, which
/// reduces the effect of other programs on the machine.
fn fastest(
    frames: &[ChainProblem],
    count: u64,
    mut measure: impl FnMut(&ChainProblem) -> Duration,
) -> Duration {
    let mut best = vec![Duration::MAX; frames.len()];
    for _ in 0..ROUNDS {
        for (frame, best) in frames.iter().zip(&mut best) {
            *best = measure(frame).min(*best);
        }
    }
    best.iter().sum::<Duration>().mul_f64(count as f64)
}

/// One IK problem, both for a character and for a bare body.
struct ChainProblem {
    time: f32,
    target: Target,
    body: Body,
    goal: Goal,
}

impl ChainProblem {
    fn new(puppet: &mut Puppet, nodes: &[usize], index: usize) -> Self {
        let time = index as f32 * 0.01;
        puppet.play(0, time);
        puppet.targets.clear();
        puppet.update().unwrap();
        let (Some((&base, inner)), Some(&end)) = (nodes.split_first(), nodes.last()) else {
            panic!("the chain is empty")
        };
        let skeleton = &puppet.character().skeleton;
        let offset = |node: usize| puppet.pose().locals[node].translation.as_dvec3();
        let mut links = vec![Link::base().with_offset(offset(base))];
        links.extend(inner.iter().enumerate().map(|(i, &node)| Link::child(LinkIndex(i), offset(node))));
        let reach: f64 = inner.iter().map(|&n| offset(n).length()).sum();
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        for (link, &node) in nodes.iter().enumerate() {
            body.set_rotation(LinkIndex(link), puppet.pose().locals[node].rotation.as_dquat());
        }
        let above = puppet.world_from_node()[skeleton.nodes[base].parent.unwrap()];
        let columns = [above.matrix3.x_axis, above.matrix3.y_axis, above.matrix3.z_axis];
        let [x, y, z] = columns.map(|v: Vec3A| DVec3::new(v.x.into(), v.y.into(), v.z.into()));
        let translation =
            DVec3::new(above.translation.x.into(), above.translation.y.into(), above.translation.z.into());
        let world_from_base = DAffine3 { matrix3: DMat3::from_cols(x, y, z), translation };
        let t = index as f64;
        let way =
            DQuat::from_rotation_y(0.11 * t) * DQuat::from_rotation_x(1.3 * (0.07 * t).sin()) * DVec3::Y;
        let local = offset(base) + way * (reach * (0.6 + 0.25 * (0.05 * t).sin()));
        let position = Some(world_from_base.transform_point3(local));
        let target = Target::new(end).with_base(base).with_position(position);
        Self { time, target, body, goal: Goal::position(LinkIndex(inner.len()), local) }
    }
}
