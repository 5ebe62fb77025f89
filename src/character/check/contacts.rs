//! Positions of feet relative to the floor, and their motion over it.

use glam::{Vec2, Vec3};

use crate::motion::footfall::{Floor, Footfalls, MAX_SPEED, Track};

use super::anatomy::Anatomy;
use super::sampled::Sampled;
use crate::mathematics::spans::runs;

/// Maximum time in seconds during which a foot that lands or leaves the floor is slower than [`MAX_SPEED`].
const EDGE: f32 = 0.07;
/// Minimum speed of a foot that lands or leaves the floor, in metres per second at human size.
const EDGE_SPEED: f32 = 0.12;
/// Minimum duration of a contact, in seconds.
const MIN_CONTACT: f32 = 0.1;

/// A foot throughout a clip.
#[derive(Clone, Debug)]
pub(super) struct FootTrack {
    /// The joint of the foot.
    pub(super) node: usize,
    /// Height of the foot's lowest point above the floor, for each frame, in metres.
    pub(super) heights: Vec<f32>,
    /// For each interval between two frames, the horizontal displacement in metres of the point on the floor that moves least over the
    /// ground. `None` if the foot is in the air.
    pub(super) steps: Vec<Option<Vec2>>,
    /// Like `steps`, but for the lowest point.
    pub(super) lowest_steps: Vec<Option<Vec2>>,
    /// The frames in which the foot stands, as pairs of a first and a last frame.
    pub(super) contacts: Vec<(usize, usize)>,
}

/// All feet throughout a clip.
#[derive(Clone, Debug)]
pub(super) struct Contacts {
    /// The feet, in the order of [`Anatomy::feet`].
    pub(super) feet: Vec<FootTrack>,
    /// If the clip walks in place: the velocity of the ground, in metres per second.
    pub(super) treadmill: Option<Vec2>,
}

impl Contacts {
    /// Follows the feet of a clip. `floor` is the height of the floor in metres.
    pub(super) fn new(anatomy: &Anatomy, sampled: &Sampled, floor: f32) -> Self {
        let points = |frame: usize, points: &[(usize, Vec3)]| -> Vec<Vec3> {
            points.iter().map(|(n, at)| sampled.matrix(frame, *n).transform_point3(*at)).collect()
        };
        let frames = || 0..sampled.len();
        let track = |foot: &super::anatomy::Foot| frames().map(|i| points(i, &foot.points)).collect();
        let tracks: Vec<Track> = anatomy.feet.iter().map(track).collect();
        let hips: Vec<Vec3> = frames().map(|i| sampled.position(i, anatomy.hips)).collect();
        let below = Floor { up: Vec3::Y, height: floor, size: anatomy.leg_size };
        let falls = Footfalls::new(&tracks, &hips, &sampled.times, below);
        let flat_steps = |steps: &[Option<Vec3>]| steps.iter().map(|step| step.map(flat)).collect();
        let lowest = |points: &Vec<Vec3>| points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min) - floor;
        let treadmill = falls.treadmill.map(flat);
        let feet = anatomy.feet.iter().zip(&tracks).zip(falls.steps.iter().zip(&falls.lowest_steps));
        let feet = feet.map(|((foot, track), (steps, lowest_steps))| {
            let mut foot = FootTrack {
                node: foot.node,
                heights: track.iter().map(lowest).collect(),
                steps: flat_steps(steps),
                lowest_steps: flat_steps(lowest_steps),
                contacts: Vec::new(),
            };
            foot.contacts = contacts(&foot, sampled, treadmill.unwrap_or(Vec2::ZERO), anatomy.leg_size);
            foot
        });
        Self { feet: feet.collect(), treadmill }
    }

    /// Returns the velocity of the ground, in metres per second.
    pub(super) fn ground(&self) -> Vec2 {
        self.treadmill.unwrap_or(Vec2::ZERO)
    }
}

/// Returns the horizontal coordinates.
pub(super) fn flat(v: Vec3) -> Vec2 {
    Vec2::new(v.x, v.z)
}

/// Returns the frames in which a foot stands, except while it lands or leaves the floor.
fn contacts(foot: &FootTrack, sampled: &Sampled, ground: Vec2, size: f32) -> Vec<(usize, usize)> {
    let speed = |i: usize| {
        let (from, to) = sampled.span(i, i + 1);
        foot.steps.get(i).copied().flatten().map(|step| (step / (to - from) - ground).length())
    };
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
