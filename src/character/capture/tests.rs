//! Checks that a known motion is recovered from the positions of its joints.

use glam::{Affine3A, Quat, Vec3};

use crate::asset;
use crate::asset::Character;
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};

use super::*;

const HERTZ: f32 = 60.0;

/// The mannequin's walk, and the joint positions that a sensor would measure.
pub(crate) struct SampledWalk {
    pub(crate) character: Character,
    pub(crate) joints: Vec<usize>,
    pub(crate) frames: Vec<Vec<Option<Vec3>>>,
    pub(crate) poses: Vec<Pose>,
}

pub(crate) fn walk(seconds: f32) -> SampledWalk {
    let character = asset::mannequin().unwrap();
    let joints: Vec<usize> = character.humanoid.as_ref().unwrap().bones.values().copied().collect();
    let clip = character.clips.iter().find(|c| c.name.as_deref() == Some("walk")).unwrap();
    let skeleton = &character.skeleton;
    let (mut playhead, mut frames, mut poses) = (Playhead::default(), Vec::new(), Vec::new());
    for frame in 0..(seconds * HERTZ) as usize {
        let mut pose = Pose::rest(skeleton);
        playhead.sample(clip, frame as f32 / HERTZ % clip.seconds, skeleton, &mut pose);
        // Move the walk away from the origin and rotate it slowly.
        let hips = character.humanoid.as_ref().unwrap().bones["hips"];
        let turn = Quat::from_rotation_y(frame as f32 * 0.01);
        let local = &mut pose.locals[hips];
        local.rotation = turn * local.rotation;
        local.translation = turn * local.translation + Vec3::new(1.0, 0.1, frame as f32 * 0.02);
        let world = worlds(&character, &pose);
        frames.push(joints.iter().map(|&j| Some(Vec3::from(world[j].translation))).collect());
        poses.push(pose);
    }
    SampledWalk { joints, frames, poses, character }
}

pub(super) fn worlds(character: &Character, pose: &Pose) -> Vec<Affine3A> {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, pose, &mut world);
    world
}

/// Returns the same character with the axes of every joint rotated differently, and with a rotated and scaled root.
pub(super) fn with_other_axes(mut character: Character, heading: Quat, scale: f32) -> Character {
    let axes =
        |node: usize| Quat::from_scaled_axis(Vec3::new(0.7, -1.1, 0.4) * (node as f32 * 0.37).sin() * 2.0);
    let root =
        character.skeleton.ancestors(character.humanoid.as_ref().unwrap().bones["hips"]).last().unwrap();
    for index in 0..character.skeleton.nodes.len() {
        let above = character.skeleton.nodes[index].parent.map_or(Quat::IDENTITY, axes);
        let rest = &mut character.skeleton.nodes[index].rest;
        rest.translation = above.inverse() * rest.translation;
        rest.rotation = (above.inverse() * rest.rotation * axes(index)).normalize();
        if index == root {
            rest.translation = heading * rest.translation * scale;
            rest.rotation = heading * rest.rotation;
            rest.scale *= scale;
        }
    }
    character
}

/// Returns the mean and the largest distance between the joints of two poses.
fn distances(seen: &SampledWalk, a: &Pose, b: &Pose) -> (f32, f32) {
    let (a, b) = (worlds(&seen.character, a), worlds(&seen.character, b));
    let all = seen.joints.iter().map(|&j| a[j].translation.distance(b[j].translation));
    let (sum, largest) = all.fold((0.0_f32, 0.0_f32), |(s, m), d| (s + d, m.max(d)));
    (sum / seen.joints.len() as f32, largest)
}

