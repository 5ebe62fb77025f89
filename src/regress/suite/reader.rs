//! Converts the tables of a suite to cases.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use toml_edit::{Item, Table, TableLike, Value};

use crate::files::beside;
use crate::text::toml::{Lines, SpannedError, check_file, elements, flag, optional, string, tables};

use super::values::{argument_text, checks, frames, golden_sets, name_part, not_negative, slug};
use super::{Case, Checks, Moment, OptionArity, OptionKey, Replayed};

pub(super) const VERSION: i64 = 1;
/// Keys of a suite, except for `version`.
const ROOT_KEYS: [&str; 7] =
    ["goldens", "golden-sets", "require-scenes", "defaults", "case", "matrix", "check"];
/// Maximum number of cases in a suite.
const MAX_CASES: usize = 100_000;
/// Maximum size of the options of all cases, in bytes. An option that several cases share counts once for each of them.
const MAX_TEXT: usize = 64 << 20;

pub(super) struct SuiteReader<'a> {
    pub(super) folder: &'a Path,
    pub(super) options: &'a [OptionKey],
    pub(super) lines: Lines,
}

/// Keys of a case that are not command-line options.
const CASE_KEYS: [&str; 19] = [
    "name", "model", "project", "replay", "frames", "fps", "compare", "levels", "mean", "worst", "moved",
    "changed", "alpha", "only", "ignore", "distance", "angle", "outcome", "error",
];
/// The command-line options that a case can set if it plays back a session. The session defines all other options.
const REPLAY_OPTIONS: [&str; 1] = ["resolution"];
/// Keys that only apply to a case with goals.
const REPORT_KEYS: [&str; 2] = ["outcome", "error"];
/// Keys that only apply to a case that plays back a session.
const REPLAY_KEYS: [&str; 2] = ["frames", "fps"];

fn too_many(table: &Table) -> SpannedError {
    SpannedError::new(table.span(), format!("too many cases; a suite can have at most {MAX_CASES}"))
}

/// The suite's defaults that apply to a case: those that the case does not set itself and that this kind of case can have.
fn applicable_defaults<'t>(defaults: &'t Table, table: &Table) -> Vec<(&'t str, Cow<'t, Item>)> {
    let replays = [defaults, table].iter().any(|t| t.contains_key("replay"));
    let inapplicable = if replays { REPORT_KEYS } else { REPLAY_KEYS };
    let applies = |key: &str| !table.contains_key(key) && !inapplicable.contains(&key);
    let has_report =
        REPORT_KEYS.iter().any(|key| table.contains_key(key) || applies(key) && defaults.contains_key(key));
    let mut applicable = Vec::new();
    for (key, item) in defaults.iter().filter(|(key, _)| applies(key)) {
        if key != "compare" || has_report || !item.is_array() {
            applicable.push((key, Cow::Borrowed(item)));
            continue;
        }
        let mut item = item.clone();
        if let Some(compared) = item.as_array_mut() {
            compared.retain(|check| check.as_str() != Some("report"));
            if compared.is_empty() {
                continue;
            }
        }
        applicable.push((key, Cow::Owned(item)));
    }
    applicable
}

/// The size of an item's text in bytes, or 1 if it has no position in the file.
fn text_length(item: &Item) -> usize {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(_, item)| text_length(item)).sum();
    }
    item.span().map_or(1, |span| span.len())
}

/// Adds an argument `KEY=VALUE` for each value of a table. The keys of nested tables are joined by dots.
fn assignments(
    flag: &str,
    prefix: &str,
    table: &dyn TableLike,
    out: &mut Vec<String>,
) -> Result<(), SpannedError> {
    for (name, item) in table.iter() {
        let key = format!("{prefix}{name}");
        if let Some(inner) = item.as_table_like() {
            assignments(flag, &format!("{key}."), inner, out)?;
            continue;
        }
        let text = match item.as_value() {
            Some(Value::Boolean(on)) => Some(on.value().to_string()),
            value => value.and_then(argument_text),
        };
        let cause = || format!("{key} must be a string, a number or a switch");
        out.push(format!("{flag}={key}={}", text.ok_or_else(|| SpannedError::at(item, cause()))?));
    }
    Ok(())
}

/// The cases read so far.
#[derive(Default)]
struct CaseList {
    list: Vec<Case>,
    /// Size of the options of all cases, in bytes.
    text: usize,
}

