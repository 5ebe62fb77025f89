//! Runs the checks of a clip.

use crate::asset::{Character, Clip};
use crate::mathematics::quantile;
use crate::rig::Rig;

use super::anatomy::Anatomy;
use super::clip_set::Gait;
use super::contacts::Contacts;
use super::finding::{Curve, Finding, Measured, NotApplied};
use super::kind::{Check, Severity};
use super::limit::LimitedJoint;
use super::options::CheckOptions;
use super::sampled::{Sampled, TooLong};
use super::seam::Seam;
use super::self_penetration::Pair;
use super::{
    clip_set, flip, floating, foot_slide, jerk, jump, keys, limit, penetration, root_speed, seam,
    self_penetration, tracks,
};

/// Maximum number of clips that are used to find the floor.
const FLOOR_CLIPS: usize = 64;
/// Quantile of the lowest foot heights of all frames, used as the height of a clip.
const LOW_PART: f64 = 0.2;
/// Distance from the rest floor beyond which the feet of most clips define another floor, in metres at human size.
const SAME_FLOOR: f64 = 0.02;
/// Distance of the feet from the rest floor beyond which a clip is in the air, in metres at human size.
const MAX_FLOOR_OFFSET: f64 = 0.15;

/// Why a clip cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The clip has too many frames.
    #[error(transparent)]
    TooLong(#[from] TooLong),
}

/// The result of all checks of a clip.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ClipReport {
    /// Name of the clip.
    pub name: Option<String>,
    /// Length in seconds.
    pub seconds: f32,
    /// Faults and observations, errors first.
    pub findings: Vec<Finding>,
    /// Measured values over time.
    pub curves: Vec<Curve>,
    /// Checks that do not apply to the clip.
    pub not_applied: Vec<NotApplied>,
}

impl ClipReport {
    /// Returns whether the clip has no finding of severity error.
    pub fn passed(&self) -> bool {
        self.findings.iter().all(|f| f.severity != Severity::Error)
    }

    /// Returns the errors of a check.
    pub fn errors(&self, check: Check) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.check == check && f.severity == Severity::Error)
    }
}

/// Checks clips of a character.
///
/// ```
/// use sinew_character::check::{Check, CheckOptions, Checker};
/// use sinew_character::{asset, rig};
///
/// let mut character = asset::mannequin()?;
/// let rig = rig::detect(&character);
/// let walk = character.clips[2].clone();
/// assert!(Checker::new(&character, &rig).check(&walk, &CheckOptions::default())?.passed());
///
/// // The hips sink into the floor.
/// let mut sunk = walk;
/// let hips = character.skeleton.find("hips").ok_or("no hips")?;
/// for channel in sunk.channels.iter_mut().filter(|channel| channel.node == hips) {
///     if let asset::Values::Translation(values) = &mut channel.values {
///         values.iter_mut().for_each(|v| v.y -= 0.1);
///     }
/// }
/// character.clips.push(sunk);
/// let report = Checker::new(&character, &rig).check(&character.clips[5], &CheckOptions::default())?;
/// assert!(report.errors(Check::Penetration).next().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checker<'a> {
    pub(super) character: &'a Character,
    pub(super) rig: &'a Rig,
    pub(super) anatomy: Anatomy<'a>,
    pub(super) pairs: Vec<Pair>,
    pub(super) limited: Vec<LimitedJoint>,
    floor: f32,
}

/// Data that the checks of a clip share.
pub(super) struct Prepared {
    pub(super) sampled: Sampled,
    pub(super) contacts: Contacts,
    pub(super) seam: Seam,
    pub(super) floor: f32,
}

impl<'a> Checker<'a> {
    /// Measures a character in its rest pose and finds the floor of its clips.
    pub fn new(character: &'a Character, rig: &'a Rig) -> Self {
        let anatomy = Anatomy::new(character, rig);
        let pairs = match &rig.body {
            Some(plan) => self_penetration::pairs(&anatomy, &character.skeleton, plan),
            None => Vec::new(),
        };
        let floor = floor(character, &anatomy);
        // The limits of a machine are known, but the limits of a living body are guesses.
        let is_exact = !character.joints.is_empty();
        let limited = LimitedJoint::all(&anatomy, rig, &Sampled::rest(character), is_exact);
        Self { character, rig, anatomy, pairs, limited, floor }
    }

    /// Returns the size of the character relative to a person of 1.75 m.
    pub fn size(&self) -> f32 {
        self.anatomy.size
    }

    /// Returns the height in metres of the floor on which the feet of most clips stand.
    pub fn floor(&self) -> f32 {
        self.floor
    }

    pub(super) fn prepare(&self, clip: &Clip, options: &CheckOptions) -> Result<Prepared, TooLong> {
        let sampled = Sampled::new(self.character, clip)?;
        let floor = options.floor.unwrap_or(self.floor);
        let contacts = Contacts::new(&self.anatomy, &sampled, floor);
        let seam = Seam::new(&self.anatomy, &sampled, clip.name.as_deref(), options);
        Ok(Prepared { sampled, contacts, seam, floor })
    }

    /// Checks a clip. It need not be one of the character's own clips.
    ///
    /// # Errors
    /// [`CheckError`] if the clip is too long.
    pub fn check(&self, clip: &Clip, options: &CheckOptions) -> Result<ClipReport, CheckError> {
        Ok(self.report(clip, &self.prepare(clip, options)?, options))
    }

