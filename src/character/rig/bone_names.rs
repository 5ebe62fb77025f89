//! Names of the bones of a recognised body.

use std::collections::BTreeMap;

/// Nodes by bone name.
pub type Bones = BTreeMap<String, usize>;

/// The bones of a human body in VRM 1.0: in the middle, on each side, and in the fingers of each hand.
const MIDDLE: [&str; 7] = ["hips", "spine", "chest", "upperChest", "neck", "head", "jaw"];
const SIDED: [&str; 9] =
    ["Eye", "UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand"];
const FINGERS: [&str; 4] = ["Index", "Middle", "Ring", "Little"];

/// Returns whether VRM 1.0 has a bone with this name.
pub(crate) fn is_bone(name: &str) -> bool {
    let part = name.strip_prefix("left").or_else(|| name.strip_prefix("right"));
    let is_sided = |part: &str| match part.strip_prefix("Thumb") {
        Some(joint) => ["Metacarpal", "Proximal", "Distal"].contains(&joint),
        None => {
            let joint = FINGERS.iter().find_map(|finger| part.strip_prefix(finger));
            SIDED.contains(&part)
                || joint.is_some_and(|joint| ["Proximal", "Intermediate", "Distal"].contains(&joint))
        }
    };
    MIDDLE.contains(&name) || part.is_some_and(is_sided)
}

/// Returns the names of the bones of a human body without the fingers, in order: from the hips up, and then for each side.
pub fn bone_list() -> impl Iterator<Item = String> {
    let sided = ["left", "right"].into_iter().flat_map(|side| SIDED.map(|part| format!("{side}{part}")));
    MIDDLE.map(str::to_owned).into_iter().chain(sided)
}

/// Returns the bones with left and right names exchanged.
pub(super) fn mirrored(bones: &Bones) -> Bones {
    let other = |bone: &str| match (bone.strip_prefix("left"), bone.strip_prefix("right")) {
        (Some(part), _) => format!("right{part}"),
        (_, Some(part)) => format!("left{part}"),
        _ => bone.to_owned(),
    };
    bones.iter().map(|(bone, &node)| (other(bone), node)).collect()
}
