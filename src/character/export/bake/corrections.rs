//! Smooths the changes that contacts and body clearance make to the poses of a clip.
//!
//! Each frame is solved separately. Where limbs pass close to each other or a knee is nearly straight, a small change in a target rotates a
//! joint by a large angle. The joint would then jump for a frame. The changes are therefore averaged over a short time. The motion itself
//! is not averaged.

use glam::{Quat, Vec3, Vec4};

use crate::asset::Transform;
use crate::pose::Pose;

/// Time in seconds before and after a frame over which changes are averaged.
const WINDOW: f32 = 0.06;
/// Maximum number of successive frames of an excursion from a joint's path, and its minimum angle in radians.
const EXCURSION: usize = 2;
const OFF: f32 = 0.05;
/// Number of frames before and after an excursion in which the change must be slow, and its maximum per frame as a fraction of the
/// excursion.
const CALM: usize = 3;
const CALM_PART: f32 = 0.35;
/// Maximum difference between joint rotations at the two ends of a loop, in radians.
const SAME: f32 = 2e-3;

/// The change at a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delta {
    pub(super) turn: Quat,
    shift: Vec3,
}

impl Delta {
    pub(super) fn between(from: &Transform, to: &Transform) -> Self {
        let turn = to.rotation * from.rotation.conjugate();
        Self { turn: if turn.w < 0.0 { -turn } else { turn }, shift: to.translation - from.translation }
    }

    fn apply(self, to: &Transform) -> Transform {
        let rotation = (self.turn * to.rotation).normalize();
        Transform { rotation, translation: to.translation + self.shift, ..*to }
    }
}

/// Replaces the change from the `free` poses to the `changed` poses with its average over nearby frames. `times` are the frame times in
/// seconds. Joints that no frame changes stay bit-identical.
pub(super) fn smooth_changes(free: &[&Pose], changed: &mut [Pose], times: &[f32]) {
    let count = free.len().min(changed.len()).min(times.len());
    let (free, changed, times) = (&free[..count], &mut changed[..count], &times[..count]);
    let is_loop = is_loop(free);
    let windows: Vec<Vec<(usize, f32)>> = (0..count).map(|i| window(i, times, WINDOW, is_loop)).collect();
    let nodes = changed.first().map_or(0, |pose| pose.locals.len());
    for node in 0..nodes {
        let both = || free.iter().zip(&*changed).map(|(from, to)| (&from.locals[node], &to.locals[node]));
        if both().all(|(from, to)| from == to) {
            continue;
        }
        let changes: Vec<Delta> = both().map(|(from, to)| Delta::between(from, to)).collect();
        for ((pose, free), window) in changed.iter_mut().zip(free).zip(&windows) {
            pose.locals[node] = mean(&changes, window).apply(&free.locals[node]);
        }
    }
}

/// If any of the given joints leaves its path for one or two frames and returns, interpolates the changes at all these joints from the
/// frames before and after. Only in those frames did the solver find another way around an obstacle.
pub(super) fn replace_excursions(
    joints: &[usize],
    keeps: &dyn Fn(usize, &Pose, &Pose) -> bool,
    free: &[&Pose],
    changed: &mut [Pose],
) {
    for width in 1..=EXCURSION {
        for first in 1..changed.len().min(free.len()).saturating_sub(width) {
            let (before, after) = (first - 1, first + width);
            let is_off = |changed: &[Pose], node: usize| {
                let turn = |i: usize| Delta::between(&free[i].locals[node], &changed[i].locals[node]).turn;
                let path = turn(before).slerp(turn(after), 0.5);
                let off = (first..after).map(|i| path.angle_between(turn(i))).fold(f32::INFINITY, f32::min);
                let step = |i: usize| turn(i).angle_between(turn(i + 1));
                let earlier = before.saturating_sub(CALM)..before;
                let later = after..(after + CALM).min(changed.len() - 1);
                let calm =
                    earlier.chain(later).map(step).fold(turn(before).angle_between(turn(after)), f32::max);
                off > OFF && calm < CALM_PART * off
            };
            if !joints.iter().any(|joint| is_off(changed, *joint)) {
                continue;
            }
            for (frame, part) in (first..after).zip(1_u8..) {
                let mut replaced = changed[frame].clone();
                for &node in joints {
                    let change = |i: usize| Delta::between(&free[i].locals[node], &changed[i].locals[node]);
                    #[expect(clippy::cast_precision_loss, reason = "one or two frames")]
                    let part = f32::from(part) / (width + 1) as f32;
                    let between = mean(&[change(before), change(after)], &[(0, 1.0 - part), (1, part)]);
                    replaced.locals[node] = between.apply(&free[frame].locals[node]);
                }
                if keeps(frame, &changed[frame], &replaced) {
                    changed[frame] = replaced;
                }
            }
        }
    }
}

