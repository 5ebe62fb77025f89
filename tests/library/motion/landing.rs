//! Soles of retargeted clips, and limbs that would be inside the body.

use glam::{DVec3, Quat, Vec3};
use sinew::asset::{self, Character};
use sinew::check::{Check, CheckOptions, Checker};
use sinew::export::bake::Source;
use sinew::motion::{ContactConstraint, Recorder};
use sinew::pose::Pose;
use sinew::puppet::{Puppet, Target};
use sinew::rig;

use sinew_testkit::external;

const CESIUM_MAN: &str = "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb";
const CHARACTER: &str = "quaternius/platformer_game_pack/Character/Character.glb";
const KNIGHT: &str = "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb";
const WITCH: &str = "quaternius/modular_women/Witch/Witch.glb";
const MANNY: &str = "kaykit-char/models/mannequin_v2/manny_med_mod.gltf";

fn load(file: &str) -> Option<Character> {
    if file == "mannequin" {
        return asset::mannequin().ok();
    }
    let built_in = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if built_in.is_file() {
        return asset::load(&built_in).ok();
    }
    asset::load(&external(&format!("models/{file}"))?).ok()
}

/// Regression test: soles floated or sank by up to 8 cm, because ankles were placed instead of soles. Standing feet keep their place, and a
/// loop remains a loop.
#[test]
fn retargeted_soles_stand_on_the_floor() {
    let arnaud = "ozz-animation/converted/arnaud/arnaud.glb";
    for (take, clip, target) in [
        ("mannequin", "walk", "assets/awkward.glb"),
        ("mannequin", "run", "assets/awkward.glb"),
        ("mannequin", "walk", CESIUM_MAN),
        ("mannequin", "run", "derived/RiggedFigure-normalised/RiggedFigure-normalised.glb"),
        ("mannequin", "run", "raylib/robot/robot.glb"),
        ("mannequin", "walk", arnaud),
        ("bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh", "jumping_jacks", arnaud),
        // Feet that are not descendants of their legs, short legs, long arms, and a foot whose sole bends at the toes.
        ("mannequin", "walk", CHARACTER),
        ("mannequin", "crouch", KNIGHT),
        ("mannequin", "walk", MANNY),
        ("mannequin", "walk", "raylib/robot/robot.glb"),
        ("bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh", "jumping_jacks", CESIUM_MAN),
        // Knees and hands that jumped for a frame.
        ("bvh/pybvh/cmu_12_01_walk.bvh", "cmu_12_01_walk", "mannequin"),
        ("bvh/pybvh/cmu_12_01_walk.bvh", "cmu_12_01_walk", arnaud),
        // Legs that pass each other in wide boots, and long feet that then stay above the floor.
        ("bvh/pybvh/cmu_12_01_walk.bvh", "cmu_12_01_walk", WITCH),
        ("bvh/pybvh/cmu_12_01_walk.bvh", "cmu_12_01_walk", "raylib/robot/robot.glb"),
        // A large foot in the air that sank into the floor for a frame.
        ("bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh", "jumping_jacks", MANNY),
        // Skin far from the bones, and short legs whose shins pass the trunk.
        ("mannequin", "crouch", "vrm/VRMC_materials_mtoon_UV_Animation_Test.vrm"),
        ("bvh/20tab-bvh-python/test_mocapbank.bvh", "test_mocapbank", "raylib/robot/robot.glb"),
        ("bvh/20tab-bvh-python/test_mocapbank.bvh", "test_mocapbank", MANNY),
        // Feet that are not descendants of their legs, and an ancestor of the hips that leans with the motion.
        ("bvh/20tab-bvh-python/test_mocapbank.bvh", "test_mocapbank", KNIGHT),
        ("bvh/20tab-bvh-python/test_mocapbank.bvh", "test_mocapbank", CHARACTER),
    ] {
        let (Some(mut source), Some(target_character)) = (load(take), load(target)) else { continue };
        source.clips.retain(|c| c.name.as_deref() == Some(clip));
        let rig = rig::load(&target_character, None).unwrap();
        let done = Source::Character(Box::new(source)).clips(&target_character, &rig, false).unwrap();
        let report =
            Checker::new(&target_character, &rig).check(&done.clips[0], &CheckOptions::default()).unwrap();
        let errors: Vec<_> =
            report.findings.iter().filter(|f| f.severity == sinew::check::Severity::Error).collect();
        assert!(errors.is_empty(), "{take} {clip} on {target}: {errors:#?}");
    }
}

