//! From tables to cases.

use std::path::{Path, PathBuf};

use toml_edit::{Item, Table, Value};

use super::values::{checks, frames, number, slug, span, spoken, word};
use crate::toml::{Fault, line, tables};

use super::{Case, Checks, Moment, OptionKey, Replayed, Takes};

const VERSION: i64 = 1;
/// More would not be looked at by anybody.
const MOST_CASES: usize = 100_000;

pub(super) struct Reader<'a> {
    pub(super) folder: &'a Path,
    pub(super) options: &'a [OptionKey],
    pub(super) text: &'a str,
}

/// Keys of a case that are no options.
const OWN: [&str; 14] = [
    "name", "model", "replay", "frames", "fps", "compare", "levels", "mean", "worst", "tolerate", "distance",
    "angle", "outcome", "error",
];
/// Options of a case that plays a session back: the session itself says the rest.
const REPLAYED: [&str; 1] = ["resolution"];
/// Keys of a case that has goals.
const REPORTED: [&str; 2] = ["outcome", "error"];
/// Keys of a case that plays a session back.
const TIMED: [&str; 2] = ["frames", "fps"];

fn too_many(table: &Table) -> Fault {
    Fault::new(table.span(), format!("more than {MOST_CASES} cases"))
}

/// The defaults that a case takes: what it does not say itself, and what cases of its kind can have.
fn usual(defaults: &Table, table: &Table) -> Table {
    let replays = [defaults, table].iter().any(|t| t.contains_key("replay"));
    let foreign = if replays { REPORTED } else { TIMED };
    let mut usual = defaults.clone();
    usual.retain(|key, _| !table.contains_key(key) && !foreign.contains(&key));
    let reports = REPORTED.iter().any(|key| usual.contains_key(key) || table.contains_key(key));
    if let Some(compared) = usual.get_mut("compare").and_then(Item::as_array_mut).filter(|_| !reports) {
        compared.retain(|what| what.as_str() != Some("report"));
        if compared.is_empty() {
            usual.remove("compare");
        }
    }
    usual
}