impl SuiteReader<'_> {
    /// Returns the folder of goldens, the classes of adapters with folders of their own, and the cases.
    pub(super) fn suite(&self, root: &Table) -> Result<(PathBuf, Vec<String>, Vec<Case>), SpannedError> {
        check_file(root, VERSION, &ROOT_KEYS, "")?;
        let goldens = match root.get("goldens") {
            None => "goldens",
            Some(item) => {
                item.as_str().ok_or_else(|| SpannedError::at(item, "goldens must be the path of a folder"))?
            }
        };
        let golden_sets = optional(root, "golden-sets", golden_sets)?.unwrap_or_default();
        let no_defaults = Table::new();
        let defaults = match root.get("defaults") {
            None => &no_defaults,
            Some(item) => item
                .as_table()
                .ok_or_else(|| SpannedError::at(item, "defaults must be a table: [defaults]"))?,
        };
        self.check_keys(defaults)?;
        let mut cases = CaseList::default();
        let singles = tables(root, "case")?;
        // The number of tables is checked before any case is read.
        if let Some(table) = singles.get(MAX_CASES) {
            return Err(too_many(table));
        }
        for table in singles {
            self.check_keys(table)?;
            self.cases(defaults, table, &[], &mut cases)?;
        }
        for table in tables(root, "matrix")? {
            self.check_keys(table)?;
            self.matrix(defaults, table, &mut cases)?;
        }
        Ok((goldens.into(), golden_sets, cases.list))
    }

    fn option(&self, name: &str) -> Option<&OptionKey> {
        self.options.iter().find(|o| o.name == name)
    }

    fn check_keys(&self, table: &Table) -> Result<(), SpannedError> {
        for (key, _) in table.iter() {
            if !CASE_KEYS.contains(&key) && self.option(key).is_none() {
                let mut similar: Vec<&str> =
                    CASE_KEYS.into_iter().chain(self.options.iter().map(|o| &*o.name)).collect();
                similar.sort_by(|a, b| strsim::jaro(b, key).total_cmp(&strsim::jaro(a, key)));
                similar.truncate(3);
                let cause = format!("unknown key \"{key}\"; similar keys: {}", similar.join(", "));
                return Err(SpannedError::at_key(table, key, cause));
            }
        }
        Ok(())
    }

    /// Adds the cases of a matrix: all combinations of values from its lists. The last list varies fastest.
    fn matrix(&self, defaults: &Table, table: &Table, cases: &mut CaseList) -> Result<(), SpannedError> {
        let mut axes: Vec<(&str, Vec<&Item>)> = Vec::new();
        for (key, item) in table.iter() {
            let Some(list) = elements(item) else { continue };
            let many = self.option(key).is_some_and(|o| o.takes == OptionArity::Many);
            let multiplies = match key {
                "compare" | "frames" | "only" | "ignore" => false,
                _ if many => list.iter().any(|item| item.is_array()),
                _ => true,
            };
            if multiplies {
                if list.is_empty() {
                    return Err(SpannedError::at(
                        item,
                        format!("{key} is an empty list; it needs at least one value"),
                    ));
                }
                axes.push((key, list));
            }
        }
        let count = axes.iter().try_fold(1_usize, |n, (_, list)| n.checked_mul(list.len()));
        let count = count.filter(|n| n.saturating_add(cases.list.len()) <= MAX_CASES);
        let count = count.ok_or_else(|| too_many(table))?;
        for index in 0..count {
            let mut rest = index;
            let mut chosen: Vec<(&str, &Item)> = Vec::new();
            for (key, list) in axes.iter().rev() {
                chosen.extend(list.get(rest % list.len()).map(|item| (*key, *item)));
                rest /= list.len();
            }
            chosen.reverse();
            self.cases(defaults, table, &chosen, cases)?;
        }
        Ok(())
    }

    /// Adds the cases of a table with values chosen from its lists. A recorded session produces one case for each compared frame and one
    /// case for the joints. Any other table produces a single case.
    fn cases(
        &self,
        defaults: &Table,
        table: &Table,
        chosen: &[(&str, &Item)],
        cases: &mut CaseList,
    ) -> Result<(), SpannedError> {
        let defaults = applicable_defaults(defaults, table);
        let defaults = defaults.iter().map(|(key, item)| (*key, &**item));
        let choice = |key: &str| chosen.iter().find(|(k, _)| *k == key).map(|(_, item)| *item);
        let keys: Vec<(&str, &Item)> =
            defaults.chain(table.iter()).map(|(key, item)| (key, choice(key).unwrap_or(item))).collect();
        cases.text = cases.text.saturating_add(keys.iter().map(|(_, item)| text_length(item)).sum());
        if cases.text > MAX_TEXT {
            let cause = format!("the options of all cases exceed {MAX_TEXT} bytes");
            return Err(SpannedError::new(table.span(), cause));
        }
        let get = |key: &str| keys.iter().find(|(k, _)| *k == key).map(|(_, item)| *item);
        let text = |key: &str| get(key).map(|item| string(item, key)).transpose();
        let beside = |file: &str| beside(self.folder, Path::new(file));
        let model = text("model")?.map(beside);
        let session = text("replay")?.map(beside);
        let project = text("project")?.map(beside);
        if let Some(item) = get("project").filter(|_| session.is_some() || model.is_some()) {
            return Err(SpannedError::at(
                item,
                "project excludes model and replay, because it names its model",
            ));
        }
        let mut words: Vec<String> = text("name")?.map(str::to_owned).into_iter().collect();
        words.extend(
            chosen
                .iter()
                .filter_map(|(key, item)| Some(name_part(key, item.as_value()?)))
                .filter(|w| !w.is_empty()),
        );
        let name = words.join(" ");
        if slug(&name).is_empty() {
            return Err(SpannedError::new(table.span(), "a case needs a name"));
        }
        let mut arguments = Vec::new();
        for (key, item) in &keys {
            if let Some(option) = self.option(key) {
                let is_from_session =
                    session.as_ref().or(project.as_ref()).is_some() && !REPLAY_OPTIONS.contains(key);
                if is_from_session && table.contains_key(key) {
                    let cause = format!("{key} cannot be set for a session or a project, which defines it");
                    return Err(SpannedError::at(item, cause));
                }
                if !is_from_session {
                    self.arguments(option, item, &mut arguments)?;
                }
            }
        }
        let line = self.lines.at(table.span());
        let mut checks = checks(&get)?;
        if let Some(report) = &mut checks.report {
            report.from_defaults = REPORT_KEYS.iter().all(|key| !table.contains_key(key));
        }
        let fps = get("fps").map_or(Ok(24.0), |item| not_negative(item, "fps"))?;
        let case = |name: String, checks: Checks, replay: Option<Replayed>| Case {
            slug: slug(&name),
            name,
            line,
            model: model.clone(),
            replay,
            arguments: arguments.clone(),
            checks,
        };
        let Some(session) = session else {
            if let Some(item) = get("frames").or(get("fps")) {
                return Err(SpannedError::at(item, "frames and fps need a session; set replay"));
            }
            let state = |session| Replayed { session, moment: Moment::Frame(0), fps };
            cases.list.push(case(name, checks, project.map(state)));
            return Ok(());
        };
        if fps <= 0.0 || checks.report.is_some() {
            let cause =
                "a replayed session compares image and joints but no report, and fps must be greater than 0";
            return Err(SpannedError::new(table.span(), cause));
        }
        let frames = get("frames").map_or(Ok(Vec::new()), frames)?;
        if checks.image.is_some() && frames.is_empty() {
            let cause = "frames is missing; it lists the frames of the session to compare";
            return Err(SpannedError::new(table.span(), cause));
        }
        if frames.len().saturating_add(cases.list.len()) >= MAX_CASES {
            return Err(too_many(table));
        }
        let replayed = |moment| Some(Replayed { session: session.clone(), moment, fps });
        for frame in frames.into_iter().filter(|_| checks.image.is_some()) {
            let checks = Checks { joints: None, ..checks.clone() };
            cases.list.push(case(format!("{name} frame {frame}"), checks, replayed(Moment::Frame(frame))));
        }
        if checks.joints.is_some() {
            let checks = Checks { image: None, ..checks };
            cases.list.push(case(format!("{name} joints"), checks, replayed(Moment::AllFrames)));
        }
        Ok(())
    }

    fn arguments(&self, option: &OptionKey, item: &Item, out: &mut Vec<String>) -> Result<(), SpannedError> {
        let name = format!("--{}", option.name);
        if let (OptionArity::Many, Some(table)) = (option.takes, item.as_table_like()) {
            return assignments(&name, "", table, out);
        }
        let value = item
            .as_value()
            .ok_or_else(|| SpannedError::at(item, format!("{} must be a value, not a table", option.name)))?;
        let invalid = || {
            SpannedError::at(item, format!("{} must be a string, a number or a list of them", option.name))
        };
        let text = |value: &Value| {
            let text = argument_text(value).ok_or_else(invalid)?;
            Ok(if option.is_path {
                beside(self.folder, Path::new(&text)).to_string_lossy().into_owned()
            } else {
                text
            })
        };
        match (option.takes, value) {
            (OptionArity::Flag, _) => out.extend(flag(item, &option.name)?.then_some(name)),
            (OptionArity::Many, Value::Array(list)) => {
                for value in list.iter() {
                    out.push(format!("{name}={}", text(value)?));
                }
            }
            (_, value) => out.push(format!("{name}={}", text(value)?)),
        }
        Ok(())
    }
}
