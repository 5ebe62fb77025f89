//! Skeletons that are estimated from the mannequin's walk, with noise and gaps.

use glam::Vec3;
use proptest::prelude::*;

use super::*;
use crate::capture::tests::{SampledWalk, walk};
use crate::capture::{Frames, Tracks};
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};
use sinew_base::Random;

/// Returns a take of a walk in millimetres, with noise of `deviation` metres in each coordinate. Each joint is missing in a tenth of the
/// frames.
fn take(seen: &SampledWalk, names: Vec<String>, deviation: f32) -> Take {
    let mut random = Random(1);
    let mut coordinate = || random.normal() as f32 * deviation;
    // A standard normal variable is below -1.28 in a tenth of all cases.
    let mut measure = |position: &Option<Vec3>| {
        let moved = position.map(|p| 1e3 * (p + Vec3::new(coordinate(), coordinate(), coordinate())));
        moved.filter(|_| coordinate() >= -1.28 * deviation)
    };
    let rows: Vec<Vec<Option<Vec3>>> =
        seen.frames.iter().map(|frame| frame.iter().map(&mut measure).collect()).collect();
    Take {
        times: (0..rows.len()).map(|f| f as f64 / 60.0).collect(),
        positions: Tracks { frames: Frames::of(names.len(), rows), joints: names },
        ..Take::default()
    }
}

fn names(seen: &SampledWalk) -> Vec<String> {
    seen.character.humanoid.as_ref().unwrap().bones.keys().cloned().collect()
}

/// Returns the largest error of a bone's length in metres. Bones of fingers are left out if `body` is set.
fn largest_error(seen: &SampledWalk, found: &EstimatedSkeleton, body: bool) -> f64 {
    let mut world = Vec::new();
    let skeleton = &seen.character.skeleton;
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let error = |bone: &EstimatedBone| {
        let at = |joint: usize| Vec3::from(world[seen.joints[joint]].translation).as_dvec3();
        let truth = at(bone.joint).distance(at(bone.parent));
        let is_counted = !body || truth > 0.05;
        if is_counted { (bone.length - truth).abs() } else { 0.0 }
    };
    found.bones.iter().map(error).fold(0.0, f64::max)
}

#[test]
fn lengths_without_noise_are_exact_and_the_clip_reproduces_the_positions() {
    let seen = walk(2.0);
    let take = take(&seen, names(&seen), 0.0);
    let found = take.skeleton(&SkeletonOptions::default()).unwrap();
    assert_eq!((found.scale, found.is_hierarchy_estimated), (0.001, false));
    let error = largest_error(&seen, &found, false);
    assert!(error < 1e-5, "{error}");
    let humanoid = found.humanoid.as_ref().unwrap();
    assert_eq!(humanoid.bones.len(), seen.joints.len());

    let character = take.character(Path::new("walk.csv"), &SkeletonOptions::default()).unwrap();
    let (mut pose, mut playhead) = (Pose::rest(&character.skeleton), Playhead::default());
    let mut world = Vec::new();
    for frame in [0, 17, 60, 100] {
        playhead.sample(&character.clips[0], frame as f32 / 60.0, &character.skeleton, &mut pose);
        world_matrices(&character.skeleton, &pose, &mut world);
        for (joint, position) in seen.frames[frame].iter().enumerate() {
            let distance = position.unwrap().distance(world[joint].translation.into());
            assert!(distance < 1e-3, "{} is off by {distance} m", character.skeleton.label(joint));
        }
    }
    assert_eq!(character.clips[0].name.as_deref(), Some("walk"));
    // The rest pose is a T-pose that stands on the floor and faces +Z, although the walk turns.
    world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world);
    let at = |bone: &str| Vec3::from(world[humanoid.bones[bone]].translation);
    let arm = at("leftHand") - at("leftUpperArm");
    assert!(arm.x > 0.99 * arm.length(), "{arm}");
    assert!(world.iter().map(|m| m.translation.y).fold(f32::MAX, f32::min).abs() < 1e-6);
}

#[test]
fn noise_of_five_millimetres_changes_lengths_by_less() {
    let seen = walk(10.0);
    let take = take(&seen, names(&seen), 0.005);
    let mean = take.skeleton(&SkeletonOptions::default()).unwrap();
    let each = take.skeleton(&SkeletonOptions::default().with_symmetric(false)).unwrap();
    let (mean_error, error) = (largest_error(&seen, &mean, true), largest_error(&seen, &each, true));
    println!(
        "bones longer than 5 cm, 5 mm of noise: errors up to {:.2} mm, with equal sides {:.2} mm",
        error * 1e3,
        mean_error * 1e3
    );
    assert!(error < 2e-3 && mean_error < 1.5e-3, "{error} {mean_error}");
    // The deviation is the noise of both ends along the bone.
    let thigh = mean.bones.iter().find(|b| names(&seen)[b.joint] == "leftLowerLeg").unwrap();
    assert!((thigh.deviation - 0.005 * 2.0_f64.sqrt()).abs() < 1e-3, "{}", thigh.deviation);
    let sides = ["leftLowerArm", "rightLowerArm"]
        .map(|name| mean.bones.iter().find(|b| names(&seen)[b.joint] == name).unwrap().length);
    assert_eq!(sides[0], sides[1]);
}

