//! Compares the image of a case with its golden, and explains the difference.

use crate::explain::{Conditions, Explanation, GoldenView, PoseView, RecordedImage, Redraw};
use crate::golden::{Drawn, GoldenState};
use crate::image::{Difference, Rule, compare};
use crate::record::{RecordedScene, SceneRecord};
use crate::region::Region;
use crate::render::{DecodedImage, Frame};
use crate::tolerance::{ImageTolerance, KindTolerance};

use super::{Finding, GoldenScene, Outcome, Posed};

/// The result of comparing a golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    Differs,
    Missing,
}

/// The comparison of an image.
pub(super) struct ImageCheck<'a> {
    pub(super) tolerance: &'a ImageTolerance,
    pub(super) kinds: &'a KindTolerance,
    pub(super) region: &'a Region,
    pub(super) posed: &'a dyn Posed,
    /// Whether the outcome of a failure contains both poses.
    pub(super) shows_poses: bool,
    /// What the image shows.
    pub(super) record: &'a SceneRecord,
    pub(super) draw: &'a Draw<'a>,
}

/// A function that draws a frame of the case.
pub(crate) type Draw<'a> = dyn Fn(&Frame<'_>) -> Result<DecodedImage, String> + 'a;

/// Two images to compare, with the records of their scenes if they are known.
struct Pair<'a> {
    expected: &'a Drawn,
    image: &'a DecodedImage,
    /// The scenes of the golden and of the image.
    scenes: Option<(&'a SceneRecord, &'a SceneRecord)>,
    /// The golden's scene, drawn by the driver of the image.
    redrawn: Option<RecordedImage<'a>>,
    same_machine: bool,
    /// Whether only one of the images has soft shadows.
    other_shadows: bool,
}

/// The result of comparing two images.
struct Judged {
    difference: Difference,
    explanation: Option<Explanation>,
    /// Whether the larger limits for other machines apply.
    as_other_machine: bool,
    within: bool,
    passed: bool,
}

