//! Tests of mirrored poses.

use std::sync::LazyLock;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use crate::asset::{Character, Skeleton, mannequin};
use crate::rig::{Rig, detect};

use super::*;

static MANNEQUIN: LazyLock<(Character, Rig)> = LazyLock::new(|| {
    let character = mannequin().unwrap();
    let rig = detect(&character);
    (character, rig)
});

fn mirror() -> Mirror {
    Mirror::new(&MANNEQUIN.0.skeleton, MANNEQUIN.1.body.as_ref().unwrap())
}

fn positions(skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
    let mut world = Vec::new();
    world_matrices(skeleton, pose, &mut world);
    world.iter().map(|m| m.translation.as_dvec3()).collect()
}

#[test]
fn every_joint_of_the_mannequin_has_a_counterpart() {
    let skeleton = &MANNEQUIN.0.skeleton;
    let (mirror, rest) = (mirror(), positions(skeleton, &Pose::rest(skeleton)));
    for (node, &at) in rest.iter().enumerate() {
        let partner = mirror.partner(node).unwrap();
        assert_eq!(mirror.partner(partner), Some(node));
        assert!(mirror.point(at).distance(rest[partner]) < 1e-3, "{}", skeleton.label(node));
    }
    let find = |name: &str| skeleton.find(name).unwrap();
    assert_eq!(mirror.partner(find("leftLowerLeg")), Some(find("rightLowerLeg")));
    assert_eq!(mirror.partner(find("hips")), Some(find("hips")));
}

#[test]
fn the_rest_pose_is_its_own_mirror_image() {
    let rest = Pose::rest(&MANNEQUIN.0.skeleton);
    assert_eq!(mirror().pose(&MANNEQUIN.0.skeleton, &rest), rest);
}

#[test]
fn a_limb_is_copied_relative_to_the_trunk() {
    let skeleton = &MANNEQUIN.0.skeleton;
    let find = |name: &str| skeleton.find(name).unwrap();
    let mut pose = Pose::rest(skeleton);
    pose.locals[find("spine")].rotation *= Quat::from_rotation_y(0.4);
    pose.locals[find("leftUpperArm")].rotation *= Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.5, 0.7);
    let mut copied = pose.clone();
    mirror().copy(skeleton, &pose, [find("leftUpperArm"), find("leftLowerArm")], &mut copied);
    // Only the other limb changes, and mirroring the whole pose gives the same limb.
    let changed = |n: &usize| copied.locals[*n] != pose.locals[*n];
    assert_eq!((0..skeleton.nodes.len()).filter(changed).collect::<Vec<_>>(), [find("rightUpperArm")]);
    let mirrored = mirror().pose(skeleton, &pose);
    assert_eq!(copied.locals[find("rightUpperArm")], mirrored.locals[find("rightUpperArm")]);
}

/// Returns the mannequin with different axes for the joints on the right side, one of which has a mirrored scale.
fn twisted() -> Skeleton {
    let mut skeleton = MANNEQUIN.0.skeleton.clone();
    let twist = Quat::from_euler(glam::EulerRot::XYZ, 0.9, -1.3, 2.1);
    let top = skeleton.find("rightUpperArm").unwrap();
    let below: Vec<usize> =
        (0..skeleton.nodes.len()).filter(|&n| skeleton.ancestors(n).any(|a| a == top)).collect();
    let world = |skeleton: &Skeleton| {
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        world
    };
    let before = world(&skeleton);
    for (step, &node) in below.iter().enumerate() {
        // The joint gets different axes, and its children stay in place.
        let parent = skeleton.nodes[node].parent.unwrap();
        let above = world(&skeleton)[parent];
        let scale = if step == 0 { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        let rest = &mut skeleton.nodes[node].rest;
        rest.rotation = (rest.rotation * twist).normalize();
        rest.scale = scale;
        rest.translation = above.inverse().transform_point3(before[node].translation.into());
    }
    skeleton
}

fn poses() -> impl Strategy<Value = Vec<[f32; 3]>> {
    prop::collection::vec(prop::array::uniform3(-1.2_f32..1.2), MANNEQUIN.0.skeleton.nodes.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Mirroring exchanges the positions of both sides, even if their joints have different axes, and mirroring again
    /// restores the pose.
    #[test]
    fn mirrored_joints_are_at_mirrored_positions(turns in poses(), shift in prop::array::uniform3(-0.5_f32..0.5), has_other_axes in any::<bool>()) {
        let skeleton = if has_other_axes { twisted() } else { MANNEQUIN.0.skeleton.clone() };
        let body = MANNEQUIN.1.body.as_ref().unwrap();
        let mirror = Mirror::new(&skeleton, body);
        let mut pose = Pose::rest(&skeleton);
        for (local, turn) in pose.locals.iter_mut().zip(&turns) {
            local.rotation = (local.rotation * Quat::from_scaled_axis(Vec3::from_array(*turn))).normalize();
        }
        pose.locals[body.hips].translation += Vec3::from_array(shift);
        let mirrored = mirror.pose(&skeleton, &pose);
        let (before, after) = (positions(&skeleton, &pose), positions(&skeleton, &mirrored));
        for (node, &at) in before.iter().enumerate() {
            let partner = mirror.partner(node).unwrap();
            let gap = mirror.point(at).distance(after[partner]);
            prop_assert!(gap < 2e-3, "{}: {gap}", skeleton.label(node));
        }
        let again = mirror.pose(&skeleton, &mirrored);
        for (a, b) in again.locals.iter().zip(&pose.locals) {
            prop_assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6);
            prop_assert!(a.translation.distance(b.translation) < 1e-5);
        }
    }
}
