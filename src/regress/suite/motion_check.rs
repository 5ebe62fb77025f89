//! Reads the `[[check]]` tables of a suite, which check clips for motion faults.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml_edit::{Item, Table};

use crate::check::{Check, CheckOptions, Looping};
use crate::files::beside;
use crate::text::toml::{SpannedError, any_number, optional, string, table_like, tables};

use super::values::strings;

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
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(key)) {
        let cause = format!("unknown key \"{key}\" of a check; known: {}", KEYS.join(", "));
        return Err(SpannedError::at_key(table, key, cause));
    }
    let path =
        |key: &str| optional(table, key, |item, key| Ok(beside(folder, Path::new(string(item, key)?))));
    let model = path("model")?;
    let stem = model.as_deref().and_then(Path::file_stem).map(|s| s.to_string_lossy().into_owned());
    let name = optional(table, "name", string)?.map(str::to_owned).or(stem);
    let mut options = CheckOptions::default()
        .with_only(optional(table, "only", checks)?.unwrap_or_default())
        .with_skip(optional(table, "skip", checks)?.unwrap_or_default())
        .with_looping(optional(table, "loop", looping)?.unwrap_or_default())
        .with_floor(optional(table, "floor", finite)?)
        .with_speed(optional(table, "speed", finite)?);
    if let Some(item) = table.get("limit") {
        let limits = table_like(item, "limit must be a table, as in limit = { foot-slide = 0.02 }")?;
        for (check, item) in limits.iter() {
            let check = parsed(item, check)?;
            let value = any_number(item).filter(|v| v.is_finite() && *v >= 0.0);
            let invalid = || SpannedError::at(item, "a limit must be a number of at least 0");
            options.limits.insert(check, value.ok_or_else(invalid)?);
        }
    }
    Ok(MotionCheck {
        name: name.unwrap_or_else(|| "built-in".to_owned()),
        model,
        rig: path("rig")?,
        clips: optional(table, "clip", texts)?.unwrap_or_default(),
        options,
    })
}

/// Reads a string or a list of strings.
fn texts(item: &Item, key: &str) -> Result<Vec<String>, SpannedError> {
    let invalid = || SpannedError::at(item, format!("{key} must be a string or a list of strings"));
    strings(item).ok_or_else(invalid)
}

fn checks(item: &Item, key: &str) -> Result<BTreeSet<Check>, SpannedError> {
    texts(item, key)?.iter().map(|name| parsed(item, name)).collect()
}

/// Finds a check by name. An error is at a value.
fn parsed(item: &Item, name: &str) -> Result<Check, SpannedError> {
    name.parse().map_err(|e: crate::api::ParseError| SpannedError::at(item, e.to_string()))
}

fn looping(item: &Item, key: &str) -> Result<Looping, SpannedError> {
    match string(item, key)? {
        "detect" => Ok(Looping::Detect),
        "always" => Ok(Looping::Always),
        "never" => Ok(Looping::Never),
        _ => Err(SpannedError::at(item, format!("{key} must be detect, always or never"))),
    }
}

fn finite(item: &Item, key: &str) -> Result<f32, SpannedError> {
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let value = any_number(item).map(|v| v as f32).filter(|v| v.is_finite());
    value.ok_or_else(|| SpannedError::at(item, format!("{key} must be a finite number")))
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