/// A hand that a pose puts through the front of the trunk is moved out of the trunk if the option is set.
#[test]
fn limbs_are_moved_out_of_the_body() {
    for offset in [[0.0, 0.0, 0.1], [-0.05, -0.1, 0.13], [0.0, -0.2, 0.13]] {
        let [kept, cleared] = depths_with_hand_in_chest(offset.into());
        assert!(kept > 0.05 && cleared < 0.1 * kept, "{offset:?}: kept {kept} m, cleared {cleared} m");
    }
}

/// Returns how deep the arm is inside the body, in metres, without and with the option. The hand is at an offset from the chest joint.
fn depths_with_hand_in_chest(offset: DVec3) -> [f64; 2] {
    let character = asset::mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let node = |bone: &str| rig.bones[bone];
    // The arm alone reaches into the chest.
    let mut puppet = Puppet::with_rig(character.clone(), 0, rig.clone());
    let chest = puppet.world_from_node()[node("chest")].translation.as_dvec3();
    let hand = Target::new(node("leftHand")).with_base(node("leftUpperArm"));
    puppet.targets.push(hand.with_position(chest + offset));
    puppet.update().unwrap();
    let pose = puppet.pose().clone();
    let depth = |pose: &Pose| {
        let mut recorder = Recorder::new(&character.skeleton);
        recorder.push(0.0, pose);
        recorder.push(1.0, pose);
        let clip = recorder.clip(&character.skeleton, None).unwrap();
        let report = Checker::new(&character, &rig).check(&clip, &CheckOptions::default()).unwrap();
        report.errors(Check::SelfPenetration).map(|f| f.value).fold(0.0, f64::max)
    };
    let solved = |clear: bool| {
        let mut puppet = Puppet::with_rig(character.clone(), 0, rig.clone());
        puppet.options.solver.full_body.clear = clear;
        let contact = |bone: &str| ContactConstraint {
            offset: Vec3::ZERO,
            node: node(bone),
            position: puppet.world_from_node()[node(bone)].translation.into(),
            orientation: None,
            on: None,
            weight: 1.0,
            yields: false,
            pulls: false,
        };
        let contacts = ["leftFoot", "rightFoot"].map(contact);
        puppet.follow(&pose, &contacts).unwrap();
        depth(puppet.pose())
    };
    [false, true].map(solved)
}

/// Hands that a pose puts below the floor, as for a figure with short legs and long arms, are moved out of the floor if the option is set.
#[test]
fn hands_are_moved_out_of_the_floor() {
    let character = asset::mannequin().unwrap();
    let node = |bone: &str| character.skeleton.find(bone).unwrap();
    let mut puppet = Puppet::new(character.clone(), 0);
    for (hand, arm, side) in [("leftHand", "leftUpperArm", 1.0), ("rightHand", "rightUpperArm", -1.0)] {
        let target = Target::new(node(hand)).with_base(node(arm));
        puppet.targets.push(target.with_position(DVec3::new(0.2 * side, 1.4, 0.6)));
    }
    puppet.update().unwrap();
    let mut pose = puppet.pose().clone();
    // The character bends over, so its arms hang down.
    pose.locals[node("hips")].translation.y -= 0.5;
    pose.locals[node("spine")].rotation *= Quat::from_rotation_x(1.4);
    let lowest_hand = |clear: bool| {
        let mut puppet = Puppet::new(character.clone(), 0);
        puppet.options.solver.full_body.clear = clear;
        let contacts = ["leftFoot", "rightFoot"].map(|bone| ContactConstraint {
            offset: Vec3::ZERO,
            node: node(bone),
            position: puppet.world_from_node()[node(bone)].translation.into(),
            orientation: None,
            on: None,
            weight: 1.0,
            yields: false,
            pulls: false,
        });
        puppet.follow(&pose, &contacts).unwrap();
        let below = |n: &usize| {
            character.skeleton.ancestors(*n).any(|a| [node("leftHand"), node("rightHand")].contains(&a))
        };
        let world = puppet.world_from_node();
        (0..world.len()).filter(below).map(|n| world[n].translation.y).fold(f32::INFINITY, f32::min)
    };
    let [kept, cleared] = [false, true].map(lowest_hand);
    assert!(kept < -0.02 && cleared > -0.005, "kept {kept} m, cleared {cleared} m");
}
