//! Reads the values of a suite's keys.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, Table, Value};

use crate::text::toml;
use crate::text::toml::{SpannedError, single};

use super::{Checks, ReportCheck};
use crate::region::RegionNames;
use crate::tolerance::{ImageTolerance, JointTolerance, KindTolerance};

/// Reads the comparisons of a case and their tolerances.
pub(super) fn checks<'a>(get: &dyn Fn(&str) -> Option<&'a Item>) -> Result<Checks, SpannedError> {
    let compared: Vec<String> = match get("compare") {
        None => vec!["image".into()],
        Some(item) => {
            let list = item.as_array().map(|a| a.iter().map(|v| v.as_str().map(str::to_owned)).collect());
            let single = item.as_str().map(|s| vec![s.to_owned()]);
            let error =
                || SpannedError::at(item, "compare must be a list of \"image\", \"joints\" and \"report\"");
            let list: Vec<String> = list.unwrap_or(single).ok_or_else(error)?;
            if list.is_empty() || list.iter().any(|w| !["image", "joints", "report"].contains(&w.as_str())) {
                return Err(error());
            }
            list
        }
    };
    let compares = |check: &str| compared.iter().any(|c| c == check);
    let number = |key: &str, default: f64| number(get, key, default);
    let fraction = |key: &str, default: f32| match get(key) {
        Some(item) => {
            let otherwise = || format!("{key} must be a number from 0 to 1");
            toml::number(item, key, |v| (0.0..=1.0).contains(&v), otherwise).map(single)
        }
        None => Ok(default),
    };
    let default = ImageTolerance::default();
    let levels = match get("levels") {
        None => default.levels,
        Some(item) => {
            let levels = item.as_integer().and_then(|n| u8::try_from(n).ok());
            levels.ok_or_else(|| SpannedError::at(item, "levels must be an integer from 0 to 255"))?
        }
    };
    let image = ImageTolerance {
        levels,
        mean: fraction("mean", default.mean)?,
        worst: fraction("worst", default.worst)?,
    };
    let default = KindTolerance::default();
    let pixels = |key: &str, default: usize| match get(key) {
        None => Ok(default),
        Some(item) => {
            let pixels = item.as_integer().and_then(|n| usize::try_from(n).ok());
            pixels.ok_or_else(|| {
                SpannedError::at(item, format!("{key} must be a number of pixels of at least 0"))
            })
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "pixels need no more digits")]
    let kinds = KindTolerance {
        moved: number("moved", default.moved.into())? as f32,
        changed: pixels("changed", default.changed)?,
        alpha: pixels("alpha", default.alpha)?,
    };
    let region = RegionNames { only: names(get("only"), "only")?, ignore: names(get("ignore"), "ignore")? };
    let default = JointTolerance::default();
    let joints = JointTolerance {
        distance: number("distance", default.distance)?,
        angle: angle(get, "angle", default.angle)?,
    };
    let outcome = match get("outcome") {
        None => None,
        Some(item) => {
            let names = [
                "reached",
                "out-of-reach",
                "blocked-by-limits",
                "blocked-by-balance",
                "blocked-by-contact",
                "stalled",
                "iteration-limit",
            ];
            let name = item.as_str().filter(|n| names.contains(n));
            let error = || SpannedError::at(item, format!("outcome must be one of {}", names.join(", ")));
            Some(name.ok_or_else(error)?.to_owned())
        }
    };
    let error = get("error").map(|_| number("error", 0.0)).transpose()?;
    let report = ReportCheck { outcome, error, from_defaults: false };
    if compares("report") && report == ReportCheck::default() {
        let item = get("compare");
        return Err(SpannedError::new(
            item.and_then(Item::span),
            "to compare the report, set outcome or error",
        ));
    }
    Ok(Checks {
        image: compares("image").then_some(image),
        kinds,
        region,
        joints: compares("joints").then_some(joints),
        report: (report != ReportCheck::default()).then_some(report),
    })
}

/// Reads a name or a list of names.
fn names(item: Option<&Item>, key: &str) -> Result<Vec<String>, SpannedError> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let single = item.as_str().map(|name| vec![name.to_owned()]);
    let list = || item.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let names: Option<Vec<String>> = single.or_else(list);
    let names = names.filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty()));
    names.ok_or_else(|| {
        SpannedError::at(item, format!("{key} must be a list of joints, parts, materials or limbs"))
    })
}

/// Reads the classes of adapters that have their own goldens. Each class is also the name of a folder.
pub(super) fn golden_sets(item: Option<&Item>) -> Result<Vec<String>, SpannedError> {
    let sets = names(item, "golden-sets").map_err(|error| SpannedError {
        cause: "golden-sets must be a list of adapter classes".into(),
        ..error
    })?;
    let is_class = |set: &String| set.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    match (sets.iter().find(|set| !is_class(set)), item) {
        (Some(set), Some(item)) => {
            let cause = format!("golden-sets: \"{set}\" is not a class of adapters, such as vulkan-nvidia");
            Err(SpannedError::at(item, cause))
        }
        _ => Ok(sets),
    }
}

/// Reads a switch, which is off if it is missing.
pub(super) fn switch(item: Option<&Item>, key: &str) -> Result<bool, SpannedError> {
    let Some(item) = item else { return Ok(false) };
    item.as_bool().ok_or_else(|| SpannedError::at(item, format!("{key} must be true or false")))
}

/// Reads a number that must not be negative.
pub(super) fn number<'a>(
    get: &dyn Fn(&str) -> Option<&'a Item>,
    key: &str,
    default: f64,
) -> Result<f64, SpannedError> {
    get(key).map_or(Ok(default), |item| {
        toml::number(item, key, |v| v >= 0.0, || format!("{key} must be a number of at least 0"))
    })
}

/// Reads an angle: a number of radians, or a string with a unit.
fn angle<'a>(get: &dyn Fn(&str) -> Option<&'a Item>, key: &str, default: f64) -> Result<f64, SpannedError> {
    let Some((item, text)) = get(key).and_then(|item| Some((item, item.as_str()?))) else {
        return number(get, key, default);
    };
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
pub(super) fn frames(item: Option<&Item>) -> Result<Vec<u32>, SpannedError> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let frame = |v: &Value| v.as_integer().and_then(|i| u32::try_from(i).ok());
    let list = item.as_array().and_then(|a| a.iter().map(frame).collect());
    list.ok_or_else(|| SpannedError::at(item, "frames must be a list of integers of at least 0"))
}

/// The position of a key in the file, or of its value if the key has no position.
pub(super) fn span(table: &Table, key: &str, item: &Item) -> Option<Range<usize>> {
    table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span())
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
