//! Facial expressions: named sets of changes to morph weights and materials in a file.

use super::MaterialBind;

/// The presets of VRM 1.0, each with its name in VRM 0. VRM 0 has no preset for surprise, but VRM 0 files often use the name `surprised`.
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

/// An expression of VRM 1.0, or a blend shape group of VRM 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Name in the file.
    pub name: String,
    /// Name of the expression's VRM 1.0 preset, such as `happy`, `aa` or `blinkLeft`, or `None` for a custom
    /// expression.
    pub preset: Option<&'static str>,
    /// Whether the expression is either off or fully on. Values above 0.5 count as 1, all others as 0.
    pub is_binary: bool,
    /// How the expression suppresses others.
    pub overrides: Overrides,
    /// The morph weights that the expression changes, in file order. If the expression changes materials, the last bind refers to the
    /// expression's own value in a pose, and this value controls [`Self::materials`].
    pub binds: Vec<MorphBind>,
    /// Material properties that the expression changes.
    pub materials: Vec<MaterialBind>,
}

/// How an expression of VRM 1.0 suppresses other expressions, depending on their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Effect on `blink`, `blinkLeft` and `blinkRight`.
    pub blink: Override,
    /// Effect on `lookUp`, `lookDown`, `lookLeft` and `lookRight`.
    pub look_at: Override,
    /// Effect on `aa`, `ih`, `ou`, `ee` and `oh`.
    pub mouth: Override,
}

/// How an expression suppresses others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Override {
    /// No effect.
    #[default]
    None,
    /// Other expressions are off while the value of this one is above 0.
    Block,
    /// Other expressions are weakened in proportion to the value of this one.
    Blend,
}

impl Override {
    /// Returns the fraction by which an expression with this value weakens others.
    fn amount(self, value: f32) -> f32 {
        match self {
            Self::None => 0.0,
            Self::Block => f32::from(u8::from(value > 0.0)),
            Self::Blend => value,
        }
    }
}

/// Rounds the values of binary expressions in place and applies the overrides. `values` contains one value per expression.
///
/// ```
/// use sinew_character::asset::{Expression, Override, Overrides, apply_overrides};
///
/// let expression = |name: &str, preset, overrides| Expression {
///     name: name.to_owned(),
///     preset: Some(preset),
///     is_binary: false,
///     overrides,
///     binds: Vec::new(),
///     materials: Vec::new(),
/// };
/// // A smile with closed eyes leaves no room for a blink.
/// let closes_eyes = Overrides { blink: Override::Blend, ..Overrides::default() };
/// let all = [
///     expression("smile", "happy", closes_eyes),
///     expression("blink", "blink", Overrides::default()),
/// ];
/// let mut values = [0.75, 1.0];
/// apply_overrides(&all, &mut values);
/// assert_eq!(values, [0.75, 0.25]);
/// ```
pub fn apply_overrides(expressions: &[Expression], values: &mut [f32]) {
    let mut kept = [1.0_f32; 3];
    for (expression, value) in expressions.iter().zip(values.iter_mut()) {
        if expression.is_binary {
            *value = f32::from(u8::from(*value > 0.5));
        }
        let Overrides { blink, look_at, mouth } = expression.overrides;
        for (kept, by) in kept.iter_mut().zip([blink, look_at, mouth]) {
            *kept -= by.amount(*value);
        }
    }
    for (expression, value) in expressions.iter().zip(values) {
        let kind = match expression.preset {
            Some("blink" | "blinkLeft" | "blinkRight") => 0,
            Some("lookUp" | "lookDown" | "lookLeft" | "lookRight") => 1,
            Some("aa" | "ih" | "ou" | "ee" | "oh") => 2,
            _ => continue,
        };
        let kept = kept.get(kind).map_or(1.0, |kept| kept.clamp(0.0, 1.0));
        // A binary expression is off if any other expression suppresses it.
        *value *= if expression.is_binary && kept < 1.0 { 0.0 } else { kept };
    }
}

impl Expression {
    /// Returns the effective value when the expression is set to `value`: 0 or 1 for a binary expression.
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
    fn expressions_suppress_others() {
        let expression = |preset, overrides, is_binary| Expression {
            name: String::new(),
            preset,
            is_binary,
            overrides,
            binds: Vec::new(),
            materials: Vec::new(),
        };
        let happy = Overrides { blink: Override::Block, mouth: Override::Blend, ..Overrides::default() };
        let all = [
            expression(Some("happy"), happy, false),
            expression(Some("blink"), Overrides::default(), false),
            expression(Some("aa"), Overrides::default(), false),
            expression(Some("oh"), Overrides::default(), true),
            expression(Some("lookUp"), Overrides::default(), false),
        ];
        let after = |mut values: [f32; 5]| {
            apply_overrides(&all, &mut values);
            values
        };
        assert_eq!(after([0.0, 0.5, 0.5, 0.6, 0.5]), [0.0, 0.5, 0.5, 1.0, 0.5]);
        assert_eq!(after([0.25, 1.0, 1.0, 1.0, 0.5]), [0.25, 0.0, 0.75, 0.0, 0.5]);
    }

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
