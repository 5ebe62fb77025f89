//! Bones of human characters, found by the names of their joints.

use std::collections::BTreeMap;

use sinew::asset;
use sinew::asset::Character;
use sinew::rig::humanoid;

use sinew_testkit::{built_in_gltf_files, external};

/// VRM bones, and the names of the corresponding joints in files of KayKit, in files of ozz-animation, and in Khronos'
/// CesiumMan. `-` means that the file has no such joint. For such a
/// bone, the test gives the mannequin's joint a meaningless name.
const CONVENTIONS: [(&str, [&str; 3]); 20] = [
    ("hips", ["hips", "Pelvis", "Skeleton_torso_joint_1"]),
    ("spine", ["spine", "Spine", "Skeleton_torso_joint_2"]),
    ("chest", ["chest", "Spine1", "torso_joint_3"]),
    ("neck", ["neck", "Neck", "Skeleton_neck_joint_1"]),
    ("head", ["head", "Head", "Skeleton_neck_joint_2"]),
    ("leftShoulder", ["-", "LeftShoulder", "-"]),
    ("leftUpperArm", ["upperarm.l", "LeftArm", "Skeleton_arm_joint_L__4_"]),
    ("leftLowerArm", ["lowerarm.l", "LeftForeArm", "Skeleton_arm_joint_L__3_"]),
    ("leftHand", ["wrist.l", "Lefthand", "Skeleton_arm_joint_L__2_"]),
    ("leftUpperLeg", ["upperleg.l", "LeftUpLeg", "leg_joint_L_1"]),
    ("leftLowerLeg", ["lowerleg.l", "LeftLeg", "leg_joint_L_2"]),
    ("leftFoot", ["foot.l", "LeftFoot", "leg_joint_L_3"]),
    ("rightShoulder", ["-", "RightShoulder", "-"]),
    ("rightUpperArm", ["upperarm.r", "RightArm", "Skeleton_arm_joint_R"]),
    ("rightLowerArm", ["lowerarm.r", "RightForeArm", "Skeleton_arm_joint_R__2_"]),
    ("rightHand", ["wrist.r", "RightHand", "Skeleton_arm_joint_R__3_"]),
    ("rightUpperLeg", ["upperleg.r", "RightUpLeg", "leg_joint_R_1"]),
    ("rightLowerLeg", ["lowerleg.r", "RightLeg", "leg_joint_R_2"]),
    ("rightFoot", ["foot.r", "RightFoot", "leg_joint_R_3"]),
    ("upperChest", ["-", "Spine2", "-"]),
];

/// Returns the mannequin without its own humanoid map, and that map.
fn unmapped() -> (Character, BTreeMap<String, usize>) {
    let mut character = asset::mannequin().unwrap();
    let map = character.humanoid.take().unwrap();
    (character, map.bones)
}

/// External files, each with the expected joints of some bones.
const HUMANS: [(&str, [(&str, &str); 4]); 8] = [
    (
        "kaykit-char/models/mannequin_v2/manny_med_mod.gltf",
        [("hips", "hips"), ("leftHand", "wrist.l"), ("rightToes", "toes.r"), ("chest", "chest")],
    ),
    (
        "kaykit-char/anim/Med_General.glb",
        [("hips", "hips"), ("leftHand", "wrist.l"), ("rightToes", "toes.r"), ("head", "head")],
    ),
    (
        "quaternius/platformer_game_pack/Character/Character.glb",
        [("hips", "Hips"), ("leftHand", "Fist.L"), ("rightFoot", "Foot.R"), ("chest", "Torso")],
    ),
    (
        "quaternius/modular_women/Witch/Witch.glb",
        [
            ("leftShoulder", "Shoulder.L"),
            ("rightLittleDistal", "Pinky3.R"),
            ("upperChest", "Chest"),
            ("neck", "Neck"),
        ],
    ),
    (
        "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
        [("leftHand", "Palm.L"), ("rightHand", "Palm.R"), ("leftFoot", "Foot.L"), ("spine", "Abdomen")],
    ),
    (
        "raylib/robot/robot.glb",
        [
            ("leftHand", "Palm2.L"),
            ("rightThumbProximal", "Thumb2.R"),
            ("leftFoot", "Foot.L"),
            ("head", "Head"),
        ],
    ),
    (
        "ozz-animation/converted/arnaud/arnaud.glb",
        [
            ("hips", "Pelvis"),
            ("upperChest", "Spine3"),
            ("leftHand", "Lefthand"),
            ("rightToes", "RightFootThumb1"),
        ],
    ),
    (
        "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        [
            ("hips", "Skeleton_torso_joint_1"),
            ("head", "Skeleton_neck_joint_2"),
            ("leftUpperArm", "Skeleton_arm_joint_L__4_"),
            ("rightFoot", "leg_joint_R_3"),
        ],
    ),
];

