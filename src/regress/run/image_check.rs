//! Compares the image of a case with its golden, and explains the difference.

use crate::regress::explain::{Conditions, Explanation, PoseView};
use crate::regress::golden::{Drawn, GoldenState};
use crate::regress::image::{Difference, Rule, compare};
use crate::regress::record::{CameraRecord, RecordedScene, SceneRecord};
use crate::regress::region::Region;
use crate::regress::tolerance::{ImageTolerance, KindTolerance};
use crate::render::DecodedImage;

use super::{Finding, Outcome, Posed};

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
}

impl ImageCheck<'_> {
    /// Records what the image shows.
    pub(super) fn record(&self) -> SceneRecord {
        SceneRecord::of(self.posed.puppet(), &self.posed.frame())
    }

    /// Compares the image with its golden, and adds findings, the difference and the explanation to the outcome.
    pub(super) fn compare(
        &self,
        outcome: &mut Outcome,
        actual: &Drawn,
        found: Option<GoldenState>,
    ) -> Verdict {
        let mut damage = None;
        let mut fail = |text: String| outcome.findings.push(Finding { passed: false, text });
        let DecodedImage { width, height, .. } = actual.image;
        let expected = match found {
            None => {
                fail("image: golden is missing".into());
                return Verdict::Missing;
            }
            Some(GoldenState::OtherSize(w, h)) => {
                fail(format!("image: size is {width}x{height} instead of {w}x{h}"));
                return Verdict::Differs;
            }
            Some(GoldenState::Drawn(expected)) => expected,
        };
        let scene =
            expected.scene.as_ref().filter(|_| expected.image != actual.image).map(RecordedScene::decode);
        let golden_scene = match scene.transpose() {
            Ok(scene) => scene,
            Err(cause) => {
                damage = Some(format!("image: the recorded scene of the golden is damaged: {cause}"));
                None
            }
        };
        let restricted = self.region.restricts().then(|| self.posed.frame());
        let masked = restricted.and_then(|frame| {
            self.region.mask(
                self.posed.puppet(),
                &frame,
                golden_scene.as_ref(),
                &expected.image,
                &actual.image,
            )
        });
        let drawn = masked.as_ref().unwrap_or(&actual.image);
        let Some(difference) = compare(&expected.image, drawn, self.tolerance.levels) else {
            fail(format!("image: size {width}x{height} cannot be compared"));
            return Verdict::Differs;
        };
        let within = difference.passes(self.tolerance);
        outcome.findings.push(Finding { passed: within, text: describe(&difference, self.tolerance) });
        // Without its scene, the golden is compared like one of an earlier version.
        outcome.findings.extend(damage.map(|text| Finding { passed: within, text }));
        let same_machine = expected.drawn_by.is_some() && expected.drawn_by == actual.drawn_by;
        // On the same machine, every difference has a cause.
        let needs = |scene: &SceneRecord| {
            difference.pixels() > 0 && same_machine || self.needs_explanation(&difference, within, scene)
        };
        let explained = golden_scene.filter(needs);
        let mut passed = within;
        if let Some(scene) = explained {
            let puppet = self.posed.puppet();
            let record = self.record();
            let conditions = Conditions { same_machine, restricted: masked.is_some() };
            let explanation =
                Explanation::new(puppet, (&expected.image, &scene), (drawn, &record), self.kinds, conditions);
            let is_driver = explanation.as_ref().is_some_and(|e| !same_machine && e.changed() == 0);
            if is_driver && !within && difference.passes(&other_machine(self.tolerance)) {
                passed = true;
                let text = "image: within the limits of other machines, which are half larger, because the scene is the same";
                outcome.findings.iter_mut().for_each(|finding| finding.passed = true);
                outcome.findings.push(Finding { passed, text: text.into() });
            }
            passed &= explanation.as_ref().is_none_or(|explanation| !explanation.fails());
            if let Some(explanation) = explanation {
                let text = format!("verdict: {}", explanation.verdict);
                // It comes first, because it says what the numbers mean.
                outcome.findings.insert(0, Finding { passed, text });
                outcome.explanation = Some(explanation);
            }
            if !passed && self.shows_poses {
                outcome.view = Some(PoseView::new(puppet, &scene, &record));
            }
        } else if !within && expected.scene.is_none() {
            let text = "verdict: none, because the golden does not contain its scene (see --update=scenes)";
            outcome.findings.push(Finding { passed: false, text: text.into() });
        }
        outcome.difference = Some(difference);
        outcome.expected = Some(expected);
        if passed { Verdict::Same } else { Verdict::Differs }
    }

    /// Returns whether an explanation can change the result, or is shown. It costs more than the comparison of an image, so it is left
    /// out where all pixels differ by at most one level and the recorded pose and camera are the current ones.
    fn needs_explanation(&self, difference: &Difference, within: bool, scene: &SceneRecord) -> bool {
        let puppet = self.posed.puppet();
        let worlds = puppet.world_from_node();
        let is_same = || {
            scene.joints.len() == worlds.len()
                && scene.joints.iter().zip(worlds).all(|(joint, world)| joint.world == world.to_cols_array())
                && scene.camera == CameraRecord::of(&self.posed.frame().camera)
        };
        !within || difference.pixels() > 0 && (difference.largest >= 2 || !is_same())
    }
}

/// Returns the limits for an image of the same scene that another machine drew. Only the renderer can have changed then, and its bugs are
/// larger (`docs/testing.md`).
fn other_machine(tolerance: &ImageTolerance) -> ImageTolerance {
    ImageTolerance { mean: tolerance.mean * 1.5, worst: tolerance.worst * 1.5, ..*tolerance }
}

/// Describes the rule that decided on an image, and the measured differences.
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
