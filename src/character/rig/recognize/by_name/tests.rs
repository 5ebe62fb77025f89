use std::path::PathBuf;

use glam::Vec3;

use crate::asset::{Node, Transform, mannequin};

use super::*;

/// Builds a character without skins. Each line of the text is a name and an offset. The indentation defines the
/// hierarchy.
pub(crate) fn from_outline(text: &str) -> Character {
    let mut above: Vec<(usize, usize)> = Vec::new();
    let mut skeleton = Skeleton::default();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, offset) = words.split_at(words.len() - 3);
        let offset: Vec<f32> = offset.iter().map(|w| w.parse().unwrap()).collect();
        above.retain(|(d, _)| *d < depth);
        let (parent, index) = (above.last().map(|(_, n)| *n), skeleton.nodes.len());
        above.push((depth, index));
        let rest = Transform::from_translation(Vec3::from_slice(&offset));
        skeleton.nodes.push(Node { name: Some(name.join(" ")), ..Node::unnamed(parent, rest) });
        if let Some(parent) = parent {
            skeleton.nodes[parent].children.push(index);
        }
        skeleton.parents_first.push((index, parent));
    }
    Character { path: PathBuf::from("outline"), skeleton, ..Character::default() }
}

/// A body in one naming convention. `{}` in the names of a limb is replaced by the word for each side.
fn body(trunk: [&str; 4], arm: [&str; 4], leg: [&str; 4], sides: [&str; 2]) -> Character {
    let [hips, spine, neck, head] = trunk;
    let mut text = format!("{hips} 0 1 0\n {spine} 0 0.2 0\n  {neck} 0 0.3 0\n   {head} 0 0.1 0\n");
    for (side, x) in sides.into_iter().zip([1.0, -1.0]) {
        let at = |name: &str| name.replace("{}", side);
        let offsets = [(0.05, 0.25), (0.12, 0.0), (0.25, 0.0), (0.25, 0.0)];
        for (i, (name, (dx, dy))) in arm.iter().zip(offsets).filter(|(n, _)| !n.is_empty()).enumerate() {
            text += &format!("{}{} {} {dy} 0\n", " ".repeat(i + 2), at(name), x * dx);
        }
    }
    for (side, x) in sides.into_iter().zip([1.0, -1.0]) {
        let at = |name: &str| name.replace("{}", side);
        let offsets = [(0.1, 0.0, 0.0), (0.0, -0.45, 0.0), (0.0, -0.45, 0.0), (0.0, -0.05, 0.1)];
        for (i, (name, (dx, dy, dz))) in leg.iter().zip(offsets).enumerate() {
            text += &format!("{}{} {} {dy} {dz}\n", " ".repeat(i + 1), at(name), x * dx);
        }
    }
    from_outline(&text)
}

/// The joint names of a trunk (from the hips up), of an arm and of a leg (both from the top down), and the words for
/// left and right.
type Convention = ([&'static str; 4], [&'static str; 4], [&'static str; 4], [&'static str; 2]);