/// External characters without arms or legs, or with four or eight legs.
const OTHERS: [&str; 6] = [
    "quaternius/mech_pack/Leela/Leela.glb",
    "quaternius/animals_pack/Wolf/Wolf.glb",
    "quaternius/animals_pack/Horse/Horse.glb",
    "quaternius/easy_enemies_pack/Spider/Spider.glb",
    "quaternius/fish_pack/Manta_ray/Manta_ray.glb",
    "webxr-hands/left/generic-hand-left.glb",
];

#[test]
fn joint_names_yield_the_bones_of_the_vrm_map() {
    let (character, map) = unmapped();
    let found = humanoid(&character).unwrap();
    // Eyes are read only from a map.
    for (bone, node) in map.iter().filter(|(bone, _)| !bone.ends_with("Eye")) {
        assert_eq!(found.get(bone), Some(node), "{bone}");
    }
}

#[test]
fn several_naming_conventions_are_understood() {
    for convention in 0..3 {
        let (mut character, map) = unmapped();
        for (index, node) in character.skeleton.nodes.iter_mut().enumerate() {
            node.name = Some(format!("node {index}"));
        }
        for (bone, names) in CONVENTIONS {
            if names[convention] != "-" {
                character.skeleton.nodes[map[bone]].name = Some(names[convention].to_owned());
            }
        }
        let found = humanoid(&character).unwrap();
        // A joint with a meaningless name is found by its position in the hierarchy or not at all.
        for (bone, names) in CONVENTIONS {
            if names[convention] != "-" {
                let named = found.get(bone).map(|&node| character.skeleton.label(node));
                assert_eq!(named.as_deref(), Some(names[convention]), "{bone}");
            }
        }
        let stray = found.iter().find(|(bone, node)| map.get(*bone) != Some(*node));
        assert_eq!(stray, None, "convention {convention}");
    }
}

#[test]
fn the_bones_of_humans_are_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/awkward.glb");
    check(
        path,
        &asset::load(path.as_ref()).unwrap(),
        &[
            ("hips", "hips"),
            ("head", "head"),
            ("leftUpperArm", "arm.L"),
            ("leftHand", "hand.L"),
            ("rightLowerArm", "forearm.R"),
            ("rightLowerLeg", "shin.R"),
            ("leftFoot", "foot.L"),
        ],
    );
    for (file, bones) in HUMANS {
        let Some(path) = external(&format!("models/{file}")) else { continue };
        check(file, &asset::load(&path).unwrap(), &bones);
    }
}

/// Checks the names of some bones, and that no bone is on the wrong side.
fn check(file: &str, character: &Character, bones: &[(&str, &str)]) {
    let found = humanoid(character).unwrap_or_else(|e| panic!("{file}: {e}"));
    for (bone, name) in bones {
        assert_eq!(character.skeleton.label(found[*bone]), *name, "{file}: {bone}");
    }
    let sided = found.iter().filter(|(b, _)| b.starts_with("left"));
    for (bone, &node) in sided {
        let name = character.skeleton.label(node).to_lowercase();
        assert!(!name.contains("right") && !name.ends_with(".r"), "{file}: {bone} is {name}");
    }
}

#[test]
fn characters_that_are_not_human_have_no_human_bones() {
    for path in built_in_gltf_files() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_human = ["mannequin", "awkward"].contains(&name);
        assert_eq!(humanoid(&asset::load(&path).unwrap()).is_ok(), is_human, "{name}");
    }
    for file in OTHERS {
        let Some(path) = external(&format!("models/{file}")) else { continue };
        assert!(humanoid(&asset::load(&path).unwrap()).is_err(), "{file}");
    }
}
