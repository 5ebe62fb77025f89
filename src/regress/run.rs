//! Runs a suite: cases are posed and compared side by side, and drawn one after another on a device.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Instant;

use crate::printable;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{AdapterChoice, Frame, Pending, RenderError};

use super::check;
use super::golden::{self, Drawn, JointDifference, Joints};
use super::image::Difference;
use super::machine::Machine;
use super::studio::Studio;
use super::suite::{Case, Suite};

/// Cases that are worked on at once.
const MOST_JOBS: usize = 64;

/// A case that has been posed.
pub trait Posed {
    /// What is drawn.
    fn frame(&self) -> Frame<'_>;
    /// What is posed.
    fn puppet(&self) -> &Puppet;
    /// How its goals were met.
    fn reports(&self) -> &[GoalReport];
    /// Pixels across and down.
    fn size(&self) -> (u32, u32);
    /// Where its nodes are.
    fn joints(&self) -> Joints {
        Joints::of(self.puppet())
    }
}

/// What makes a posed case of a case.
pub type Pose<'a> = dyn Fn(&Case) -> Result<Box<dyn Posed>, String> + Sync + 'a;

/// What is done with goldens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// They are only read.
    #[default]
    No,
    /// Those of cases that fail are written anew.
    Failing,
    /// All are written anew.
    All,
}

/// How a suite is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is done with goldens.
    pub update: Update,
    /// Cases that are worked on at once; at least one.
    pub jobs: usize,
    /// Whether nothing is begun after the first failure.
    pub fail_fast: bool,
    /// Whether pictures are kept for a page that shows them: they are most of what an outcome weighs.
    pub pictures: bool,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All that it compares is as it should be.
    Passed,
    /// Something differs.
    Failed,
    /// There is no golden: the new one lies beside the place where it should be.
    Missing,
    /// Its goldens were written anew.
    Updated,
    /// It could not be posed or drawn.
    Broken,
}

impl Status {
    /// Whether a suite with such a case fails.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Missing | Self::Broken)
    }

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::Updated => "updated",
            Self::Broken => "broken",
        }
    }
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case's place in the suite.
    pub case: usize,
    /// How it ended.
    pub status: Status,
    /// What was compared and what came out, a line each; what failed first.
    pub findings: Vec<Finding>,
    /// The golden, where there is one.
    pub expected: Option<Drawn>,
    /// The picture.
    pub actual: Option<Drawn>,
    /// How they differ; without its map where [`Settings::pictures`] is off.
    pub difference: Option<Difference>,
    /// CRC-32 of the image's RGBA bytes: the same where a driver draws the same bits.
    pub digest: Option<u32>,
    /// By what joints differ, those that differ most first.
    pub joints: Vec<JointDifference>,
    /// How its goals were met, with the names of their nodes.
    pub reports: Vec<(String, GoalReport)>,
    /// Time of the case: posing, drawing, comparing, and waiting for the device between.
    pub seconds: f64,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it is as it should be.
    pub passed: bool,
    /// Numbers and thresholds, in a line.
    pub text: String,
}

/// A suite on its way.
pub struct Run<'a> {
    suite: &'a Suite,
    pose: &'a Pose<'a>,
    choice: &'a AdapterChoice,
    settings: Settings,
    machine: OnceLock<Machine>,
}

impl<'a> Run<'a> {
    /// A run of a suite on an adapter, which is opened when there is something to draw.
    pub fn new(suite: &'a Suite, pose: &'a Pose<'a>, choice: &'a AdapterChoice, settings: Settings) -> Self {
        Self { suite, pose, choice, settings, machine: OnceLock::new() }
    }

    /// The machine that drew, or on which nothing was drawn.
    pub fn machine(&self) -> Machine {
        self.machine.get().cloned().unwrap_or_else(|| Machine::new(None))
    }

