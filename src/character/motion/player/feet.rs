//! The feet of a motion: planted feet stay in place, and feet between key poses and a strip stay above the floor.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton};
use crate::motion::contact::intervals;
use crate::motion::gait::{MAX_SAMPLES, RATE};
use crate::motion::{ContactConstraint, locomotion, sample_keys};
use crate::pose::{Pose, orientation, world_matrices, world_matrix};
use crate::rig::Foot;

use super::interval::{FADE, Interval};
use super::{PreparedMotion, Scratch};

/// A foot that stays in place for some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlantedFoot {
    foot: usize,
    interval: Interval,
    position: Vec3,
}

impl PreparedMotion {
    /// Finds the time intervals in which feet are planted, and their positions.
    pub(super) fn plant(&mut self, character: &Character, rest: &Pose, scratch: &mut Scratch) {
        let seconds = self.motion.seconds(&character.clips);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let samples = (seconds * RATE).ceil().clamp(0.0, MAX_SAMPLES as f32) as usize;
        for Foot { node: foot, .. } in self.feet.clone() {
            let is_planted = |i: usize| {
                let time = i as f32 / RATE;
                let visible_weight = |s: usize| {
                    let later: f32 = (s + 1..self.strips.len()).map(|l| 1.0 - self.weight(l, time)).product();
                    self.weight(s, time) * later
                };
                let planted_weight = |s: usize| {
                    visible_weight(s)
                        * self.strips[s].planted_weight(foot, time - self.strips[s].start, &character.clips)
                };
                (0..self.strips.len()).map(planted_weight).sum::<f32>() >= 0.5
            };
            for (from, to) in intervals(samples + 1, 1.0 / RATE, is_planted) {
                let [first, position, last] = [from, 0.5 * (from + to), to].map(|time| {
                    let mut pose = rest.clone();
                    self.pose(character, time, &mut pose, scratch);
                    locomotion::position(&character.skeleton, &pose, foot)
                });
                let offsets = [first, last].map(|at| held(position, at) - at);
                let interval = Interval { from, to, fades: [FADE; 2], offsets };
                self.planted.push(PlantedFoot { foot, interval, position });
            }
        }
    }

    /// Adds the contact constraints of planted feet. Before and after a contact, the offset of the foot fades in and
    /// out.
    pub(super) fn add_contacts(
        &self,
        character: &Character,
        time: f32,
        pose: &Pose,
        contacts: &mut Vec<ContactConstraint>,
    ) {
        for planted in &self.planted {
            let weight = planted.interval.weight(time);
            if weight <= 0.0 {
                continue;
            }
            let current = locomotion::position(&character.skeleton, pose, planted.foot);
            let position = planted.interval.position(time, current, held(planted.position, current));
            let (node, offset) = (planted.foot, Vec3::ZERO);
            contacts.push(ContactConstraint {
                node,
                offset,
                position,
                orientation: None,
                on: None,
                weight,
                yields: false,
                pulls: false,
            });
        }
    }

    /// Raises the feet of a pose in which the first strip fades in from the key poses. During the fade, the knees rotate at a constant
    /// rate, so a foot would sink into the floor. The allowed depth of each foot is interpolated from the keys to the strip.
    pub(super) fn raise_in_fade(
        &mut self,
        character: &Character,
        time: f32,
        pose: &Pose,
        scratch: &mut Scratch,
        contacts: &mut Vec<ContactConstraint>,
    ) {
        let weight = self.weight(0, time);
        let is_faded = weight > 0.0 && weight < 1.0 && self.strips.len() == 1;
        if !is_faded || self.motion.keys.is_empty() || self.feet.is_empty() {
            return;
        }
        let skeleton = &character.skeleton;
        let Scratch { base, other, world, sunk: [keyed, own, now], .. } = scratch;
        base.reset(skeleton);
        sample_keys::sample(&self.motion.keys, skeleton, time, base, other);
        self.sunk(skeleton, base, world, keyed);
        let Some(strip) = self.strips.first_mut() else { return };
        strip.pose(time - strip.start, character, &self.locomotion.tops, base, other);
        self.sunk(skeleton, other, world, own);
        self.sunk(skeleton, pose, world, now);
        for ((foot, now), (keyed, own)) in self.feet.iter().zip(&*now).zip(keyed.iter().zip(&*own)) {
            let by = keyed + (own - keyed) * weight - now;
            // A foot that is held by a contact is already in place.
            if by > 0.0 && contacts.iter().all(|contact| contact.node != foot.node) {
                let world = world_matrix(skeleton, pose, foot.node);
                contacts.push(ContactConstraint {
                    node: foot.node,
                    offset: foot.ball,
                    position: world.transform_point3(foot.ball) + Vec3::Y * by,
                    orientation: Some(orientation(skeleton, pose, foot.node).as_quat().normalize()),
                    on: None,
                    weight: 1.0,
                    yields: false,
                    pulls: false,
                });
            }
        }
    }

    /// Finds the height of the lowest point of each foot relative to the floor, in metres, at most 0. `world` is overwritten.
    fn sunk(&self, skeleton: &Skeleton, pose: &Pose, world: &mut Vec<Affine3A>, sunk: &mut Vec<f32>) {
        world_matrices(skeleton, pose, world);
        let is_known = |foot: &&Foot| foot.sole.iter().all(|(node, _)| *node < world.len());
        let of = |foot: &Foot| Some(foot).filter(is_known).map_or(0.0, |foot| foot.sunk(world));
        sunk.clear();
        sunk.extend(self.feet.iter().map(of));
    }
}

/// Returns the held position of an ankle that the motion places at `current`. The ankle keeps its place on the ground, but rises with the
/// heel, because the toes would otherwise be pressed into the ground.
fn held(planted: Vec3, current: Vec3) -> Vec3 {
    planted.with_y(planted.y.max(current.y))
}
