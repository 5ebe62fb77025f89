//! The bones of the protocol, which are Unity's `HumanBodyBones`, and their names in VRM 1.0.

/// The number of bones.
pub const BONES: usize = 55;

/// The names of each bone and of its parent in Unity, parents first. If a character does not have the parent, the next
/// ancestor is used instead.
const TABLE: [(&str, &str); BONES] = [
    ("Hips", ""),
    ("Spine", "Hips"),
    ("Chest", "Spine"),
    ("UpperChest", "Chest"),
    ("Neck", "UpperChest"),
    ("Head", "Neck"),
    ("LeftEye", "Head"),
    ("RightEye", "Head"),
    ("Jaw", "Head"),
    ("LeftUpperLeg", "Hips"),
    ("LeftLowerLeg", "LeftUpperLeg"),
    ("LeftFoot", "LeftLowerLeg"),
    ("LeftToes", "LeftFoot"),
    ("RightUpperLeg", "Hips"),
    ("RightLowerLeg", "RightUpperLeg"),
    ("RightFoot", "RightLowerLeg"),
    ("RightToes", "RightFoot"),
    ("LeftShoulder", "UpperChest"),
    ("LeftUpperArm", "LeftShoulder"),
    ("LeftLowerArm", "LeftUpperArm"),
    ("LeftHand", "LeftLowerArm"),
    ("RightShoulder", "UpperChest"),
    ("RightUpperArm", "RightShoulder"),
    ("RightLowerArm", "RightUpperArm"),
    ("RightHand", "RightLowerArm"),
    ("LeftThumbProximal", "LeftHand"),
    ("LeftThumbIntermediate", "LeftThumbProximal"),
    ("LeftThumbDistal", "LeftThumbIntermediate"),
    ("LeftIndexProximal", "LeftHand"),
    ("LeftIndexIntermediate", "LeftIndexProximal"),
    ("LeftIndexDistal", "LeftIndexIntermediate"),
    ("LeftMiddleProximal", "LeftHand"),
    ("LeftMiddleIntermediate", "LeftMiddleProximal"),
    ("LeftMiddleDistal", "LeftMiddleIntermediate"),
    ("LeftRingProximal", "LeftHand"),
    ("LeftRingIntermediate", "LeftRingProximal"),
    ("LeftRingDistal", "LeftRingIntermediate"),
    ("LeftLittleProximal", "LeftHand"),
    ("LeftLittleIntermediate", "LeftLittleProximal"),
    ("LeftLittleDistal", "LeftLittleIntermediate"),
    ("RightThumbProximal", "RightHand"),
    ("RightThumbIntermediate", "RightThumbProximal"),
    ("RightThumbDistal", "RightThumbIntermediate"),
    ("RightIndexProximal", "RightHand"),
    ("RightIndexIntermediate", "RightIndexProximal"),
    ("RightIndexDistal", "RightIndexIntermediate"),
    ("RightMiddleProximal", "RightHand"),
    ("RightMiddleIntermediate", "RightMiddleProximal"),
    ("RightMiddleDistal", "RightMiddleIntermediate"),
    ("RightRingProximal", "RightHand"),
    ("RightRingIntermediate", "RightRingProximal"),
    ("RightRingDistal", "RightRingIntermediate"),
    ("RightLittleProximal", "RightHand"),
    ("RightLittleIntermediate", "RightLittleProximal"),
    ("RightLittleDistal", "RightLittleIntermediate"),
];

/// A bone of the protocol. [`Bone::HIPS`] is the first. Parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bone(u8);

impl Bone {
    /// The root of the humanoid.
    pub const HIPS: Self = Self(0);

    /// Iterates over all bones, parents first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0_u8..).take(BONES).map(Self)
    }

    /// Finds a bone by its name in Unity, for example `LeftUpperArm`. The case of letters is ignored.
    pub fn from_unity(name: &str) -> Option<Self> {
        Self::all().find(|b| b.unity().eq_ignore_ascii_case(name))
    }

    /// Returns the bone's index in [`Bone::all`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the bone's name in Unity.
    pub fn unity(self) -> &'static str {
        TABLE.get(self.index()).map_or("", |(name, _)| name)
    }

    /// Returns the bone's parent, or `None` for the hips.
    pub fn logical_parent(self) -> Option<Self> {
        let parent = TABLE.get(self.index())?.1;
        Self::all().find(|b| b.unity() == parent)
    }

    /// Returns the bone's name in VRM 1.0. It is Unity's name with a lower-case first letter, except that VRM's thumbs
    /// start at the metacarpal.
    pub fn vrm(self) -> String {
        let name = self.unity();
        let name = match name.split_once("Thumb") {
            Some((side, "Proximal")) => format!("{side}ThumbMetacarpal"),
            Some((side, "Intermediate")) => format!("{side}ThumbProximal"),
            _ => name.to_owned(),
        };
        let mut letters = name.chars();
        letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_names_are_unique() {
        for bone in Bone::all() {
            assert_eq!(Bone::from_unity(bone.unity()), Some(bone));
            assert_eq!(bone.logical_parent().is_none(), bone == Bone::HIPS);
            assert!(bone.logical_parent().is_none_or(|c| c < bone), "{}", bone.unity());
        }
        assert_eq!(Bone::from_unity("Tail"), None);
    }

    #[test]
    fn names_match_vrm() {
        let vrm = |unity| Bone::from_unity(unity).unwrap().vrm();
        assert_eq!(vrm("LeftUpperArm"), "leftUpperArm");
        assert_eq!(vrm("RightThumbProximal"), "rightThumbMetacarpal");
        assert_eq!(vrm("RightThumbIntermediate"), "rightThumbProximal");
        assert_eq!(vrm("RightThumbDistal"), "rightThumbDistal");
        // All bones of the mannequin are bones of the protocol.
        let mannequin = crate::asset::mannequin().unwrap().humanoid.unwrap().bones;
        let known: Vec<String> = Bone::all().map(Bone::vrm).collect();
        assert!(mannequin.keys().all(|bone| known.contains(bone)));
    }
}
