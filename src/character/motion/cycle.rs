//! Finds the part of a clip that can be repeated.

use glam::{DVec2, DVec3};

use crate::asset::Character;
use crate::pose::{Pose, world_matrices};

use super::locomotion::LocomotionRoot;
use super::sample::Playhead;

/// Sample rate of the search, in samples per second.
const RATE: f32 = 30.0;
/// Maximum number of samples: ten minutes at [`RATE`].
const MAX_SAMPLES: f32 = 18_000.0;
/// Durations of the shortest and the longest cycle, in seconds.
const SHORTEST: f32 = 0.3;
const LONGEST: f32 = 4.0;
/// Velocities are measured with this step, in seconds.
const VELOCITY_STEP: f32 = 1.0 / 60.0;
/// Time in seconds by which velocities are multiplied before they are compared with positions. This is equivalent to comparing
/// windows of a third of a second in which joints move at constant speeds: their mean square is p² + v² (1/6 s)² / 3.
const VELOCITY_SECONDS: f64 = 0.096_225;
/// A shorter cycle is preferred if its relative error is at most this multiple of the smallest one. Otherwise two periods would be found
/// as often as one.
const PREFER_SHORTER: f64 = 1.25;
/// A clip does not move if no two of its poses differ by more than this, as a fraction of the skeleton's extent.
const AT_REST: f64 = 1e-3;
/// Number of times that the step of the refinement is halved.
const REFINEMENTS: u8 = 4;

/// A part of a clip that can be repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cycle {
    /// Start within the clip, in seconds.
    pub from: f32,
    /// End within the clip, in seconds.
    pub to: f32,
    /// Distance between the poses at the start and at the end in metres: the weighted root mean square of the distances between
    /// corresponding joints and of the differences between their scaled velocities.
    pub error: f64,
    /// Largest distance between the pose at the start and any other pose in the part, in metres.
    pub change: f64,
}

impl Cycle {
    /// Finds the part of a clip that can be repeated most smoothly. `clip` is an index. Returns `None` if the clip does not exist, is
    /// shorter than 0.3 s, or does not move.
    ///
    /// Poses are compared by the distance of Kovar, Gleicher & Pighin 2002, "Motion graphs", section 3.1: the sum of squared
    /// distances between points on the body, after one pose has been moved and rotated on the floor to best match the other. The
    /// points are the joints, weighted by bone length, because long bones have more surface. Their velocities take the place of
    /// the windows of neighbouring frames.
    ///
    /// The result is the part of 0.3 s to 4 s with the smallest ratio of [`Cycle::error`] to [`Cycle::change`], because two
    /// poses of a person standing still are similar too. If several are nearly as good, the shortest wins.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::motion::Cycle;
    ///
    /// let character = asset::mannequin()?;
    /// let walk = character.clips.iter().position(|clip| clip.name.as_deref() == Some("walk"));
    /// let cycle = Cycle::find(&character, walk.ok_or("no walk")?).ok_or("no cycle")?;
    /// // The whole clip is one cycle.
    /// assert!(cycle.from == 0.0 && cycle.to == 1.0 && cycle.error < 0.15 * cycle.change);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(character: &Character, clip: usize) -> Option<Self> {
        let mut clouds = Clouds::new(character, clip)?;
        let seconds = clouds.seconds;
        let count = (seconds * RATE).round().clamp(1.0, MAX_SAMPLES);
        let step = seconds / count;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let [count, shortest, longest] =
            [count, (SHORTEST / step).ceil().max(1.0), (LONGEST / step).floor()].map(|n| n as usize);
        let time = |i: usize| if i == count { seconds } else { i as f32 * step };
        let samples: Vec<Cloud> = (0..=count).map(|i| clouds.at(time(i))).collect();
        let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
        for (from, start) in samples.iter().enumerate() {
            let mut change = 0.0_f64;
            let mut best: Option<(f64, usize)> = None;
            for (length, end) in samples.iter().skip(from).take(longest + 1).enumerate() {
                let error = start.distance(end);
                if length >= shortest && change > AT_REST * clouds.extent {
                    let ratio = error / change;
                    if best.is_none_or(|(least, _)| ratio * PREFER_SHORTER < least) {
                        best = Some((ratio, from + length));
                    }
                }
                change = change.max(error);
            }
            candidates.extend(best.map(|(ratio, to)| (ratio, from, to)));
        }
        let least = candidates.iter().map(|c| c.0).reduce(f64::min)?;
        candidates.retain(|(ratio, ..)| *ratio <= PREFER_SHORTER * least);
        let by_length = |(ratio, from, to): &(f64, usize, usize)| (to - from, *ratio);
        let shorter = |a: &(f64, usize, usize), b: &(f64, usize, usize)| {
            let (a, b) = (by_length(a), by_length(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        let (_, from, to) = candidates.into_iter().min_by(shorter)?;
        let within = samples.get(from..=to)?;
        let start = within.first()?;
        let change = within.iter().map(|cloud| start.distance(cloud)).fold(0.0, f64::max);
        let (from, to, error) = clouds.refine(time(from), time(to), step);
        Some(Self { from, to, error, change })
    }
}

/// The joints of a character at one time.
struct Cloud {
    /// Positions relative to their mean on the floor, and scaled velocities, both in metres and multiplied by the square roots of the
    /// joints' weights.
    points: Vec<DVec3>,
    /// Sum of the squares of `points`.
    square: f64,
}

impl Cloud {
    /// Returns the distance between two clouds in metres, after one has been moved and rotated on the floor to best match the
    /// other (Kovar, Gleicher & Pighin 2002, eqs. 1 to 4).
    fn distance(&self, other: &Self) -> f64 {
        let (mut along, mut across, mut up) = (0.0, 0.0, 0.0);
        for (p, q) in self.points.iter().zip(&other.points) {
            along += p.x * q.x + p.z * q.z;
            across += p.x * q.z - p.z * q.x;
            up += p.y * q.y;
        }
        // With the best rotation about the vertical axis, the dot products of the horizontal components sum to the length of this vector.
        let most = DVec2::new(along, across).length();
        (self.square + other.square - 2.0 * (most + up)).max(0.0).sqrt()
    }
}

/// Samples point clouds of a clip.
struct Clouds<'a> {
    character: &'a Character,
    clip: usize,
    seconds: f32,
    playhead: Playhead,
    /// The joints, each with the square root of its weight. The weights sum to one.
    joints: Vec<(usize, f64)>,
    /// Length of the skeleton's diagonal in the rest pose, in metres.
    extent: f64,
}

impl<'a> Clouds<'a> {
    fn new(character: &'a Character, clip: usize) -> Option<Self> {
        let seconds = character.clips.get(clip)?.seconds;
        if !(SHORTEST..).contains(&seconds) {
            return None;
        }
        let skeleton = &character.skeleton;
        let root = LocomotionRoot::new(character, &[], None).root;
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let at = |node: usize| world.get(node).map(|m| m.translation.as_dvec3());
        let mut is_below = vec![false; skeleton.nodes.len()];
        let mut joints = Vec::new();
        let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &(node, parent) in &skeleton.parents_first {
            let below = node == root || parent.is_some_and(|p| is_below.get(p).copied().unwrap_or(false));
            let Some(slot) = is_below.get_mut(node).filter(|_| below) else { continue };
            *slot = true;
            let position = at(node)?;
            (lo, hi) = (lo.min(position), hi.max(position));
            let bone = parent.filter(|_| node != root).and_then(at).map_or(0.0, |p| p.distance(position));
            joints.push((node, bone));
        }
        let sum: f64 = joints.iter().map(|j| j.1).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        joints.iter_mut().for_each(|(_, weight)| *weight = (*weight / sum).sqrt());
        joints.retain(|(_, weight)| *weight > 0.0);
        let extent = (hi - lo).length();
        Some(Self { character, clip, seconds, playhead: Playhead::default(), joints, extent })
    }

