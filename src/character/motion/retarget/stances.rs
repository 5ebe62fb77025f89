//! The foot contacts of a retargeted clip, as ranges of frames.

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::mathematics::quantile;
use crate::mathematics::spans::runs;
use crate::motion::footfall::{self, Floor, Footfalls, MAX_SPEED, Track};

/// Minimum duration of a contact, and maximum duration of a gap within a contact, in seconds.
const MIN_CONTACT: f32 = 0.1;
const MAX_GAP: f32 = 0.06;
/// Maximum speed of a stationary foot, in metres per second at human size. If feet are stationary in at least half of the frames, the floor
/// is at their median height. Otherwise it is at this quantile of the heights of the lower foot.
const STILL: f32 = 0.2;
const FLOOR: f64 = 0.2;
/// Places closer together than this count as the same, in metres at human size.
const SAME_PLACE: f32 = 0.02;

/// The contacts of a clip's feet with the floor.
#[derive(Clone, Debug)]
pub(super) struct Stances {
    /// For each foot, the first and the last frame of each contact.
    pub(super) contacts: Vec<Vec<(usize, usize)>>,
    /// Velocity of the floor below a body that walks in place, in metres per second.
    pub(super) ground: Vec3,
    /// Whether the last frame repeats the first one, perhaps in another place, so that a contact may continue across the
    /// ends.
    pub(super) is_loop: bool,
}

impl Stances {
    /// Finds the contacts. `hips` contains the position of the hips in each frame, and `size` is the hip height relative to a human's.
    pub(super) fn new(feet: &[Track], hips: &[Vec3], times: &[f32], up: Vec3, size: f32) -> Self {
        let height = floor(feet, times, Floor { up, height: 0.0, size });
        let falls = Footfalls::new(feet, hips, times, Floor { up, height, size });
        let ground = falls.ground();
        let stands = |foot: usize, i: usize| {
            let seconds = times[i + 1] - times[i];
            falls.steps[foot][i].is_some_and(|s| (s - ground * seconds).length() < MAX_SPEED * size * seconds)
        };
        let contacts = (0..feet.len()).map(|foot| contacts(times, |i| stands(foot, i))).collect();
        Self { contacts, ground, is_loop: is_loop(feet, hips, size) }
    }

    /// Returns these contacts together with the contacts of another body that performs the same motion. `feet` contains its soles.
    pub(super) fn with(self, feet: &[Track], times: &[f32], floor: Floor) -> Self {
        let stands = |foot: usize, i: usize| {
            let seconds = times[i + 1] - times[i];
            let ground = self.ground * seconds;
            let step = floor.step(&feet[foot][i], &feet[foot][i + 1], ground);
            let is_slow = |step: Vec3| (step - ground).length() < MAX_SPEED * floor.size * seconds;
            self.stands(foot, i) && self.stands(foot, i + 1) || step.is_some_and(is_slow)
        };
        let contacts = (0..feet.len()).map(|foot| contacts(times, |i| stands(foot, i))).collect();
        Self { contacts, ..self }
    }

    pub(super) fn stands(&self, foot: usize, frame: usize) -> bool {
        let contacts = self.contacts.get(foot).into_iter().flatten();
        contacts.into_iter().any(|&(first, last)| (first..=last).contains(&frame))
    }
}

/// Returns the contacts of a foot, as pairs of first and last frames. `stands` takes the index of an interval between two frames.
fn contacts(times: &[f32], stands: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let duration = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
    let intervals = times.len().saturating_sub(1);
    #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
    let rate = intervals as f32 / duration.max(f32::MIN_POSITIVE);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let gap = (MAX_GAP * rate) as usize;
    let of_intervals = runs(intervals, gap, stands).into_iter().map(RangeInclusive::into_inner);
    let frames = of_intervals.map(|(first, last)| (first, last + 1));
    frames.filter(|&(first, last)| times[last] - times[first] >= MIN_CONTACT - 1e-4).collect()
}

/// Returns the height of the floor, measured at stationary feet, or otherwise at the lower foot.
///
/// For a foot without a skin, the joints are used. They are higher while the foot stands than while it rolls off over its toes.
fn floor(feet: &[Track], times: &[f32], floor: Floor) -> f32 {
    let lowest = |points: &[Vec3]| f64::from(footfall::lowest(points, floor.up));
    let still = feet.iter().flat_map(|foot| {
        let of_interval = move |(pair, times): (&[Vec<Vec3>], &[f32])| {
            let step = floor.step_in_air(&pair[0], &pair[1], Vec3::ZERO)?.length();
            (step < STILL * floor.size * (times[1] - times[0])).then(|| lowest(&pair[0]))
        };
        foot.windows(2).zip(times.windows(2)).filter_map(of_interval)
    });
    let still: Vec<f64> = still.filter(|height| height.is_finite()).collect();
    let (heights, fraction) = if 2 * still.len() >= times.len() {
        (still, 0.5)
    } else {
        let lower = |i: usize| feet.iter().map(|foot| lowest(&foot[i])).fold(f64::INFINITY, f64::min);
        ((0..times.len()).map(lower).filter(|h| h.is_finite()).collect(), FLOOR)
    };
    #[expect(clippy::cast_possible_truncation, reason = "it was single precision before")]
    let height = quantile(heights, fraction) as f32;
    height
}

/// Returns whether the soles are in the same places relative to the hips in the first and in the last frame.
fn is_loop(feet: &[Track], hips: &[Vec3], size: f32) -> bool {
    let ends = |foot: &Track| Some((foot.first()?.clone(), foot.last()?.clone()));
    let (Some(first), Some(last), true) = (hips.first(), hips.last(), hips.len() > 2) else { return false };
    let near = |(a, b): (&Vec3, &Vec3)| (*a - *first).distance(*b - *last) < SAME_PLACE * size;
    feet.iter().filter_map(ends).all(|(a, b)| a.iter().zip(&b).all(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: a sole slid if it stood a little longer than the sole of the source.
    #[test]
    fn a_sole_also_stands_where_that_of_the_source_does_not() {
        let times: Vec<f32> = (0..30_u8).map(|i| f32::from(i) / 30.0).collect();
        // The foot stands until the frame `last`, and then leaves the floor.
        let until = |last: u8| -> Vec<Track> {
            let at = |i: u8| Vec3::new(0.0, 0.1, 0.2) * f32::from(i.saturating_sub(last));
            vec![(0..30_u8).map(|i| vec![at(i)]).collect()]
        };
        let floor = Floor { up: Vec3::Y, height: 0.0, size: 1.0 };
        let hips = vec![Vec3::Y; 30];
        let stances = Stances::new(&until(10), &hips, &times, Vec3::Y, 1.0);
        assert_eq!(stances.contacts, [[(0, 10)]]);
        assert_eq!(stances.clone().with(&until(14), &times, floor).contacts, [[(0, 14)]]);
        assert_eq!(stances.with(&until(5), &times, floor).contacts, [[(0, 10)]]);
    }
}
