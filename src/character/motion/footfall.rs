//! Detects where the soles of a body touch the floor over the frames of a clip, for retargeting and `sinew check`.
//!
//! Of the points of a sole that touch the floor, the one that moves least carries the foot. A foot therefore stands even while it rolls
//! from the heel to the toes or turns on its ball. Speeds and heights are scaled by leg length, not body height, because bodies with
//! different leg lengths walk alike (Alexander 1989, "Optimization and gaits in the locomotion of vertebrates", dynamic similarity).

use glam::Vec3;

use crate::mathematics::quantile;

/// Height of the hip joints above the floor for a person of size 1, in metres.
pub(crate) const HIPS: f32 = 0.92;
/// A point of a foot touches the floor if its height above the floor is less than this, in metres at human size.
const NEAR_FLOOR: f32 = 0.03;
/// Maximum height above the lowest point of a foot at which a point can carry the foot, in metres at human size.
const NEAR_LOWEST: f32 = 0.02;
/// Maximum speed over the floor of a foot that stands or should stand, in metres per second at human size.
pub(crate) const MAX_SPEED: f32 = 0.5;
/// Minimum median speed of low feet on a treadmill, in metres per second at human size.
const TREADMILL: f32 = 0.35;
/// Minimum length of the vector sum of all steps on the treadmill, as a fraction of the sum of their lengths. The steps then have
/// about the same direction.
const ONE_WAY: f32 = 0.8;
/// Minimum number of measurements from which a velocity is estimated.
const MIN_STEPS: usize = 4;
/// Maximum distance that a body in place travels between the ends of a clip, in metres at human size.
const IN_PLACE: f32 = 0.25;

/// The points of the sole of a foot in each frame, in metres.
pub(crate) type Track = Vec<Vec<Vec3>>;

/// The floor below the feet, and the scale of the body that stands on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// Unit direction away from the floor.
    pub(crate) up: Vec3,
    /// Height of the floor along `up`, in metres.
    pub(crate) height: f32,
    /// Leg size relative to a person's.
    pub(crate) size: f32,
}

/// The motion of the feet over the frames of a clip.
#[derive(Clone, Debug)]
pub(crate) struct Footfalls {
    /// For each foot and each interval between two frames, the horizontal displacement of the point that carries the foot, in metres.
    /// `None` if the foot is in the air.
    pub(crate) steps: Vec<Vec<Option<Vec3>>>,
    /// Like `steps`, but for the lowest point of each foot.
    pub(crate) lowest_steps: Vec<Vec<Option<Vec3>>>,
    /// The velocity of the floor below the feet, in metres per second, if the body stays in place although the feet walk.
    pub(crate) treadmill: Option<Vec3>,
}

impl Footfalls {
    /// Tracks the feet. `hips` and `times` contain the position of the hips and the time in seconds of each frame.
    pub(crate) fn new(feet: &[Track], hips: &[Vec3], times: &[f32], floor: Floor) -> Self {
        let seconds: Vec<f32> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let steps = |ground: Vec3| -> Vec<Vec<Option<Vec3>>> {
            let step =
                |(pair, seconds): (&[Vec<Vec3>], &f32)| floor.step(&pair[0], &pair[1], ground * *seconds);
            feet.iter().map(|foot| foot.windows(2).zip(&seconds).map(step).collect()).collect()
        };
        let lowest = |pair: &[Vec<Vec3>]| floor.lowest_step(&pair[0], &pair[1]);
        let lowest_steps: Vec<Vec<_>> =
            feet.iter().map(|foot| foot.windows(2).map(lowest).collect()).collect();
        let treadmill = floor.treadmill(&lowest_steps, hips, &seconds);
        Self { steps: steps(treadmill.unwrap_or(Vec3::ZERO)), lowest_steps, treadmill }
    }

    /// Returns the velocity of the floor, in metres per second.
    pub(crate) fn ground(&self) -> Vec3 {
        self.treadmill.unwrap_or(Vec3::ZERO)
    }
}