/// Returns the weighted mean of changes.
fn mean(changes: &[Delta], weights: &[(usize, f32)]) -> Delta {
    let (mut turn, mut shift, mut total) = (Vec4::ZERO, Vec3::ZERO, 0.0);
    for &(i, weight) in weights {
        let change = changes[i];
        turn += weight * Vec4::from(change.turn);
        shift += weight * change.shift;
        total += weight;
    }
    Delta { turn: Quat::from_vec4(turn.normalize_or(Vec4::W)), shift: shift / total.max(f32::MIN_POSITIVE) }
}

/// Returns the frames within `seconds` of a frame with their weights, which fall linearly to zero. In a loop, the frames continue at the
/// other end.
pub(super) fn window(frame: usize, times: &[f32], seconds: f32, is_loop: bool) -> Vec<(usize, f32)> {
    let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    let at = times.get(frame).copied().unwrap_or(0.0);
    let rounds: &[f32] = if is_loop { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    let mut window = Vec::new();
    for round in rounds {
        let shift = round * (last - first);
        let start = times.partition_point(|time| time + shift <= at - seconds);
        let near = times.iter().enumerate().skip(start).map(|(i, time)| (i, (time + shift - at).abs()));
        window.extend(near.take_while(|(_, far)| *far < seconds).map(|(i, far)| (i, 1.0 - far / seconds)));
    }
    window
}

/// Returns whether the joints have the same rotations in the first and in the last frame.
pub(super) fn is_loop(poses: &[&Pose]) -> bool {
    let (Some(first), Some(last), true) = (poses.first(), poses.last(), poses.len() > 2) else {
        return false;
    };
    let near = |(a, b): (&Transform, &Transform)| a.rotation.angle_between(b.rotation) < SAME;
    first.locals.iter().zip(&last.locals).all(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A jump of one frame is reduced to a fraction, and a lasting change is kept.
    #[test]
    fn a_jump_of_a_frame_is_spread_and_a_lasting_change_is_kept() {
        let pose = |angle: f32| Pose {
            locals: vec![Transform { rotation: Quat::from_rotation_x(angle), ..Transform::IDENTITY }],
            ..Pose::default()
        };
        let times: Vec<f32> = (0..60u8).map(|i| f32::from(i) / 60.0).collect();
        // The free pose jumps too. This jump is part of the motion and is kept.
        let free: Vec<Pose> = (0..60u8).map(|i| pose(if i < 5 { 1.0 } else { 0.0 })).collect();
        let change = |i: u8| if i == 20 || i > 40 { 0.4 } else { 0.0 };
        let mut changed: Vec<Pose> =
            (0..60u8).map(|i| pose(if i < 5 { 1.0 } else { 0.0 } + change(i))).collect();
        let free: Vec<&Pose> = free.iter().collect();
        smooth_changes(&free, &mut changed, &times);
        let angles: Vec<f32> = changed.iter().map(|pose| pose.locals[0].rotation.to_axis_angle().1).collect();
        let close = |i: usize, angle: f32| (angles[i] - angle).abs() < 1e-4;
        assert!(close(2, 1.0) && close(10, 0.0) && close(50, 0.4), "{angles:?}");
        assert!(angles[20] > 0.05 && angles[20] < 0.15, "{}", angles[20]);
    }

    /// Regression test: a thigh turned by 8 degrees for a frame, because the solver found another way around the other leg.
    #[test]
    fn an_excursion_is_replaced_and_a_fast_movement_is_kept() {
        let pose = |angle: f32| Pose {
            locals: vec![Transform { rotation: Quat::from_rotation_x(angle), ..Transform::IDENTITY }],
            ..Pose::default()
        };
        let free: Vec<Pose> = (0..40).map(|_| pose(0.0)).collect();
        let free: Vec<&Pose> = free.iter().collect();
        let angle = |i: u8| match i {
            10 => 0.3,
            // A movement that returns slowly.
            20..26 => 0.1 + 0.05 * f32::from(26 - i),
            _ => 0.1,
        };
        let mut changed: Vec<Pose> = (0..40).map(|i| pose(angle(i))).collect();
        replace_excursions(&[0], &|_, _, _| true, &free, &mut changed);
        for (i, pose) in (0..40).zip(&changed) {
            let wanted = if i == 10 { 0.1 } else { angle(i) };
            let is = pose.locals[0].rotation.to_axis_angle().1;
            assert!((is - wanted).abs() < 1e-3, "frame {i}: {is} instead of {wanted}");
        }
    }
}
