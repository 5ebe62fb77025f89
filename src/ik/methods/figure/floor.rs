//! Hands and feet that would pass through the floor.

use glam::{DQuat, DVec3};

use super::posed::Posed;
use super::tasks::Tasks;
use super::trunk::Subject;

/// Turns the end of every limb so that its toes or fingers stay above the floor, as far as its limit allows.
pub(super) fn lift(posed: &mut Posed, subject: &Subject<'_>, tasks: &Tasks) {
    let Some(floor) = subject.figure.parts.floor else { return };
    for (limb, task) in subject.figure.parts.limbs.iter().zip(&tasks.limbs) {
        let Some(&end) = limb.joints.last() else { continue };
        if task.is_some_and(|t| t.orientation.is_some()) {
            continue;
        }
        // Each turn lifts the lowest digit. Another one may then be the lowest.
        for _ in 0..4 {
            let lowest = limb.digits.iter().map(|&d| posed.positions[d]).min_by(|a, b| a.y.total_cmp(&b.y));
            let Some(lowest) = lowest.filter(|p| p.y < floor) else { break };
            let Some(turn) = lifting(posed.positions[end], lowest, floor) else { break };
            let local = (posed.spin_above(end).conjugate() * turn * posed.spins[end]).normalize();
            posed.locals[end] = subject.limits.nearest(end, local);
            (end..posed.len()).for_each(|link| posed.forward_link(link));
        }
    }
}

/// Returns the turn about a pivot that lifts a point to a height.
fn lifting(pivot: DVec3, point: DVec3, height: f64) -> Option<DQuat> {
    let arm = point - pivot;
    let length = arm.length();
    let axis = arm.cross(DVec3::Y).try_normalize()?;
    let angle = |rise: f64| (rise / length).clamp(-1.0, 1.0).asin();
    Some(DQuat::from_axis_angle(axis, angle(height - pivot.y) - angle(arm.y)))
}
