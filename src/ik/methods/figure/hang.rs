//! Arms without a task, which mostly keep their direction in the world while the trunk leans.

use glam::DQuat;

use super::neck::tilt;
use super::posed::Posed;
use super::trunk_tasks::Subject;

/// Fraction of the lean of the trunk that an arm without a task does not follow.
const HANGING: f64 = 0.75;
/// Largest turn of such an arm in a step of a slow drag, radians.
pub(super) const MAX_TURN: f64 = 0.12;

/// Returns the local rotation of the first joint of an arm without a task. Its limit has priority.
pub(super) fn hanging(posed: &Posed, subject: &Subject<'_>, index: usize) -> DQuat {
    let (link, _) = subject.figure.carriages[index];
    let first = subject.figure.parts.limbs[index].joints[0];
    let lean = tilt(posed, subject, link);
    let above = posed.spin_above(first);
    let upright = DQuat::from_scaled_axis(-HANGING * lean) * above * subject.stance.locals[first];
    subject.limits.nearest(first, (above.conjugate() * upright).normalize())
}
