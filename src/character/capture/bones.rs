//! The bones of a human body, as in Unity's `HumanBodyBones`: their hierarchy, and their names in VRM 1.0 and in sensor data.

/// The number of bones.
pub const BONES: usize = 55;

/// The names of each bone and its parent in Unity, parents first, and the sensor names of the joint at the bone's inner end:
/// Kinect 1 and 2 (`ElbowLeft`), and MediaPipe Pose (`left_elbow`). If a character lacks the parent, the next ancestor is used instead.
const TABLE: [(&str, &str, &[&str]); BONES] = [
    ("Hips", "", &["HipCenter", "SpineBase"]),
    ("Spine", "Hips", &["SpineMid"]),
    ("Chest", "Spine", &[]),
    ("UpperChest", "Chest", &[]),
    ("Neck", "UpperChest", &["ShoulderCenter", "SpineShoulder"]),
    ("Head", "Neck", &["left_ear", "right_ear"]),
    ("LeftEye", "Head", &[]),
    ("RightEye", "Head", &[]),
    ("Jaw", "Head", &[]),
    ("LeftUpperLeg", "Hips", &["HipLeft", "left_hip"]),
    ("LeftLowerLeg", "LeftUpperLeg", &["KneeLeft", "left_knee"]),
    ("LeftFoot", "LeftLowerLeg", &["AnkleLeft", "left_ankle"]),
    ("LeftToes", "LeftFoot", &["FootLeft", "left_foot_index"]),
    ("RightUpperLeg", "Hips", &["HipRight", "right_hip"]),
    ("RightLowerLeg", "RightUpperLeg", &["KneeRight", "right_knee"]),
    ("RightFoot", "RightLowerLeg", &["AnkleRight", "right_ankle"]),
    ("RightToes", "RightFoot", &["FootRight", "right_foot_index"]),
    ("LeftShoulder", "UpperChest", &[]),
    ("LeftUpperArm", "LeftShoulder", &["ShoulderLeft", "left_shoulder"]),
    ("LeftLowerArm", "LeftUpperArm", &["ElbowLeft", "left_elbow"]),
    ("LeftHand", "LeftLowerArm", &["WristLeft", "left_wrist"]),
    ("RightShoulder", "UpperChest", &[]),
    ("RightUpperArm", "RightShoulder", &["ShoulderRight", "right_shoulder"]),
    ("RightLowerArm", "RightUpperArm", &["ElbowRight", "right_elbow"]),
    ("RightHand", "RightLowerArm", &["WristRight", "right_wrist"]),
    ("LeftThumbProximal", "LeftHand", &[]),
    ("LeftThumbIntermediate", "LeftThumbProximal", &[]),
    ("LeftThumbDistal", "LeftThumbIntermediate", &["ThumbLeft", "left_thumb"]),
    ("LeftIndexProximal", "LeftHand", &["left_index"]),
    ("LeftIndexIntermediate", "LeftIndexProximal", &[]),
    ("LeftIndexDistal", "LeftIndexIntermediate", &[]),
    ("LeftMiddleProximal", "LeftHand", &["HandLeft"]),
    ("LeftMiddleIntermediate", "LeftMiddleProximal", &[]),
    ("LeftMiddleDistal", "LeftMiddleIntermediate", &["HandTipLeft"]),
    ("LeftRingProximal", "LeftHand", &[]),
    ("LeftRingIntermediate", "LeftRingProximal", &[]),
    ("LeftRingDistal", "LeftRingIntermediate", &[]),
    ("LeftLittleProximal", "LeftHand", &["left_pinky"]),
    ("LeftLittleIntermediate", "LeftLittleProximal", &[]),
    ("LeftLittleDistal", "LeftLittleIntermediate", &[]),
    ("RightThumbProximal", "RightHand", &[]),
    ("RightThumbIntermediate", "RightThumbProximal", &[]),
    ("RightThumbDistal", "RightThumbIntermediate", &["ThumbRight", "right_thumb"]),
    ("RightIndexProximal", "RightHand", &["right_index"]),
    ("RightIndexIntermediate", "RightIndexProximal", &[]),
    ("RightIndexDistal", "RightIndexIntermediate", &[]),
    ("RightMiddleProximal", "RightHand", &["HandRight"]),
    ("RightMiddleIntermediate", "RightMiddleProximal", &[]),
    ("RightMiddleDistal", "RightMiddleIntermediate", &["HandTipRight"]),
    ("RightRingProximal", "RightHand", &[]),
    ("RightRingIntermediate", "RightRingProximal", &[]),
    ("RightRingDistal", "RightRingIntermediate", &[]),
    ("RightLittleProximal", "RightHand", &["right_pinky"]),
    ("RightLittleIntermediate", "RightLittleProximal", &[]),
    ("RightLittleDistal", "RightLittleIntermediate", &[]),
];

