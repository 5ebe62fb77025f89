//! Where feet are relative to the floor, and how they move over it.

use glam::{Vec2, Vec3};

use crate::mathematics::quantile;

use super::anatomy::{Anatomy, Foot};
use super::sampled::Sampled;
use super::spans::runs;

/// A point of a foot touches the floor if it is lower than this above it, metres of a person.
const NEAR_FLOOR: f32 = 0.03;
/// Only points at most this much above the lowest point of a foot carry it, metres of a person.
const NEAR_LOWEST: f32 = 0.02;
/// A foot that moves slower than this over the floor stands, or should stand, metres per second of a person.
const MAX_SPEED: f32 = 0.5;
/// A foot that lands or leaves is still slower than [`MAX_SPEED`] for this long, seconds.
const EDGE: f32 = 0.07;
/// While a foot lands or leaves, it moves at least this fast, metres per second of a person.
const EDGE_SPEED: f32 = 0.12;
/// Minimum duration of a contact, seconds.
const MIN_CONTACT: f32 = 0.1;
/// On a treadmill, at least half of the low feet move this fast, metres per second of a person.
const TREADMILL: f32 = 0.35;
/// The part of the lengths of all steps over the treadmill that their sum must have, so that they have one direction.
const ONE_WAY: f32 = 0.8;
/// Number of measurements that make a velocity.
const MIN_STEPS: usize = 4;
/// A root that travels less than this between the ends of a clip stays in place, metres of a person.
const IN_PLACE: f32 = 0.25;

/// A foot over the time of a clip.
#[derive(Clone, Debug)]
pub(super) struct FootTrack {
    /// The joint of the foot.
    pub(super) node: usize,
    /// Height of its lowest point above the floor, for each frame, metres.
    pub(super) heights: Vec<f32>,
    /// For each interval between two frames, the horizontal displacement of the point that moves least over the ground, of those that
    /// touch the floor, metres. `None` if the foot is in the air.
    pub(super) steps: Vec<Option<Vec2>>,
    /// The same for the lowest point.
    pub(super) lowest_steps: Vec<Option<Vec2>>,
    /// The frames in which the foot stands, as first and last frame.
    pub(super) contacts: Vec<(usize, usize)>,
}

/// All feet over the time of a clip.
#[derive(Clone, Debug)]
pub(super) struct Contacts {
    /// The feet, in the order of [`Anatomy::feet`].
    pub(super) feet: Vec<FootTrack>,
    /// If the clip stays in place although the feet walk: the velocity of the ground below them, metres per second.
    pub(super) treadmill: Option<Vec2>,
}

impl Contacts {
    /// Follows the feet of a clip. `floor` is its height in metres.
    pub(super) fn new(anatomy: &Anatomy, sampled: &Sampled, floor: f32) -> Self {
        let mut feet: Vec<FootTrack> =
            anatomy.feet.iter().map(|foot| track(foot, sampled, floor, anatomy.size, Vec2::ZERO)).collect();
        let treadmill = treadmill(&feet, anatomy, sampled);
        if let Some(ground) = treadmill {
            feet =
                anatomy.feet.iter().map(|foot| track(foot, sampled, floor, anatomy.size, ground)).collect();
        }
        let ground = treadmill.unwrap_or(Vec2::ZERO);
        for foot in &mut feet {
            let contacts = contacts(foot, sampled, ground, anatomy.size);
            foot.contacts = contacts;
        }
        Self { feet, treadmill }
    }

    /// Returns the velocity of the ground, metres per second.
    pub(super) fn ground(&self) -> Vec2 {
        self.treadmill.unwrap_or(Vec2::ZERO)
    }
}

/// Returns the horizontal coordinates.
pub(super) fn flat(v: Vec3) -> Vec2 {
    Vec2::new(v.x, v.z)
}

