//! Faces that a file holds ready: names for morph weights that belong together.

/// The presets of VRM 1.0, each with its name in VRM 0. What is surprise in 1.0 had no preset in 0, but this was its usual name.
const PRESETS: [(&str, &str); 18] = [
    ("happy", "joy"),
    ("angry", "angry"),
    ("sad", "sorrow"),
    ("relaxed", "fun"),
    ("surprised", "surprised"),
    ("aa", "a"),
    ("ih", "i"),
    ("ou", "u"),
    ("ee", "e"),
    ("oh", "o"),
    ("blink", "blink"),
    ("blinkLeft", "blink_l"),
    ("blinkRight", "blink_r"),
    ("lookUp", "lookup"),
    ("lookDown", "lookdown"),
    ("lookLeft", "lookleft"),
    ("lookRight", "lookright"),
    ("neutral", "neutral"),
];

/// An expression of VRM 1.0, or a group of blend shapes of VRM 0, as far as it moves vertices: its materials and its overrides of
/// other expressions are not here.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The file's name for it.
    pub name: String,
    /// The preset of VRM 1.0 that it is, by its name there, such as `happy`, `aa`, `blinkLeft`; `None`: the file's own invention.
    pub preset: Option<&'static str>,
    /// Whether there is nothing between its being shown and not: values above a half are one, others are zero.
    pub is_binary: bool,
    /// What it moves, in file order; at least one.
    pub binds: Vec<MorphBind>,
}

/// A morph weight that an expression moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphBind {
    /// Its place among the weights of a pose.
    pub weight: usize,
    /// What the expression at 1 gives it, 0 to 1.
    pub amount: f32,
}

/// The preset that a name of either version of VRM means: its names in VRM 1.0 and in VRM 0. Upper and lower case are the same.
pub fn expression_preset(name: &str) -> Option<(&'static str, &'static str)> {
    PRESETS.into_iter().find(|(new, old)| name.eq_ignore_ascii_case(new) || name.eq_ignore_ascii_case(old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_of_both_versions_are_known_by_either_name() {
        assert_eq!(expression_preset("Joy"), Some(("happy", "joy")));
        assert_eq!(expression_preset("HAPPY"), Some(("happy", "joy")));
        assert_eq!(expression_preset("A"), Some(("aa", "a")));
        assert_eq!(expression_preset("Blink_L"), expression_preset("blinkleft"));
        assert_eq!(expression_preset("unknown"), None);
        // No name means two.
        let names: Vec<String> =
            PRESETS.iter().flat_map(|(a, b)| [a.to_lowercase(), b.to_lowercase()]).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(names.iter().enumerate().all(|(j, other)| other != name || i / 2 == j / 2), "{name}");
        }
    }
}