#[test]
fn positions_reproduce_the_motion() {
    let seen = walk(2.0);
    let skeleton = &seen.character.skeleton;
    let mut fit = Fit::new(skeleton, &seen.joints).unwrap();
    let logical_parents = fit.logical_parents();
    let mut pose = Pose::rest(skeleton);
    let (mut mean, mut turn, mut swing) = (0.0_f32, 0.0_f32, 0.0_f32);
    for (frame, truth) in seen.frames.iter().zip(&seen.poses) {
        fit.pose(frame, &mut pose);
        mean += distances(&seen, &pose, truth).0 / seen.frames.len() as f32;
        let (a, b) = (worlds(&seen.character, &pose), worlds(&seen.character, truth));
        for (column, &joint) in seen.joints.iter().enumerate() {
            let children: Vec<usize> = (0..logical_parents.len())
                .filter(|&c| logical_parents[c] == Some(column))
                .map(|c| seen.joints[c])
                .collect();
            let directions = |world: &[Affine3A]| -> Vec<Vec3> {
                let to = |&c: &usize| (world[c].translation - world[joint].translation).normalize().into();
                children.iter().map(to).collect()
            };
            for (x, y) in directions(&a).iter().zip(directions(&b)) {
                swing = swing.max(x.angle_between(y));
            }
            if children.len() > 1 {
                let angle =
                    Quat::from_mat3a(&a[joint].matrix3).angle_between(Quat::from_mat3a(&b[joint].matrix3));
                turn = turn.max(angle);
            }
        }
    }
    println!(
        "mean joint error {} mm, largest error of rotations {}°, of bone directions {}°",
        mean * 1e3,
        turn.to_degrees(),
        swing.to_degrees()
    );
    assert!(mean < 1e-3, "mean joint error {mean} m");
    assert!(turn.to_degrees() < 0.5, "largest error of rotations {}°", turn.to_degrees());
    assert!(swing.to_degrees() < 0.5, "largest error of bone directions {}°", swing.to_degrees());
}

#[test]
fn joint_axes_and_root_scale_do_not_matter() {
    let mut seen = walk(0.5);
    // Some files scale the root, because the character was modelled in a different unit.
    let (heading, scale) = (Quat::from_rotation_y(1.0), 39.0);
    seen.character = with_other_axes(seen.character, heading, scale);
    let skeleton = &seen.character.skeleton;
    let mut fit = Fit::new(skeleton, &seen.joints).unwrap();
    let mut pose = Pose::rest(skeleton);
    for frame in &seen.frames {
        let frame: Vec<_> = frame.iter().map(|p| p.map(|p| heading * p * scale)).collect();
        fit.pose(&frame, &mut pose);
        let world = worlds(&seen.character, &pose);
        for (position, &joint) in frame.iter().zip(&seen.joints) {
            let error = position.unwrap().distance(world[joint].translation.into());
            assert!(error < 1e-3 * scale, "{}: {error} m", skeleton.label(joint));
        }
    }
}

/// Removes every fifth joint, including the hips and a hand, from 1 s to 1.5 s.
fn with_gaps(seen: &SampledWalk) -> Vec<Vec<Option<Vec3>>> {
    let mut frames = seen.frames.clone();
    for frame in &mut frames[60..90] {
        frame.iter_mut().step_by(5).for_each(|position| *position = None);
    }
    frames
}

/// Returns the largest movement of a joint between two frames.
fn largest_step(seen: &SampledWalk, poses: &[Pose]) -> f32 {
    poses.windows(2).map(|w| distances(seen, &w[0], &w[1]).1).fold(0.0, f32::max)
}

#[test]
fn joints_that_drop_out_do_not_jump() {
    let seen = walk(3.0);
    let skeleton = &seen.character.skeleton;
    let mut tracker = Tracker::new(Fit::new(skeleton, &seen.joints).unwrap());
    let mut pose = Pose::rest(skeleton);
    let (mut poses, mut all) = (Vec::new(), Vec::new());
    for (frame, positions) in with_gaps(&seen).iter().enumerate() {
        all.push(tracker.step(frame as f64 / f64::from(HERTZ), positions, &mut pose).to_vec());
        poses.push(pose.clone());
    }
    let count = |frame: usize, presence| all[frame].iter().filter(|p| **p == presence).count();
    assert_eq!(count(59, Presence::Measured), seen.joints.len());
    assert_eq!(count(60, Presence::Missing), seen.joints.len().div_ceil(5));
    assert_eq!(count(90, Presence::Returning), seen.joints.len().div_ceil(5));
    assert_eq!(count(110, Presence::Measured), seen.joints.len());

    let (truth, filled) = (largest_step(&seen, &seen.poses), largest_step(&seen, &poses));
    let errors: Vec<f32> = poses.iter().zip(&seen.poses).map(|(a, b)| distances(&seen, a, b).1).collect();
    println!(
        "largest step: {truth} m in the original, {filled} m while tracked; error at the end of the gap: {} m",
        errors[89]
    );
    assert!(filled < 1.5 * truth, "largest step {filled} m, in the original {truth} m");
    assert!(
        errors[59] < 1e-4 && errors[110] < 1e-4,
        "errors {} m before and {} m after the gap",
        errors[59],
        errors[110]
    );
    assert!(errors.windows(2).all(|w| (w[1] - w[0]).abs() < 0.5 * truth));
}

