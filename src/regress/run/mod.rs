//! Runs a suite. Cases are posed and compared in parallel. Each device draws one case after another.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;

use crate::platform::Instant;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{AdapterChoice, Frame, Pending, RenderError};
use crate::text::printable;

use super::explain::{Explanation, PoseView};
use super::golden;
use super::golden::{Drawn, JointDifference, Joints};
use super::golden_folders::GoldenFolders;
use super::image::Difference;
use super::machine::Machine;
use super::record::ContentsCache;
use super::suite::{Case, Suite};

use check::CheckContext;
use renderers::SuiteRenderer;

pub(super) mod check;
mod image_check;
pub(super) mod renderers;
mod thresholds;

pub use thresholds::sweep;

/// Maximum number of cases that are processed in parallel.
const MAX_JOBS: usize = 64;

/// A case that has been posed.
pub trait Posed {
    /// Returns the frame to draw.
    fn frame(&self) -> Frame<'_>;
    /// Returns the posed puppet.
    fn puppet(&self) -> &Puppet;
    /// The reports of the case's goals, pins and contacts.
    fn reports(&self) -> &[GoalReport];
    /// Width and height of the image in pixels.
    fn size(&self) -> (u32, u32);
    /// Other puppets in the frame. Their models follow the model of [`Self::puppet`].
    fn others(&self) -> Vec<&Puppet> {
        Vec::new()
    }
    /// World matrices of the case's nodes. By default, these are the nodes of the posed puppet.
    fn joints(&self) -> Joints {
        Joints::of(self.puppet())
    }
}

/// A function that poses a case.
pub type PoseCase<'a> = dyn Fn(&Case) -> Result<Box<dyn Posed>, String> + Sync + 'a;

/// Which goldens are updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// No goldens.
    #[default]
    No,
    /// The goldens of failing cases.
    Failing,
    /// The goldens of all cases.
    All,
    /// Goldens that pass but contain no record of their scene. Only the record is added to them.
    Scenes,
}

/// Settings for running a suite.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings {
    /// Which goldens are updated.
    pub update: Update,
    /// Maximum number of cases that are processed in parallel. 0 counts as 1, and more than 64 counts as 64.
    pub jobs: usize,
    /// Whether to start no more cases after the first failure.
    pub fail_fast: bool,
    /// Whether outcomes keep their images, which an HTML report needs. Images need most of an outcome's memory.
    pub images: bool,
}

/// The status of a finished case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All comparisons passed.
    Passed,
    /// A comparison failed.
    Failed,
    /// A golden is missing. The result was written beside the path of the golden.
    Missing,
    /// The goldens were updated.
    Updated,
    /// The case could not be posed or drawn.
    Broken,
}

impl Status {
    /// Returns whether a case with this status makes the suite fail.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Missing | Self::Broken)
    }

    /// The status in one word.
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

/// Whether a golden image contains its scene. Without the scene, a difference cannot be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldenScene {
    /// Yes, or there is no golden image.
    Recorded,
    /// No, for example because another program has rewritten the file.
    Missing,
    /// Damaged, or of a different version.
    Unreadable,
}

/// The outcome of a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Index of the case in the suite.
    pub case: usize,
    /// Status of the case.
    pub status: Status,
    /// The comparisons and their results, failed ones first.
    pub findings: Vec<Finding>,
    /// The golden image, if it exists.
    pub expected: Option<Drawn>,
    /// The image that was drawn. If anything besides the camera and the floor differs from the golden, this is the image drawn with the
    /// golden's camera and floor.
    pub actual: Option<Drawn>,
    /// The difference between both images. Its map is empty if [`RunSettings::images`] is off.
    pub difference: Option<Difference>,
    /// Why the image differs from its golden. `None` if it does not differ visibly, or if the golden does not contain its scene.
    pub explanation: Option<Explanation>,
    /// Both poses, if the image fails and [`RunSettings::images`] is on.
    pub view: Option<PoseView>,
    /// Whether the golden image contains its scene.
    pub scene: GoldenScene,
    /// Remarks about a case that passes.
    pub notes: Vec<String>,
    /// CRC-32 of the image's RGBA bytes, for detecting bit-identical images.
    pub digest: Option<u32>,
    /// The differences of the joints, largest first.
    pub joints: Vec<JointDifference>,
    /// The reports of goals, pins and contacts, with the names of their nodes.
    pub reports: Vec<(String, GoalReport)>,
    /// Whether results that differ from their goldens were written beside them.
    pub has_results: bool,
    /// Duration of the case in seconds: posing, drawing, comparing, and waiting for the device.
    pub seconds: f64,
}

impl Outcome {
    /// Creates the outcome of a case for which nothing has been compared yet.
    pub fn new(case: usize, status: Status) -> Self {
        Self {
            case,
            status,
            findings: Vec::new(),
            expected: None,
            actual: None,
            difference: None,
            explanation: None,
            view: None,
            scene: GoldenScene::Recorded,
            notes: Vec::new(),
            digest: None,
            joints: Vec::new(),
            reports: Vec::new(),
            has_results: false,
            seconds: 0.0,
        }
    }
}

/// Returns the number of golden images without a readable scene.
pub fn without_scene(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.scene != GoldenScene::Recorded).count()
}

/// The result of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether the comparison passed.
    pub passed: bool,
    /// The measured values and their limits, in one line.
    pub text: String,
}

/// A run of a suite.
pub struct Run<'a> {
    suite: &'a Suite,
    pose: &'a PoseCase<'a>,
    choice: &'a AdapterChoice,
    settings: RunSettings,
    machine: OnceLock<Machine>,
    contents: ContentsCache,
}

