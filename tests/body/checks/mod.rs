//! Judges how the whole body follows a pulled joint, using only the public API.
//!
//! The same checks judge any solver: they use only joint positions and reports, not internals. Lengths are for a person of 1.75
//! m, and are scaled to the character. Targets are seeded, and relative to the lengths of arms and legs.

mod back;
mod down;
pub mod drag;
mod feet;
mod honest;
pub mod person;
mod random;
#[path = "../../gestures/runner/mod.rs"]
pub mod runner;
mod same;
mod shot;
mod surface;
mod sweeps;
pub mod table;
mod targets;
pub mod verdict;

pub use person::Person;

use std::str::FromStr;

use verdict::{CheckResult, Id, Kind};

/// The number of random hand targets.
const HANDS: usize = 80;

/// Runs a check, numbered from 1. The error says why the character cannot be checked.
type Run = fn(&Person, (u64, usize), &mut CheckResult) -> Result<(), String>;

/// Which checks to run.
#[derive(Clone, Debug)]
pub struct Selection {
    pub seed: u64,
    /// `(k, n)` runs every n-th check, starting at the k-th.
    pub part: (usize, usize),
    /// Whole kinds, or single checks of a kind. Empty for all.
    pub only: Vec<(Kind, Option<usize>)>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { seed: 1, part: (1, 1), only: Vec::new() }
    }
}

impl Selection {
    /// Reads a part, for example `3/10`.
    pub fn set_part(&mut self, text: &str) -> Result<(), String> {
        let parsed = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        self.part = parsed
            .filter(|&(k, n): &(usize, usize)| (1..=n).contains(&k))
            .ok_or_else(|| format!("{text} is not a part; an example is 3/10"))?;
        Ok(())
    }

    /// Reads kinds and checks, for example `e` or `a,e:12`.
    pub fn set_only(&mut self, text: &str) -> Result<(), String> {
        let one = |text: &str| {
            let (letter, number) = text.split_once(':').map_or((text, None), |(l, n)| (l, Some(n)));
            let kind = Kind::ALL.into_iter().find(|kind| kind.letter().to_string() == letter)?;
            Some((kind, number.map(usize::from_str).transpose().ok()?))
        };
        let parsed: Option<Vec<_>> = text.split(',').map(one).collect();
        self.only = parsed.ok_or_else(|| format!("{text} is not a check; examples are e and a,e:12"))?;
        Ok(())
    }

    fn includes(&self, index: usize, id: Id) -> bool {
        let (k, n) = self.part;
        let is_wanted = |only: &(Kind, Option<usize>)| {
            only.0 == id.kind && only.1.is_none_or(|number| number == id.number)
        };
        index % n == k - 1 && (self.only.is_empty() || self.only.iter().any(is_wanted))
    }
}

/// Returns all checks with their names.
fn checks() -> Vec<(Id, String, Run)> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let numbered = |what: &str, count: usize| (1..=count).map(|n| format!("{what} {n}")).collect::<Vec<_>>();
    let kinds: [(Kind, Vec<String>, Run); 8] = [
        (Kind::Sweep, owned(&sweeps::SWEEPS), sweeps::sweep),
        (Kind::Same, owned(&targets::DRAGS), same::same),
        (Kind::Speed, owned(&targets::DRAGS), same::speeds),
        (Kind::Monotone, down::names(), down::down),
        (Kind::Back, back::names(), back::back),
        (Kind::Honest, numbered("exact tolerance, hand target", honest::COUNT), honest::honest),
        (Kind::Hands, numbered("hand target", HANDS), targets::hands),
        (Kind::Surface, surface::names(), surface::surface),
    ];
    let one = |(kind, names, run): (Kind, Vec<String>, Run)| {
        let id = move |index| Id { kind, number: index + 1 };
        names.into_iter().enumerate().map(move |(index, name)| (id(index), name, run))
    };
    kinds.into_iter().flat_map(one).collect()
}

/// Runs the selected checks on a person.
pub fn run(person: &Person, selection: &Selection) -> Vec<CheckResult> {
    let mut results = Vec::new();
    for (index, (id, name, check)) in checks().into_iter().enumerate() {
        if !selection.includes(index, id) {
            continue;
        }
        let mut result = CheckResult::new(id, name);
        if let Err(reason) = check(person, (selection.seed, id.number), &mut result) {
            result.skipped = Some(reason);
        }
        results.push(result);
    }
    honest::compare_runs(person, &mut results);
    results
}

/// Returns a line for each failure and for each check that was skipped.
pub fn failure_lines(results: &[CheckResult]) -> Vec<String> {
    let skipped =
        |r: &CheckResult| r.skipped.as_ref().map(|reason| format!("{} {}: skipped, {reason}", r.id, r.name));
    results.iter().flat_map(|r| skipped(r).into_iter().chain(r.lines())).collect()
}