#[test]
fn the_hierarchy_of_joints_without_names_is_found() {
    let seen = walk(4.0);
    let all = names(&seen);
    // Fingers are left out, because they do not move in the walk.
    let body: Vec<usize> = (0..all.len())
        .filter(|&j| !["Thumb", "Index", "Middle", "Ring", "Little"].iter().any(|f| all[j].contains(f)))
        .collect();
    let pick = |frame: &Vec<Option<Vec3>>| body.iter().map(|&j| frame[j]).collect();
    let picked = SampledWalk {
        frames: seen.frames.iter().map(pick).collect(),
        joints: body.iter().map(|&j| seen.joints[j]).collect(),
        ..walk(0.1)
    };
    let hidden: Vec<String> = (0..body.len()).map(|j| format!("j{j}")).collect();
    let take = take(&picked, hidden, 0.002);
    let found = take.skeleton(&SkeletonOptions::default()).unwrap();
    assert!(found.is_hierarchy_estimated);
    let named: Vec<String> = body.iter().map(|&j| all[j].clone()).collect();
    let truth = hierarchy::by_name(&named).unwrap();
    let is_edge = |a: usize, b: usize| truth[a] == Some(b) || truth[b] == Some(a);
    let wrong: Vec<String> = found
        .bones
        .iter()
        .filter(|b| !is_edge(b.joint, b.parent))
        .map(|b| format!("{}-{}", named[b.parent], named[b.joint]))
        .collect();
    println!("{} of {} bones are wrong: {wrong:?}", wrong.len(), found.bones.len());
    // Within the rigid chest and pelvis, the nearest joints are connected.
    let limbs = ["LowerArm", "Hand", "LowerLeg", "Foot", "Toes"];
    assert!(wrong.iter().all(|edge| !limbs.iter().any(|limb| edge.contains(limb))), "{wrong:?}");
}

#[test]
fn bad_takes_are_errors() {
    let error = |take: &Take| take.skeleton(&SkeletonOptions::default()).unwrap_err();
    assert_eq!(error(&Take::default()), CaptureError::Empty);
    let of = |joints: usize, rows: Vec<Vec<Option<Vec3>>>| Take {
        times: (0..rows.len()).map(|f| f as f64).collect(),
        positions: Tracks {
            joints: (0..joints).map(|j| format!("j{j}")).collect(),
            frames: Frames::of(joints, rows),
        },
        ..Take::default()
    };
    assert_eq!(error(&of(2, vec![vec![None, None]])), CaptureError::Empty);
    let many = of(300, vec![vec![Some(Vec3::ZERO); 300]]);
    assert_eq!(error(&many), CaptureError::TooManyJoints { count: 300, most: MAX_JOINTS });
    let two = of(2, vec![vec![Some(Vec3::ZERO), Some(Vec3::X)]]);
    let given = |parents: Vec<Option<usize>>| {
        two.skeleton(&SkeletonOptions::default().with_parents(parents)).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        given(vec![Some(1), Some(0)]),
        "the joints are not a hierarchy: node \"j0\" is its own ancestor"
    );
    assert_eq!(given(vec![None]), "the joints are not a hierarchy: 1 parents for 2 joints");
    assert!(given(vec![None, Some(9)]).starts_with("the joints are not a hierarchy: node \"j1\""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_positions_give_a_finite_character(
        rows in prop::collection::vec(prop::collection::vec(prop::option::of(prop::array::uniform3(-1e3..1e3_f32)), 5), 1..12),
    ) {
        let rows = rows.into_iter().map(|row| row.into_iter().map(|p| p.map(Vec3::from_array)).collect());
        let positions = Tracks { joints: (0..5).map(|j| format!("j{j}")).collect(), frames: Frames::of(5, rows) };
        let times = (0..positions.frames.len()).map(|f| f as f64).collect();
        let take = Take { times, positions, ..Take::default() };
        match take.character(Path::new("a.csv"), &SkeletonOptions::default()) {
            Ok(character) => {
                prop_assert_eq!(character.skeleton.nodes.len(), 5);
                prop_assert!(character.skeleton.nodes.iter().all(|n| n.rest.translation.is_finite()));
            }
            Err(error) => prop_assert_eq!(error, CaptureError::Empty),
        }
    }
}
