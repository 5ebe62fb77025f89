//! Hands and feet that would pass through the floor.

use glam::{DQuat, DVec3};

use crate::ik::limit::angle_between;

use super::posed::Posed;
use super::tasks::Tasks;
use super::trunk_tasks::Subject;

/// Maximum number of turns of fingers or toes.
const MAX_DIGIT_TURNS: usize = 10;

/// Turns the end of a limb, and then its toes or fingers, so that they stay above the floor, as far as their limits
/// allow. Returns how deep the lowest of them still is, metres.
pub(super) fn lift(posed: &mut Posed, subject: &Subject<'_>, tasks: &Tasks, index: usize) -> f64 {
    let limb = &subject.figure.parts.limbs[index];
    let (Some(floor), Some(&end)) = (subject.figure.parts.floor, limb.joints.last()) else { return 0.0 };
    if tasks.limbs[index].is_some_and(|t| t.orientation.is_some()) {
        return 0.0;
    }
    let lowest = |posed: &Posed| {
        let digits = limb.digits.iter().map(|&d| (posed.positions[d], d));
        digits.min_by(|a, b| a.0.y.total_cmp(&b.0.y)).filter(|(p, _)| p.y < floor)
    };
    // Each turn lifts the lowest digit. Another one may then be the lowest.
    for _ in 0..4 {
        let Some((point, _)) = lowest(posed) else { return 0.0 };
        turn(posed, subject, (index, end), point, floor);
    }
    for _ in 0..MAX_DIGIT_TURNS {
        let Some((point, digit)) = lowest(posed) else { return 0.0 };
        let first = posed.up(digit).skip(1).take_while(|&l| l != end).last();
        if !first.is_some_and(|joint| turn(posed, subject, (index, joint), point, floor)) {
            break;
        }
    }
    lowest(posed).map_or(0.0, |(point, _)| floor - point.y)
}

/// Turns a joint so that a point below it comes up to a height. Returns whether the joint has turned.
fn turn(
    posed: &mut Posed,
    subject: &Subject<'_>,
    (limb, joint): (usize, usize),
    point: DVec3,
    height: f64,
) -> bool {
    let Some(turn) = lifting(posed.positions[joint], point, height) else { return false };
    let before = posed.locals[joint];
    let local = (posed.spin_above(joint).conjugate() * turn * posed.spins[joint]).normalize();
    posed.locals[joint] = subject.limits.nearest(joint, local);
    subject.figure.below[limb].iter().for_each(|&link| posed.forward_link(link));
    angle_between(before, posed.locals[joint]) > 1e-3
}

/// Returns the turn about a pivot that lifts a point to a height.
fn lifting(pivot: DVec3, point: DVec3, height: f64) -> Option<DQuat> {
    let arm = point - pivot;
    let length = arm.length();
    let axis = arm.cross(DVec3::Y).try_normalize()?;
    let angle = |rise: f64| (rise / length).clamp(-1.0, 1.0).asin();
    Some(DQuat::from_axis_angle(axis, angle(height - pivot.y) - angle(arm.y)))
}
