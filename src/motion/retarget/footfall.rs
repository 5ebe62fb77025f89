//! Finds the times at which the feet of a clip stand.

use glam::Vec3;

use crate::mathematics::quantile;
use crate::motion::contact::intervals;

/// A point of a foot touches the floor if it is lower than this above it, and carries the foot only if it is at most this much above
/// its lowest point, metres of a person.
const NEAR_FLOOR: f32 = 0.03;
const NEAR_LOWEST: f32 = 0.02;
/// A foot that moves slower than this over the floor stands, metres per second of a person.
const MAX_SPEED: f32 = 0.4;
/// Minimum duration of a contact in seconds.
const MIN_CONTACT: f32 = 0.1;
/// The floor is at this quantile of the heights of the lower foot.
const FLOOR: f64 = 0.2;
/// On a treadmill, low feet move at least this fast, metres per second of a person, and the sum of their steps is this part of its length.
const TREADMILL: f32 = 0.35;
const ONE_WAY: f32 = 0.8;
/// A body that travels less than this between the ends of a clip may be on a treadmill, metres of a person.
const IN_PLACE: f32 = 0.25;

/// Places that are nearer to each other are the same, metres of a person.
const SAME_PLACE: f32 = 0.02;

/// The points of the sole of a foot in each frame.
pub(super) type Track = Vec<Vec<Vec3>>;

/// The contacts of the feet of a clip with the floor.
#[derive(Clone, Debug)]
pub(super) struct Footfalls {
    /// For each foot, the first and the last frame of each contact.
    pub(super) contacts: Vec<Vec<(usize, usize)>>,
    /// Velocity of the floor below a body that walks in place, metres per second.
    pub(super) ground: Vec3,
    /// Whether the last frame is the first one again, perhaps at another place, so that a contact may go on across the ends.
    pub(super) is_loop: bool,
}

impl Footfalls {
    /// Finds the contacts. `hips` are positions in each frame, `size` is that of the body relative to a person.
    pub(super) fn new(feet: &[Track], hips: &[Vec3], times: &[f32], up: Vec3, size: f32) -> Self {
        let lowest = |i: usize| feet.iter().map(|f| low(&f[i], up)).fold(f32::INFINITY, f32::min);
        let heights = (0..times.len()).map(lowest).filter(|h| h.is_finite()).map(f64::from).collect();
        let floor = single(quantile(heights, FLOOR));
        let steps: Vec<Vec<Option<Vec3>>> = feet
            .iter()
            .map(|foot| {
                let step = |w: &[Vec<Vec3>]| carrying_step(&w[0], &w[1], floor, up, size, Vec3::ZERO);
                foot.windows(2).map(step).collect()
            })
            .collect();
        let ground = treadmill(&steps, hips, times, up, size).unwrap_or(Vec3::ZERO);
        let stands = |foot: &Track, i: usize| {
            let seconds = times[i + 1] - times[i];
            let step = carrying_step(&foot[i], &foot[i + 1], floor, up, size, ground * seconds);
            step.is_some_and(|s| (s - ground * seconds).length() < MAX_SPEED * size * seconds)
        };
        let duration = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
        #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
        let mean = duration / times.len().saturating_sub(1).max(1) as f32;
        let contacts = feet.iter().map(|foot| {
            let runs = intervals(times.len().saturating_sub(1), mean, |i| stands(foot, i));
            let long = runs.into_iter().filter(|(from, to)| to - from >= MIN_CONTACT);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let frame = |time: f32| (time / mean).round() as usize;
            long.map(|(from, to)| (frame(from), (frame(to) + 1).min(times.len() - 1))).collect()
        });
        Self { contacts: contacts.collect(), ground, is_loop: is_loop(feet, hips, size) }
    }
}

/// Returns whether the soles are in the same places relative to the hips in the first and in the last frame.
fn is_loop(feet: &[Track], hips: &[Vec3], size: f32) -> bool {
    let ends = |foot: &Track| Some((foot.first()?.clone(), foot.last()?.clone()));
    let (Some(first), Some(last), true) = (hips.first(), hips.last(), hips.len() > 2) else { return false };
    let near = |(a, b): (&Vec3, &Vec3)| (*a - *first).distance(*b - *last) < SAME_PLACE * size;
    feet.iter().filter_map(ends).all(|(a, b)| a.iter().zip(&b).all(near))
}

/// Returns a number in single precision.
fn single(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "it was single precision before")]
    let value = value as f32;
    value
}

/// Returns the height of the lowest point.
pub(super) fn low(points: &[Vec3], up: Vec3) -> f32 {
    points.iter().map(|p| p.dot(up)).fold(f32::INFINITY, f32::min)
}

/// Returns the horizontal displacement of the point that moves least over the ground, of those that touch the floor in both frames.
fn carrying_step(a: &[Vec3], b: &[Vec3], floor: f32, up: Vec3, size: f32, ground: Vec3) -> Option<Vec3> {
    let is_near = low(a, up).max(low(b, up)) < floor + NEAR_FLOOR * size;
    is_near.then(|| least_step(a, b, up, size, ground)).flatten()
}

/// Returns the horizontal displacement of the point of a sole that moves least over the ground, of the lowest ones in both frames.
pub(super) fn least_step(a: &[Vec3], b: &[Vec3], up: Vec3, size: f32, ground: Vec3) -> Option<Vec3> {
    let limit = [low(a, up), low(b, up)].map(|low| low + NEAR_LOWEST * size);
    let both = a.iter().zip(b).filter(|(p, q)| p.dot(up) < limit[0] && q.dot(up) < limit[1]);
    let steps = both.map(|(p, q)| (*q - *p).reject_from_normalized(up));
    steps.min_by(|s, t| (*s - ground).length_squared().total_cmp(&(*t - ground).length_squared()))
}

/// Returns the velocity of the floor below a body that walks in place.
fn treadmill(steps: &[Vec<Option<Vec3>>], hips: &[Vec3], times: &[f32], up: Vec3, size: f32) -> Option<Vec3> {
    let travel = (*hips.last()? - *hips.first()?).reject_from_normalized(up).length();
    let velocities: Vec<Vec3> = steps
        .iter()
        .flat_map(|foot| foot.iter().zip(times.windows(2)))
        .filter_map(|(step, t)| Some((*step)? / (t[1] - t[0])).filter(|v| v.is_finite()))
        .collect();
    let (sum, length) = (velocities.iter().sum::<Vec3>(), velocities.iter().map(|v| v.length()).sum::<f32>());
    let median = |axis: usize| single(quantile(velocities.iter().map(|v| f64::from(v[axis])).collect(), 0.5));
    let velocity = Vec3::new(median(0), median(1), median(2)).reject_from_normalized(up);
    let moves = velocity.length() > TREADMILL * size && sum.length() > ONE_WAY * length;
    (travel < IN_PLACE * size && moves).then_some(velocity)
}
