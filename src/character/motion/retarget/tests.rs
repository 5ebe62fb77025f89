use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Node, Transform, Values, mannequin};
use crate::motion::Playhead;
use crate::pose::world_matrices;
use crate::rig::humanoid;
use crate::rig::outlines::{CMU, from_outline};

use super::*;

/// Poses at eight evenly spaced times of each clip.
fn poses(character: &Character, clips: &Character) -> Vec<Pose> {
    let mut poses = Vec::new();
    for clip in &clips.clips {
        for i in 0..8_u8 {
            let mut pose = Pose::rest(&character.skeleton);
            let time = clip.seconds * f32::from(i) / 8.0;
            Playhead::default().sample(clip, time, &character.skeleton, &mut pose);
            poses.push(pose);
        }
    }
    poses
}

fn retargeted(retarget: &mut Retarget, source: &Pose) -> (Pose, Vec<ContactConstraint>) {
    let (mut out, mut contacts) = (Pose::default(), Vec::new());
    retarget.pose(source, &mut out, &mut contacts);
    (out, contacts)
}

fn world(character: &Character, pose: &Pose) -> Vec<Affine3A> {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, pose, &mut world);
    world
}

/// The angle between two rotations, in radians.
fn angle(a: Quat, b: Quat) -> f32 {
    (a.conjugate() * b).xyz().length().min(1.0).asin() * 2.0
}

/// Returns a character under a new root.
fn below(mut character: Character, root: Transform) -> Character {
    let index = character.skeleton.nodes.len();
    let skeleton = &mut character.skeleton;
    let roots: Vec<usize> = (0..index).filter(|&n| skeleton.nodes[n].parent.is_none()).collect();
    roots.iter().for_each(|&r| skeleton.nodes[r].parent = Some(index));
    skeleton.nodes.push(Node { children: roots, rest: root, ..Node::new("Armature") });
    skeleton.parents_first.iter_mut().for_each(|(_, p)| *p = p.or(Some(index)));
    skeleton.parents_first.insert(0, (index, None));
    character
}

#[test]
fn retargeting_to_the_same_character_keeps_every_pose() {
    let character = mannequin().unwrap();
    let mut retarget = Retarget::by_bodies(&character, &character).unwrap();
    for pose in poses(&character, &character) {
        let (out, contacts) = retargeted(&mut retarget, &pose);
        for (a, b) in pose.locals.iter().zip(&out.locals) {
            assert!(angle(a.rotation, b.rotation) < 1e-5 && a.translation.distance(b.translation) < 1e-5);
        }
        let world = world(&character, &pose);
        assert_eq!(contacts.len(), 2);
        for contact in contacts {
            assert!(contact.position.distance(world[contact.node].translation.into()) < 1e-5);
        }
    }
    assert!(Retarget::new(&character, &character).unwrap().is_by_names());
}

/// The same skeleton must have the same motion if its rest pose is a T-pose.
#[test]
fn a_t_pose_and_an_a_pose_give_the_same_motion() {
    let character = mannequin().unwrap();
    let mut t_pose = character.clone();
    let rest = world(&character, &Pose::rest(&character.skeleton));
    let bones = humanoid(&character).unwrap();
    for (side, x) in [("left", Vec3::X), ("right", Vec3::NEG_X)] {
        let node = |bone: &str| bones[&format!("{side}{bone}")];
        let (upper, lower) = (node("UpperArm"), node("LowerArm"));
        let along = Vec3::from(rest[lower].translation - rest[upper].translation).normalize();
        let node = &mut t_pose.skeleton.nodes[upper];
        let above = rest[node.parent.unwrap()].to_scale_rotation_translation().1;
        let turn = Quat::from_rotation_arc(along, x);
        node.rest.rotation = above.conjugate() * turn * above * node.rest.rotation;
    }
    let spread = world(&t_pose, &Pose::rest(&t_pose.skeleton));
    assert!(spread[bones["leftLowerArm"]].translation.y > rest[bones["leftLowerArm"]].translation.y + 0.15);
    let forward = Retarget::by_bodies(&t_pose, &character).unwrap();
    let back = Retarget::by_bodies(&character, &t_pose).unwrap();
    for mut retarget in [forward, back, Retarget::new(&t_pose, &character).unwrap()] {
        for pose in poses(&character, &character) {
            let (out, _) = retargeted(&mut retarget, &pose);
            for (a, b) in pose.locals.iter().zip(&out.locals) {
                assert!(angle(a.rotation, b.rotation) < 1e-3, "{}", angle(a.rotation, b.rotation));
            }
        }
    }
}

