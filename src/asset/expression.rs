//! Facial expressions: named sets of morph weights in a file.

/// The presets of VRM 1.0, each with its name in VRM 0. VRM 0 has no preset for surprise, but its files often use this
/// name.
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

/// An expression of VRM 1.0, or a blend shape group of VRM 0. Only its morph weights are read. Changes to materials and
/// the rules that suppress other expressions are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Name in the file.
    pub name: String,
    /// Name of the expression's VRM 1.0 preset, such as `happy`, `aa` or `blinkLeft`, or `None` for a custom
    /// expression.
    pub preset: Option<&'static str>,
    /// Whether the expression is either off or fully on. Values above 0.5 count as 1, all others as 0.
    pub is_binary: bool,
    /// The morph weights that it changes, in file order. There is at least one.
    pub binds: Vec<MorphBind>,
}

impl Expression {
    /// Returns the value that counts when the expression is set to `value`. It is 0 or 1 for a binary expression.
    pub fn value(&self, value: f64) -> f64 {
        let full = if value > 0.5 { 1.0 } else { 0.0 };
        if self.is_binary { full } else { value }
    }
}

/// A morph weight that an expression changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphBind {
    /// Index of the weight in a pose.
    pub weight: usize,
    /// Value of the weight, 0 to 1, when the expression is at 1.
    pub amount: f32,
}

/// Finds a preset by its name in VRM 1.0 or VRM 0, ignoring case. Returns its names in VRM 1.0 and in VRM 0.
pub fn expression_preset(name: &str) -> Option<(&'static str, &'static str)> {
    PRESETS.into_iter().find(|(new, old)| name.eq_ignore_ascii_case(new) || name.eq_ignore_ascii_case(old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_found_by_the_name_of_either_version() {
        assert_eq!(expression_preset("Joy"), Some(("happy", "joy")));
        assert_eq!(expression_preset("HAPPY"), Some(("happy", "joy")));
        assert_eq!(expression_preset("A"), Some(("aa", "a")));
        assert_eq!(expression_preset("Blink_L"), expression_preset("blinkleft"));
        assert_eq!(expression_preset("unknown"), None);
        // No name belongs to two presets.
        let names: Vec<String> =
            PRESETS.iter().flat_map(|(a, b)| [a.to_lowercase(), b.to_lowercase()]).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(names.iter().enumerate().all(|(j, other)| other != name || i / 2 == j / 2), "{name}");
        }
    }
}
