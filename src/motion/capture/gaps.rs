//! Positions of a whole take: gaps are filled knowing both of their ends.

use glam::{DVec3, Vec3};

use super::super::interpolate::hermite;
use super::{CaptureError, Frames};

/// Fills the gaps of a take in place and tells where: one flag a frame and joint.
///
/// `times` in seconds, rising; `frames` have one place a joint. `carriers` ([`Fit::carriers`](super::Fit::carriers)) says
/// who carries whom: a gap is bridged relative to the carrier, so that a hand goes along with its arm, by a cubic that leaves and
/// arrives at the speeds of what is seen (Hermite). Before the first sight and after the last a joint stays as it is to its carrier. A joint that
/// is never seen stays missing.
///
/// # Errors
/// [`CaptureError::Time`] for times that do not rise, or that are fewer than the frames.
pub fn fill_gaps(
    times: &[f64],
    frames: &mut Frames<Option<Vec3>>,
    carriers: &[Option<usize>],
) -> Result<Frames<bool>, CaptureError> {
    for frame in 0..frames.len() {
        let time = times.get(frame).copied().unwrap_or(f64::NAN);
        let before = frame.checked_sub(1).and_then(|f| times.get(f)).copied().unwrap_or(f64::NEG_INFINITY);
        if !time.is_finite() || time <= before {
            return Err(CaptureError::Time { frame, time: time.to_string() });
        }
    }
    let joints = carriers.len();
    if frames.width() != joints {
        *frames = Frames::of(joints, frames.iter().map(<[_]>::to_vec));
    }
    let mut filled = Frames::new(joints);
    filled.resize(frames.len());
    for joint in carriers_first(carriers) {
        let place = |frames: &Frames<Option<Vec3>>, frame: usize, joint: usize| {
            frames.get(frame)?.get(joint).copied().flatten()
        };
        let origin = |frames: &Frames<Option<Vec3>>, frame: usize| {
            let carrier = carriers[joint].and_then(|c| place(frames, frame, c));
            carrier.map_or(DVec3::ZERO, Vec3::as_dvec3)
        };
        let own = |frames: &Frames<_>, frame: usize| place(frames, frame, joint).filter(|p| p.is_finite());
        if (0..frames.len()).all(|frame| own(frames, frame).is_some()) {
            continue;
        }
        // Relative to the carrier, whose own gaps are filled by now.
        let seen: Vec<(usize, DVec3)> = (0..frames.len())
            .filter_map(|f| Some((f, own(frames, f)?.as_dvec3() - origin(frames, f))))
            .collect();
        for frame in 0..frames.len() {
            let after = seen.partition_point(|(f, _)| *f < frame);
            if seen.get(after).is_some_and(|(f, _)| *f == frame) {
                continue;
            }
            let place =
                bridged(times, &seen, after, times[frame]).map(|p| (p + origin(frames, frame)).as_vec3());
            let row = frames.get_mut(frame).and_then(|row| row.get_mut(joint));
            let flag = filled.get_mut(frame).and_then(|row| row.get_mut(joint));
            if let Some((out, flag)) = row.zip(flag) {
                (*out, *flag) = (place, place.is_some());
            }
        }
    }
    Ok(filled)
}

/// The value at a time in the gap before the sight `after`.
fn bridged(times: &[f64], seen: &[(usize, DVec3)], after: usize, time: f64) -> Option<DVec3> {
    let (Some(before), Some(&(end, b))) = (after.checked_sub(1), seen.get(after)) else {
        return seen.get(after).or(seen.last()).map(|(_, place)| *place);
    };
    let &(start, a) = seen.get(before)?;
    let seconds = times[end] - times[start];
    #[expect(clippy::cast_possible_truncation, reason = "a part of one, and a gap's length")]
    let weights = hermite(((time - times[start]) / seconds) as f32, seconds as f32).map(f64::from);
    // The speed at an end is that of the two sights there if they are neighbours; else the straight one of the gap.
    let speed = |from: Option<usize>, to: Option<usize>| match (
        from.and_then(|i| seen.get(i)),
        to.and_then(|i| seen.get(i)),
    ) {
        (Some((f, p)), Some((g, q))) if g - f == 1 => (*q - *p) / (times[*g] - times[*f]),
        _ => (b - a) / seconds,
    };
    let leaving = speed(before.checked_sub(1), Some(before));
    let arriving = speed(Some(after), Some(after + 1));
    Some(a * weights[0] + leaving * weights[1] + b * weights[2] + arriving * weights[3])
}

/// All joints, carriers before those that they carry.
fn carriers_first(carriers: &[Option<usize>]) -> Vec<usize> {
    let depth = |joint: usize| {
        let up = std::iter::successors(Some(joint), |&j| carriers.get(j).copied().flatten());
        // Longer than there are joints is a circle.
        up.take(carriers.len() + 1).count()
    };
    let mut order: Vec<usize> = (0..carriers.len()).collect();
    order.sort_by_cached_key(|&j| depth(j));
    order
}
