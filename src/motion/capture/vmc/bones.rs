//! The bones that the protocol speaks of: Unity's `HumanBodyBones`, with their names in VRM 1.0.

/// How many there are.
pub const BONES: usize = 55;

/// Unity's name of each bone and the bone that carries it, parents first. Where a character lacks the carrier, the next one above carries.
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

/// A bone of the protocol. [`Bone::HIPS`] is the first; carriers come before those that they carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bone(u8);

impl Bone {
    /// The root of a humanoid.
    pub const HIPS: Self = Self(0);

    /// All of them, carriers first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0_u8..).take(BONES).map(Self)
    }

    /// The bone of a name of Unity's, such as `LeftUpperArm`; upper and lower case are the same.
    pub fn from_unity(name: &str) -> Option<Self> {
        Self::all().find(|b| b.unity().eq_ignore_ascii_case(name))
    }

    /// Its place in [`Bone::all`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Unity's name.
    pub fn unity(self) -> &'static str {
        TABLE.get(self.index()).map_or("", |(name, _)| name)
    }

    /// The bone that carries it; `None` for the hips.
    pub fn carrier(self) -> Option<Self> {
        let carrier = TABLE.get(self.index())?.1;
        Self::all().find(|b| b.unity() == carrier)
    }

    /// VRM 1.0's name: the same with a small first letter, but thumbs begin at the metacarpal there.
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
    fn carriers_come_first_and_names_are_unlike() {
        for bone in Bone::all() {
            assert_eq!(Bone::from_unity(bone.unity()), Some(bone));
            assert_eq!(bone.carrier().is_none(), bone == Bone::HIPS);
            assert!(bone.carrier().is_none_or(|c| c < bone), "{}", bone.unity());
        }
        assert_eq!(Bone::from_unity("Tail"), None);
    }

    #[test]
    fn names_are_those_of_vrm() {
        let vrm = |unity| Bone::from_unity(unity).unwrap().vrm();
        assert_eq!(vrm("LeftUpperArm"), "leftUpperArm");
        assert_eq!(vrm("RightThumbProximal"), "rightThumbMetacarpal");
        assert_eq!(vrm("RightThumbIntermediate"), "rightThumbProximal");
        assert_eq!(vrm("RightThumbDistal"), "rightThumbDistal");
        // The mannequin's map names them all but eyes and jaw.
        let mannequin = crate::asset::mannequin().unwrap().humanoid.unwrap().bones;
        let known: Vec<String> = Bone::all().map(Bone::vrm).collect();
        assert!(mannequin.keys().all(|bone| known.contains(bone)));
    }
}