impl ImageCheck<'_> {
    /// Compares the image with its golden, and adds findings, the difference and the explanation to the outcome.
    ///
    /// # Errors
    /// A message if the scene cannot be drawn with the golden's camera.
    pub(super) fn compare(
        &self,
        outcome: &mut Outcome,
        actual: &Drawn,
        found: Option<GoldenState>,
    ) -> Result<Verdict, String> {
        let DecodedImage { width, height, .. } = actual.image;
        let fail = |outcome: &mut Outcome, text: String| {
            outcome.findings.push(Finding { passed: false, text });
        };
        let expected = match found {
            None => {
                fail(outcome, "image: golden is missing".into());
                return Ok(Verdict::Missing);
            }
            Some(GoldenState::OtherSize(w, h)) => {
                fail(outcome, format!("image: size is {width}x{height} instead of {w}x{h}"));
                return Ok(Verdict::Differs);
            }
            Some(GoldenState::Drawn(expected)) => expected,
        };
        let is_same =
            |scene: &RecordedScene| expected.image == actual.image && scene.has_contents_of(self.record);
        let scene = expected.scene.as_ref().filter(|scene| !is_same(scene)).map(RecordedScene::decode);
        outcome.scene = match (&expected.scene, &scene) {
            (None, _) => GoldenScene::Missing,
            (_, Some(Err(_))) => GoldenScene::Unreadable,
            _ => GoldenScene::Recorded,
        };
        let damage = scene.as_ref().and_then(|scene| scene.as_ref().err());
        let damage =
            damage.map(|cause| format!("image: the recorded scene of the golden is not used: {cause}"));
        let golden = scene.and_then(Result::ok);
        let same_machine = expected.drawn_by.is_some() && expected.drawn_by == actual.drawn_by;
        let is_gl = |drawn: &Drawn| drawn.drawn_by.as_ref().is_some_and(|name| name.contains(", gl, "));
        let other_shadows = is_gl(&expected) != is_gl(actual) && self.record.has_soft_shadows();
        // A camera that follows the figure would hide changes, so the golden's camera is tried first.
        let view = golden.as_ref().and_then(|golden| GoldenView::of(golden, self.record));
        let held_image =
            view.as_ref().map(|view| (self.draw)(&view.frame(self.posed.frame()))).transpose()?;
        let redraw = golden.as_ref().filter(|_| !same_machine);
        let redraw = redraw.and_then(|golden| Redraw::of(self.posed.puppet(), golden, self.record));
        let redrawn = redraw.as_ref().map(|redraw| {
            let frame = redraw.frame(self.posed.puppet(), self.posed.frame());
            (self.draw)(&frame).map(|image| (image, redraw.record()))
        });
        let redrawn = redrawn.transpose()?;
        let redrawn = redrawn.as_ref().map(|(image, record)| RecordedImage { image, record });
        let mut held = None;
        if let (Some(image), Some(golden), Some(view)) = (&held_image, &golden, &view) {
            let record = view.record(golden, self.record);
            let scenes = Some((golden, &record));
            let expected = &expected;
            let judged = self.judge(&Pair { expected, image, scenes, redrawn, same_machine, other_shadows });
            held = judged.filter(|judged| !judged.passed);
            if let Some(Judged { explanation: Some(explanation), .. }) = &mut held {
                explanation.add_camera(self.posed.puppet(), golden, self.record, (width, height), self.kinds);
            }
        }
        let (shown, judged) = match held {
            Some(judged) => (held_image.as_ref().unwrap_or(&actual.image), Some(judged)),
            None => {
                let scenes = golden.as_ref().map(|golden| (golden, self.record));
                let (image, expected) = (&actual.image, &expected);
                let pair = Pair { expected, image, scenes, redrawn, same_machine, other_shadows };
                (image, self.judge(&pair))
            }
        };
        let Some(judged) = judged else {
            fail(outcome, format!("image: size {width}x{height} cannot be compared"));
            return Ok(Verdict::Differs);
        };
        let passed = judged.passed;
        self.report(outcome, &judged, damage, golden.as_ref());
        outcome.actual = Some(Drawn { image: shown.clone(), ..actual.clone() });
        outcome.difference = Some(judged.difference);
        outcome.explanation = judged.explanation;
        outcome.expected = Some(expected);
        Ok(if passed { Verdict::Same } else { Verdict::Differs })
    }

    /// Compares and explains two images. Returns `None` if they cannot be compared.
    fn judge(&self, pair: &Pair<'_>) -> Option<Judged> {
        let Pair { expected, image, scenes, redrawn, same_machine, other_shadows } = *pair;
        let puppet = self.posed.puppet();
        let mask = |golden: &DecodedImage| match self.region.restricts() {
            true => self.region.mask(
                puppet,
                scenes.map(|(golden, _)| golden),
                scenes.map_or(self.record, |(_, actual)| actual),
                [golden, image],
            ),
            false => None,
        };
        let masked = mask(&expected.image);
        let drawn = masked.as_ref().unwrap_or(image);
        let difference = compare(&expected.image, drawn, self.tolerance.levels)?;
        let within = difference.passes(self.tolerance);
        // On the same machine, every difference has a cause. If all pixels are the same, the explanation lists changes in the file.
        let needs = |&(golden, actual): &(&SceneRecord, &SceneRecord)| {
            difference.pixels() == 0
                || same_machine
                || self.needs_explanation(&difference, within, golden, actual)
        };
        let explanation = scenes.filter(needs).and_then(|(golden, actual)| {
            let conditions = Conditions { same_machine, restricted: masked.is_some(), other_shadows };
            let masked_again = redrawn.and_then(|again| mask(again.image));
            let image = masked_again.as_ref().unwrap_or(image);
            let redrawn = redrawn.map(|again| [again, RecordedImage { image, record: actual }]);
            let golden = RecordedImage { image: &expected.image, record: golden };
            let actual = RecordedImage { image: drawn, record: actual };
            Explanation::with_redrawn(puppet, golden, actual, self.kinds, conditions, redrawn)
        });
        let is_driver = explanation.as_ref().is_some_and(|e| !same_machine && e.changed() == 0);
        let as_other_machine =
            is_driver && !within && difference.passes(&other_machine(self.tolerance, other_shadows));
        let fails = explanation.as_ref().is_some_and(Explanation::fails);
        Some(Judged {
            passed: (within || as_other_machine) && !fails,
            difference,
            explanation,
            as_other_machine,
            within,
        })
    }

    /// Adds a comparison's findings to the outcome. `damage` says why the golden's scene could not be read.
    fn report(
        &self,
        outcome: &mut Outcome,
        judged: &Judged,
        damage: Option<String>,
        golden: Option<&SceneRecord>,
    ) {
        let Judged { within, passed, as_other_machine, .. } = *judged;
        let is_fine = within || as_other_machine;
        let mut add = |passed: bool, text: String| outcome.findings.push(Finding { passed, text });
        if let Some(explanation) = &judged.explanation {
            // The verdict comes first, because it explains the numbers.
            add(passed, format!("verdict: {}", explanation.verdict));
        }
        add(is_fine, describe(&judged.difference, self.tolerance));
        // A golden whose scene cannot be read is compared like goldens from earlier versions.
        damage.into_iter().for_each(|text| add(is_fine, text));
        if as_other_machine {
            let text =
                "image: within the limits of other machines, which are larger, because the scene is the same";
            add(passed, text.into());
        }
        if !within && outcome.scene == GoldenScene::Missing {
            let text = "verdict: none, because the golden does not contain its scene (see --update=scenes)";
            add(false, text.into());
        }
        if is_fine && outcome.scene == GoldenScene::Missing && judged.difference.pixels() > 0 {
            outcome.notes.push("the golden does not contain its scene, so only pixels were compared".into());
        }
        if let Some(explanation) = judged.explanation.as_ref().filter(|e| passed && !e.unseen.is_empty()) {
            let changes = explanation.unseen_text();
            outcome.notes.push(format!("the file has changed, but this image does not show it: {changes}"));
        }
        if let (false, true, Some(golden)) = (passed, self.shows_poses, golden) {
            outcome.view = Some(PoseView::new(self.posed.puppet(), golden, self.record));
        }
    }

    /// Returns whether an explanation is shown or can change the result. Explaining takes longer than comparing images. It is therefore
    /// left out if all pixels differ by at most one level and the golden's pose, camera and contents have not changed.
    fn needs_explanation(
        &self,
        difference: &Difference,
        within: bool,
        golden: &SceneRecord,
        actual: &SceneRecord,
    ) -> bool {
        let is_same = || {
            golden.joints == actual.joints
                && golden.camera == actual.camera
                && golden.contents_digest() == actual.contents_digest()
        };
        !within || difference.largest >= 2 || !is_same()
    }
}

