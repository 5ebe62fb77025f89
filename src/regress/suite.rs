//! Suites: a TOML file of cases, and lists that multiply into cases. `docs/testing.md` has the schema.

use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, Table, Value};

const VERSION: i64 = 1;
/// More would not be looked at by anybody.
const MOST_CASES: usize = 100_000;

/// An option of the command line that a case may set by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionKey {
    /// Its name, without the dashes.
    pub name: String,
    /// What it takes.
    pub takes: Takes,
    /// Whether it names a file: then relative to the suite.
    pub is_path: bool,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Flag,
    /// One value.
    One,
    /// Any number of values.
    Many,
}

/// What a case compares, and what is let pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Checks {
    /// The picture.
    pub image: Option<ImageTolerance>,
    /// World matrices of all nodes.
    pub joints: Option<JointTolerance>,
    /// How goals were met.
    pub report: Option<ReportCheck>,
}

/// What a picture may differ by where another adapter drew its golden; on the same one it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageTolerance {
    /// Mean FLIP error of the picture, 0 to 1.
    pub mean: f32,
    /// Mean FLIP error of its worst tile.
    pub worst: f32,
    /// Whether these hold on the adapter of the golden too.
    pub always: bool,
}

impl Default for ImageTolerance {
    /// Two rasterisers that both follow the standard differ by less; a joint that moves by a pixel does not.
    fn default() -> Self {
        Self { mean: 0.01, worst: 0.12, always: false }
    }
}

/// What a node's world matrix may differ by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTolerance {
    /// Metres.
    pub distance: f64,
    /// Radians.
    pub angle: f64,
}

impl Default for JointTolerance {
    fn default() -> Self {
        Self { distance: 1e-5, angle: 1e-4 }
    }
}

/// What all goals of a case must come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCheck {
    /// The outcome that each of them must have, as its name.
    pub outcome: Option<String>,
    /// Metres that none may be off by more.
    pub error: Option<f64>,
}

/// What of a recorded session is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// Its file.
    pub session: PathBuf,
    /// What it comes to at one time, or from its beginning to its end.
    pub moment: Moment,
    /// Frames a second.
    pub fps: f64,
}

/// Frames of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// One of them.
    Frame(u32),
    /// All.
    Track,
}

/// One thing that is posed, drawn and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name, as people read it.
    pub name: String,
    /// Its name as files are named.
    pub slug: String,
    /// Where the suite has it, from one.
    pub line: usize,
    /// `None`: the character inside the program.
    pub model: Option<PathBuf>,
    /// The recorded session that it plays back, if it does.
    pub replay: Option<Replayed>,
    /// Its options, as on the command line.
    pub arguments: Vec<String>,
    /// What it compares.
    pub checks: Checks,
}

/// Cases, and where their goldens are.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The suite's file.
    pub path: PathBuf,
    /// The folder of goldens.
    pub goldens: PathBuf,
    /// In the order in which the file has them.
    pub cases: Vec<Case>,
}

/// Why a suite cannot be run, with the line where it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// It cannot be read.
    #[error("{path}: {cause}")]
    Read {
        /// The suite.
        path: String,
        /// What the system said.
        cause: String,
    },
    /// Something in it will not do.
    #[error("{path}: line {line}: {cause}")]
    Fault {
        /// The suite.
        path: String,
        /// From one.
        line: usize,
        /// Why.
        cause: String,
    },
}

/// A value that will not do: where, and why.
struct Fault {
    span: Option<Range<usize>>,
    cause: String,
}

impl Fault {
    fn new(span: Option<Range<usize>>, cause: impl Into<String>) -> Self {
        Self { span, cause: cause.into() }
    }

    fn at(item: &Item, cause: impl Into<String>) -> Self {
        Self::new(item.span(), cause)
    }
}

impl Suite {
    /// Reads a suite whose cases may set some options.
    ///
    /// # Errors
    /// [`SuiteError`] with the line of what is no TOML, of a key that is not known, of a value that will not do, of a
    /// name that two cases have.
    pub fn read(path: &Path, options: &[OptionKey]) -> Result<Self, SuiteError> {
        let shown = path.display().to_string();
        let unread = |e: std::io::Error| SuiteError::Read { path: shown.clone(), cause: e.to_string() };
        let text = fs::read_to_string(path).map_err(unread)?;
        let line = |span: Option<Range<usize>>| {
            let start = span.map_or(0, |s| s.start);
            1 + text.bytes().take(start).filter(|b| *b == b'\n').count()
        };
        let fault = |f: Fault| SuiteError::Fault {
            path: shown.clone(),
            line: line(f.span),
            cause: f.cause.replace('\n', ", "),
        };
        let document = Document::parse(text.clone()).map_err(|e| fault(Fault::new(e.span(), e.message())))?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let reader = Reader { folder: &folder, options, line: &line };
        let (goldens, cases) = reader.suite(document.as_table()).map_err(fault)?;
        let mut taken = HashSet::new();
        if let Some(case) = cases.iter().find(|c| !taken.insert(&c.slug)) {
            let cause = format!("another case is named \"{}\" too, or its files would be", case.name);
            return Err(SuiteError::Fault { path: shown, line: case.line, cause });
        }
        Ok(Self { path: path.into(), goldens: folder.join(goldens), cases })
    }
}