/// The target is a hundred times larger, under a root with a scale of 39.
#[test]
fn the_motion_scales_with_the_size_of_the_target() {
    let character = mannequin().unwrap();
    let mut large = character.clone();
    for node in &mut large.skeleton.nodes {
        node.rest.translation *= 100.0 / 39.0;
    }
    let root = Transform { scale: Vec3::splat(39.0), ..Transform::IDENTITY };
    let large = below(large, root);
    for mut retarget in
        [Retarget::by_bodies(&character, &large).unwrap(), Retarget::new(&character, &large).unwrap()]
    {
        for pose in poses(&character, &character) {
            let (out, _) = retargeted(&mut retarget, &pose);
            let (small, large) = (world(&character, &pose), world(&large, &out));
            for (a, b) in small.iter().zip(&large) {
                assert!((a.translation * 100.0).distance(b.translation) < 1e-5 * 175.0, "{a} {b}");
            }
        }
    }
}

/// One target faces −Z, and another lies on its back, as in a file with different axes.
#[test]
fn front_and_up_directions_follow_the_body() {
    let character = mannequin().unwrap();
    let turned = |turn: Quat| below(character.clone(), Transform { rotation: turn, ..Transform::IDENTITY });
    let hips = humanoid(&character).unwrap()["hips"];
    for turn in
        [Quat::from_rotation_y(std::f32::consts::PI), Quat::from_rotation_x(std::f32::consts::FRAC_PI_2)]
    {
        let other = turned(turn);
        let mut retarget = Retarget::by_bodies(&character, &other).unwrap();
        for mut pose in poses(&character, &character) {
            pose.locals[hips].translation += Vec3::new(0.3, 0.0, 1.2);
            let (out, _) = retargeted(&mut retarget, &pose);
            for (a, b) in pose.locals.iter().zip(&out.locals) {
                assert!(angle(a.rotation, b.rotation) < 1e-4 && a.translation.distance(b.translation) < 1e-4);
            }
        }
    }
}

/// The source is a motion capture file. Its rest pose lies down at the origin, and its clip is upright.
#[test]
fn the_ground_of_a_lying_rest_pose_comes_from_the_clip() {
    let lying = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let mut source = from_outline(CMU);
    source.skeleton.nodes.iter_mut().for_each(|n| n.rest.translation = lying * n.rest.translation);
    let clip = |offset: Vec3| Clip {
        name: None,
        seconds: 0.0,
        timelines: vec![vec![0.0]],
        channels: vec![
            Channel {
                node: 0,
                timeline: 0,
                interpolation: Interpolation::Linear,
                values: Values::Rotation(vec![lying.inverse()]),
            },
            Channel {
                node: 0,
                timeline: 0,
                interpolation: Interpolation::Linear,
                values: Values::Translation(vec![offset]),
            },
        ],
        ..Clip::default()
    };
    source.clips.push(clip(Vec3::new(0.0, 20.0, 0.0)));
    let target = mannequin().unwrap();
    let mut retarget = Retarget::new(&source, &target).unwrap();
    let pose = poses(&source, &source).remove(0);
    let (out, contacts) = retargeted(&mut retarget, &pose);
    let (rest, now) = (world(&target, &Pose::rest(&target.skeleton)), world(&target, &out));
    let bones = humanoid(&target).unwrap();
    for bone in ["hips", "chest", "head"] {
        let (a, b) = (rest[bones[bone]], now[bones[bone]]);
        assert!((a.matrix3.inverse() * b.matrix3).abs_diff_eq(glam::Mat3A::IDENTITY, 1e-3), "{bone}");
    }
    // Legs that are spread by about 20° do not reach down as far, so the hips are lower. The feet must still be on the
    // ground.
    let rise = now[bones["hips"]].translation.y - rest[bones["hips"]].translation.y;
    assert!((-0.1..0.0).contains(&rise), "{rise}");
    for contact in &contacts {
        let ankle = rest[contact.node].translation.y;
        assert!((contact.position.y - ankle).abs() < 0.01 && contact.weight > 0.99, "{contact:?}");
    }
    let [left, right] = ["leftHand", "rightHand"].map(|b| now[bones[b]].translation);
    assert!(
        left.x > 0.5 && right.x < -0.5 && (left.y - 1.385).abs() < 0.1,
        "the arms must be spread like those of the source"
    );
}