#[test]
fn joints_that_drop_out_do_not_jump_for_a_performer_of_other_proportions() {
    let mut seen = walk(3.0);
    // The performer's shoulders and hips are broader than the character's.
    for position in seen.frames.iter_mut().flatten().flatten() {
        *position *= Vec3::new(1.1, 1.0, 1.05);
    }
    let skeleton = &seen.character.skeleton;
    let mut tracker = Tracker::new(Fit::new(skeleton, &seen.joints).unwrap());
    let mut pose = Pose::rest(skeleton);
    let mut step = |frame: usize, positions: &[Option<Vec3>]| {
        tracker.step(frame as f64 / f64::from(HERTZ), positions, &mut pose);
        pose.clone()
    };
    let poses: Vec<Pose> = with_gaps(&seen).iter().enumerate().map(|(f, p)| step(f, p)).collect();
    let (before, around) = (largest_step(&seen, &poses[2..60]), largest_step(&seen, &poses[55..120]));
    println!("largest step: {before} m before the gap, {around} m around it");
    assert!(around < 1.5 * before, "largest step {around} m, before the gap {before} m");
}

#[test]
fn gaps_in_a_take_are_filled_smoothly() {
    let seen = walk(3.0);
    let skeleton = &seen.character.skeleton;
    let mut fit = Fit::new(skeleton, &seen.joints).unwrap();
    let times: Vec<f64> = (0..seen.frames.len()).map(|f| f as f64 / f64::from(HERTZ)).collect();
    let mut frames = Frames::of(seen.joints.len(), with_gaps(&seen));
    let filled = fill_gaps(&times, &mut frames, &fit.logical_parents()).unwrap();
    let filled_count: usize = filled.iter().flatten().filter(|f| **f).count();
    assert_eq!(filled_count, 30 * seen.joints.len().div_ceil(5));
    let mut pose = Pose::rest(skeleton);
    let poses: Vec<Pose> = frames
        .iter()
        .map(|frame| {
            fit.pose(frame, &mut pose);
            pose.clone()
        })
        .collect();
    let (truth, filled) = (largest_step(&seen, &seen.poses), largest_step(&seen, &poses));
    println!("largest step: {truth} m in the original, {filled} m with filled gaps");
    assert!(filled < 1.2 * truth, "largest step {filled} m, in the original {truth} m");
}

#[test]
fn a_gap_in_a_linear_motion_is_filled_exactly() {
    let times: Vec<f64> = (0..8).map(f64::from).collect();
    let at = |t: f64| Vec3::new(t as f32, 2.0 - t as f32 * 0.5, 0.0);
    let mut frames: Vec<Vec<Option<Vec3>>> = times.iter().map(|&t| vec![Some(at(t)), None]).collect();
    (2..5).for_each(|f| frames[f][0] = None);
    (0..2).for_each(|f| frames[f][1] = Some(at(0.0)));
    let mut frames = Frames::of(2, frames);
    let filled = fill_gaps(&times, &mut frames, &[None, Some(0)]).unwrap();
    for (frame, &t) in frames.iter().zip(&times) {
        assert!(frame[0].unwrap().distance(at(t)) < 1e-5);
    }
    assert!(filled[3][0] && filled[7][1] && !filled[1][1]);
    // After its last measurement, a joint keeps the offset from its parent that it had then, which is at(0) − at(1).
    assert!(frames[7][1].unwrap().distance(at(7.0) + at(0.0) - at(1.0)) < 1e-5);
    assert!(fill_gaps(&[0.0, 0.0], &mut Frames::of(0, [vec![], vec![]]), &[]).is_err());
    // A cycle of parents terminates.
    fill_gaps(&[0.0], &mut Frames::of(2, [vec![None, None]]), &[Some(1), Some(0)]).unwrap();
}

