//! Estimates skeletons from captured motion of characters with known bones, and computes rotations from joint positions.

#![allow(clippy::print_stdout, reason = "the measured errors")]

use glam::{Quat, Vec3};
use sinew::asset::{Character, Node, Skeleton, Transform, load};
use sinew::capture::{EstimatedSkeleton, Fit, Frames, RotationFit, SkeletonOptions, Take, Tracks};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

use sinew_base::Random;
use sinew_testkit::external;

/// Noise of each coordinate in metres.
const NOISE: f32 = 0.005;
/// The shortest bone that is compared, in metres.
const SHORTEST: f64 = 0.05;

/// Plays a clip for ten seconds, and returns the positions of all nodes with noise. A tenth of the positions are missing.
fn take(character: &Character, clip: usize) -> Take {
    let (skeleton, clip) = (&character.skeleton, &character.clips[clip]);
    let (mut playhead, mut pose, mut world) = (Playhead::default(), Pose::rest(skeleton), Vec::new());
    let mut random = Random(1);
    let mut normal = || random.normal() as f32;
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

/// The bones of `src/ik/tests/textbook/tables.py`, at rest and measured.
const BONES: [[Vec3; 2]; 3] = [
    [Vec3::new(0.1, 0.5, 0.0), Vec3::new(-0.45, 0.2, 0.1)],
    [Vec3::new(0.2, 0.0, 0.1), Vec3::new(0.02, 0.2, 0.05)],
    [Vec3::new(0.0, -0.1, 0.4), Vec3::new(0.1, 0.0, 0.4)],
];
/// The columns of the rotations that this program computes by the formulas of the lecture.
const THREE_CHILDREN: [[f32; 3]; 3] = [
    [0.08812878, 0.9568268, -0.27697617],
    [-0.94656044, 0.16704774, 0.27589568],
    [0.3102526, 0.23786034, 0.9204161],
];
const ONE_CHILD: [[f32; 3]; 3] = [
    [0.24600814, 0.9499298, 0.19264853],
    [-0.9624702, 0.21591118, 0.16441886],
    [0.11459139, -0.22586684, 0.96739495],
];

/// Fits a chest with the first bones, from a pose of the previous frame, and returns its rotation.
fn chest(bones: &[[Vec3; 2]], fit: RotationFit) -> Quat {
    let at = Transform::from_translation;
    let chest_at = Vec3::Y * 0.5;
    let mut nodes = vec![Node::new("hips"), Node::child("chest", 0, at(chest_at))];
    nodes.extend(bones.iter().enumerate().map(|(i, [rest, _])| Node::child(format!("{i}"), 1, at(*rest))));
    let joints: Vec<usize> = (0..nodes.len()).collect();
    let skeleton = Skeleton::new(nodes).unwrap();
    let mut frame = vec![Some(Vec3::ZERO), Some(chest_at)];
    frame.extend(bones.iter().map(|[_, measured]| Some(chest_at + *measured)));
    let mut pose = Pose::rest(&skeleton);
    pose.locals[1].rotation = Quat::from_rotation_x(0.8);
    let mut fitted = Fit::new(&skeleton, &joints).unwrap();
    fitted.rotations = fit;
    fitted.pose(&frame, &mut pose);
    pose.locals[1].rotation
}

/// Returns the largest difference between the columns of a rotation and the expected columns.
fn away(rotation: Quat, columns: [[f32; 3]; 3]) -> f32 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(columns);
    axes.map(|(axis, column)| (rotation * axis).distance(Vec3::from(column))).fold(0.0, f32::max)
}

#[test]
fn the_formulas_of_the_lecture_fit_one_and_three_children() {
    for (bones, columns) in [(&BONES[..1], ONE_CHILD), (&BONES[..], THREE_CHILDREN)] {
        let difference = away(chest(bones, RotationFit::Lecture), columns);
        println!("lecture, {} children: {difference:.1e}", bones.len());
        assert!(difference < 1e-6, "{difference}");
        assert!(away(chest(bones, RotationFit::LeastSquares), columns) > 0.05);
    }
    // The lecture has no formula for two children, and its formula for three fails if they are in a plane with their joint.
    let flat = BONES.map(|[rest, measured]| [rest.with_z(0.0), measured]);
    for bones in [&BONES[..2], &flat[..]] {
        assert_eq!(chest(bones, RotationFit::Lecture), chest(bones, RotationFit::LeastSquares));
    }
}
