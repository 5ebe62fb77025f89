//! Smooths per-frame values of a clip over time.

use glam::Vec3;

/// Seconds over which the rise of a foot in the air is smoothed.
const RISE: f32 = 0.06;

/// Returns the distance by which to raise a foot in each frame, so that it is above the floor and does not jump for a single frame. `sinks`
/// contains the depth of the foot below the floor in each frame, which is 0 while the foot stands.
pub(super) fn rises(sinks: &[f32], times: &[f32], is_loop: bool) -> Vec<f32> {
    // Each rise is at least as large as the depth in the same frame.
    let smooth = smooth_above(sinks, times, RISE, is_loop);
    sinks.iter().zip(smooth).map(|(sink, smooth)| sink.max(smooth)).collect()
}

/// Returns values that change smoothly over time and are never below the given values. They are averages of local maxima. A loop is smooth
/// across its ends.
pub(super) fn smooth_above(values: &[f32], times: &[f32], smoothing: f32, is_loop: bool) -> Vec<f32> {
    let duration = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
    let rounds: &[f32] = if is_loop { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    let times: Vec<f32> =
        rounds.iter().flat_map(|round| times.iter().map(move |t| t + round * duration)).collect();
    let near = |i: usize| {
        let time = times.get(i).copied().unwrap_or(0.0);
        let first = times.partition_point(|t| *t < time - smoothing);
        first..times.partition_point(|t| *t <= time + smoothing).max(first)
    };
    let values = values.repeat(rounds.len());
    let largest: Vec<f32> =
        (0..values.len()).map(|i| values[near(i)].iter().copied().fold(0.0, f32::max)).collect();
    #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
    let mean = |i: usize| largest[near(i)].iter().sum::<f32>() / near(i).len().max(1) as f32;
    let count = values.len() / rounds.len();
    let start = if is_loop { count } else { 0 };
    (start..start + count).map(mean).collect()
}

/// Returns the frames of each contact. In a loop, a contact that continues across the ends is one run that starts at the clip's end.
pub(super) fn runs(contacts: &[(usize, usize)], count: usize, is_loop: bool) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = contacts.iter().map(|&(first, last)| (first..=last).collect()).collect();
    let goes_on =
        |first: &[usize], last: &[usize]| first.first() == Some(&0) && last.last() == Some(&(count - 1));
    if is_loop && runs.len() > 1 && runs.first().zip(runs.last()).is_some_and(|(a, b)| goes_on(a, b)) {
        let start = runs.remove(0);
        runs.iter_mut().rev().take(1).for_each(|last| last.extend(&start));
    }
    runs
}

/// Interpolates known values smoothly over time. Outside the range of the known values, the result is constant. In a loop, it is
/// interpolated across the ends.
pub(super) fn fill(values: &[Option<Vec3>], times: &[f32], is_loop: bool) -> Vec<Vec3> {
    let known = values.iter().zip(times).filter_map(|(value, time)| Some((*time, (*value)?)));
    let mut known: Vec<(f32, Vec3)> = known.collect();
    if let (true, Some(&first), Some(&last)) = (is_loop, known.first(), known.last()) {
        let duration = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
        known.insert(0, (last.0 - duration, last.1));
        known.push((first.0 + duration, first.1));
    }
    let mut next = 0;
    let value = |&time: &f32| {
        while known.get(next).is_some_and(|(at, _)| *at < time) {
            next += 1;
        }
        let before = next.checked_sub(1).and_then(|n| known.get(n));
        match (before, known.get(next)) {
            (Some(&(a, from)), Some(&(b, to))) => {
                let part = ((time - a) / (b - a).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
                from.lerp(to, part * part * (3.0 - 2.0 * part))
            }
            (Some((_, only)), None) | (None, Some((_, only))) => *only,
            (None, None) => Vec3::ZERO,
        }
    };
    times.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: a large foot that would sink into the floor for one frame was lifted in that frame only, so the knee jumped.
    #[test]
    fn a_foot_rises_before_it_would_sink() {
        let times: Vec<f32> = (0..12_u8).map(|i| f32::from(i) / 30.0).collect();
        let mut sinks = [0.0; 12];
        sinks[6] = 0.05;
        let rises = rises(&sinks, &times, false);
        assert!(rises.iter().zip(sinks).all(|(rise, sink)| *rise >= sink), "{rises:?}");
        let largest = rises.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(largest < 0.02 && rises[0] == 0.0 && rises[11] == 0.0, "{rises:?}");
    }
}