impl Floor {
    fn flat(self, v: Vec3) -> Vec3 {
        v.reject_from_normalized(self.up)
    }

    /// Returns the two positions of each point that carries a foot in both frames. If `touches` is set, it must also touch the floor.
    fn carrying<'a>(
        self,
        [a, b]: [&'a [Vec3]; 2],
        touches: bool,
    ) -> impl Iterator<Item = (Vec3, Vec3)> + use<'a> {
        let limit = [a, b].map(|points| {
            let near = lowest(points, self.up) + NEAR_LOWEST * self.size;
            if touches { near.min(self.height + NEAR_FLOOR * self.size) } else { near }
        });
        let up = self.up;
        let both = a.iter().copied().zip(b.iter().copied());
        both.filter(move |(p, q)| p.dot(up) < limit[0] && q.dot(up) < limit[1])
    }

    /// Returns the horizontal displacement of one point of a foot on the floor: the point that moves least relative to the ground. `ground`
    /// is the displacement of the ground.
    pub(crate) fn step(self, a: &[Vec3], b: &[Vec3], ground: Vec3) -> Option<Vec3> {
        let steps = self.carrying([a, b], true).map(|(p, q)| self.flat(q - p));
        least(steps, ground)
    }

    /// Like [`Self::step`], for a foot at any height.
    pub(crate) fn step_in_air(self, a: &[Vec3], b: &[Vec3], ground: Vec3) -> Option<Vec3> {
        let steps = self.carrying([a, b], false).map(|(p, q)| self.flat(q - p));
        least(steps, ground)
    }

    /// Returns the horizontal displacement of the lowest point of a foot on the floor.
    fn lowest_step(self, a: &[Vec3], b: &[Vec3]) -> Option<Vec3> {
        let height = |(p, q): &(Vec3, Vec3)| (*p + *q).dot(self.up);
        let lowest = self.carrying([a, b], true).min_by(|s, t| height(s).total_cmp(&height(t)));
        lowest.map(|(p, q)| self.flat(q - p))
    }

    /// Returns the velocity of the floor below a body that walks in place, or `None` for any other body.
    fn treadmill(self, steps: &[Vec<Option<Vec3>>], hips: &[Vec3], seconds: &[f32]) -> Option<Vec3> {
        let travel = self.flat(*hips.last()? - *hips.first()?);
        let of_foot = |foot: &Vec<Option<Vec3>>| -> Vec<Vec3> {
            let velocity = |(step, seconds): (&Option<Vec3>, &f32)| Some((*step)? / *seconds);
            foot.iter().zip(seconds).filter_map(velocity).filter(|v| v.is_finite()).collect()
        };
        let velocities: Vec<Vec3> = steps.iter().flat_map(of_foot).collect();
        if travel.length() > IN_PLACE * self.size || velocities.len() < MIN_STEPS {
            return None;
        }
        let length: f32 = velocities.iter().map(|v| v.length()).sum();
        let sum: Vec3 = velocities.iter().sum();
        let median = |axis: usize| {
            #[expect(clippy::cast_possible_truncation, reason = "velocities are single precision")]
            let value = quantile(velocities.iter().map(|v| f64::from(v[axis])).collect(), 0.5) as f32;
            value
        };
        let velocity = self.flat(Vec3::new(median(0), median(1), median(2)));
        let is_one_way = sum.length() > ONE_WAY * length;
        (is_one_way && velocity.length() > TREADMILL * self.size).then_some(velocity)
    }
}

/// Returns the height of the lowest point along `up`.
pub(crate) fn lowest(points: &[Vec3], up: Vec3) -> f32 {
    points.iter().map(|p| p.dot(up)).fold(f32::INFINITY, f32::min)
}

/// Returns the step that is nearest to the displacement of the ground.
fn least(steps: impl Iterator<Item = Vec3>, ground: Vec3) -> Option<Vec3> {
    let off = |step: &Vec3| (*step - ground).length_squared();
    steps.min_by(|a, b| off(a).total_cmp(&off(b)))
}