/// A rotation of three spine joints is distributed evenly over four.
#[test]
fn spines_with_different_joint_counts_share_the_rotation() {
    let source = mannequin().unwrap();
    let mut lines: Vec<String> = Vec::new();
    // All nodes below the last spine joint move one level deeper.
    let mut deeper = false;
    for line in CMU.lines() {
        let line = line.replace("Spine1 0 1.9", "Spine1 0 0.9");
        lines.push(if deeper { format!(" {line}") } else { line.clone() });
        if line.trim_start().starts_with("Spine1") {
            lines.push("    Spine2 0 1.0 0".to_owned());
            deeper = true;
        }
    }
    let target = from_outline(&lines.join("\n"));
    let mut retarget = Retarget::new(&source, &target).unwrap();
    let mut pose = Pose::rest(&source.skeleton);
    let bend = Quat::from_rotation_x(0.3);
    for bone in ["spine", "chest", "upperChest"] {
        pose.locals[source.skeleton.find(bone).unwrap()].rotation *= bend;
    }
    let (out, _) = retargeted(&mut retarget, &pose);
    for name in ["LowerBack", "Spine", "Spine1", "Spine2"] {
        let local = out.locals[target.skeleton.find(name).unwrap()].rotation;
        assert!(angle(local, Quat::from_rotation_x(0.9 / 4.0)) < 1e-4, "{name}: {local}");
    }
}

/// Returns a character whose rest pose is a frame of its walk.
fn saved_in_mid_stride(character: &Character, phase: f32) -> Character {
    let mut saved = character.clone();
    let walk = character.clips.iter().find(|c| c.name.as_deref() == Some("walk")).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    Playhead::default().sample(walk, phase * walk.seconds, &character.skeleton, &mut pose);
    saved.skeleton.nodes.iter_mut().zip(&pose.locals).for_each(|(node, local)| node.rest = *local);
    saved
}

/// The largest differences of bone orientations and positions between two poses, in radians and metres.
fn difference(character: &Character, a: &Pose, b: &Pose) -> (f32, f32) {
    let (a, b) = (world(character, a), world(character, b));
    humanoid(character).unwrap().values().fold((0.0, 0.0), |(turned, moved), &n| {
        let rotation = |m: &Affine3A| m.to_scale_rotation_translation().1;
        let distance = Vec3::from(a[n].translation - b[n].translation).length();
        (angle(rotation(&a[n]), rotation(&b[n])).max(turned), distance.max(moved))
    })
}

/// The result must be the same as if the bind pose of the skin were the rest pose.
#[test]
fn a_rest_pose_in_mid_stride_is_replaced_by_the_bind_pose() {
    let character = mannequin().unwrap();
    let other = from_outline(CMU);
    for phase in [0.1, 0.25, 0.6] {
        let saved = saved_in_mid_stride(&character, phase);
        assert!(
            difference(&character, &Pose::rest(&saved.skeleton), &Pose::rest(&character.skeleton)).0 > 0.3
        );
        let forward = |c: &Character| Retarget::by_bodies(c, &character).unwrap();
        let back = |c: &Character| Retarget::by_bodies(&character, c).unwrap();
        let names = |c: &Character| Retarget::new(c, &character).unwrap();
        assert!(names(&saved).is_by_names());
        let mut pairs = [
            (forward(&saved), forward(&character)),
            (back(&saved), back(&character)),
            (names(&saved), names(&character)),
            (Retarget::new(&character, &saved).unwrap(), names(&character)),
        ];
        for (retarget, known) in &mut pairs {
            for pose in poses(&character, &character) {
                let ((a, _), (b, _)) = (retargeted(retarget, &pose), retargeted(known, &pose));
                let (turned, moved) = difference(&character, &a, &b);
                assert!(turned < 1e-3 && moved < 1e-3, "{turned} {moved}");
            }
        }
        let (mut retarget, mut known) =
            (Retarget::new(&saved, &other).unwrap(), Retarget::new(&character, &other).unwrap());
        for pose in poses(&character, &character) {
            let ((a, _), (b, _)) = (retargeted(&mut retarget, &pose), retargeted(&mut known, &pose));
            let (turned, moved) = difference(&other, &a, &b);
            assert!(turned < 1e-3 && moved < 1e-3 * 16.0, "{turned} {moved}");
        }
    }
}

/// Without a skin, the reference pose is found in the clips. Feet and legs must move as in the original.
#[test]
fn a_rest_pose_in_mid_stride_without_a_skin_is_replaced_from_the_clips() {
    let character = mannequin().unwrap();
    let bones = humanoid(&character).unwrap();
    for phase in [0.1, 0.25, 0.6] {
        let mut saved = saved_in_mid_stride(&character, phase);
        saved.skins.clear();
        let mut retarget = Retarget::by_bodies(&saved, &character).unwrap();
        for pose in poses(&character, &character) {
            let (out, contacts) = retargeted(&mut retarget, &pose);
            let (actual, expected) = (world(&character, &out), world(&character, &pose));
            for bone in ["hips", "leftFoot", "rightFoot", "leftLowerLeg", "rightLowerLeg", "chest", "head"] {
                let n = bones[bone];
                let rotation = |m: &Affine3A| m.to_scale_rotation_translation().1;
                let turned = angle(rotation(&actual[n]), rotation(&expected[n]));
                assert!(turned < 0.06, "{phase}: {bone} {turned}");
            }
            for contact in contacts {
                let distance = contact.position.distance(expected[contact.node].translation.into());
                assert!(distance < 0.015, "{phase}: {distance}");
            }
        }
    }
}