    /// Runs some of its cases, by their places. `tell` hears of each, in their order; what it is told is handed back in
    /// the same order. After a failure with [`Settings::fail_fast`] the rest is left out.
    ///
    /// # Errors
    /// [`RenderError`] if the adapter does not open.
    pub fn cases(
        &self,
        places: &[usize],
        mut tell: impl FnMut(&Outcome),
    ) -> Result<Vec<Outcome>, RenderError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::channel::<Result<(usize, Outcome), RenderError>>();
        let jobs = self.settings.jobs.clamp(1, places.len().clamp(1, MOST_JOBS));
        let studios = Studio::several(self.choice, places.len(), jobs);
        thread::scope(|scope| {
            for studio in studios.iter().cycle().take(jobs) {
                let send = send.clone();
                let (next, stop) = (&next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&place) = places.get(turn) else { return };
                        let Some(case) = self.suite.cases.get(place) else { return };
                        let outcome = self.case(place, case, studio);
                        let failed = |o: &Outcome| self.settings.fail_fast && o.status.is_failure();
                        if outcome.as_ref().map_or(true, failed) {
                            stop.store(true, Ordering::Relaxed);
                        }
                        // Who does not listen any more does not miss it.
                        let _ = send.send(outcome.map(|o| (turn, o)));
                    }
                });
            }
            drop(send);
            let mut waiting: Vec<(usize, Outcome)> = Vec::new();
            let mut done: Vec<Outcome> = Vec::new();
            for came in receive {
                waiting.push(came?);
                while let Some(i) = waiting.iter().position(|(turn, _)| *turn == done.len()) {
                    let (_, outcome) = waiting.swap_remove(i);
                    tell(&outcome);
                    done.push(outcome);
                }
            }
            Ok(done)
        })
    }

    fn case(&self, place: usize, case: &Case, studio: &Studio) -> Result<Outcome, RenderError> {
        let started = Instant::now();
        if case.checks.image.is_some() {
            let name = studio.open(self.choice)?;
            self.machine.get_or_init(|| Machine::new(Some(name)));
        }
        let mut outcome = self.worked(place, case, studio).unwrap_or_else(|cause| Outcome {
            case: place,
            status: Status::Broken,
            findings: vec![Finding { passed: false, text: printable::line(&cause).into_owned() }],
            expected: None,
            actual: None,
            difference: None,
            digest: None,
            joints: Vec::new(),
            reports: Vec::new(),
            seconds: 0.0,
        });
        outcome.findings.sort_by_key(|f| f.passed);
        if !self.settings.pictures {
            (outcome.expected, outcome.actual) = (None, None);
            if let Some(difference) = &mut outcome.difference {
                difference.map = Vec::new();
            }
        }
        outcome.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    fn worked(&self, place: usize, case: &Case, studio: &Studio) -> Result<Outcome, String> {
        let posed = (self.pose)(case)?;
        let actual = match case.checks.image {
            None => None,
            Some(_) => {
                let drawn = studio.draw(&*posed, &posed.frame()).and_then(Pending::picture);
                let picture = drawn.map_err(|e| e.to_string())?;
                Some(Drawn { picture, drawn_by: self.machine.get().map(Machine::to_string) })
            }
        };
        check::case(place, case, &self.suite.goldens, &*posed, actual, self.settings.update)
    }
}

/// Goldens in a suite's folder that no case names, and what failed cases have left there, but for those that failed now.
///
/// # Errors
/// What the system says of the folder.
pub fn orphans(suite: &Suite, now: &[Outcome]) -> std::io::Result<Vec<PathBuf>> {
    let failed = now.iter().filter(|o| o.status.is_failure()).filter_map(|o| suite.cases.get(o.case));
    let left = failed.map(|case| format!("{}.new", case.slug));
    let left: HashSet<String> = left.collect();
    let goldens: HashSet<PathBuf> = suite.cases.iter().flat_map(|case| suite.goldens_of(case)).collect();
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(&suite.goldens) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let is_new = || path.file_stem().and_then(|s| s.to_str()).is_some_and(|s| left.contains(s));
        if path.is_file() && !goldens.contains(&path) && !is_new() && golden::is_ours(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