impl Reader<'_> {
    pub(super) fn suite(&self, root: &Table) -> Result<(PathBuf, Vec<Case>), Fault> {
        for (key, item) in root.iter() {
            if !["version", "goldens", "defaults", "case", "matrix"].contains(&key) {
                let known = "version, goldens, defaults, case, matrix";
                return Err(Fault::new(
                    span(root, key, item),
                    format!("unknown key \"{key}\"; known: {known}"),
                ));
            }
        }
        match root.get("version") {
            Some(version) if version.as_integer() == Some(VERSION) => {}
            Some(version) => return Err(Fault::at(version, format!("version is not {VERSION}"))),
            None => return Err(Fault::new(None, "version is missing")),
        }
        let goldens = match root.get("goldens") {
            None => "goldens",
            Some(item) => item.as_str().ok_or_else(|| Fault::at(item, "goldens is no folder"))?,
        };
        let none = Table::new();
        let defaults = match root.get("defaults") {
            None => &none,
            Some(item) => item.as_table().ok_or_else(|| Fault::at(item, "write [defaults]"))?,
        };
        self.known(defaults)?;
        let mut cases = Vec::new();
        let singles = tables(root, "case")?;
        // Before any of them is read.
        if let Some(table) = singles.get(MOST_CASES) {
            return Err(too_many(table));
        }
        for table in singles {
            self.known(table)?;
            self.cases(defaults, table, &[], &mut cases)?;
        }
        for table in tables(root, "matrix")? {
            self.known(table)?;
            self.matrix(defaults, table, &mut cases)?;
        }
        Ok((goldens.into(), cases))
    }

    fn option(&self, name: &str) -> Option<&OptionKey> {
        self.options.iter().find(|o| o.name == name)
    }

    fn known(&self, table: &Table) -> Result<(), Fault> {
        for (key, item) in table.iter() {
            if !OWN.contains(&key) && self.option(key).is_none() {
                let mut near: Vec<&str> =
                    OWN.into_iter().chain(self.options.iter().map(|o| &*o.name)).collect();
                near.sort_by(|a, b| strsim::jaro(b, key).total_cmp(&strsim::jaro(a, key)));
                near.truncate(3);
                let cause = format!("unknown key \"{key}\"; near it: {}", near.join(", "));
                return Err(Fault::new(span(table, key, item), cause));
            }
        }
        Ok(())
    }

    /// The cases of a matrix: every choice of a value from each of its lists, the last list fastest.
    fn matrix(&self, defaults: &Table, table: &Table, cases: &mut Vec<Case>) -> Result<(), Fault> {
        let mut axes: Vec<(&str, Vec<Value>)> = Vec::new();
        for (key, item) in table.iter() {
            let Some(list) = item.as_array() else { continue };
            let many = self.option(key).is_some_and(|o| o.takes == Takes::Many);
            let multiplies = match key {
                "compare" | "frames" => false,
                _ if many => list.iter().any(Value::is_array),
                _ => true,
            };
            if multiplies {
                if list.is_empty() {
                    return Err(Fault::at(item, format!("{key} is an empty list: there would be no case")));
                }
                axes.push((key, list.iter().cloned().collect()));
            }
        }
        let count = axes.iter().try_fold(1_usize, |n, (_, list)| n.checked_mul(list.len()));
        let count = count.filter(|n| n.saturating_add(cases.len()) <= MOST_CASES);
        let count = count.ok_or_else(|| too_many(table))?;
        for index in 0..count {
            let mut rest = index;
            let mut chosen: Vec<(&str, &Value)> = Vec::new();
            for (key, list) in axes.iter().rev() {
                chosen.extend(list.get(rest % list.len()).map(|v| (*key, v)));
                rest /= list.len();
            }
            chosen.reverse();
            self.cases(defaults, table, &chosen, cases)?;
        }
        Ok(())
    }

    /// The cases of a table, of whose lists some values are chosen: one, or of a session one for each frame that is seen
    /// and one for its joints.
    fn cases(
        &self,
        defaults: &Table,
        table: &Table,
        chosen: &[(&str, &Value)],
        cases: &mut Vec<Case>,
    ) -> Result<(), Fault> {
        let mut keys: Vec<(&str, Item)> = Vec::new();
        let usual = usual(defaults, table);
        for (key, item) in usual.iter().chain(table.iter()) {
            let value = chosen.iter().find(|(k, _)| *k == key).map(|(_, v)| Item::Value((*v).clone()));
            keys.push((key, value.unwrap_or_else(|| item.clone())));
        }
        let get = |key: &str| keys.iter().find(|(k, _)| *k == key).map(|(_, item)| item);
        let text = |key: &str| {
            let item = get(key);
            let text = item.map(|i| i.as_str().ok_or_else(|| Fault::at(i, format!("{key} is no text"))));
            text.transpose()
        };
        let model = text("model")?.map(|m| self.folder.join(m));
        let session = text("replay")?.map(|m| self.folder.join(m));
        let mut words: Vec<String> = text("name")?.map(str::to_owned).into_iter().collect();
        words.extend(chosen.iter().map(|(key, value)| word(key, value)).filter(|w| !w.is_empty()));
        let name = words.join(" ");
        if slug(&name).is_empty() {
            return Err(Fault::new(table.span(), "a case needs a name"));
        }
        let mut arguments = Vec::new();
        for (key, item) in &keys {
            if let Some(option) = self.option(key) {
                let said = session.is_some() && !REPLAYED.contains(key);
                if said && table.contains_key(key) {
                    return Err(Fault::at(item, format!("{key} is said by the session")));
                }
                if !said {
                    self.arguments(option, item, &mut arguments)?;
                }
            }
        }
        let line = line(self.text, table.span());
        let mut checks = checks(&get)?;
        if let Some(report) = &mut checks.report {
            report.usual = REPORTED.iter().all(|key| !table.contains_key(key));
        }
        let fps = number(&get, "fps", 24.0)?;
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
                return Err(Fault::at(item, "frames and fps are of a session: there is no replay"));
            }
            cases.push(case(name, checks, None));
            return Ok(());
        };
        if fps <= 0.0 || checks.report.is_some() {
            let cause = "of a session image and joints are compared, at more than 0 fps";
            return Err(Fault::new(table.span(), cause));
        }
        let seen = frames(get("frames"))?;
        if checks.image.is_some() && seen.is_empty() {
            return Err(Fault::new(table.span(), "frames says which pictures of a session are compared"));
        }
        if seen.len().saturating_add(cases.len()) >= MOST_CASES {
            return Err(too_many(table));
        }
        let replayed = |moment| Some(Replayed { session: session.clone(), moment, fps });
        for frame in seen.into_iter().filter(|_| checks.image.is_some()) {
            let checks = Checks { joints: None, ..checks.clone() };
            cases.push(case(format!("{name} frame {frame}"), checks, replayed(Moment::Frame(frame))));
        }
        if checks.joints.is_some() {
            let checks = Checks { image: None, ..checks };
            cases.push(case(format!("{name} joints"), checks, replayed(Moment::Track)));
        }
        Ok(())
    }

    fn arguments(&self, option: &OptionKey, item: &Item, out: &mut Vec<String>) -> Result<(), Fault> {
        let flag = format!("--{}", option.name);
        let value = item.as_value().ok_or_else(|| Fault::at(item, format!("{} is a table", option.name)))?;
        let bad = || Fault::at(item, format!("{} cannot be that", option.name));
        let text = |value: &Value| {
            let text = spoken(value).ok_or_else(bad)?;
            Ok(if option.is_path { self.folder.join(text).to_string_lossy().into_owned() } else { text })
        };
        match (option.takes, value) {
            (Takes::Flag, Value::Boolean(on)) => out.extend((*on.value()).then_some(flag)),
            (Takes::Flag, _) => return Err(Fault::at(item, format!("{} is true or false", option.name))),
            (Takes::Many, Value::Array(list)) => {
                for value in list.iter() {
                    out.push(format!("{flag}={}", text(value)?));
                }
            }
            (_, value) => out.push(format!("{flag}={}", text(value)?)),
        }
        Ok(())
    }
}