struct Reader<'a> {
    folder: &'a Path,
    options: &'a [OptionKey],
    line: &'a dyn Fn(Option<Range<usize>>) -> usize,
}

/// Keys of a case that are no options.
const OWN: [&str; 13] = [
    "name", "model", "replay", "frames", "fps", "compare", "mean", "worst", "tolerate", "distance", "angle",
    "outcome", "error",
];
/// Options of a case that plays a session back: the session itself says the rest.
const REPLAYED: [&str; 1] = ["resolution"];

impl Reader<'_> {
    fn suite(&self, root: &Table) -> Result<(PathBuf, Vec<Case>), Fault> {
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
        for table in tables(root, "case")? {
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
        let count = count.filter(|n| *n + cases.len() <= MOST_CASES);
        let count = count.ok_or_else(|| Fault::new(table.span(), format!("more than {MOST_CASES} cases")))?;
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
        for (key, item) in defaults.iter().filter(|(k, _)| !table.contains_key(k)).chain(table.iter()) {
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
        let line = (self.line)(table.span());
        let checks = checks(&get)?;
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
        let replayed = |moment| Some(Replayed { session: session.clone(), moment, fps });
        for frame in frames(get("frames"))?.into_iter().filter(|_| checks.image.is_some()) {
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

fn checks<'a>(get: &dyn Fn(&str) -> Option<&'a Item>) -> Result<Checks, Fault> {
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
    #[expect(clippy::cast_possible_truncation, reason = "shares of a picture")]
    let share = |key: &str, usual: f32| number(key, f64::from(usual)).map(|v| v as f32);
    let usual = ImageTolerance::default();
    let always = match get("tolerate").map(|item| (item, item.as_str())) {
        None | Some((_, Some("other-adapters"))) => false,
        Some((_, Some("always"))) => true,
        Some((item, _)) => return Err(Fault::at(item, "tolerate is other-adapters or always")),
    };
    let image =
        ImageTolerance { mean: share("mean", usual.mean)?, worst: share("worst", usual.worst)?, always };
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
    let report = ReportCheck { outcome, error };
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
fn number<'a>(get: &dyn Fn(&str) -> Option<&'a Item>, key: &str, usual: f64) -> Result<f64, Fault> {
    get(key).map_or(Ok(usual), |item| {
        #[expect(clippy::cast_precision_loss, reason = "numbers of a suite are small")]
        let value = item.as_float().or(item.as_integer().map(|i| i as f64));
        let value = value.filter(|v| *v >= 0.0 && v.is_finite());
        value.ok_or_else(|| Fault::at(item, format!("{key} is no number of at least 0")))
    })
}

/// Frames of a session: a list of numbers.
fn frames(item: Option<&Item>) -> Result<Vec<u32>, Fault> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let frame = |v: &Value| v.as_integer().and_then(|i| u32::try_from(i).ok());
    let list = item.as_array().and_then(|a| a.iter().map(frame).collect());
    list.ok_or_else(|| Fault::at(item, "frames is a list of numbers from 0"))
}

fn tables<'t>(root: &'t Table, key: &str) -> Result<Vec<&'t Table>, Fault> {
    match root.get(key) {
        None => Ok(Vec::new()),
        Some(item) => {
            let tables = item.as_array_of_tables();
            let tables = tables.ok_or_else(|| Fault::at(item, format!("write [[{key}]]")))?;
            Ok(tables.iter().collect())
        }
    }
}

fn span(table: &Table, key: &str, item: &Item) -> Option<Range<usize>> {
    table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span())
}

/// A value as it stands on a command line; a list of numbers with commas between.
fn spoken(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.value().clone(),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        Value::Array(list) => list.iter().map(spoken).collect::<Option<Vec<_>>>()?.join(","),
        _ => return None,
    })
}

/// What a value of a matrix adds to the name of its case.
fn word(key: &str, value: &Value) -> String {
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

/// A name as files are named: lower case, everything else than letters and numbers a dash.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        // A point stays in a number; elsewhere it would look like a file's kind.
        let point = c == '.' && slug.ends_with(|last: char| last.is_ascii_digit());
        if c.is_alphanumeric() || point {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches(|c| c == '-' || c == '.').to_owned()
}
