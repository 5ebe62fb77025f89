//! The contacts of the feet of a clip that is retargeted, as frames.

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::mathematics::quantile;
use crate::mathematics::spans::runs;
use crate::motion::footfall::{Floor, Footfalls, MAX_SPEED, Track};

/// Minimum duration of a contact, and the longest gap in one, seconds.
const MIN_CONTACT: f32 = 0.1;
const MAX_GAP: f32 = 0.06;
/// The floor is at this quantile of the heights of the lower foot.
const FLOOR: f64 = 0.2;
/// Places that are nearer to each other are the same, metres of a person.
const SAME_PLACE: f32 = 0.02;

/// The contacts of the feet of a clip with the floor.
#[derive(Clone, Debug)]
pub(super) struct Stances {
    /// For each foot, the first and the last frame of each contact.
    pub(super) contacts: Vec<Vec<(usize, usize)>>,
    /// Velocity of the floor below a body that walks in place, metres per second.
    pub(super) ground: Vec3,
    /// Whether the last frame is the first one again, perhaps at another place, so that a contact may go on across the ends.
    pub(super) is_loop: bool,
}

impl Stances {
    /// Finds the contacts. `hips` are positions in each frame, `size` is that of the legs relative to a person.
    pub(super) fn new(feet: &[Track], hips: &[Vec3], times: &[f32], up: Vec3, size: f32) -> Self {
        let lowest = |i: usize| feet.iter().map(|f| low(&f[i], up)).fold(f32::INFINITY, f32::min);
        let heights = (0..times.len()).map(lowest).filter(|h| h.is_finite()).map(f64::from).collect();
        #[expect(clippy::cast_possible_truncation, reason = "it was single precision before")]
        let height = quantile(heights, FLOOR) as f32;
        let falls = Footfalls::new(feet, hips, times, Floor { up, height, size });
        let ground = falls.ground();
        let stands = |foot: usize, i: usize| {
            let seconds = times[i + 1] - times[i];
            falls.steps[foot][i].is_some_and(|s| (s - ground * seconds).length() < MAX_SPEED * size * seconds)
        };
        let duration = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
        let intervals = times.len().saturating_sub(1);
        #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
        let rate = intervals as f32 / duration.max(f32::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
        let gap = (MAX_GAP * rate) as usize;
        let contacts = (0..feet.len()).map(|foot| {
            let of_intervals =
                runs(intervals, gap, |i| stands(foot, i)).into_iter().map(RangeInclusive::into_inner);
            let frames = of_intervals.map(|(first, last)| (first, last + 1));
            frames.filter(|&(first, last)| times[last] - times[first] >= MIN_CONTACT - 1e-4).collect()
        });
        Self { contacts: contacts.collect(), ground, is_loop: is_loop(feet, hips, size) }
    }

    /// Returns whether a foot stands in a frame.
    pub(super) fn stands(&self, foot: usize, frame: usize) -> bool {
        let contacts = self.contacts.get(foot).into_iter().flatten();
        contacts.into_iter().any(|&(first, last)| (first..=last).contains(&frame))
    }
}

/// Returns whether the soles are in the same places relative to the hips in the first and in the last frame.
fn is_loop(feet: &[Track], hips: &[Vec3], size: f32) -> bool {
    let ends = |foot: &Track| Some((foot.first()?.clone(), foot.last()?.clone()));
    let (Some(first), Some(last), true) = (hips.first(), hips.last(), hips.len() > 2) else { return false };
    let near = |(a, b): (&Vec3, &Vec3)| (*a - *first).distance(*b - *last) < SAME_PLACE * size;
    feet.iter().filter_map(ends).all(|(a, b)| a.iter().zip(&b).all(near))
}

/// Returns the height of the lowest point.
pub(super) fn low(points: &[Vec3], up: Vec3) -> f32 {
    points.iter().map(|p| p.dot(up)).fold(f32::INFINITY, f32::min)
}