/// Returns the limits for an image of the same scene that another machine drew. In this case, only the renderer can have changed, and bugs
/// in the renderer cause larger differences (`docs/decisions/regression-tests.md`). Shadows that are sharp instead of soft change large
/// areas by a few levels.
fn other_machine(tolerance: &ImageTolerance, other_shadows: bool) -> ImageTolerance {
    let (mean, worst) = if other_shadows { (2.0, 3.0) } else { (1.5, 1.5) };
    ImageTolerance { mean: tolerance.mean * mean, worst: tolerance.worst * worst, ..*tolerance }
}

/// Describes the rule that judged an image, and the measured differences.
fn describe(difference: &Difference, tolerance: &ImageTolerance) -> String {
    let Difference { beyond, mean, worst: (worst, [x, y]), .. } = difference;
    let (pixels, largest) = (difference.pixels(), difference.largest);
    match difference.rule() {
        Rule::Identical => "image: identical".into(),
        Rule::Levels => {
            let limit = tolerance.levels;
            format!("image: equal by levels: {pixels} px differ by at most {largest} (limit {limit})")
        }
        Rule::Flip => format!(
            "image: judged by FLIP: {beyond} px differ by more than {} levels (at most {largest}), \
             mean {mean:.5} (limit {}), worst tile {worst:.4} (limit {}) at {x},{y}",
            tolerance.levels, tolerance.mean, tolerance.worst
        ),
    }
}