impl<'a> Run<'a> {
    /// Prepares a run of a suite on an adapter. The adapter is opened when the first image is drawn.
    pub fn new(
        suite: &'a Suite,
        pose: &'a PoseCase<'a>,
        choice: &'a AdapterChoice,
        settings: RunSettings,
    ) -> Self {
        Self { suite, pose, choice, settings, machine: OnceLock::new(), contents: ContentsCache::default() }
    }

    /// Returns the machine of the run, with the adapter if an image has been drawn.
    pub fn machine(&self) -> Machine {
        self.machine.get().cloned().unwrap_or_else(|| Machine::new(None))
    }

    /// Runs the cases with the given indices and returns their outcomes in that order. `on_outcome` is called for each
    /// outcome in the same order. After a failure with [`RunSettings::fail_fast`], the remaining cases are skipped.
    ///
    /// # Errors
    /// [`RenderError`] if the adapter cannot be opened.
    pub fn cases(
        &self,
        indices: &[usize],
        mut on_outcome: impl FnMut(&Outcome),
    ) -> Result<Vec<Outcome>, RenderError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::channel::<Result<(usize, Outcome), RenderError>>();
        let jobs = self.settings.jobs.clamp(1, indices.len().clamp(1, MAX_JOBS));
        let renderers = SuiteRenderer::several(self.choice, indices.len(), jobs);
        thread::scope(|scope| {
            for renderer in renderers.iter().cycle().take(jobs) {
                let send = send.clone();
                let (next, stop) = (&next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let position = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&index) = indices.get(position) else { return };
                        let Some(case) = self.suite.cases.get(index) else { return };
                        let outcome = self.case(index, case, renderer);
                        let failed = |o: &Outcome| self.settings.fail_fast && o.status.is_failure();
                        if outcome.as_ref().map_or(true, failed) {
                            stop.store(true, Ordering::Relaxed);
                        }
                        // Sending fails if the receiver has stopped after an error. The outcome is then not needed.
                        let _ = send.send(outcome.map(|o| (position, o)));
                    }
                });
            }
            drop(send);
            let mut waiting: Vec<(usize, Outcome)> = Vec::new();
            let mut done: Vec<Outcome> = Vec::new();
            for received in receive {
                waiting.push(received?);
                while let Some(i) = waiting.iter().position(|(position, _)| *position == done.len()) {
                    let (_, outcome) = waiting.swap_remove(i);
                    on_outcome(&outcome);
                    done.push(outcome);
                }
            }
            Ok(done)
        })
    }

    fn case(&self, index: usize, case: &Case, renderer: &SuiteRenderer) -> Result<Outcome, RenderError> {
        let started = Instant::now();
        if case.checks.image.is_some() {
            let (name, class) = renderer.open(self.choice)?;
            self.machine.get_or_init(|| Machine { class: Some(class), ..Machine::new(Some(name)) });
        }
        let mut outcome = self.compare(index, case, renderer).unwrap_or_else(|cause| {
            let text = printable::line(&cause).into_owned();
            Outcome { findings: vec![Finding { passed: false, text }], ..Outcome::new(index, Status::Broken) }
        });
        outcome.findings.sort_by_key(|f| f.passed);
        if !self.settings.images {
            (outcome.expected, outcome.actual) = (None, None);
            if let Some(difference) = &mut outcome.difference {
                difference.map = Vec::new();
            }
        }
        outcome.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    fn compare(&self, index: usize, case: &Case, renderer: &SuiteRenderer) -> Result<Outcome, String> {
        let posed = (self.pose)(case)?;
        let draw = |frame: &Frame<'_>| {
            renderer.draw(&*posed, frame).and_then(Pending::image).map_err(|e| e.to_string())
        };
        let actual = match case.checks.image {
            None => None,
            Some(_) => {
                let drawn_by = self.machine.get().map(Machine::to_string);
                Some(Drawn { drawn_by, ..Drawn::new(draw(&posed.frame())?) })
            }
        };
        let class = self.machine.get().and_then(|machine| machine.class.as_deref());
        let context = CheckContext {
            goldens: GoldenFolders::new(self.suite, class),
            settings: &self.settings,
            require_scenes: self.suite.require_scenes,
            contents: &self.contents,
            draw: &draw,
        };
        check::case(index, case, &*posed, actual, &context)
    }
}

/// Finds files in a suite's folder of goldens that are no longer used: goldens without a case, and results
/// (`NAME.new.png`) of cases that did not fail in this run.
///
/// # Errors
/// The error of the operating system if the folder cannot be read.
pub fn orphans(suite: &Suite, outcomes: &[Outcome]) -> std::io::Result<Vec<PathBuf>> {
    let failed = outcomes.iter().filter(|o| o.status.is_failure()).filter_map(|o| suite.cases.get(o.case));
    let current = failed.map(|case| format!("{}.new", case.slug));
    let current: HashSet<String> = current.collect();
    let goldens: HashSet<PathBuf> = suite.cases.iter().flat_map(|case| suite.goldens_of(case)).collect();
    let mut found = Vec::new();
    let sets = suite.golden_sets.iter().map(|set| suite.goldens.join(set));
    for folder in sets.chain([suite.goldens.clone()]) {
        let entries = match std::fs::read_dir(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let is_current =
                || path.file_stem().and_then(|s| s.to_str()).is_some_and(|s| current.contains(s));
            if path.is_file() && !goldens.contains(&path) && !is_current() && golden::is_golden(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
