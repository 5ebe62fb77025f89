//! Recognizes body parts and sides in the names of joints.

/// A part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Arm,
    Leg,
    Finger,
    Toe,
    Spine,
    Hips,
    Neck,
    Head,
    Tail,
    /// Any other joint, such as an ear or a helper joint of a rig.
    Other,
}

impl Family {
    /// Returns the body part that a joint name refers to, in any common naming convention.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let words = words(name);
        let has_word = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
        let joined = words.concat();
        let has = |list: &[&str]| list.iter().any(|part| joined.contains(part));
        let helper =
            ["ik", "pole", "target", "twist", "roll", "ctrl", "control", "helper", "prop", "weapon", "slot"];
        let parts = [
            "ear", "eye", "eyes", "jaw", "mouth", "tongue", "hair", "brow", "lip", "nose", "cape", "skirt",
            "breast", "wing",
        ];
        if has_word(&helper) || joined.starts_with("ik") || has_word(&parts) || has(&["mouth", "poletarget"])
        {
            return Some(Self::Other);
        }
        let digit = has(&["thumb", "index", "middle", "pinky", "little", "finger", "metacarpal", "phalan"])
            || has(&["ring"]) && !has(&["spring", "string", "earring"]);
        if has_word(&["ball"]) || has(&["toe"]) || (digit && has(&["foot"])) {
            Some(Self::Toe)
        } else if digit {
            Some(Self::Finger)
        // `LeftHip` is the top of the left leg, not the hips.
        } else if has_word(&["hip"]) && has_word(&["left", "right", "l", "r"])
            || has(&[
                "leg", "thigh", "calf", "shin", "knee", "foot", "ankle", "hoof", "paw", "femur", "tibia",
            ])
        {
            Some(Self::Leg)
        } else if has(&["arm", "clavicle", "collar", "shoulder", "elbow", "hand", "wrist", "palm"]) {
            Some(Self::Arm)
        } else if has(&["tail"]) {
            Some(Self::Tail)
        } else if has(&["neck"]) {
            Some(Self::Neck)
        } else if has(&["head"]) {
            Some(Self::Head)
        } else if has(&["hips", "pelvis"]) || has_word(&["hip"]) {
            Some(Self::Hips)
        } else if has(&["spine", "torso", "chest", "abdomen", "waist", "thorax", "trunk", "belly"])
            || has_word(&["back", "body"])
        {
            Some(Self::Spine)
        } else {
            None
        }
    }
}

/// Returns whether a joint name contains a word for the joint between the chest and the upper arm, ignoring case.
pub(crate) fn is_collar(name: &str) -> bool {
    ["shoulder", "clavicle", "collar"].iter().any(|w| name.to_lowercase().contains(w))
}

/// Returns whether a joint name contains a word for the hand or the wrist, ignoring case.
pub(crate) fn is_hand(name: &str) -> bool {
    ["hand", "wrist", "palm"].iter().any(|w| name.to_lowercase().contains(w))
}

/// Returns whether a joint name contains a word for the foot or the ankle, ignoring case.
pub(crate) fn is_foot(name: &str) -> bool {
    ["foot", "ankle", "hoof", "paw"].iter().any(|w| name.to_lowercase().contains(w))
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    /// Returns the side that a joint name refers to, such as `LeftArm`, `upper_arm.L`, `thigh_r`, `Bip01 L Thigh` or
    /// `RThumb`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        words(name).iter().find_map(|word| match word.as_str() {
            "l" | "lft" => Some(Self::Left),
            "r" | "rgt" => Some(Self::Right),
            w if w.starts_with("left") => Some(Self::Left),
            w if w.starts_with("right") => Some(Self::Right),
            w => {
                let side = if w.starts_with('l') { Self::Left } else { Self::Right };
                let rest = w.strip_prefix(['l', 'r'])?;
                SIDED.iter().any(|part| rest.starts_with(part)).then_some(side)
            }
        })
    }
}

/// Words that can follow a one-letter side prefix without a separator, as in `RThumb`.
const SIDED: [&str; 21] = [
    "hand", "foot", "arm", "leg", "forearm", "upper", "lower", "upleg", "thigh", "calf", "shin", "knee",
    "ankle", "toe", "hip", "shoulder", "clavicle", "collar", "elbow", "wrist", "thumb",
];

/// Splits a name into lower-case words without digits. `LeftFore_Arm.001` becomes left, fore, arm.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        // A capital after a lower-case letter starts a word: "leftArm" has two words, but "IKFoot" has one.
        let starts_word = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if starts_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|w| !w.is_empty());
    words
}
