//! Markers on the mannequin, whose motion is known.

use std::collections::BTreeSet;

use glam::{Affine3A, Quat};
use proptest::prelude::*;

use super::*;
use crate::asset::Character;
use crate::capture::tests::{SampledWalk, walk, worlds};
use crate::capture::{SkeletonOptions, TakeOptions};
use crate::motion::Playhead;
use crate::pose::Pose;
use sinew_base::Random;

const SEGMENTS: [&str; 15] = [
    "hips",
    "chest",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];

/// A walk in which every joint also rotates about all axes, so that no joint is a hinge.
fn motion(seconds: f32) -> SampledWalk {
    let mut seen = walk(seconds);
    let bones = seen.character.humanoid.as_ref().unwrap().bones.clone();
    for (frame, pose) in seen.poses.iter_mut().enumerate() {
        for (index, bone) in SEGMENTS.iter().enumerate().skip(1) {
            let phase = frame as f32 * 0.05 + index as f32;
            let turn = glam::Vec3::new(phase.sin(), (0.7 * phase).cos(), (1.3 * phase).sin()) * 0.3;
            pose.locals[bones[*bone]].rotation *= Quat::from_scaled_axis(turn);
        }
    }
    seen
}

/// Returns a take with `count` markers on each segment, about 8 cm from its middle. `deviation` is the noise in metres.
fn take(seen: &SampledWalk, count: usize, deviation: f32) -> Take {
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let mut random = Random(1);
    let mut noise = |size: f32| Vec3::from([(); 3].map(|()| random.normal() as f32)) * size;
    let offsets: Vec<Vec<Vec3>> =
        SEGMENTS.iter().map(|_| (0..count).map(|_| noise(0.05) + Vec3::Y * 0.05).collect()).collect();
    let joints: Vec<String> =
        SEGMENTS.iter().flat_map(|s| (1..=count).map(move |m| format!("{s}/{m}"))).collect();
    let mut rows = Vec::new();
    for pose in &seen.poses {
        let world = worlds(&seen.character, pose);
        let mut row = Vec::new();
        for (segment, offsets) in SEGMENTS.iter().zip(&offsets) {
            let at = world[bones[*segment]];
            row.extend(offsets.iter().map(|o| Some(at.transform_point3(*o) + noise(deviation))));
        }
        rows.push(row);
    }
    Take {
        times: (0..rows.len()).map(|f| f as f64 / 60.0).collect(),
        positions: Tracks { frames: Frames::of(joints.len(), rows), joints },
        ..Take::default()
    }
}

fn converted(take: &Take, character: &Character) -> MarkerTake {
    let bones = &character.humanoid.as_ref().unwrap().bones;
    align::for_skeleton(take, &character.skeleton, bones).unwrap()
}

/// Returns the mean distance between each joint centre and the joint.
fn center_errors(seen: &SampledWalk, markers: &MarkerTake) -> BTreeMap<String, f32> {
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let mut errors: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for (frame, pose) in seen.poses.iter().enumerate() {
        let world = worlds(&seen.character, pose);
        for (joint, position) in
            markers.take.positions.joints.iter().zip(&markers.take.positions.frames[frame])
        {
            let truth = Vec3::from(world[bones[joint]].translation);
            errors.entry(joint.clone()).or_default().extend(position.map(|p| p.distance(truth)));
        }
    }
    errors.into_iter().map(|(joint, all)| (joint, all.iter().sum::<f32>() / all.len() as f32)).collect()
}

fn posed(seen: &SampledWalk, take: &Take, frame: usize) -> (Vec<Affine3A>, Vec<Affine3A>) {
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let skeleton = &seen.character.skeleton;
    let captured = take.clip(skeleton, bones, &TakeOptions::default().with_scale(1.0)).unwrap();
    let (mut pose, mut playhead) = (Pose::rest(skeleton), Playhead::default());
    playhead.sample(&captured.clip, frame as f32 / 60.0, skeleton, &mut pose);
    (worlds(&seen.character, &pose), worlds(&seen.character, &seen.poses[frame]))
}

/// Returns whether a joint belongs to a limb. Between two segments of the trunk, the skeleton has several joints.
fn is_limb(joint: &str) -> bool {
    (joint.starts_with("left") || joint.starts_with("right")) && !joint.ends_with("UpperArm")
}

#[test]
fn joint_centers_are_exact_without_noise() {
    let seen = motion(4.0);
    let markers = converted(&take(&seen, 4, 0.0), &seen.character);
    let errors = center_errors(&seen, &markers);
    assert_eq!(errors.keys().filter(|j| is_limb(j)).count(), 10);
    for (joint, error) in errors.iter().filter(|(joint, _)| is_limb(joint)) {
        assert!(*error < 1e-4, "{joint} is off by {error} m");
    }
    assert!(markers.segments.values().all(|fit| fit.markers == 4 && fit.residual < 1e-5));
    assert!(!markers.take.positions.joints.contains(&"hips".to_owned()));
}