/// `ground`: the velocity of the ground.
fn track(foot: &Foot, sampled: &Sampled, floor: f32, size: f32, ground: Vec2) -> FootTrack {
    let points_at = |frame: usize| -> Vec<Vec3> {
        foot.points.iter().map(|(n, at)| sampled.matrix(frame, *n).transform_point3(*at)).collect()
    };
    let points: Vec<Vec<Vec3>> = (0..sampled.len()).map(points_at).collect();
    let lowest = |points: &[Vec3]| points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let heights: Vec<f32> = points.iter().map(|p| lowest(p) - floor).collect();
    let (mut steps, mut lowest_steps) = (Vec::new(), Vec::new());
    for (a, b) in points.iter().zip(points.iter().skip(1)) {
        let touches = |p: &Vec3, all: &[Vec3]| {
            p.y < floor + NEAR_FLOOR * size && p.y < lowest(all) + NEAR_LOWEST * size
        };
        let both: Vec<(Vec2, f32)> = a
            .iter()
            .zip(b)
            .filter(|(p, q)| touches(p, a) && touches(q, b))
            .map(|(p, q)| (flat(*q - *p), p.y + q.y))
            .collect();
        let over_ground = |step: &Vec2| (*step - ground * sampled.step).length_squared();
        let least = both.iter().min_by(|s, t| over_ground(&s.0).total_cmp(&over_ground(&t.0)));
        steps.push(least.map(|(step, _)| *step));
        lowest_steps.push(both.iter().min_by(|s, t| s.1.total_cmp(&t.1)).map(|(step, _)| *step));
    }
    FootTrack { node: foot.node, heights, steps, lowest_steps, contacts: Vec::new() }
}

fn treadmill(feet: &[FootTrack], anatomy: &Anatomy, sampled: &Sampled) -> Option<Vec2> {
    let last = sampled.len().checked_sub(1)?;
    let travel = flat(sampled.position(last, anatomy.hips) - sampled.position(0, anatomy.hips));
    if travel.length() > IN_PLACE * anatomy.size {
        return None;
    }
    let velocities: Vec<Vec2> =
        feet.iter().flat_map(|f| &f.lowest_steps).filter_map(|s| Some((*s)? / sampled.step)).collect();
    if velocities.len() < MIN_STEPS {
        return None;
    }
    let length: f32 = velocities.iter().map(|v| v.length()).sum();
    let sum: Vec2 = velocities.iter().sum();
    let median = |axis: fn(&Vec2) -> f32| {
        #[expect(clippy::cast_possible_truncation, reason = "velocities are single precision")]
        let value = quantile(velocities.iter().map(|v| f64::from(axis(v))).collect(), 0.5) as f32;
        value
    };
    let velocity = Vec2::new(median(|v| v.x), median(|v| v.y));
    let is_one_way = sum.length() > ONE_WAY * length;
    (is_one_way && velocity.length() > TREADMILL * anatomy.size).then_some(velocity)
}

/// Returns the frames in which a foot stands, without those in which it lands and leaves.
fn contacts(foot: &FootTrack, sampled: &Sampled, ground: Vec2, size: f32) -> Vec<(usize, usize)> {
    let speed = |i: usize| foot.steps.get(i).copied().flatten().map(|s| (s / sampled.step - ground).length());
    let edge = sampled.frames_in(EDGE);
    let mut contacts = Vec::new();
    for run in runs(foot.steps.len(), 0, |i| speed(i).is_some_and(|s| s < MAX_SPEED * size)) {
        let (mut first, mut last) = run.into_inner();
        let is_edge = |i: usize| speed(i).is_some_and(|s| s > EDGE_SPEED * size);
        let trimmed = (first..=last).take(edge).take_while(|i| is_edge(*i)).count();
        let from_end = (first..=last).rev().take(edge).take_while(|i| is_edge(*i)).count();
        first += trimmed;
        last = last.saturating_sub(from_end);
        // The interval `i` is between the frames `i` and `i + 1`.
        let (from, to) = sampled.span(first, last + 1);
        if last >= first && to - from >= MIN_CONTACT - 1e-4 {
            contacts.push((first, last + 1));
        }
    }
    contacts
}
