//! Adds frames where feet would slide between the frames of a clip.
//!
//! A program that plays a clip interpolates joints between the keys, so a planted foot leaves its place between two keys. The error is
//! largest where a leg is nearly straight, because its knee then turns quickly.

use std::ops::Range;

use glam::Affine3A;

use crate::motion::blend;
use crate::pose::{Pose, world_matrices};
use crate::puppet::Puppet;
use crate::rig::Foot;

use super::{MAX_FRAMES, frames};

/// Maximum distance between a planted foot and its place midway between two frames, in metres at human size.
const OFF: f32 = 5e-4;
/// Maximum number of times that the time between two frames is halved.
const HALVINGS: u32 = 5;
/// Maximum distance between a key and its frame, as a fraction of the time between two frames.
const SAME_FRAME: f32 = 0.01;

/// Returns the frame times of a bake, including the times of the motion's keys in each round of a loop. Times are added between two frames
/// where a planted foot or a hand in contact would otherwise leave its place.
///
/// Calls `goes_on` before each frame with its time, and returns `None` if `goes_on` returns false.
pub(super) fn frame_times(
    puppet: &Puppet,
    times: Range<f32>,
    rate: f32,
    mut goes_on: impl FnMut(f32) -> bool,
) -> Option<Vec<f32>> {
    let mut even = frames(times.clone(), rate);
    if !is_refined(puppet) {
        return Some(even);
    }
    add_keys(puppet, times, rate, &mut even);
    let mut probe = Probe::new(puppet);
    let mut refined = Vec::with_capacity(even.len());
    let mut last: Option<(f32, Pose)> = None;
    for to in even {
        if !goes_on(to) {
            return None;
        }
        let pose = probe.pose(to);
        if let Some((from, before)) = last.take() {
            probe.refine([from, to], [&before, &pose], HALVINGS, &mut refined);
        }
        refined.push(to);
        last = Some((to, pose));
    }
    Some(refined)
}

/// Returns whether frames may be added: the motion has keys that may plant feet, contacts or goals.
pub(super) fn is_refined(puppet: &Puppet) -> bool {
    let motion = &puppet.motion;
    motion.keys.len() > 1 || !(motion.contacts.is_empty() && motion.goals.is_empty())
}

/// Adds the times of the keys to sorted times of frames.
fn add_keys(puppet: &Puppet, times: Range<f32>, rate: f32, frames: &mut Vec<f32>) {
    let (keys, goals) = (&puppet.motion.keys, &puppet.motion.goals);
    let keys: Vec<f32> = keys.iter().map(|key| key.time).chain(goals.iter().map(|goal| goal.time)).collect();
    let round = Some(puppet.seconds()).filter(|r| puppet.options.looping && *r > 0.0);
    let [first, last] =
        [times.start, times.end].map(|time| round.map_or(0.0, |round| (time / round).floor()));
    let rounds = std::iter::successors(Some(first), |n| Some(n + 1.0)).take_while(|n| *n <= last);
    let keys = rounds.flat_map(|n| keys.iter().map(move |time| time + n * round.unwrap_or(0.0)));
    let is_new = |key: &f32| {
        let next = frames.partition_point(|time| time < key);
        let near = next.checked_sub(1).into_iter().chain([next]).filter_map(|i| frames.get(i));
        near.into_iter().all(|time| (time - key).abs() > SAME_FRAME / rate)
    };
    let new: Vec<f32> = keys
        .filter(|key| times.contains(key))
        .filter(is_new)
        .take(MAX_FRAMES - frames.len().min(MAX_FRAMES))
        .collect();
    frames.extend(new);
    frames.sort_by(f32::total_cmp);
    frames.dedup();
}

/// A copy of a puppet that can be posed at any time.
struct Probe {
    puppet: Puppet,
    feet: Vec<Foot>,
    off: f32,
    world: [Vec<Affine3A>; 2],
}

impl Probe {
    fn new(puppet: &Puppet) -> Self {
        let size = puppet.rig.body.as_ref().map_or(1.0, |body| body.size);
        let feet = puppet.rig.soles().collect();
        Self { puppet: puppet.clone(), feet, off: OFF * size, world: Default::default() }
    }

    fn pose(&mut self, time: f32) -> Pose {
        let mut pose = Pose::default();
        let motion = std::mem::take(&mut self.puppet.motion);
        self.puppet.pose_of(&motion, time, &mut pose);
        self.puppet.motion = motion;
        pose
    }

    /// Adds the times between two frames, in order.
    fn refine(&mut self, [from, to]: [f32; 2], poses: [&Pose; 2], halvings: u32, times: &mut Vec<f32>) {
        let middle = 0.5 * (from + to);
        if halvings == 0 || times.len() >= MAX_FRAMES || !(from < middle && middle < to) {
            return;
        }
        let pose = self.pose(middle);
        let [before, after] = poses;
        if self.is_off(poses, &pose) {
            self.refine([from, middle], [before, &pose], halvings - 1, times);
            times.push(middle);
            self.refine([middle, to], [&pose, after], halvings - 1, times);
        }
    }

    /// Returns whether a planted foot or a hand in contact is out of place if the pose between two frames is interpolated.
    fn is_off(&mut self, [before, after]: [&Pose; 2], pose: &Pose) -> bool {
        let skeleton = &self.puppet.character().skeleton;
        let contacts = self.puppet.contacts();
        let is_held = |foot: &&Foot| contacts.iter().any(|c| c.node == foot.node);
        let feet = self.feet.iter().filter(is_held).flat_map(|foot| foot.sole);
        let hands = contacts.iter().filter(|c| self.feet.iter().all(|foot| foot.node != c.node));
        let mut points = feet.chain(hands.map(|c| (c.node, c.offset))).peekable();
        if points.peek().is_none() {
            return false;
        }
        let mut between = before.clone();
        blend(&mut between, after, 0.5);
        let [own, interpolated] = &mut self.world;
        world_matrices(skeleton, pose, own);
        world_matrices(skeleton, &between, interpolated);
        let off = |(node, point): (usize, glam::Vec3)| {
            let [own, interpolated] = [&*own, &*interpolated].map(|world| world.get(node));
            own.zip(interpolated)
                .map_or(0.0, |(a, b)| a.transform_point3(point).distance(b.transform_point3(point)))
        };
        points.any(|point| off(point) > self.off)
    }
}
