//! Bones of the collected characters, by the names that their makers gave.

use sinew::asset::{self, humanoid};

use crate::support::models;

/// Files with a few of their bones.
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

/// Two legs without arms, four legs, eight, none.
const OTHERS: [&str; 6] = [
    "quaternius/mech_pack/Leela/Leela.glb",
    "quaternius/animals_pack/Wolf/Wolf.glb",
    "quaternius/animals_pack/Horse/Horse.glb",
    "quaternius/easy_enemies_pack/Spider/Spider.glb",
    "quaternius/fish_pack/Manta_ray/Manta_ray.glb",
    "webxr-hands/left/generic-hand-left.glb",
];

#[test]
fn the_collected_humans_are_found() {
    for (file, bones) in HUMANS {
        let Some(path) = models(file) else { continue };
        let character = asset::load(&path).unwrap();
        let found = humanoid(&character).unwrap_or_else(|| panic!("{file}: no humanoid"));
        for (bone, name) in bones {
            assert_eq!(character.skeleton.label(found.bones[bone]), name, "{file}: {bone}");
        }
        let sided = found.bones.iter().filter(|(b, _)| b.starts_with("left"));
        for (bone, &node) in sided {
            let name = character.skeleton.label(node).to_lowercase();
            assert!(!name.contains("right") && !name.ends_with(".r"), "{file}: {bone} is {name}");
        }
    }
}

#[test]
fn the_others_are_not() {
    for file in OTHERS {
        let Some(path) = models(file) else { continue };
        assert_eq!(humanoid(&asset::load(&path).unwrap()), None, "{file}");
    }
}
