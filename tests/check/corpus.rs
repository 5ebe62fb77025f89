//! Clean clips, faults to add to them, and the measured quality of checks and repairs.

use std::collections::BTreeMap;
use std::fmt::Write;

use sinew::asset::{Character, Clip};
use sinew::check::mend::{Difference, mend};
use sinew::check::seed::{KINDS, Seeded, seed};
use sinew::check::{Check, CheckOptions, Checker, ClipReport, Finding, Severity};
use sinew::rig::{self, Rig};

/// Maximum time between a fault and its consequences, in seconds.
const NEAR: f32 = 0.35;
/// Minimum length in seconds of a clip to which a fault can be added.
const MIN_SECONDS: f32 = 0.5;

/// The faults that are reported but not repaired.
const REPORTED: [Check; 1] = [Check::Jump];

/// A file with clips.
pub struct Source {
    name: String,
    character: Character,
    rig: Rig,
}

impl Source {
    pub fn new(name: &str, character: Character, rig: Option<Rig>) -> Self {
        let rig = rig.unwrap_or_else(|| rig::detect(&character));
        Self { name: name.to_owned(), character, rig }
    }
}

/// A clip without errors.
struct Clean<'a> {
    source: usize,
    name: String,
    clip: Clip,
    checker: &'a Checker<'a>,
}

/// The clean clips of some files.
pub struct Corpus<'a> {
    names: Vec<&'a str>,
    clips: Vec<Clean<'a>>,
    all: usize,
    mended: usize,
}

/// The results for one kind of fault.
#[derive(Default)]
struct Row {
    seeded: usize,
    found: usize,
    repaired: usize,
    to_clean: Vec<Difference>,
    to_faulty: Vec<Difference>,
}

/// The results for all kinds.
#[derive(Default)]
pub struct Results {
    rows: BTreeMap<Check, Row>,
    /// Number of checks of clips without the fault in question, and number of those checks that reported it.
    innocent: usize,
    false_alarms: usize,
    pub details: Vec<String>,
}

impl<'a> Corpus<'a> {
    /// Chooses clips that pass all checks, distributed evenly among the files. If there are too few, repaired clips are added.
    pub fn choose(sources: &'a [Source], count: usize) -> Self {
        let options = CheckOptions::default();
        let (mut clean, mut mended, mut all) = (Vec::new(), Vec::new(), 0);
        for (index, source) in sources.iter().enumerate() {
            // The checker is leaked, so that it lives as long as the program.
            let checker: &'a Checker<'a> = Box::leak(Box::new(Checker::new(&source.character, &source.rig)));
            for (number, clip) in source.character.clips.iter().enumerate() {
                if clip.seconds < MIN_SECONDS {
                    continue;
                }
                all += 1;
                let Ok(report) = checker.check(clip, &options) else { continue };
                let name = clip.name.clone().unwrap_or_else(|| format!("#{number}"));
                let new = |clip: Clip| Clean { source: index, name: name.clone(), clip, checker };
                if report.passed() {
                    clean.push(new(clip.clone()));
                } else if let Ok(repaired) = mend(checker, clip, &options)
                    && repaired.after.passed()
                {
                    mended.push(new(repaired.clip));
                }
            }
        }
        let mut clips: Vec<Clean<'a>> = spread(clean, sources.len(), count);
        let missing = count.saturating_sub(clips.len());
        let added = spread(mended, sources.len(), missing);
        let mended = added.len();
        clips.extend(added);
        Self { names: sources.iter().map(|s| &*s.name).collect(), clips, all, mended }
    }

    /// Returns a summary of the numbers of clips and files.
    pub fn summary(&self) -> String {
        let files: std::collections::BTreeSet<usize> = self.clips.iter().map(|c| c.source).collect();
        format!(
            "{} clips of {} files, of which {} passed as they are and {} after a repair; {} clips were considered",
            self.clips.len(),
            files.len(),
            self.clips.len() - self.mended,
            self.mended,
            self.all
        )
    }

    pub fn len(&self) -> usize {
        self.clips.len()
    }