const CONVENTIONS: [Convention; 9] = [
    (
        ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Neck", "mixamorig:Head"],
        ["mixamorig:{}Shoulder", "mixamorig:{}Arm", "mixamorig:{}ForeArm", "mixamorig:{}Hand"],
        ["mixamorig:{}UpLeg", "mixamorig:{}Leg", "mixamorig:{}Foot", "mixamorig:{}ToeBase"],
        ["Left", "Right"],
    ),
    (
        ["DEF-spine", "DEF-spine.001", "DEF-spine.004", "DEF-spine.006"],
        ["DEF-shoulder.{}", "DEF-upper_arm.{}", "DEF-forearm.{}", "DEF-hand.{}"],
        ["DEF-thigh.{}", "DEF-shin.{}", "DEF-foot.{}", "DEF-toe.{}"],
        ["L", "R"],
    ),
    (
        ["pelvis", "spine_01", "neck_01", "head"],
        ["clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}"],
        ["thigh_{}", "calf_{}", "foot_{}", "ball_{}"],
        ["l", "r"],
    ),
    (
        ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Neck", "Bip01 Head"],
        ["Bip01 {} Clavicle", "Bip01 {} UpperArm", "Bip01 {} Forearm", "Bip01 {} Hand"],
        ["Bip01 {} Thigh", "Bip01 {} Calf", "Bip01 {} Foot", "Bip01 {} Toe0"],
        ["L", "R"],
    ),
    (
        ["Hips", "Chest", "Neck", "Head"],
        ["{}Collar", "{}Shoulder", "{}Elbow", "{}Wrist"],
        ["{}Hip", "{}Knee", "{}Ankle", "{}Toe"],
        ["Left", "Right"],
    ),
    (
        ["pelvis", "spine1", "neck", "head"],
        ["{}_collar", "{}_shoulder", "{}_elbow", "{}_wrist"],
        ["{}_hip", "{}_knee", "{}_ankle", "{}_foot"],
        ["left", "right"],
    ),
    (
        ["Hips", "Abdomen", "Neck", "Head"],
        ["Shoulder.{}", "UpperArm.{}", "LowerArm.{}", "Fist.{}"],
        ["UpperLeg.{}", "LowerLeg.{}", "Foot.{}", "Toes.{}"],
        ["L", "R"],
    ),
    (
        ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Neck", "J_Bip_C_Head"],
        ["J_Bip_{}_Shoulder", "J_Bip_{}_UpperArm", "J_Bip_{}_LowerArm", "J_Bip_{}_Hand"],
        ["J_Bip_{}_UpperLeg", "J_Bip_{}_LowerLeg", "J_Bip_{}_Foot", "J_Bip_{}_ToeBase"],
        ["L", "R"],
    ),
    (
        ["hips", "spine", "neck", "head"],
        ["", "upperarm.{}", "lowerarm.{}", "wrist.{}"],
        ["upperleg.{}", "lowerleg.{}", "foot.{}", "toes.{}"],
        ["l", "r"],
    ),
];

#[test]
fn every_convention_yields_the_same_bones() {
    for (trunk, arm, leg, sides) in CONVENTIONS {
        let character = body(trunk, arm, leg, sides);
        let found = bones(&character).unwrap_or_else(|| panic!("{trunk:?}: no humanoid"));
        let name = |bone: &str| found.get(bone).map(|&n| character.skeleton.label(n));
        let named = |bone: &str, name: &str| (bone.to_owned(), Some(name.to_owned()));
        let middle = ["hips", "spine", "neck", "head"].into_iter().zip(trunk);
        let mut expected: Vec<_> = middle.map(|(bone, name)| named(bone, name)).collect();
        for (side, word) in ["left", "right"].into_iter().zip(sides) {
            let bones = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"];
            let names = arm.into_iter().chain(leg).map(|n| n.replace("{}", word));
            let limbs = bones.into_iter().zip(names).filter(|(_, n)| !n.is_empty());
            expected.extend(limbs.map(|(b, n)| named(&format!("{side}{b}"), &n)));
        }
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (bone, expected) in expected {
            assert_eq!(name(&bone), expected, "{trunk:?}: {bone}");
        }
    }
}

/// A motion capture skeleton with unusual names for the joints of the hips, hands and fingers.
pub(crate) const CMU: &str = "
Hips 0 0 0
 LHipJoint 0 0 0
  LeftUpLeg 2.1 -1.6 1.1
   LeftLeg 2.0 -5.6 0
    LeftFoot 2.7 -7.5 0
     LeftToeBase 0.1 -0.25 2
      LeftToeBase_end 0 0 1
 RHipJoint 0 0 0
  RightUpLeg -1.9 -1.6 1.1
   RightLeg -2.1 -5.75 0
    RightFoot -2.65 -7.3 0
     RightToeBase -0.1 -0.25 2
      RightToeBase_end 0 0 1
 LowerBack 0 0 0
  Spine -0.1 1.8 -0.3
   Spine1 0 1.9 0.15
    Neck 0 0 0
     Neck1 0 1.8 0.1
      Head 0.1 1.8 -0.3
       Head_end 0 1.85 -0.1
    LeftShoulder 0 0 0
     LeftArm 3.6 0.8 -0.4
      LeftForeArm 4.9 0 0
       LeftHand 2.7 0 0
        LeftFingerBase 0 0 0
         LeftHandIndex1 0.7 0 0
          LeftHandIndex1_end 0.6 0 0
        LThumb 0 0 0
         LThumb_end 0.6 0 0.6
    RightShoulder 0 0 0
     RightArm -3.8 0.5 -0.5
      RightForeArm -4.6 0 0
       RightHand -2.9 0 0
        RightFingerBase 0 0 0
         RightHandIndex1 -0.8 0 0
          RightHandIndex1_end -0.6 0 0
        RThumb 0 0 0
         RThumb_end -0.6 0 0.6