#[test]
fn the_pose_is_recovered_from_noisy_markers_of_which_some_are_missing() {
    let seen = motion(6.0);
    let mut take = take(&seen, 4, 0.001);
    // Every marker is missing for a while, but at most two per segment at the same time.
    for frame in 0..take.times.len() {
        let row = take.positions.frames.get_mut(frame).unwrap();
        for (column, value) in row.iter_mut().enumerate() {
            let phase = (frame + column * 37) % 120;
            if phase < 20 {
                *value = None;
            }
        }
    }
    let errors = center_errors(&seen, &converted(&take, &seen.character));
    let limbs: Vec<f32> = errors.iter().filter(|(j, _)| is_limb(j)).map(|(_, e)| *e).collect();
    let largest = limbs.iter().copied().fold(0.0, f32::max);
    println!("joint centres of limbs, four markers with 1 mm of noise: off by up to {:.2} mm", largest * 1e3);
    assert!(largest < 0.006, "{errors:?}");
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let (mut turn, mut distance) = (0.0_f32, 0.0_f32);
    for frame in (0..seen.poses.len()).step_by(30) {
        let (now, truth) = posed(&seen, &take, frame);
        for bone in SEGMENTS.iter().filter(|b| is_limb(b)) {
            let (a, b) = (now[bones[*bone]], truth[bones[*bone]]);
            distance = distance.max(a.translation.distance(b.translation));
            turn = turn.max(Quat::from_mat3a(&a.matrix3).angle_between(Quat::from_mat3a(&b.matrix3)));
        }
    }
    println!("pose: joints off by up to {:.1} mm, orientations by {:.1}°", distance * 1e3, turn.to_degrees());
    // The motion of the trunk and the twist of limbs are only known on average, because there is no calibration pose.
    assert!(distance < 0.13, "{distance}");
    assert!(turn.to_degrees() < 25.0, "{}", turn.to_degrees());
}

#[test]
fn segments_with_one_or_two_markers_have_their_joint_at_the_mean() {
    let seen = motion(1.0);
    for count in [1, 2] {
        let take = take(&seen, count, 0.0);
        let markers = converted(&take, &seen.character);
        assert_eq!(markers.take.orientations.joints.len(), 0);
        let joints: BTreeSet<&str> = markers.take.positions.joints.iter().map(String::as_str).collect();
        assert_eq!(joints, SEGMENTS.into_iter().collect());
        let head = markers.take.positions.joints.iter().position(|j| j == "head").unwrap();
        let column = take.positions.joints.iter().position(|j| j == "head/1").unwrap();
        let seen = &take.positions.frames[30][column..column + count];
        let mean = seen.iter().flatten().sum::<Vec3>() / count as f32;
        assert!(markers.take.positions.frames[30][head].unwrap().distance(mean) < 1e-5);
    }
}

#[test]
fn a_marker_that_drops_out_leaves_the_rest_of_its_segment() {
    let seen = motion(2.0);
    let mut take = take(&seen, 3, 0.0);
    let whole = converted(&take, &seen.character);
    let column = take.positions.joints.iter().position(|j| j == "leftHand/2").unwrap();
    for frame in 60..70 {
        let row = take.positions.frames.get_mut(frame).unwrap();
        row[column] = None;
        if frame >= 65 {
            row[column + 1] = None;
        }
    }
    let markers = converted(&take, &seen.character);
    let hand = whole.take.positions.joints.iter().position(|j| j == "leftHand").unwrap();
    for frame in 60..70 {
        let (a, b) = (whole.take.positions.frames[frame][hand], markers.take.positions.frames[frame][hand]);
        let distance = a.unwrap().distance(b.unwrap());
        assert!(distance < 0.03, "frame {frame}: {distance} m");
    }
    assert!(markers.take.orientations.frames[67].iter().all(Option::is_some));
}

