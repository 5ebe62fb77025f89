//! Reads the `[[check]]` tables of a suite, which check clips for motion faults.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml_edit::{Item, Table, Value};

use crate::check::{Check, CheckOptions, Looping};
use crate::files::beside;
use crate::text::toml::{SpannedError, tables};

use super::values::span;

/// Maximum number of `[[check]]` tables.
const MAX_CHECKS: usize = 10_000;
const KEYS: [&str; 10] = ["name", "model", "rig", "clip", "only", "skip", "limit", "loop", "floor", "speed"];

/// A `[[check]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionCheck {
    /// Human-readable name. In reports, this name is followed by the name of a clip.
    pub name: String,
    /// File of the character, or `None` for the built-in character.
    pub model: Option<PathBuf>,
    /// The rig file, if it is not found beside the model.
    pub rig: Option<PathBuf>,
    /// Names of the clips. Empty for all clips.
    pub clips: Vec<String>,
    /// Which checks run, and their limits.
    pub options: CheckOptions,
}

/// Reads all tables of a suite. Paths are relative to `folder`, the suite's folder.
pub(super) fn motion_checks(root: &Table, folder: &Path) -> Result<Vec<MotionCheck>, SpannedError> {
    let tables = tables(root, "check")?;
    if let Some(table) = tables.get(MAX_CHECKS) {
        let cause = format!("too many checks; a suite can have at most {MAX_CHECKS}");
        return Err(SpannedError::new(table.span(), cause));
    }
    tables.into_iter().map(|table| motion_check(table, folder)).collect()
}

fn motion_check(table: &Table, folder: &Path) -> Result<MotionCheck, SpannedError> {
    for (key, item) in table.iter() {
        if !KEYS.contains(&key) {
            let cause = format!("unknown key \"{key}\" of a check; known: {}", KEYS.join(", "));
            return Err(SpannedError::new(span(table, key, item), cause));
        }
    }
    let path = |key: &str| text(table, key).map(|path| path.map(|p| beside(folder, Path::new(p))));
    let model = path("model")?;
    let stem = model.as_deref().and_then(Path::file_stem).map(|s| s.to_string_lossy().into_owned());
    let name = text(table, "name")?.map(str::to_owned).or(stem).unwrap_or_else(|| "built-in".to_owned());
    let number = |key: &str| number(table, key);
    let mut options = CheckOptions::default()
        .with_only(checks(table, "only")?)
        .with_skip(checks(table, "skip")?)
        .with_looping(looping(table)?)
        .with_floor(number("floor")?)
        .with_speed(number("speed")?);
    if let Some(item) = table.get("limit") {
        let cause = "limit must be a table, as in limit = { foot-slide = 0.02 }";
        let limits = item.as_table_like().ok_or_else(|| SpannedError::at(item, cause))?;
        for (check, item) in limits.iter() {
            let check: Check =
                check.parse().map_err(|e: crate::api::ParseError| SpannedError::at(item, e.to_string()))?;
            let value = item.as_float().or_else(|| item.as_integer().map(|i| i as f64));
            let value = value.filter(|v| v.is_finite() && *v >= 0.0);
            let value =
                value.ok_or_else(|| SpannedError::at(item, "a limit must be a number of at least 0"))?;
            options.limits.insert(check, value);
        }
    }
    Ok(MotionCheck { name, model, rig: path("rig")?, clips: texts(table, "clip")?, options })
}

fn text<'t>(table: &'t Table, key: &str) -> Result<Option<&'t str>, SpannedError> {
    let text = |item: &'t Item| {
        item.as_str().ok_or_else(|| SpannedError::at(item, format!("{key} must be a string")))
    };
    table.get(key).map(text).transpose()
}

/// Reads a string or a list of strings.
fn texts(table: &Table, key: &str) -> Result<Vec<String>, SpannedError> {
    let Some(item) = table.get(key) else { return Ok(Vec::new()) };
    let invalid = || SpannedError::at(item, format!("{key} must be a string or a list of strings"));
    match item.as_array() {
        Some(list) => {
            list.iter().map(|v: &Value| v.as_str().map(str::to_owned).ok_or_else(invalid)).collect()
        }
        None => Ok(vec![item.as_str().ok_or_else(invalid)?.to_owned()]),
    }
}

fn checks(table: &Table, key: &str) -> Result<BTreeSet<Check>, SpannedError> {
    let names = texts(table, key)?;
    let item = table.get(key);
    let parse = |name: &String| {
        let error = |e: crate::api::ParseError| SpannedError::new(item.and_then(Item::span), e.to_string());
        name.parse::<Check>().map_err(error)
    };
    names.iter().map(parse).collect()
}

fn looping(table: &Table) -> Result<Looping, SpannedError> {
    match text(table, "loop")? {
        None | Some("detect") => Ok(Looping::Detect),
        Some("always") => Ok(Looping::Always),
        Some("never") => Ok(Looping::Never),
        Some(_) => Err(SpannedError::new(
            table.get("loop").and_then(Item::span),
            "loop must be detect, always or never",
        )),
    }
}

fn number(table: &Table, key: &str) -> Result<Option<f32>, SpannedError> {
    let Some(item) = table.get(key) else { return Ok(None) };
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let value = item.as_float().or_else(|| item.as_integer().map(|i| i as f64)).map(|v| v as f32);
    let value = value.filter(|v| v.is_finite());
    value.map(Some).ok_or_else(|| SpannedError::at(item, format!("{key} must be a finite number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<MotionCheck>, String> {
        let document = toml_edit::Document::parse(text.to_owned()).unwrap();
        motion_checks(document.as_table(), Path::new("suites")).map_err(|e| e.line_and_cause(text).1)
    }

    #[test]
    fn a_check_has_clips_options_and_limits() {
        let text = "[[check]]\nmodel = \"hero.glb\"\nclip = \"walk\"\nskip = [\"flip\"]\nlimit = { foot-slide = 0.01 }\nfloor = 1\n";
        let checks = read(text).unwrap();
        let [check] = &checks[..] else { panic!("one check") };
        assert_eq!((check.name.as_str(), check.clips.len()), ("hero", 1));
        assert_eq!(check.model.as_deref(), Some(Path::new("suites/hero.glb")));
        assert_eq!(check.options.limits.get(&Check::FootSlide), Some(&0.01));
        assert_eq!(check.options.floor, Some(1.0));
        assert!(!check.options.runs(Check::Flip) && check.options.runs(Check::Jerk));
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, cause) in [
            ("[[check]]\nclips = 1\n", "unknown key \"clips\""),
            ("[[check]]\nonly = [\"feet\"]\n", "unknown check \"feet\""),
            ("[[check]]\nlimit = { flip = -1 }\n", "at least 0"),
            ("[[check]]\nloop = \"yes\"\n", "detect, always or never"),
            ("[[check]]\nclip = 3\n", "a string or a list"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(cause), "{error}");
        }
    }
}