    fn positions(&mut self, time: f32) -> Vec<DVec3> {
        let (skeleton, mut world) = (&self.character.skeleton, Vec::new());
        let mut pose = Pose::rest(skeleton);
        if let Some(clip) = self.character.clips.get(self.clip) {
            self.playhead.sample(clip, time, skeleton, &mut pose);
        }
        world_matrices(skeleton, &pose, &mut world);
        let position = |(node, _): &(usize, f64)| world.get(*node).map(|m| m.translation.as_dvec3());
        self.joints.iter().map(|joint| position(joint).unwrap_or_default()).collect()
    }

    fn at(&mut self, time: f32) -> Cloud {
        let mut points = self.positions(time);
        // Second-order finite differences: central ones, and one-sided ones near the ends of the clip.
        let (steps, factors) = match () {
            () if time < VELOCITY_STEP => ([1.0, 2.0], [-1.5, 2.0, -0.5]),
            () if time + VELOCITY_STEP > self.seconds => ([-1.0, -2.0], [1.5, -2.0, 0.5]),
            () => ([-1.0, 1.0], [0.0, -0.5, 0.5]),
        };
        let [first, last] = steps.map(|step: f32| self.positions(time + step * VELOCITY_STEP));
        let factors = factors.map(|factor: f64| factor * VELOCITY_SECONDS / f64::from(VELOCITY_STEP));
        let velocities: Vec<DVec3> = points
            .iter()
            .zip(first.iter().zip(&last))
            .map(|(p, (a, b))| *p * factors[0] + *a * factors[1] + *b * factors[2])
            .collect();
        let roots = self.joints.iter().map(|joint| joint.1);
        let mean: DVec3 = points.iter().zip(roots.clone()).map(|(p, w)| w * w * *p).sum();
        points.iter_mut().for_each(|p| *p -= mean.with_y(0.0));
        points.extend(velocities);
        points.iter_mut().zip(roots.clone().chain(roots)).for_each(|(p, w)| *p *= w);
        let square = points.iter().map(|p| p.length_squared()).sum();
        Cloud { points, square }
    }

    /// Moves both ends of a cycle by less than a step to minimise the error. An end that is also an end of the clip stays there,
    /// so that a clip made as a loop is not cut.
    fn refine(&mut self, from: f32, to: f32, step: f32) -> (f32, f32, f64) {
        let seconds = self.seconds;
        let mut error_of = |from: f32, to: f32| self.at(from).distance(&self.at(to));
        let mut best = (from, to, error_of(from, to));
        let (keeps_start, keeps_end) = (from <= 0.0, to >= seconds);
        let mut by = step;
        for _ in 0..REFINEMENTS {
            by *= 0.5;
            let (from, to, _) = best;
            for (a, b) in [(-by, 0.0), (by, 0.0), (0.0, -by), (0.0, by), (-by, -by), (by, by)] {
                let from = if keeps_start { from } else { (from + a).max(0.0) };
                let to = if keeps_end { to } else { (to + b).min(seconds) };
                let error = error_of(from, to);
                if error < best.2 && to - from >= SHORTEST {
                    best = (from, to, error);
                }
            }
        }
        best
    }
}