#[test]
fn names_with_a_slash_that_are_nodes_are_joints() {
    let seen = walk(0.1);
    let mut character = seen.character.clone();
    let head = character.skeleton.find("head").unwrap();
    character.skeleton.nodes[head].name = Some("leftHand/1".to_owned());
    let tracks = |joints: &[&str]| Take {
        times: vec![0.0],
        positions: Tracks {
            joints: joints.iter().map(|j| (*j).to_owned()).collect(),
            frames: Frames::of(joints.len(), [vec![Some(Vec3::Y); joints.len()]]),
        },
        ..Take::default()
    };
    let bones = &character.humanoid.as_ref().unwrap().bones;
    let find = |joints: &[&str]| align::for_skeleton(&tracks(joints), &character.skeleton, bones);
    assert!(find(&["hips", "leftHand/1"]).is_none());
    assert_eq!(
        find(&["hips", "leftHand/1", "leftHand/2"]).unwrap().take.positions.joints,
        ["hips", "leftHand/1", "leftHand"]
    );
    // The name of an unknown segment is kept, and then reported as unknown.
    let clip = |joints: &[&str]| tracks(joints).clip(&character.skeleton, bones, &TakeOptions::default());
    let warnings = clip(&["hips", "tail/1"]).unwrap().warnings;
    assert_eq!(warnings, ["joints without a node or a bone are ignored: \"tail/1\""]);
    let error = clip(&["tail/1"]).unwrap_err().to_string();
    assert!(error.starts_with("joint \"tail/1\" does not exist"), "{error}");
}

#[test]
fn a_take_of_markers_becomes_a_character() {
    let seen = motion(4.0);
    let take = take(&seen, 4, 0.0005);
    let character = take.character(std::path::Path::new("markers.csv"), &SkeletonOptions::default()).unwrap();
    let bones = &character.humanoid.as_ref().unwrap().bones;
    let length = |character: &Character, from: &str, to: &str| {
        let bones = &character.humanoid.as_ref().unwrap().bones;
        let world = worlds(character, &Pose::rest(&character.skeleton));
        world[bones[from]].translation.distance(world[bones[to]].translation)
    };
    assert!(bones.contains_key("hips") && bones.contains_key("leftFoot"));
    for (from, to) in
        [("leftLowerArm", "leftHand"), ("leftUpperLeg", "leftLowerLeg"), ("rightLowerLeg", "rightFoot")]
    {
        let (found, truth) = (length(&character, from, to), length(&seen.character, from, to));
        assert!((found - truth).abs() < 0.003, "{from}: {found} m instead of {truth} m");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn arbitrary_markers_give_finite_joints(
        rows in prop::collection::vec(prop::collection::vec(prop::option::of(prop::array::uniform3(-1e4..1e4_f32)), 7), 0..10),
    ) {
        let joints = ["hips/1", "hips/2", "hips/3", "head/1", "head/2", "head/3", "leftHand/1"];
        let rows: Vec<Vec<_>> = rows.into_iter().map(|row| row.into_iter().map(|p| p.map(Vec3::from_array)).collect()).collect();
        let times = (0..rows.len()).map(|f| f as f64).collect();
        let positions = Tracks { joints: joints.iter().map(|j| (*j).to_owned()).collect(), frames: Frames::of(7, rows) };
        let take = Take { times, positions, ..Take::default() };
        let character = crate::asset::mannequin().unwrap();
        let markers = converted(&take, &character);
        prop_assert_eq!(markers.take.times.len(), markers.take.positions.frames.len());
        prop_assert!(markers.take.positions.frames.iter().flatten().flatten().all(|p| p.is_finite()));
        prop_assert!(markers.take.orientations.frames.iter().flatten().flatten().all(|q| q.is_normalized()));
        let bones = &character.humanoid.as_ref().unwrap().bones;
        drop(take.clip(&character.skeleton, bones, &TakeOptions::default()));
    }

    #[test]
    fn the_center_of_rotation_is_recovered(
        c in prop::array::uniform3(-1.0..1.0_f64), p in prop::array::uniform3(-1.0..1.0_f64),
        turns in prop::collection::vec((prop::array::uniform3(-1.5..1.5_f64), prop::array::uniform3(-1.5..1.5_f64)), 12..40),
    ) {
        let (in_child, in_parent) = (DVec3::from_array(c), DVec3::from_array(p));
        let motions: Vec<(RigidMotion, RigidMotion)> = turns.iter().map(|(a, b)| {
            let (parent, child) = (DQuat::from_scaled_axis(DVec3::from_array(*a)), DQuat::from_scaled_axis(DVec3::from_array(*b)));
            let joint = DVec3::from_array(*a) * 3.0;
            let at = |rotation: DQuat, point: DVec3| RigidMotion { rotation, translation: joint - rotation * point, is_certain: true };
            (at(parent, in_parent), at(child, in_child))
        }).collect();
        let center = center::estimate(&motions).unwrap();
        prop_assert!(center.in_child.distance(in_child) < 2e-3, "{:?}", center);
        prop_assert!(center.in_parent.distance(in_parent) < 2e-3, "{:?}", center);
    }
}
