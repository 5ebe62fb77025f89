//! Reads the values of a suite's keys.

use std::path::Path;

use toml_edit::{Item, Value};

use crate::text::toml::{SpannedError, choice, number_where, single};

use super::{Checks, ReportCheck};
use crate::region::RegionNames;
use crate::tolerance::{ImageTolerance, JointTolerance, KindTolerance};

/// The outcomes of goals.
const OUTCOMES: [&str; 7] = [
    "reached",
    "out-of-reach",
    "blocked-by-limits",
    "blocked-by-balance",
    "blocked-by-contact",
    "stalled",
    "iteration-limit",
];

/// Reads the comparisons of a case and their tolerances.
pub(super) fn checks<'a>(get: &dyn Fn(&str) -> Option<&'a Item>) -> Result<Checks, SpannedError> {
    let compared = get("compare").map_or(Ok(vec!["image".to_owned()]), compared)?;
    let compares = |check: &str| compared.iter().any(|c| c == check);
    let default = ImageTolerance::default();
    let image = ImageTolerance {
        levels: read_or(get, "levels", default.levels, levels)?,
        mean: read_or(get, "mean", default.mean, fraction)?,
        worst: read_or(get, "worst", default.worst, fraction)?,
    };
    let default = KindTolerance::default();
    #[expect(clippy::cast_possible_truncation, reason = "pixels need no more digits")]
    let kinds = KindTolerance {
        moved: read_or(get, "moved", f64::from(default.moved), not_negative)? as f32,
        changed: read_or(get, "changed", default.changed, pixels)?,
        alpha: read_or(get, "alpha", default.alpha, pixels)?,
    };
    let region = RegionNames {
        only: read_or(get, "only", Vec::new(), names)?,
        ignore: read_or(get, "ignore", Vec::new(), names)?,
    };
    let default = JointTolerance::default();
    let joints = JointTolerance {
        distance: read_or(get, "distance", default.distance, not_negative)?,
        angle: read_or(get, "angle", default.angle, angle)?,
    };
    let outcome = |item: &Item, key: &str| {
        let known = OUTCOMES.map(|name| (name, name.to_owned()));
        choice(item, known, format!("{key} must be one of {}", OUTCOMES.join(", "))).map(Some)
    };
    let report = ReportCheck {
        outcome: read_or(get, "outcome", None, outcome)?,
        error: read_or(get, "error", None, |item, key| not_negative(item, key).map(Some))?,
        from_defaults: false,
    };
    if compares("report") && report == ReportCheck::default() {
        let span = get("compare").and_then(Item::span);
        return Err(SpannedError::new(span, "to compare the report, set outcome or error"));
    }
    Ok(Checks {
        image: compares("image").then_some(image),
        kinds,
        region,
        joints: compares("joints").then_some(joints),
        report: (report != ReportCheck::default()).then_some(report),
    })
}

/// Reads the value of a key, or returns a default if the key is missing.
fn read_or<'a, T>(
    get: &dyn Fn(&str) -> Option<&'a Item>,
    key: &str,
    default: T,
    read: impl FnOnce(&'a Item, &str) -> Result<T, SpannedError>,
) -> Result<T, SpannedError> {
    get(key).map_or(Ok(default), |item| read(item, key))
}

/// Reads a string or a list of strings, or returns `None` for any other value.
pub(super) fn strings(item: &Item) -> Option<Vec<String>> {
    match item.as_array() {
        Some(list) => list.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        None => Some(vec![item.as_str()?.to_owned()]),
    }
}

fn compared(item: &Item) -> Result<Vec<String>, SpannedError> {
    let is_known = |word: &String| ["image", "joints", "report"].contains(&word.as_str());
    let words = strings(item).filter(|words| !words.is_empty() && words.iter().all(is_known));
    words.ok_or_else(|| {
        SpannedError::at(item, "compare must be a list of \"image\", \"joints\" and \"report\"")
    })
}

fn levels(item: &Item, key: &str) -> Result<u8, SpannedError> {
    let levels = item.as_integer().and_then(|n| u8::try_from(n).ok());
    levels.ok_or_else(|| SpannedError::at(item, format!("{key} must be an integer from 0 to 255")))
}

fn fraction(item: &Item, key: &str) -> Result<f32, SpannedError> {
    let otherwise = || format!("{key} must be a number from 0 to 1");
    number_where(item, key, |v| (0.0..=1.0).contains(&v), otherwise).map(single)
}

fn pixels(item: &Item, key: &str) -> Result<usize, SpannedError> {
    let pixels = item.as_integer().and_then(|n| usize::try_from(n).ok());
    pixels.ok_or_else(|| SpannedError::at(item, format!("{key} must be a number of pixels of at least 0")))
}

