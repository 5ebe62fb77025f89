//! Names of the bones of a recognised body.

use std::collections::BTreeMap;

/// Nodes by the names of bones.
pub type Bones = BTreeMap<String, usize>;

/// The bones of a human body in VRM 1.0.
pub(crate) const BIPED: [&str; 55] = [
    "hips",
    "spine",
    "chest",
    "upperChest",
    "neck",
    "head",
    "leftEye",
    "rightEye",
    "jaw",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "rightToes",
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightShoulder",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftThumbMetacarpal",
    "leftThumbProximal",
    "leftThumbDistal",
    "leftIndexProximal",
    "leftIndexIntermediate",
    "leftIndexDistal",
    "leftMiddleProximal",
    "leftMiddleIntermediate",
    "leftMiddleDistal",
    "leftRingProximal",
    "leftRingIntermediate",
    "leftRingDistal",
    "leftLittleProximal",
    "leftLittleIntermediate",
    "leftLittleDistal",
    "rightThumbMetacarpal",
    "rightThumbProximal",
    "rightThumbDistal",
    "rightIndexProximal",
    "rightIndexIntermediate",
    "rightIndexDistal",
    "rightMiddleProximal",
    "rightMiddleIntermediate",
    "rightMiddleDistal",
    "rightRingProximal",
    "rightRingIntermediate",
    "rightRingDistal",
    "rightLittleProximal",
    "rightLittleIntermediate",
    "rightLittleDistal",
];

/// Returns bones with the names of left and right ones exchanged.
pub(super) fn mirrored(bones: &Bones) -> Bones {
    let other = |bone: &str| match (bone.strip_prefix("left"), bone.strip_prefix("right")) {
        (Some(part), _) => format!("right{part}"),
        (_, Some(part)) => format!("left{part}"),
        _ => bone.to_owned(),
    };
    bones.iter().map(|(bone, &node)| (other(bone), node)).collect()
}