/// Without a skin or clips, the rest pose is used.
#[test]
fn a_rest_pose_in_mid_stride_without_a_skin_and_clips_is_kept() {
    let character = mannequin().unwrap();
    let mut saved = saved_in_mid_stride(&character, 0.25);
    (saved.skins, saved.clips) = (Vec::new(), Vec::new());
    let mut retarget = Retarget::by_bodies(&saved, &character).unwrap();
    let (out, _) = retargeted(&mut retarget, &Pose::rest(&saved.skeleton));
    assert!(out.locals.iter().all(|l| l.rotation.is_finite() && l.translation.is_finite()));
}

#[test]
fn left_stays_left() {
    let source = from_outline(CMU);
    let target = mannequin().unwrap();
    let mut retarget = Retarget::new(&source, &target).unwrap();
    let mut pose = Pose::rest(&source.skeleton);
    let still = world(&target, &retargeted(&mut retarget, &pose).0);
    pose.locals[source.skeleton.find("LeftArm").unwrap()].rotation = Quat::from_rotation_z(0.8);
    let moved = world(&target, &retargeted(&mut retarget, &pose).0);
    let bones = humanoid(&target).unwrap();
    let rise = |bone: &str| moved[bones[bone]].translation.y - still[bones[bone]].translation.y;
    assert!(rise("leftHand") > 0.3 && rise("rightHand").abs() < 1e-6);
}

#[test]
fn hand_offsets_scale_with_the_arm_span() {
    let (source, target) = (from_outline(CMU), mannequin().unwrap());
    let mut retarget = Retarget::new(&source, &target).unwrap();
    retarget.hands = true;
    let mut pose = Pose::rest(&source.skeleton);
    // Both hands meet in front of the chest.
    for (name, sign) in [("Left", 1.0_f32), ("Right", -1.0)] {
        let node = |part: &str| source.skeleton.find(&format!("{name}{part}")).unwrap();
        pose.locals[node("Arm")].rotation = Quat::from_rotation_y(-0.9 * sign);
        pose.locals[node("ForeArm")].rotation = Quat::from_rotation_y(-1.2 * sign);
    }
    let distance = |positions: [Vec3; 2]| positions[0].distance(positions[1]);
    let from = world(&source, &pose);
    let own = ["LeftHand", "RightHand"].map(|n| from[source.skeleton.find(n).unwrap()].translation.into());
    let (_, contacts) = retargeted(&mut retarget, &pose);
    assert_eq!(contacts.len(), 4);
    let ratio = distance([contacts[2].position, contacts[3].position]) / distance(own);
    let span = (0.17 + 0.268 + 0.247) / (3.8 + 4.8 + 2.75);
    assert!((ratio / span - 1.0).abs() < 0.05, "{ratio} {span}");
}

#[test]
fn characters_without_common_names_or_bodies_are_refused() {
    let (human, other) = (mannequin().unwrap(), from_outline("a 0 0 0\n b 0 1 0\n"));
    let error = Retarget::new(&other, &human).unwrap_err();
    assert_eq!(
        error.to_string(),
        "outline: not recognised as a humanoid (it has no joints), and its joint names do not match those of the built-in mannequin"
    );
    assert!(matches!(Retarget::by_names(&other, &human), Err(RetargetError::NoNames { .. })));
    assert!(matches!(Retarget::by_bodies(&human, &other), Err(RetargetError::NoHumanoid { .. })));
    // A character that is not a humanoid is matched by names.
    assert!(Retarget::new(&other, &other).unwrap().is_by_names());
}

#[test]
fn a_pose_of_another_character_leaves_the_target_at_rest() {
    let character = mannequin().unwrap();
    for mut retarget in
        [Retarget::by_bodies(&character, &character), Retarget::by_names(&character, &character)]
            .map(Result::unwrap)
    {
        let (out, contacts) = retargeted(&mut retarget, &Pose::default());
        assert_eq!(out, Pose::rest(&character.skeleton));
        assert!(contacts.is_empty());
    }
}