/// Landmarks of MediaPipe Pose that are not joints.
const LANDMARKS: [&str; 11] = [
    "nose",
    "left_eye_inner",
    "left_eye",
    "left_eye_outer",
    "right_eye_inner",
    "right_eye",
    "right_eye_outer",
    "mouth_left",
    "mouth_right",
    "left_heel",
    "right_heel",
];

/// Returns whether a name belongs to a landmark that is not a joint. Such landmarks move no bone. Case is ignored.
pub(super) fn is_landmark(name: &str) -> bool {
    LANDMARKS.iter().any(|landmark| landmark.eq_ignore_ascii_case(name))
}

/// A bone of a human body. [`Bone::HIPS`] is the first. Parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bone(u8);

impl Bone {
    /// The root of the humanoid.
    pub const HIPS: Self = Self(0);

    /// Iterates over all bones, parents first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0_u8..).take(BONES).map(Self)
    }

    /// Finds a bone by its name in Unity, for example `LeftUpperArm`. Case is ignored.
    pub fn from_unity(name: &str) -> Option<Self> {
        Self::all().find(|b| b.unity().eq_ignore_ascii_case(name))
    }

    /// Finds a bone by its name in VRM 1.0, for example `leftUpperArm`.
    pub fn from_vrm(name: &str) -> Option<Self> {
        Self::all().find(|b| b.vrm() == name)
    }

    /// Finds a bone by its name in VRM 1.0 or Unity, or by the name of a joint of Kinect 1 or 2 (`ElbowLeft`) or of a landmark of
    /// MediaPipe Pose (`left_elbow`). Case is ignored, except for names of VRM 1.0.
    pub fn from_sensor(name: &str) -> Option<Self> {
        let is_named = |b: &Self| {
            let (unity, _, names) = b.row();
            [unity].iter().chain(names).any(|known| known.eq_ignore_ascii_case(name))
        };
        Self::from_vrm(name).or_else(|| Self::all().find(is_named))
    }

    fn row(self) -> (&'static str, &'static str, &'static [&'static str]) {
        TABLE.get(self.index()).copied().unwrap_or_default()
    }

    /// Returns the bone's index in [`Bone::all`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the bone's name in Unity.
    pub fn unity(self) -> &'static str {
        self.row().0
    }

    /// Returns the bone's parent, or `None` for the hips.
    pub fn logical_parent(self) -> Option<Self> {
        let parent = self.row().1;
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
        // All bones of the mannequin are known.
        let mannequin = crate::asset::mannequin().unwrap().humanoid.unwrap().bones;
        let known: Vec<String> = Bone::all().map(Bone::vrm).collect();
        assert!(known.iter().all(|bone| crate::rig::is_bone(bone)));
        assert!(!["leftThumbIntermediate", "leftHips", "Hips", "hand"].into_iter().any(crate::rig::is_bone));
        assert!(mannequin.keys().all(|bone| known.contains(bone)));
    }

    #[test]
    fn names_of_sensors_are_those_of_one_bone_each() {
        for (name, bone) in [
            ("ElbowLeft", "leftLowerArm"),
            ("right_wrist", "rightHand"),
            ("LEFT_HIP", "leftUpperLeg"),
            ("SpineBase", "hips"),
            ("LeftUpperArm", "leftUpperArm"),
            ("leftThumbProximal", "leftThumbProximal"),
        ] {
            assert_eq!(Bone::from_sensor(name).map(Bone::vrm).as_deref(), Some(bone), "{name}");
        }
        let names: Vec<&str> = TABLE.iter().flat_map(|(_, _, names)| *names).copied().collect();
        assert!(names.iter().all(|name| !is_landmark(name) && Bone::from_unity(name).is_none()));
        let is_unique =
            |name: &&str| names.iter().filter(|other| other.eq_ignore_ascii_case(name)).count() == 1;
        assert!(names.iter().all(is_unique));
        // Of the 33 landmarks of MediaPipe Pose, 22 are joints.
        assert_eq!(names.iter().filter(|name| name.contains('_')).count() + LANDMARKS.len(), 33);
    }
}