    /// Checks several clips, and compares the gaits of clips that are blended with each other.
    ///
    /// # Errors
    /// Same as [`Self::check`].
    pub fn check_all(&self, clips: &[&Clip], options: &CheckOptions) -> Result<Vec<ClipReport>, CheckError> {
        let (mut reports, mut gaits) = (Vec::new(), Vec::new());
        for clip in clips {
            let prepared = self.prepare(clip, options)?;
            reports.push(self.report(clip, &prepared, options));
            gaits.push(Gait::new(clip.name.as_deref(), &prepared.contacts, clip.seconds, self.anatomy.size));
        }
        if options.runs(Check::Gait) {
            for (index, finding) in clip_set::check(&gaits, options.limit(Check::Gait, 1.0)) {
                if let Some(report) = reports.get_mut(index) {
                    report.findings.push(finding);
                }
            }
        }
        Ok(reports)
    }

    fn report(&self, clip: &Clip, prepared: &Prepared, options: &CheckOptions) -> ClipReport {
        let index = self.character.clips.iter().position(|c| std::ptr::eq(c, clip));
        let mut measured = keys::check(self.character, clip, index, options);
        measured.extend(tracks::check(self.character, self.rig, clip, index, options));
        if prepared.sampled.len() > 0 {
            measured.extend(self.motion(clip, prepared, options));
        }
        let Measured { mut findings, mut curves, mut not_applied } = measured;
        findings.retain(|f| options.runs(f.check));
        curves.retain(|c| options.runs(c.check));
        not_applied.retain(|n| options.runs(n.check));
        findings.sort_by(|a, b| {
            b.severity.cmp(&a.severity).then(a.check.cmp(&b.check)).then(a.from.total_cmp(&b.from))
        });
        ClipReport { name: clip.name.clone(), seconds: clip.seconds, findings, curves, not_applied }
    }

    /// Runs the checks that use samples.
    fn motion(&self, clip: &Clip, prepared: &Prepared, options: &CheckOptions) -> Measured {
        let Prepared { sampled, contacts, seam, floor } = prepared;
        let (anatomy, skeleton) = (&self.anatomy, &self.character.skeleton);
        let limit = |check: Check| options.limit(check, anatomy.size);
        let mut measured = Measured::default();
        if anatomy.feet.is_empty() {
            for check in [Check::FootSlide, Check::Penetration, Check::Floating, Check::RootSpeed] {
                measured.extend(Measured::not_applied(check, "the character has no recognised legs"));
            }
        } else {
            measured.extend(foot_slide::check(sampled, contacts, limit(Check::FootSlide)));
            measured.extend(penetration::check(anatomy, sampled, *floor, limit(Check::Penetration)));
            measured.extend(floating::check(anatomy, sampled, contacts, *floor, limit(Check::Floating)));
            measured.extend(root_speed::check(anatomy, sampled, contacts, options));
        }
        measured.extend(seam::check(anatomy, sampled, seam, options));
        let turning = tracks::turning_nodes(sampled, &anatomy.joints);
        let flips = flip::check(sampled, &turning, limit(Check::Flip));
        let flipped = |node: &usize| flips.findings.iter().any(|f| f.node == Some(*node));
        let smooth: Vec<usize> = turning.iter().copied().filter(|n| !flipped(n)).collect();
        measured.extend(jerk::check(sampled, &smooth, limit(Check::Jerk)));
        measured.extend(flips);
        measured.extend(jump::check(anatomy, skeleton, sampled, clip, limit(Check::Jump)));
        measured.extend(limit::check(&self.limited, sampled, limit(Check::Limit)));
        measured.extend(self_penetration::check(
            anatomy,
            skeleton,
            &self.pairs,
            sampled,
            limit(Check::SelfPenetration),
        ));
        measured.extend(tracks::start_pose(self.character, anatomy, sampled, limit(Check::StartPose)));
        measured.extend(tracks::root_drift(anatomy, sampled, contacts, seam, limit(Check::RootDrift)));
        measured
    }
}

/// Returns the height at which the feet stand in the rest pose, or in most clips if that differs.
fn floor(character: &Character, anatomy: &Anatomy) -> f32 {
    if anatomy.feet.is_empty() {
        return anatomy.rest_floor;
    }
    let size = f64::from(anatomy.size);
    let offset = |clip: &Clip| {
        let sampled = Sampled::new(character, clip).ok()?;
        let contacts = Contacts::new(anatomy, &sampled, anatomy.rest_floor);
        let lowest = |frame: usize| {
            let heights = contacts.feet.iter().filter_map(|f| f.heights.get(frame)).copied();
            f64::from(heights.fold(f32::INFINITY, f32::min))
        };
        let low = quantile((0..sampled.len()).map(lowest).collect(), LOW_PART);
        (low.abs() < MAX_FLOOR_OFFSET * size).then_some(low)
    };
    let offsets: Vec<f64> = character.clips.iter().take(FLOOR_CLIPS).filter_map(offset).collect();
    let enough = if anatomy.has_soles { 3 } else { 1 };
    let median = if offsets.len() >= enough { quantile(offsets, 0.5) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "a height is single precision")]
    let moved = anatomy.rest_floor + median as f32;
    if median.abs() > SAME_FLOOR * size || !anatomy.has_soles { moved } else { anatomy.rest_floor }
}