/// Reads a name or a list of names.
fn names(item: &Item, key: &str) -> Result<Vec<String>, SpannedError> {
    let names = strings(item).filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty()));
    names.ok_or_else(|| {
        SpannedError::at(item, format!("{key} must be a list of joints, parts, materials or limbs"))
    })
}

/// Reads the classes of adapters that have their own goldens. Each class is also the name of a folder.
pub(super) fn golden_sets(item: &Item, key: &str) -> Result<Vec<String>, SpannedError> {
    let no_list = |error: SpannedError| SpannedError {
        cause: format!("{key} must be a list of adapter classes"),
        ..error
    };
    let sets = names(item, key).map_err(no_list)?;
    let is_class = |set: &String| set.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    match sets.iter().find(|set| !is_class(set)) {
        Some(set) => {
            let cause = format!("{key}: \"{set}\" is not a class of adapters, such as vulkan-nvidia");
            Err(SpannedError::at(item, cause))
        }
        None => Ok(sets),
    }
}

/// Reads a number that must not be negative.
pub(super) fn not_negative(item: &Item, key: &str) -> Result<f64, SpannedError> {
    number_where(item, key, |v| v >= 0.0, || format!("{key} must be a number of at least 0"))
}

/// Reads an angle: a number of radians, or a string with a unit.
fn angle(item: &Item, key: &str) -> Result<f64, SpannedError> {
    let Some(text) = item.as_str() else { return not_negative(item, key) };
    let degrees = text.strip_suffix("deg").or(text.strip_suffix('°'));
    let parse = |number: &str| number.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    let angle = match degrees {
        Some(number) => parse(number).map(f64::to_radians),
        None => text.strip_suffix("rad").and_then(parse),
    };
    angle
        .ok_or_else(|| SpannedError::at(item, format!("{key} must be an angle, such as 1e-4 or \"0.01deg\"")))
}

/// Reads a list of frame numbers of a session.
pub(super) fn frames(item: &Item) -> Result<Vec<u32>, SpannedError> {
    let frame = |v: &Value| v.as_integer().and_then(|i| u32::try_from(i).ok());
    let list = item.as_array().and_then(|a| a.iter().map(frame).collect());
    list.ok_or_else(|| SpannedError::at(item, "frames must be a list of integers of at least 0"))
}

/// Converts a value to the text of a command-line argument. The elements of a list are separated by commas.
pub(super) fn argument_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.value().clone(),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        Value::Array(list) => list.iter().map(argument_text).collect::<Option<Vec<_>>>()?.join(","),
        _ => return None,
    })
}

/// The part of a case's name that stands for a value of a matrix.
pub(super) fn name_part(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if key == "model" || key == "project" || key == "replay" || key == "rig" => {
            Path::new(text.value()).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
        }
        Value::Boolean(on) if *on.value() => key.to_owned(),
        // Switches are off by default.
        Value::Boolean(_) => String::new(),
        other => argument_text(other).unwrap_or_default(),
    }
}

/// Converts a name to a file name. Letters become lower case, the sign of a negative number becomes `minus`, and all
/// characters except letters and digits become dashes.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    let (mut before, name) = (None, name.to_lowercase());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        // A dash between words is not a sign.
        let sign = matches!(c, '-' | '\u{2212}') && !before.is_some_and(char::is_alphanumeric);
        // A point is kept only after a digit, as in a decimal number. Elsewhere it would look like the start of an extension.
        let point = c == '.' && slug.ends_with(|last: char| last.is_ascii_digit());
        if sign && chars.peek().is_some_and(|next| next.is_ascii_digit() || *next == '.') {
            slug.push_str("minus");
        } else if c.is_alphanumeric() || point {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
        before = Some(c);
    }
    slug.trim_matches(|c| c == '-' || c == '.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_that_differ_by_a_sign_get_different_file_names() {
        for (name, file) in [
            ("Rest Of It", "rest-of-it"),
            ("clip walk 0.25", "clip-walk-0.25"),
            ("arm full-body no-limits", "arm-full-body-no-limits"),
            ("goal leftHand=0.4,0.4,-0.2", "goal-lefthand-0.4-0.4-minus0.2"),
            ("at -1.5", "at-minus1.5"),
            ("-3", "minus3"),
            ("pass-3 - 4", "pass-3-4"),
            ("a (-90) b", "a-minus90-b"),
            ("at -.5", "at-minus-5"),
        ] {
            assert_eq!(slug(name), file);
        }
    }
}