#[test]
fn the_unit_is_estimated_from_bone_lengths() {
    let seen = walk(0.2);
    let mut fit = Fit::new(&seen.character.skeleton, &seen.joints).unwrap();
    let millimetres: Vec<Vec<Option<Vec3>>> =
        seen.frames.iter().map(|f| f.iter().map(|p| p.map(|p| p * 1000.0)).collect()).collect();
    let scale = fit.scale_of(millimetres.iter().map(Vec::as_slice)).unwrap();
    assert!((scale - 1e-3).abs() < 1e-7, "{scale}");
    fit.scale = scale;
    let mut pose = Pose::rest(&seen.character.skeleton);
    fit.pose(&millimetres[5], &mut pose);
    assert!(distances(&seen, &pose, &seen.poses[5]).0 < 1e-4);
    assert_eq!(fit.scale_of([&[][..]]), None);
}

#[test]
fn the_pose_of_untracked_hips_is_computed_from_their_children() {
    let seen = walk(0.5);
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let joints: Vec<usize> = ["spine", "leftUpperLeg", "rightUpperLeg", "leftLowerLeg", "rightLowerLeg"]
        .map(|b| bones[b])
        .to_vec();
    let mut fit = Fit::new(&seen.character.skeleton, &joints).unwrap();
    let mut pose = Pose::rest(&seen.character.skeleton);
    for truth in &seen.poses {
        let world = worlds(&seen.character, truth);
        let frame: Vec<_> = joints.iter().map(|&j| Some(Vec3::from(world[j].translation))).collect();
        fit.pose(&frame, &mut pose);
        let hips = bones["hips"];
        assert!(worlds(&seen.character, &pose)[hips].abs_diff_eq(world[hips], 1e-4));
    }
}

#[test]
fn exact_positions_are_recovered_by_the_formulas_of_the_lecture() {
    let seen = walk(0.5);
    let mut fit = Fit::new(&seen.character.skeleton, &seen.joints).unwrap();
    fit.rotations = RotationFit::Lecture;
    let mut pose = Pose::rest(&seen.character.skeleton);
    for (frame, truth) in seen.frames.iter().zip(&seen.poses) {
        fit.pose(frame, &mut pose);
        assert!(distances(&seen, &pose, truth).0 < 1e-4, "{:?}", distances(&seen, &pose, truth));
    }
}

#[test]
fn invalid_positions_are_ignored_and_a_still_pose_does_not_drift() {
    let seen = walk(0.2);
    let skeleton = &seen.character.skeleton;
    let mut fit = Fit::new(skeleton, &seen.joints).unwrap();
    let mut pose = Pose::rest(skeleton);
    fit.pose(&seen.frames[3], &mut pose);
    let mut once = pose.clone();
    fit.pose(&seen.frames[3], &mut once);
    let mut repeated = once.clone();
    (0..1000).for_each(|_| fit.pose(&seen.frames[3], &mut repeated));
    assert!(distances(&seen, &once, &repeated).1 < 1e-5);
    assert!(
        once.locals.iter().zip(&repeated.locals).all(|(a, b)| a.rotation.angle_between(b.rotation) < 1e-3)
    );

    for extreme in [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX, 0.0] {
        let mut pose = pose.clone();
        for frame in
            [vec![Some(Vec3::splat(extreme)); seen.joints.len()], vec![Some(Vec3::X * extreme)], Vec::new()]
        {
            fit.pose(&frame, &mut pose);
            assert!(pose.locals.iter().all(|l| l.rotation.is_normalized() && l.translation.is_finite()));
        }
    }
}

#[test]
fn invalid_joint_lists_are_errors() {
    let character = asset::mannequin().unwrap();
    let error = |joints: &[usize]| Fit::new(&character.skeleton, joints).unwrap_err();
    assert_eq!(error(&[]), CaptureError::Empty);
    assert!(matches!(error(&[0, 9999]), CaptureError::Node { index: 1, node: 9999, .. }));
    assert!(matches!(error(&[1, 0, 1]), CaptureError::Duplicate { first: 0, second: 2, .. }));
    let mut skeleton = character.skeleton.clone();
    let label = skeleton.label(2);
    skeleton.nodes[2].parent = None;
    skeleton.parents_first.iter_mut().filter(|(node, _)| *node == 2).for_each(|pair| pair.1 = None);
    let apart = CaptureError::NoCommonAncestor { node: label, other: skeleton.label(1) };
    assert_eq!(Fit::new(&skeleton, &[1, 0, 2]).unwrap_err(), apart);
}
