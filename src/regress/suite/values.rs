//! What keys of a suite hold.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, Table, Value};

use crate::toml::{self, Fault, single};

use super::{Checks, ImageTolerance, JointTolerance, ReportCheck};

pub(super) fn checks<'a>(get: &dyn Fn(&str) -> Option<&'a Item>) -> Result<Checks, Fault> {
    let compared: Vec<String> = match get("compare") {
        None => vec!["image".into()],
        Some(item) => {
            let list = item.as_array().map(|a| a.iter().map(|v| v.as_str().map(str::to_owned)).collect());
            let one = item.as_str().map(|s| vec![s.to_owned()]);
            let fault = || Fault::at(item, "compare is a list of image, joints, report");
            let list: Vec<String> = list.unwrap_or(one).ok_or_else(fault)?;
            if list.is_empty() || list.iter().any(|w| !["image", "joints", "report"].contains(&w.as_str())) {
                return Err(fault());
            }
            list
        }
    };
    let compares = |what: &str| compared.iter().any(|c| c == what);
    let number = |key: &str, usual: f64| number(get, key, usual);
    let share = |key: &str, usual: f32| match get(key) {
        Some(item) => {
            let otherwise = || format!("{key} must be a number from 0 to 1");
            toml::number(item, key, |v| (0.0..=1.0).contains(&v), otherwise).map(single)
        }
        None => Ok(usual),
    };
    let usual = ImageTolerance::default();
    // Read for old suites: the tolerance now holds on every adapter.
    if let Some(item) = get("tolerate").filter(|i| !matches!(i.as_str(), Some("other-adapters" | "always"))) {
        return Err(Fault::at(item, "tolerate must be \"other-adapters\" or \"always\""));
    }
    let levels = match get("levels") {
        None => usual.levels,
        Some(item) => {
            let levels = item.as_integer().and_then(|n| u8::try_from(n).ok());
            levels.ok_or_else(|| Fault::at(item, "levels must be an integer from 0 to 255"))?
        }
    };
    let image =
        ImageTolerance { levels, mean: share("mean", usual.mean)?, worst: share("worst", usual.worst)? };
    let usual = JointTolerance::default();
    let joints = JointTolerance {
        distance: number("distance", usual.distance)?,
        angle: number("angle", usual.angle)?,
    };
    let outcome = match get("outcome") {
        None => None,
        Some(item) => {
            let names = ["reached", "out-of-reach", "blocked-by-limits", "stalled", "iterations"];
            let name = item.as_str().filter(|n| names.contains(n));
            Some(
                name.ok_or_else(|| Fault::at(item, format!("outcome is none of {}", names.join(", "))))?
                    .to_owned(),
            )
        }
    };
    let error = get("error").map(|_| number("error", 0.0)).transpose()?;
    let report = ReportCheck { outcome, error, usual: false };
    if compares("report") && report == ReportCheck::default() {
        let item = get("compare");
        return Err(Fault::new(item.and_then(Item::span), "to compare the report, set outcome or error"));
    }
    Ok(Checks {
        image: compares("image").then_some(image),
        joints: compares("joints").then_some(joints),
        report: (report != ReportCheck::default()).then_some(report),
    })
}

/// A number of at least zero.
pub(super) fn number<'a>(
    get: &dyn Fn(&str) -> Option<&'a Item>,
    key: &str,
    usual: f64,
) -> Result<f64, Fault> {
    get(key).map_or(Ok(usual), |item| {
        toml::number(item, key, |v| v >= 0.0, || format!("{key} must be a number of at least 0"))
    })
}

/// Frames of a session: a list of numbers.
pub(super) fn frames(item: Option<&Item>) -> Result<Vec<u32>, Fault> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let frame = |v: &Value| v.as_integer().and_then(|i| u32::try_from(i).ok());
    let list = item.as_array().and_then(|a| a.iter().map(frame).collect());
    list.ok_or_else(|| Fault::at(item, "frames is a list of numbers from 0"))
}

pub(super) fn span(table: &Table, key: &str, item: &Item) -> Option<Range<usize>> {
    table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span())
}

/// A value as it stands on a command line; a list of numbers with commas between.
pub(super) fn spoken(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.value().clone(),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        Value::Array(list) => list.iter().map(spoken).collect::<Option<Vec<_>>>()?.join(","),
        _ => return None,
    })
}

/// What a value of a matrix adds to the name of its case.
pub(super) fn word(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if key == "model" || key == "replay" || key == "rig" => {
            Path::new(text.value()).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
        }
        Value::Boolean(on) if *on.value() => key.to_owned(),
        // A switch that is off is what is usual.
        Value::Boolean(_) => String::new(),
        other => spoken(other).unwrap_or_default(),
    }
}

/// A name as files are named: lower case, a sign of a number `minus`, everything else than letters and numbers a dash.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    let (mut before, name) = (None, name.to_lowercase());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        // Between words a dash is none.
        let sign = matches!(c, '-' | '\u{2212}') && !before.is_some_and(char::is_alphanumeric);
        // A point stays in a number; elsewhere it would look like a file's kind.
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
    fn names_that_differ_by_a_sign_are_other_files() {
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
