//! From tables to cases.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use toml_edit::{Item, Table, Value};

use super::values::{checks, frames, number, slug, span, spoken, word};
use crate::toml::{Fault, Lines, tables};

use super::{Case, Checks, Moment, OptionKey, Replayed, Takes};

const VERSION: i64 = 1;
/// More would not be looked at by anybody.
const MOST_CASES: usize = 100_000;
/// The most text that all cases take together, bytes. What many cases have in common counts once for each of them.
const MOST_TEXT: usize = 64 << 20;

pub(super) struct Reader<'a> {
    pub(super) folder: &'a Path,
    pub(super) options: &'a [OptionKey],
    pub(super) lines: Lines,
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
fn usual<'t>(defaults: &'t Table, table: &Table) -> Vec<(&'t str, Cow<'t, Item>)> {
    let replays = [defaults, table].iter().any(|t| t.contains_key("replay"));
    let foreign = if replays { REPORTED } else { TIMED };
    let takes = |key: &str| !table.contains_key(key) && !foreign.contains(&key);
    let reports =
        REPORTED.iter().any(|key| table.contains_key(key) || takes(key) && defaults.contains_key(key));
    let mut usual = Vec::new();
    for (key, item) in defaults.iter().filter(|(key, _)| takes(key)) {
        if key != "compare" || reports || !item.is_array() {
            usual.push((key, Cow::Borrowed(item)));
            continue;
        }
        let mut item = item.clone();
        if let Some(compared) = item.as_array_mut() {
            compared.retain(|what| what.as_str() != Some("report"));
            if compared.is_empty() {
                continue;
            }
        }
        usual.push((key, Cow::Owned(item)));
    }
    usual
}

/// How much text an item is, bytes; an item that is made of others is at least one.
fn length(item: &Item) -> usize {
    item.span().map_or(1, |span| span.len())
}

/// The cases that were read so far.
#[derive(Default)]
struct Cases {
    list: Vec<Case>,
    /// The text of all of their options, bytes.
    text: usize,
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
        let mut cases = Cases::default();
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
        Ok((goldens.into(), cases.list))
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
    fn matrix(&self, defaults: &Table, table: &Table, cases: &mut Cases) -> Result<(), Fault> {
        let mut axes: Vec<(&str, Vec<Item>)> = Vec::new();
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
                axes.push((key, list.iter().cloned().map(Item::Value).collect()));
            }
        }
        let count = axes.iter().try_fold(1_usize, |n, (_, list)| n.checked_mul(list.len()));
        let count = count.filter(|n| n.saturating_add(cases.list.len()) <= MOST_CASES);
        let count = count.ok_or_else(|| too_many(table))?;
        for index in 0..count {
            let mut rest = index;
            let mut chosen: Vec<(&str, &Item)> = Vec::new();
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
        chosen: &[(&str, &Item)],
        cases: &mut Cases,
    ) -> Result<(), Fault> {
        let usual = usual(defaults, table);
        let usual = usual.iter().map(|(key, item)| (*key, &**item));
        let choice = |key: &str| chosen.iter().find(|(k, _)| *k == key).map(|(_, item)| *item);
        let keys: Vec<(&str, &Item)> =
            usual.chain(table.iter()).map(|(key, item)| (key, choice(key).unwrap_or(item))).collect();
        cases.text = cases.text.saturating_add(keys.iter().map(|(_, item)| length(item)).sum());
        if cases.text > MOST_TEXT {
            let cause = format!("all cases together have more than {MOST_TEXT} bytes of options");
            return Err(Fault::new(table.span(), cause));
        }
        let get = |key: &str| keys.iter().find(|(k, _)| *k == key).map(|(_, item)| *item);
        let text = |key: &str| {
            let item = get(key);
            let text = item.map(|i| i.as_str().ok_or_else(|| Fault::at(i, format!("{key} is no text"))));
            text.transpose()
        };
        let model = text("model")?.map(|m| self.folder.join(m));
        let session = text("replay")?.map(|m| self.folder.join(m));
        let mut words: Vec<String> = text("name")?.map(str::to_owned).into_iter().collect();
        words.extend(
            chosen
                .iter()
                .filter_map(|(key, item)| Some(word(key, item.as_value()?)))
                .filter(|w| !w.is_empty()),
        );
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
        let line = self.lines.at(table.span());
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
            cases.list.push(case(name, checks, None));
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
        if seen.len().saturating_add(cases.list.len()) >= MOST_CASES {
            return Err(too_many(table));
        }
        let replayed = |moment| Some(Replayed { session: session.clone(), moment, fps });
        for frame in seen.into_iter().filter(|_| checks.image.is_some()) {
            let checks = Checks { joints: None, ..checks.clone() };
            cases.list.push(case(format!("{name} frame {frame}"), checks, replayed(Moment::Frame(frame))));
        }
        if checks.joints.is_some() {
            let checks = Checks { image: None, ..checks };
            cases.list.push(case(format!("{name} joints"), checks, replayed(Moment::Track)));
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