    /// Adds each kind of fault to each clip, one at a time.
    pub fn measure(&self, seed_of_all: u64) -> Results {
        let mut results = Results::default();
        for (index, clean) in self.clips.iter().enumerate() {
            for (kind, check) in KINDS.into_iter().enumerate() {
                let number =
                    seed_of_all.wrapping_mul(1_000_003).wrapping_add((index * KINDS.len() + kind) as u64);
                if let Ok(Some(seeded)) = seed(clean.checker, &clean.clip, check, number) {
                    results.add(self.names[clean.source], clean, &seeded);
                }
            }
            results.add_harmless(self.names[clean.source], clean);
        }
        results
    }
}

/// Takes clips from all files in turn.
fn spread(clips: Vec<Clean<'_>>, files: usize, count: usize) -> Vec<Clean<'_>> {
    let mut queues: Vec<std::collections::VecDeque<Clean<'_>>> =
        (0..files).map(|_| Default::default()).collect();
    clips.into_iter().for_each(|c| queues[c.source].push_back(c));
    let mut taken = Vec::new();
    while taken.len() < count && queues.iter().any(|q| !q.is_empty()) {
        let room = count - taken.len();
        taken.extend(queues.iter_mut().filter_map(std::collections::VecDeque::pop_front).take(room));
    }
    taken
}

impl Results {
    fn add(&mut self, file: &str, clean: &Clean<'_>, seeded: &Seeded) {
        let options = CheckOptions::default();
        let Ok(mended) = mend(clean.checker, &seeded.clip, &options) else { return };
        let is_found = mended.before.errors(seeded.check).any(|f| overlaps(f, seeded));
        let alarms: Vec<&Finding> = errors(&mended.before).filter(|f| !is_consequence(f, seeded)).collect();
        let place = format!("{file} {}: {} {:.2}–{:.2} s", clean.name, seeded.check, seeded.from, seeded.to);
        if !is_found {
            self.details.push(format!("missed {place}"));
        }
        for alarm in &alarms {
            let what = format!(
                "{} {:.2}–{:.2} s {} ({:.3} of {:.3})",
                alarm.check, alarm.from, alarm.to, alarm.text, alarm.value, alarm.limit
            );
            self.details.push(format!("false alarm at {place}: {what}"));
        }
        self.innocent += 1;
        self.false_alarms += usize::from(!alarms.is_empty());
        let is_repaired = !REPORTED.contains(&seeded.check);
        if is_repaired && !mended.after.passed() {
            let left: Vec<String> = errors(&mended.after)
                .map(|f| {
                    format!(
                        "{} {:.2}–{:.2} s {} ({:.3} of {:.3})",
                        f.check, f.from, f.to, f.text, f.value, f.limit
                    )
                })
                .collect();
            self.details.push(format!("not repaired {place}: {}", left.join("; ")));
        }
        let row = self.rows.entry(seeded.check).or_default();
        row.seeded += 1;
        row.found += usize::from(is_found);
        if !is_repaired {
            return;
        }
        row.repaired += usize::from(mended.after.passed());
        row.to_faulty.push(mended.difference);
        if let Ok(difference) = Difference::between(clean.checker, &seeded.clean, &mended.clip) {
            row.to_clean.push(difference);
        }
    }

    /// Checks a clip with harmless changes: a different speed, and more keys.
    fn add_harmless(&mut self, file: &str, clean: &Clean<'_>) {
        let options = CheckOptions::default();
        for factor in [0.9_f32, 1.15] {
            let mut clip = clean.clip.clone();
            clip.timelines.iter_mut().flatten().for_each(|t| *t *= factor);
            clip.seconds *= factor;
            let Ok(report) = clean.checker.check(&clip, &options) else { continue };
            self.innocent += 1;
            self.false_alarms += usize::from(!report.passed());
            for alarm in errors(&report) {
                let what = format!(
                    "{} {:.2}–{:.2} s {} ({:.3} of {:.3})",
                    alarm.check, alarm.from, alarm.to, alarm.text, alarm.value, alarm.limit
                );
                self.details.push(format!("false alarm at {file} {} at speed {factor}: {what}", clean.name));
            }
        }
    }

    /// Returns the fraction of the faults that were found.
    pub fn recall(&self) -> f64 {
        let sum = |of: fn(&Row) -> usize| self.rows.values().map(of).sum::<usize>() as f64;
        sum(|r| r.found) / sum(|r| r.seeded).max(1.0)
    }

    /// Returns the fraction of the faults that were repaired.
    pub fn repaired(&self) -> f64 {
        let rows = || self.rows.iter().filter(|(check, _)| !REPORTED.contains(check));
        let sum = |of: fn(&Row) -> usize| rows().map(|(_, row)| of(row)).sum::<usize>() as f64;
        sum(|r| r.repaired) / sum(|r| r.seeded).max(1.0)
    }

    /// Returns the fraction of the checks that found a fault where there is none.
    pub fn false_alarms(&self) -> f64 {
        self.false_alarms as f64 / self.innocent.max(1) as f64
    }

    /// Returns the number of kinds of faults that were added.
    pub fn kinds(&self) -> usize {
        self.rows.len()
    }

    /// Returns the mean change made by all repairs, in degrees and millimetres.
    pub fn mean_change(&self) -> (f64, f64) {
        mean(self.rows.values().flat_map(|r| &r.to_faulty))
    }

    /// Returns the mean distance of all repaired clips from the clean ones, in degrees and millimetres.
    pub fn mean_distance(&self) -> (f64, f64) {
        mean(self.rows.values().flat_map(|r| &r.to_clean))
    }

    /// Returns the results as a Markdown table.
    pub fn table(&self) -> String {
        let mut text = String::from(
            "| fault | added | found | repaired | change by the repair | largest | distance from the clean clip |\n|---|---|---|---|---|---|---|\n",
        );
        let change = |(degrees, millimetres): (f64, f64)| format!("{degrees:.3}°, {millimetres:.2} mm");
        for (check, row) in &self.rows {
            let worst = |of: fn(&Difference) -> f64| row.to_faulty.iter().map(of).fold(0.0, f64::max);
            let worst = (worst(|d| d.mean_degrees), worst(|d| d.mean_millimetres));
            let _ = writeln!(
                text,
                "| `{check}` | {} | {} | {} | {} | {} | {} |",
                row.seeded,
                row.found,
                row.repaired,
                change(mean(row.to_faulty.iter())),
                change(worst),
                change(mean(row.to_clean.iter()))
            );
        }
        let seeded: usize = self.rows.values().map(|r| r.seeded).sum();
        let _ = writeln!(
            text,
            "\n{seeded} faults: recall {:.2} %, repaired {:.2} %, mean change {}, mean distance from the clean clips {}; false alarms in {} of {} checks, {:.2} %",
            100.0 * self.recall(),
            100.0 * self.repaired(),
            change(self.mean_change()),
            change(self.mean_distance()),
            self.false_alarms,
            self.innocent,
            100.0 * self.false_alarms()
        );
        text
    }
}

fn mean<'a>(differences: impl Iterator<Item = &'a Difference>) -> (f64, f64) {
    let (mut degrees, mut millimetres, mut count) = (0.0, 0.0, 0.0);
    for difference in differences {
        degrees += difference.mean_degrees;
        millimetres += difference.mean_millimetres;
        count += 1.0;
    }
    (degrees / f64::max(count, 1.0), millimetres / f64::max(count, 1.0))
}

fn errors(report: &ClipReport) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|f| f.severity == Severity::Error)
}

fn overlaps(finding: &Finding, seeded: &Seeded) -> bool {
    finding.from <= seeded.to + NEAR && finding.to >= seeded.from - NEAR
}

/// Whether a finding is the fault itself or follows from it. A leg that bends the wrong way also leaves the floor, and a root that is too
/// fast makes the feet slide.
fn is_consequence(finding: &Finding, seeded: &Seeded) -> bool {
    finding.check == seeded.check || overlaps(finding, seeded)
}
