//! Smooths what contacts and limbs that clear the body change in the poses of a clip.
//!
//! Each frame is solved alone. Where limbs pass close to each other, or a knee is nearly straight, a small change of a target is a large
//! turn of a joint, so that a joint would jump for a frame. So the changes, and not the motion, are averaged over a short time.

use glam::{Quat, Vec3, Vec4};

use crate::asset::Transform;
use crate::pose::Pose;

/// Changes are averaged over this time before and after a frame, seconds.
const WINDOW: f32 = 0.06;
/// The joints at the ends of a loop differ by at most this, radians.
const SAME: f32 = 2e-3;

/// What is changed at a joint.
#[derive(Clone, Copy, Debug)]
struct Change {
    turn: Quat,
    shift: Vec3,
}

impl Change {
    fn between(from: &Transform, to: &Transform) -> Self {
        let turn = to.rotation * from.rotation.conjugate();
        Self { turn: if turn.w < 0.0 { -turn } else { turn }, shift: to.translation - from.translation }
    }

    fn apply(self, to: &Transform) -> Transform {
        let rotation = (self.turn * to.rotation).normalize();
        Transform { rotation, translation: to.translation + self.shift, ..*to }
    }
}

/// Replaces the change from the poses in `free` to those in `changed` by its average over the frames nearby. `times` are those of the
/// frames in seconds. Joints that no frame changes keep their bits.
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
        let changes: Vec<Change> = both().map(|(from, to)| Change::between(from, to)).collect();
        for ((pose, free), window) in changed.iter_mut().zip(free).zip(&windows) {
            pose.locals[node] = mean(&changes, window).apply(&free.locals[node]);
        }
    }
}

/// Returns the weighted mean of changes.
fn mean(changes: &[Change], weights: &[(usize, f32)]) -> Change {
    let (mut turn, mut shift, mut total) = (Vec4::ZERO, Vec3::ZERO, 0.0);
    for &(i, weight) in weights {
        let change = changes[i];
        turn += weight * Vec4::from(change.turn);
        shift += weight * change.shift;
        total += weight;
    }
    Change { turn: Quat::from_vec4(turn.normalize_or(Vec4::W)), shift: shift / total.max(f32::MIN_POSITIVE) }
}

/// Returns the frames at most `seconds` before and after a frame with their weights, which fall evenly to zero. In a loop, the frames go on
/// across the ends.
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

/// Returns whether the joints have the same turns in the first and in the last frame.
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

    /// A joint that jumps for one frame jumps by a fraction of that, and a change that lasts is kept.
    #[test]
    fn a_jump_of_a_frame_is_spread_and_a_lasting_change_is_kept() {
        let pose = |angle: f32| Pose {
            locals: vec![Transform { rotation: Quat::from_rotation_x(angle), ..Transform::IDENTITY }],
            ..Pose::default()
        };
        let times: Vec<f32> = (0..60u8).map(|i| f32::from(i) / 60.0).collect();
        // The free pose jumps too, which is the motion and stays.
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
}
