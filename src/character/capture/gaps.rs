//! Fills gaps in the joint positions of a complete take, using the positions on both sides of each gap.

use glam::{DVec3, Vec3};

use crate::motion::interpolate::hermite;

use super::{CaptureError, Frames};

/// Fills gaps in the joint positions of a take in place. Returns a flag per frame and joint that is true where a
/// position was filled.
///
/// `times` are in seconds and must increase. `frames` have one position per joint. `parents` are the tracked
/// parents of the joints, as returned by [`Fit::logical_parents`](super::Fit::logical_parents).
///
/// A gap is interpolated relative to the tracked parent, so that a hand moves along with its arm. The interpolation
/// is a cubic Hermite curve with the measured velocities at both ends of the gap. Before its first and after its
/// last measurement, a joint keeps its position relative to its parent. A joint that is never seen stays missing.
///
/// ```
/// use sinew_character::capture::{Frames, fill_gaps};
/// use sinew_character::glam::Vec3;
///
/// let seen = |x| vec![Some(Vec3::X * x)];
/// let mut frames = Frames::of(1, [seen(0.0), seen(1.0), vec![None], seen(3.0), seen(4.0)]);
/// let filled = fill_gaps(&[0.0, 1.0, 2.0, 3.0, 4.0], &mut frames, &[None])?;
/// // The gap is filled at constant velocity.
/// assert_eq!((filled[2][0], filled[3][0]), (true, false));
/// assert!(frames[2][0].is_some_and(|position| position.distance(Vec3::X * 2.0) < 1e-5));
/// # Ok::<(), sinew_character::capture::CaptureError>(())
/// ```
///
/// # Errors
/// [`CaptureError::Time`] if times do not increase, or if there are fewer times than frames.
pub fn fill_gaps(
    times: &[f64],
    frames: &mut Frames<Option<Vec3>>,
    parents: &[Option<usize>],
) -> Result<Frames<bool>, CaptureError> {
    for frame in 0..frames.len() {
        let time = times.get(frame).copied().unwrap_or(f64::NAN);
        let before = frame.checked_sub(1).and_then(|f| times.get(f)).copied().unwrap_or(f64::NEG_INFINITY);
        if !time.is_finite() || time <= before {
            return Err(CaptureError::Time { frame, time: time.to_string() });
        }
    }
    let joints = parents.len();
    if frames.width() != joints {
        *frames = Frames::of(joints, frames.iter().map(<[_]>::to_vec));
    }
    let mut filled = Frames::new(joints);
    filled.resize(frames.len());
    for joint in parents_first(parents) {
        let position = |frames: &Frames<Option<Vec3>>, frame: usize, joint: usize| {
            frames.get(frame)?.get(joint).copied().flatten()
        };
        let origin = |frames: &Frames<Option<Vec3>>, frame: usize| {
            let parent = parents[joint].and_then(|p| position(frames, frame, p));
            parent.map_or(DVec3::ZERO, Vec3::as_dvec3)
        };
        let measured =
            |frames: &Frames<_>, frame: usize| position(frames, frame, joint).filter(|p| p.is_finite());
        if (0..frames.len()).all(|frame| measured(frames, frame).is_some()) {
            continue;
        }
        // Positions relative to the parent. The gaps of the parent have already been filled.
        let seen: Vec<(usize, DVec3)> = (0..frames.len())
            .filter_map(|f| Some((f, measured(frames, f)?.as_dvec3() - origin(frames, f))))
            .collect();
        for frame in 0..frames.len() {
            let after = seen.partition_point(|(f, _)| *f < frame);
            if seen.get(after).is_some_and(|(f, _)| *f == frame) {
                continue;
            }
            let position = interpolated(times, &seen, after, times[frame])
                .map(|p| (p + origin(frames, frame)).as_vec3());
            let row = frames.get_mut(frame).and_then(|row| row.get_mut(joint));
            let flag = filled.get_mut(frame).and_then(|row| row.get_mut(joint));
            if let Some((out, flag)) = row.zip(flag) {
                (*out, *flag) = (position, position.is_some());
            }
        }
    }
    Ok(filled)
}

/// Interpolates the position at a time in the gap that ends at the measurement with index `after`.
fn interpolated(times: &[f64], seen: &[(usize, DVec3)], after: usize, time: f64) -> Option<DVec3> {
    let (Some(before), Some(&(end, b))) = (after.checked_sub(1), seen.get(after)) else {
        return seen.get(after).or(seen.last()).map(|(_, position)| *position);
    };
    let &(start, a) = seen.get(before)?;
    let seconds = times[end] - times[start];
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of the gap, and its length")]
    let weights = hermite(((time - times[start]) / seconds) as f32, seconds as f32).map(f64::from);
    // The velocity at an end of the gap is measured between the last two frames before it, or the first two after it.
    // If one of the two was not measured, the mean velocity over the gap is used instead.
    let velocity = |from: Option<usize>, to: Option<usize>| match (
        from.and_then(|i| seen.get(i)),
        to.and_then(|i| seen.get(i)),
    ) {
        (Some((f, p)), Some((g, q))) if g - f == 1 => (*q - *p) / (times[*g] - times[*f]),
        _ => (b - a) / seconds,
    };
    let leaving = velocity(before.checked_sub(1), Some(before));
    let arriving = velocity(Some(after), Some(after + 1));
    Some(a * weights[0] + leaving * weights[1] + b * weights[2] + arriving * weights[3])
}

fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let depth = |joint: usize| {
        let up = std::iter::successors(Some(joint), |&j| parents.get(j).copied().flatten());
        // The limit stops the walk if the parents form a cycle.
        up.take(parents.len() + 1).count()
    };
    let mut order: Vec<usize> = (0..parents.len()).collect();
    order.sort_by_cached_key(|&j| depth(j));
    order
}
