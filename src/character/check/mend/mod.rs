//! Repairs of clips, each with the smallest change that removes a fault.
//!
//! Repairs change the sampled frames of a clip. Only the channels of joints that a repair moves are replaced. They get one key per frame.
//! All other channels are unchanged.

mod change;
pub(super) mod draft;
mod ground;
mod keys;
pub(super) mod limb;
mod limits;
mod plant;
mod push;
mod seam;
mod smooth;
mod speed;

use crate::asset::Clip;

use super::checker::{CheckError, Checker, ClipReport};
use super::kind::{Check, Severity};
use super::options::CheckOptions;

pub use change::{Difference, Repair};
use draft::Draft;

/// Maximum number of rounds of checks and repairs. A repair may cause another fault: for example, a planted foot may reach the
/// floor.
const ROUNDS: usize = 6;

/// A repaired clip.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mended {
    /// The repaired clip.
    pub clip: Clip,
    /// The changes, in the order of the repairs. Empty if there was nothing to repair.
    pub changes: Vec<Repair>,
    /// The difference between the clips.
    pub difference: Difference,
    /// The report before the repairs.
    pub before: ClipReport,
    /// The report after the repairs. It lists the faults that remain.
    pub after: ClipReport,
}

/// Repairs a clip. [`CheckOptions::only`] and [`CheckOptions::skip`] select the faults that are repaired.
///
/// ```
/// use sinew_character::check::mend::mend;
/// use sinew_character::check::{CheckOptions, Checker};
/// use sinew_character::glam::Quat;
/// use sinew_character::{asset, rig};
///
/// let character = asset::mannequin()?;
/// let rig = rig::detect(&character);
/// let checker = Checker::new(&character, &rig);
/// // The head turns away in a single frame.
/// let mut walk = character.clips[2].clone();
/// let head = character.skeleton.find("head").ok_or("no head")?;
/// for channel in walk.channels.iter_mut().filter(|channel| channel.node == head) {
///     if let asset::Values::Rotation(values) = &mut channel.values {
///         let middle = values.len() / 2;
///         values[middle] *= Quat::from_rotation_y(0.4);
///     }
/// }
/// let mended = mend(&checker, &walk, &CheckOptions::default())?;
/// assert!(!mended.before.passed() && mended.after.passed());
/// assert!(mended.difference.mean_degrees < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CheckError`] if the clip is too long.
pub fn mend(checker: &Checker<'_>, clip: &Clip, options: &CheckOptions) -> Result<Mended, CheckError> {
    let before = checker.check(clip, options)?;
    let closes_loop = seam::may_close(&before, options, checker.size());
    let (mut repaired, mut changes) = keys::repair(checker, clip, &before);
    let mut report = checker.check(&repaired, options)?;
    let (mut current, mut found, mut tried) = (repaired.clone(), report.clone(), Vec::new());
    for round in 0..ROUNDS {
        if found.passed() {
            break;
        }
        let mut draft = Draft::new(checker, checker.prepare(&current, options)?);
        draft.round = round;
        draft.closes_loop = closes_loop;
        let made = repair(&mut draft, &found, options);
        if made.is_empty() {
            break;
        }
        tried.extend(made);
        current = draft.clip(&current);
        found = checker.check(&current, options)?;
        // A round may make a clip worse before the next one makes it better. Only the best state is kept.
        if errors(&found) < errors(&report) {
            (repaired, report) = (current.clone(), found.clone());
            changes.append(&mut tried);
        }
    }
    let difference = Difference::between(checker, clip, &repaired)?;
    Ok(Mended { clip: repaired, changes, difference, before, after: report })
}

fn errors(report: &ClipReport) -> usize {
    report.findings.iter().filter(|f| f.severity == Severity::Error).count()
}

/// Makes all repairs in a round. The order matters: rotations first, then the body's position, and then its limbs.
fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> Vec<Repair> {
    type RepairFunction = fn(&mut Draft<'_, '_>, &ClipReport, &CheckOptions) -> bool;
    let repairs: [(&[Check], &str, RepairFunction); 8] = [
        (&[Check::Flip], "undid the flips", smooth::flips),
        (&[Check::Jerk], "led the joints back to their paths", smooth::jerks),
        (&[Check::Limit], "led the joints back to their limits", limits::repair),
        (&[Check::SeamPosition, Check::SeamRotation, Check::SeamVelocity], "closed the loop", seam::repair),
        (&[Check::RootSpeed], "moved the root as fast as the feet", speed::repair),
        (&[Check::Penetration, Check::Floating], "put the body on the floor", ground::repair),
        (&[Check::FootSlide], "planted the feet", plant::repair),
        (&[Check::SelfPenetration], "moved the limbs out of the body", push::repair),
    ];
    let mut changes = Vec::new();
    for (checks, text, repair) in repairs {
        let nodes: Vec<usize> =
            checks.iter().flat_map(|c| report.errors(*c)).filter_map(|f| f.node).collect();
        let found = checks.iter().flat_map(|c| report.errors(*c)).map(|f| (f.check, (f.from, f.to)));
        let Some((check, span)) = found.reduce(|(check, a), (_, b)| (check, (a.0.min(b.0), a.1.max(b.1))))
        else {
            continue;
        };
        draft.begin();
        if repair(draft, report, options) {
            changes.push(draft.change(check, nodes, span, text));
        }
    }
    changes
}
