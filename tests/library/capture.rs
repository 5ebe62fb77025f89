//! Skeletons that are estimated from captured motion, whose bones are known.

#![allow(clippy::print_stdout, reason = "the measured errors")]

use glam::Vec3;
use sinew::asset::{Character, load};
use sinew::capture::{EstimatedSkeleton, Frames, SkeletonOptions, Take, Tracks};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

use crate::support::external;

/// Noise of each coordinate in metres.
const NOISE: f32 = 0.005;
/// The shortest bone that is compared, in metres.
const SHORTEST: f64 = 0.05;

/// Normally distributed numbers (Box & Muller 1958), the same in every run.
fn normal() -> impl FnMut() -> f32 {
    let mut state = 1_u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    };
    move || ((-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()) as f32
}

/// Returns the positions of all nodes in a clip that is played for ten seconds, with noise. A tenth is missing.
fn take(character: &Character, clip: usize) -> Take {
    let (skeleton, clip) = (&character.skeleton, &character.clips[clip]);
    let (mut playhead, mut pose, mut world) = (Playhead::default(), Pose::rest(skeleton), Vec::new());
    let mut normal = normal();
    let count = skeleton.nodes.len();
    let (mut times, mut frames) = (Vec::new(), Frames::new(count));
    for frame in 0..600_u16 {
        playhead.sample(clip, f32::from(frame) / 60.0 % clip.seconds, skeleton, &mut pose);
        world_matrices(skeleton, &pose, &mut world);
        times.push(f64::from(frame) / 60.0);
        frames.push(world.iter().map(|matrix| {
            let at = Vec3::from(matrix.translation) + Vec3::new(normal(), normal(), normal()) * NOISE;
            Some(at).filter(|_| normal() > -1.28)
        }));
    }
    let joints = (0..count).map(|node| format!("{node}")).collect();
    Take { times, positions: Tracks { joints, frames }, ..Take::default() }
}

/// Returns the largest error of the lengths of bones in metres, and the number of bones.
fn error(character: &Character, found: &EstimatedSkeleton) -> (f64, usize) {
    let truth = |node: usize| f64::from(character.skeleton.nodes[node].rest.translation.length());
    let long = found.bones.iter().filter(|bone| truth(bone.joint) > SHORTEST);
    let errors: Vec<f64> = long.map(|bone| (bone.length - truth(bone.joint)).abs()).collect();
    (errors.iter().copied().fold(0.0, f64::max), errors.len())
}

fn check(name: &str, character: &Character, clip: usize) {
    let take = take(character, clip);
    let parents: Vec<Option<usize>> = character.skeleton.nodes.iter().map(|n| n.parent).collect();
    let options = SkeletonOptions::default().with_scale(1.0);
    let found = take.skeleton(&options.clone().with_parents(parents.clone())).unwrap();
    let (error, count) = error(character, &found);
    println!("{name}: lengths of {count} bones are off by up to {:.2} mm", error * 1e3);
    assert!(count >= 12 && error < 0.003, "{name}: {error} m");

    let estimated = take.skeleton(&options).unwrap();
    assert!(estimated.is_hierarchy_estimated);
    let is_edge = |a: usize, b: usize| parents[a] == Some(b) || parents[b] == Some(a);
    let right = estimated.bones.iter().filter(|b| is_edge(b.joint, b.parent)).count();
    println!("{name}: {right} of {} bones are found without a hierarchy", estimated.bones.len());
    assert!(right > 0, "{name}");
}

#[test]
fn bone_lengths_of_noisy_captures_are_within_millimetres() {
    let mannequin = sinew::asset::mannequin().unwrap();
    let walk = mannequin.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
    check("walk of the mannequin", &mannequin, walk);
    if let Some(folder) = external("models/bvh") {
        for file in ["pybvh/cmu_12_01_walk.bvh", "AnimatedDrawings/fair1/dab.bvh"] {
            check(file, &load(&folder.join(file)).unwrap(), 0);
        }
    }
}
