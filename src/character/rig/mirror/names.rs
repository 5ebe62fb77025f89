//! Joint names with left and right exchanged.

/// Maximum length in bytes of a name that is searched for a side.
const MAX_NAME: usize = 256;

/// Words for left and right that may appear anywhere in a name.
const WORDS: [[&str; 2]; 3] = [["left", "right"], ["Left", "Right"], ["LEFT", "RIGHT"]];
/// Abbreviations for left and right that count only as separate words.
const ABBREVIATIONS: [[&str; 2]; 4] = [["l", "r"], ["L", "R"], ["lft", "rgt"], ["Lft", "Rgt"]];

/// Returns the names that may belong to the counterpart of a joint: the name with each word for a side replaced by its
/// opposite. For example, `LeftHand` gives `RightHand`, and `upper_arm.L` gives `upper_arm.R`.
pub(super) fn exchanged(name: &str) -> Vec<String> {
    if name.len() > MAX_NAME {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut replace = |at: usize, from: &str, to: &str| {
        let (before, after) = (name.get(..at).unwrap_or_default(), name.get(at + from.len()..));
        found.push(format!("{before}{to}{}", after.unwrap_or_default()));
    };
    for [a, b] in WORDS {
        for (from, to) in [(a, b), (b, a)] {
            name.match_indices(from).for_each(|(at, _)| replace(at, from, to));
        }
    }
    for [a, b] in ABBREVIATIONS {
        for (from, to) in [(a, b), (b, a)] {
            let alone = name.match_indices(from).filter(|(at, _)| is_word(name, *at, from));
            alone.for_each(|(at, _)| replace(at, from, to));
        }
    }
    found
}

/// Returns whether an abbreviation in a name is a separate word: `arm_l`, `L_arm`, `armL`, `LArm` and `lArm`, but not `ball` or `IL`.
fn is_word(name: &str, at: usize, word: &str) -> bool {
    let before = name.get(..at).and_then(|text| text.chars().next_back());
    let after = name.get(at + word.len()..).and_then(|text| text.chars().next());
    let starts = match before {
        Some(c) if word.starts_with(char::is_lowercase) => !c.is_alphabetic(),
        Some(c) => !c.is_uppercase(),
        None => true,
    };
    starts && after.is_none_or(|c| !c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::exchanged;

    #[test]
    fn the_side_of_a_name_is_exchanged() {
        for (left, right) in [
            ("leftHand", "rightHand"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("upper_arm.L", "upper_arm.R"),
            ("thigh_l", "thigh_r"),
            ("Bip01 L Thigh", "Bip01 R Thigh"),
            ("lHand", "rHand"),
            ("FootL", "FootR"),
            ("J_Bip_L_Index1", "J_Bip_R_Index1"),
            ("HAND_LEFT", "HAND_RIGHT"),
        ] {
            assert!(exchanged(left).iter().any(|n| n == right), "{left}: {:?}", exchanged(left));
            assert!(exchanged(right).iter().any(|n| n == left), "{right}: {:?}", exchanged(right));
        }
        for name in ["ball", "spine", "Head", "collar", "IL", "", "é", "lé"] {
            assert!(exchanged(name).is_empty(), "{name}: {:?}", exchanged(name));
        }
        assert!(exchanged(&"l ".repeat(10_000)).is_empty());
    }
}