";

#[test]
fn motion_capture_names_are_recognised() {
    let character = from_outline(CMU);
    let found = bones(&character).unwrap();
    let name = |bone: &str| character.skeleton.label(found[bone]);
    let pairs = [
        ("spine", "LowerBack"),
        ("chest", "Spine"),
        ("upperChest", "Spine1"),
        ("neck", "Neck"),
        ("head", "Head"),
        ("leftUpperLeg", "LeftUpLeg"),
        ("leftUpperArm", "LeftArm"),
        ("rightThumbMetacarpal", "RThumb"),
        ("rightIndexProximal", "RightHandIndex1"),
        ("rightToes", "RightToeBase"),
    ];
    for (bone, expected) in pairs {
        assert_eq!(name(bone), expected, "{bone}");
    }
}

#[test]
fn joint_names_of_the_mannequin_match_its_own_map() {
    let mut character = mannequin().unwrap();
    let map = character.humanoid.take().unwrap();
    let found = bones(&character).unwrap();
    let eyes = |bone: &str| bone.ends_with("Eye");
    for (bone, node) in map.bones.iter().filter(|(b, _)| !eyes(b)) {
        assert_eq!(found.get(bone), Some(node), "{bone}");
    }
    assert!(found.keys().all(|b| map.bones.contains_key(b)));
}

/// Names take precedence over positions. The joints of a right thumb on a left hand are assigned to neither hand.
#[test]
fn sides_are_never_mixed() {
    let mirrored = CMU.replace("Left", "#").replace("Right", "Left").replace('#', "Right");
    let mirrored = mirrored.replace("LThumb", "#").replace("RThumb", "LThumb").replace('#', "RThumb");
    let character = from_outline(&mirrored);
    let found = bones(&character).unwrap();
    assert_eq!(character.skeleton.label(found["leftHand"]), "LeftHand");
    let crossed = CMU.replace("LThumb", "#").replace("RThumb", "LThumb").replace('#', "RThumb");
    let found = bones(&from_outline(&crossed)).unwrap();
    assert!(!found.keys().any(|b| b.contains("Thumb")), "{found:?}");
}

#[test]
fn quadrupeds_are_not_human() {
    let front = CMU.replace("Arm", "UpLeg").replace("ForeUpLeg", "Leg").replace("Hand", "Foot");
    assert_eq!(bones(&from_outline(&front)), None);
    assert_eq!(bones(&Character::default()), None);
}

#[test]
fn sides_follow_positions_if_names_have_none() {
    let plain =
        CMU.replace("Left", "").replace("Right", "").replace("LThumb", "Thumb").replace("RThumb", "Thumb");
    let character = from_outline(&plain.replace("LHip", "Hip").replace("RHip", "Hip"));
    let found = bones(&character).unwrap();
    let x = |bone: &str| {
        let up = character.skeleton.ancestors(found[bone]);
        up.map(|n| character.skeleton.nodes[n].rest.translation.x).sum::<f32>()
    };
    assert!(x("leftHand") > 5.0 && x("rightHand") < -5.0 && x("leftFoot") > 5.0 && x("rightFoot") < -5.0);
}

/// Regression test: a spring beside the hand was mistaken for a ring finger, and a bone of the palm for the first bone
/// of its finger.
#[test]
fn springs_and_bones_of_the_palm_are_not_fingers() {
    let palm = CMU.replace("RightFingerBase", "RightInHandIndex").replace("RThumb ", "Spring A ");
    let character = from_outline(&palm);
    let found = bones(&character).unwrap();
    assert_eq!(character.skeleton.label(found["rightIndexProximal"]), "RightHandIndex1");
    assert!(!found.keys().any(|bone| bone.contains("Ring")), "{found:?}");
    let labels = |side: &str| {
        let bones = found.iter().filter(|(bone, _)| bone.starts_with(side));
        bones.map(|(_, node)| character.skeleton.label(*node)).collect::<Vec<_>>()
    };
    assert!(labels("left").iter().all(|name| !name.starts_with('R')), "{found:?}");
}
