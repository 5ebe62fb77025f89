//! Closes loops: part of each jump is added before the seam and the rest after it, over a short time, so that the velocities match. The
//! side on which a joint moves less evenly gets the larger part.

use glam::{DQuat, DVec3, Vec3};

use crate::check::checker::ClipReport;
use crate::check::contacts::flat;
use crate::check::kind::Check;
use crate::check::options::{CheckOptions, Looping};
use crate::mathematics::spans::number;

use super::draft::Draft;
use super::smooth::{double, vector};

/// Duration of the changed part on each side of the seam, in seconds.
const WINDOW: f32 = 0.4;
/// Minimum size of a jump that is changed, in radians and in metres at human size.
const MIN_TURN: f64 = 0.002;
const MIN_OFFSET: f32 = 0.0005;
/// Maximum size of a jump that is closed even if the options do not declare a loop, in degrees and in metres at human size.
const MAX_TURN: f64 = 30.0;
const MAX_OFFSET: f64 = 0.35;
/// Maximum travel of a root that is moved back, in metres at human size.
const TRAVEL: f32 = 0.3;

pub(super) fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, _: &CheckOptions) -> bool {
    if !draft.closes_loop {
        return false;
    }
    let count = draft.sampled.len();
    let Some(last) = count.checked_sub(1).filter(|last| *last >= 4) else { return false };
    let window = draft.sampled.frames_in(WINDOW).min(last / 2).max(1);
    let velocity = report.errors(Check::SeamVelocity).next().is_some();
    let (hips, size) = (draft.checker.anatomy.hips, draft.checker.anatomy.size);
    let travel = draft.sampled.position(last, hips) - draft.sampled.position(0, hips);
    let travels = flat(travel).length() > TRAVEL * size;
    let nodes: Vec<usize> = (0..draft.checker.character.skeleton.nodes.len()).collect();
    for &node in &nodes {
        let is_root = travels && draft.checker.character.skeleton.ancestors(hips).any(|n| n == node);
        if is_root {
            if node == hips {
                close_height(draft, hips, window, last);
            }
            continue;
        }
        let rotations = double(&draft.sampled.rotations(node));
        let gap = vector(rotations[last].conjugate() * rotations[0]);
        let speed = |a: usize, b: usize| vector(rotations[a].conjugate() * rotations[b]);
        let change = if velocity { speed(0, 1) - speed(last - 1, last) } else { DVec3::ZERO };
        if gap.length() > MIN_TURN || change.length() > MIN_TURN {
            let uneven = |i: usize| (speed(i, i + 1) - speed(i - 1, i)).length();
            let part = end_part(uneven, window, last);
            for (frame, offset) in offsets(gap, change, part, window, last) {
                let rotation = rotations[frame] * DQuat::from_scaled_axis(offset);
                draft.set_rotation(frame, node, rotation.as_quat());
            }
        }
        let at = |frame: usize| draft.sampled.local(frame, node).translation;
        let positions: Vec<Vec3> = (0..count).map(at).collect();
        let gap = (positions[0] - positions[last]).as_dvec3();
        let speed = |a: usize, b: usize| (positions[b] - positions[a]).as_dvec3();
        let change = if velocity { speed(0, 1) - speed(last - 1, last) } else { DVec3::ZERO };
        let above = draft.parent(node).map_or(1.0, |p| draft.sampled.matrix(0, p).matrix3.x_axis.length());
        let smallest = f64::from(MIN_OFFSET * size / above.max(f32::MIN_POSITIVE));
        if gap.length() > smallest || change.length() > smallest {
            let uneven = |i: usize| (speed(i, i + 1) - speed(i - 1, i)).length();
            let part = end_part(uneven, window, last);
            for (frame, offset) in offsets(gap, change, part, window, last) {
                draft.set_translation(frame, node, positions[frame] + offset.as_vec3());
            }
        }
    }
    draft.refresh_all();
    true
}

/// Returns whether a loop may be closed. Closing a large gap would change the motion.
pub(super) fn may_close(report: &ClipReport, options: &CheckOptions, size: f32) -> bool {
    let exceeds = |check: Check, largest: f64| report.errors(check).any(|f| f.value > largest);
    let is_large =
        exceeds(Check::SeamRotation, MAX_TURN) || exceeds(Check::SeamPosition, MAX_OFFSET * f64::from(size));
    options.looping == Looping::Always || !is_large
}

/// Closes the jump in height of a root that travels.
fn close_height(draft: &mut Draft<'_, '_>, hips: usize, window: usize, last: usize) {
    let heights: Vec<f64> =
        (0..=last).map(|frame| f64::from(draft.sampled.position(frame, hips).y)).collect();
    let uneven = |i: usize| (heights[i + 1] - 2.0 * heights[i] + heights[i - 1]).abs();
    let part = end_part(uneven, window, last);
    let gap = DVec3::Y * (heights[0] - heights[last]);
    for (frame, offset) in offsets(gap, DVec3::ZERO, part, window, last) {
        draft.shift(frame, hips, offset.as_vec3());
    }
}

/// Returns the part of a jump that is added before the seam, from 0 to 1, depending on how unevenly the joint moves on each side.
fn end_part(uneven: impl Fn(usize) -> f64, window: usize, last: usize) -> f64 {
    let sum = |frames: std::ops::Range<usize>| frames.map(|i| uneven(i).powi(2)).sum::<f64>();
    let (before, after) = (sum(last - window + 1..last), sum(1..window));
    if before + after > 0.0 { before / (before + after) } else { 0.5 }
}

/// Returns the offsets of the frames near the seam. `gap` is the displacement from the last frame to the first one. `change` is the change
/// of the velocity from the end to the start, per frame. `part` is the fraction of the offsets that is added before the seam.
fn offsets(gap: DVec3, change: DVec3, part: f64, window: usize, last: usize) -> Vec<(usize, DVec3)> {
    let length = number(window);
    let value = |u: f64| u * u * (3.0 - 2.0 * u);
    let slope = |u: f64| length * (u * u * u - u * u);
    let before = (0..=window).map(|k| (last - k, 1.0 - number(k) / length));
    let before = before.map(|(frame, u)| (frame, (gap * value(u) + change * slope(u)) * part));
    // The curve after the seam mirrors the curve before it, with the opposite offset and a matching velocity.
    let after = (0..=window).map(|k| (k, 1.0 - number(k) / length));
    let after = after.map(|(frame, u)| (frame, (change * slope(u) - gap * value(u)) * (1.0 - part)));
    before.chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_meet_with_one_velocity() {
        let (gap, change) = (DVec3::X, DVec3::new(0.02, 0.1, 0.0));
        let offsets = offsets(gap, change, 0.7, 10, 40);
        let at = |frame: usize| offsets.iter().find(|(f, _)| *f == frame).unwrap().1;
        assert!((at(40) - at(0) - gap).length() < 1e-9 && (at(40) - gap * 0.7).length() < 1e-9);
        assert!(at(30).length() < 1e-9 && at(10).length() < 1e-9);
        let (end, start) = (at(40) - at(39), at(1) - at(0));
        assert!((end - start - change).length() < 0.3 * change.length(), "{end} {start}");
    }

    #[test]
    fn the_uneven_side_is_changed() {
        let jumps_at_the_end = |i: usize| if i > 35 { 1.0 } else { 0.01 };
        assert!(end_part(jumps_at_the_end, 10, 40) > 0.99);
        assert_eq!(end_part(|_| 0.0, 10, 40), 0.5);
    }
}
