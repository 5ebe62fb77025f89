//! Lands the soles of a retargeted clip. A foot of the target is planted on the floor while the source's foot is planted, or while its own
//! sole would be in contact with the floor.
//!
//! Between two contacts, the correction of a foot changes smoothly (Kovar, Schreiner & Gleicher 2002, "Footskate cleanup for motion capture
//! editing", section 4). Contacts are detected at soles, not ankles, because feet differ in shape.

use glam::{Affine3A, Vec3};

use crate::asset::Character;
use crate::motion::ContactConstraint;
use crate::motion::footfall::{Floor, HIPS, Track, lowest};
use crate::pose::{Pose, orientation, world_matrices};
use crate::rig::soles::Soles;

use super::bodies::BodyMapping;
use super::over_time::{fill, rises, runs, smooth_above};
use super::stances::Stances;

/// Duration in seconds over which the lowering of the hips is smoothed.
const SMOOTHING: f32 = 0.15;
/// Maximum fraction of a leg's length that is used, so that its knee is never quite straight.
const REACH: f32 = 0.998;
/// Maximum fraction of the hip height by which the hips are lowered so that feet reach the floor.
const MAX_LOWERING: f32 = 0.15;

/// The points of the soles of two feet, each as a node and a position in its frame.
pub(super) struct FootSoles(Vec<Vec<(usize, Vec3)>>);

impl FootSoles {
    /// Measures the feet of a character in its rest pose. For a foot without a skin, the joints are measured instead.
    pub(super) fn new(character: &Character, feet: &[usize]) -> Self {
        let skeleton = &character.skeleton;
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let slot = |node: usize| u32::try_from(node).ok();
        let soles = Soles::new(character, character.default_scene, &world, feet, &slot);
        let points = feet.iter().enumerate().map(|(index, &foot)| {
            let skin = soles.outermost(index, &world);
            if skin.is_empty() {
                let below = |n: &usize| skeleton.ancestors(*n).any(|a| a == foot);
                return (0..world.len()).filter(below).map(|n| (n, Vec3::ZERO)).collect();
            }
            skin
        });
        Self(points.collect())
    }

    /// Returns the world positions of the points of each foot. `world` contains the world matrices of the nodes.
    fn at(&self, world: &[Affine3A]) -> Vec<Vec<Vec3>> {
        let point = |(node, at): &(usize, Vec3)| world.get(*node).map(|m| m.transform_point3(*at));
        self.0.iter().map(|points| points.iter().filter_map(point).collect()).collect()
    }
}

/// A frame of a retargeted clip.
#[derive(Clone, Debug, Default)]
pub struct RetargetedFrame {
    /// The pose of the target before its contacts are applied.
    pub pose: Pose,
    /// Contacts of the target's feet. With [`Retarget::hands`](super::Retarget::hands), also the contacts of its hands.
    pub contacts: Vec<ContactConstraint>,
}

/// Records a clip frame by frame, and lands it.
pub(super) struct Landing<'a> {
    bodies: &'a mut BodyMapping,
    target: &'a Character,
    soles: [FootSoles; 2],
    times: Vec<f32>,
    /// For each foot, the points of its sole in each frame. `from` contains the source's soles in the target's world, and `to` contains the
    /// target's soles.
    from: Vec<Track>,
    to: Vec<Track>,
    /// Positions of the source's hips.
    hips: Vec<Vec3>,
    /// For each frame, the hip joint and the ankle of each foot of the target.
    legs: Vec<Vec<[Vec3; 2]>>,
    world: Vec<Affine3A>,
    /// Height of the floor along the up axis of the target. The target's soles are at this height in the rest pose.
    floor: f32,
}

impl<'a> Landing<'a> {
    pub(super) fn new(bodies: &'a mut BodyMapping, source: &Character, target: &'a Character) -> Self {
        let feet =
            |node: fn(&super::limbs::FootPair) -> usize| bodies.feet.iter().map(node).collect::<Vec<_>>();
        let soles = [FootSoles::new(source, &feet(|f| f.from)), FootSoles::new(target, &feet(|f| f.to))];
        let count = bodies.feet.len();
        let mut world = Vec::new();
        world_matrices(&target.skeleton, &bodies.rest, &mut world);
        let at_rest = soles[1].at(&world).iter().map(|points| lowest(points, bodies.up)).reduce(f32::min);
        Self {
            floor: at_rest.filter(|height| height.is_finite()).unwrap_or(0.0),
            target,
            soles,
            times: Vec::new(),
            from: vec![Vec::new(); count],
            to: vec![Vec::new(); count],
            hips: Vec::new(),
            legs: Vec::new(),
            world,
            bodies,
        }
    }

    /// Adds a frame. `pose` is the source's pose, and `out` becomes the target's pose. If `hands` is given, the contacts of the hands are
    /// added to it.
    pub(super) fn push(
        &mut self,
        source: &Character,
        time: f32,
        pose: &Pose,
        out: &mut Pose,
        hands: Option<&mut Vec<ContactConstraint>>,
    ) {
        self.bodies.free_pose(pose, out);
        if let Some(hands) = hands {
            self.bodies.constrain_hands(out, hands);
        }
        world_matrices(&source.skeleton, pose, &mut self.world);
        let mapping = self.bodies.target_from_source;
        let from = self.soles[0].at(&self.world);
        for (track, points) in self.from.iter_mut().zip(from) {
            track.push(points.into_iter().map(|p| mapping.transform_point3(p)).collect());
        }
        let hips = self.bodies.hips.map(|n| self.world.get(n).map_or(Vec3::ZERO, |m| m.translation.into()));
        self.hips.push(mapping.transform_point3(0.5 * (hips[0] + hips[1])));
        world_matrices(&self.target.skeleton, out, &mut self.world);
        for (track, points) in self.to.iter_mut().zip(self.soles[1].at(&self.world)) {
            track.push(points);
        }
        let legs = self.bodies.legs(&self.world);
        self.legs.push(legs);
        self.times.push(time);
    }

    /// Moves the feet of all frames to the floor, and adds their contacts.
    pub(super) fn finish(self, frames: &mut [RetargetedFrame]) {
        let (up, size) = (self.bodies.up, self.bodies.height / HIPS);
        let falls = Stances::new(&self.from, &self.hips, &self.times, up, size);
        let lift = self.lift(&falls);
        let offsets = |falls: &Stances| -> Vec<Vec<Vec3>> {
            (0..self.to.len()).map(|foot| self.offsets(foot, falls, lift, size)).collect()
        };
        // Feet differ in shape, so a sole of the target may also touch the floor while the sole of the source does not.
        let moved = |(track, offsets): (&Track, Vec<Vec3>)| -> Track {
            let foot = |(points, offset): (&Vec<Vec3>, Vec3)| {
                points.iter().map(|p| *p + up * lift + offset).collect()
            };
            track.iter().zip(offsets).map(foot).collect()
        };
        let landed: Vec<Track> = self.to.iter().zip(offsets(&falls)).map(moved).collect();
        let falls = falls.with(&landed, &self.times, Floor { up, height: self.floor, size });
        let offsets = offsets(&falls);
        let lowering = self.lowering(&falls, &offsets, lift);
        for (i, frame) in frames.iter_mut().enumerate() {
            let by = up * (lift - lowering.get(i).copied().unwrap_or(0.0));
            self.bodies.shift_anchor(by, &mut frame.pose);
            // The hands move with the body.
            frame.contacts.iter_mut().for_each(|hand| hand.position += by);
            for (foot, pair) in self.bodies.feet.iter().enumerate() {
                let Some([_, ankle]) = self.legs.get(i).and_then(|legs| legs.get(foot)) else { continue };
                let position = *ankle + up * lift + offsets[foot][i];
                let turn = orientation(&self.target.skeleton, &frame.pose, pair.to).as_quat();
                frame.contacts.push(ContactConstraint {
                    offset: Vec3::ZERO,
                    node: pair.to,
                    position,
                    orientation: Some(turn),
                    on: None,
                    weight: 1.0,
                    yields: !falls.stands(foot, i),
                    pulls: false,
                });
            }
        }
    }

    /// Returns the distance by which to raise the whole body, so that the standing foot is on the floor in half of the frames.
    fn lift(&self, falls: &Stances) -> f32 {
        let height = |i: usize| {
            let feet = (0..self.to.len()).filter(|&foot| falls.stands(foot, i));
            feet.map(|foot| lowest(&self.to[foot][i], self.bodies.up)).reduce(f32::min)
        };
        let mut heights: Vec<f32> = (0..self.times.len()).filter_map(height).collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).map_or(0.0, |height| self.floor - height)
    }

    /// Returns the displacement of a foot in each frame, in addition to the lift of the whole body.
    fn offsets(&self, foot: usize, falls: &Stances, lift: f32, size: f32) -> Vec<Vec3> {
        let (up, track, contacts) = (self.bodies.up, &self.to[foot], &falls.contacts[foot]);
        let drop = |i: usize| self.floor - (lowest(&track[i], up) + lift);
        let floor = Floor { up, height: self.floor, size };
        let mut offsets: Vec<Option<Vec3>> = vec![None; track.len()];
        for frames in runs(contacts, track.len(), falls.is_loop) {
            let mut path = vec![Vec3::ZERO];
            let mut at = Vec3::ZERO;
            for pair in frames.windows(2) {
                // Between the last frame and the first frame of a loop, the foot does not move.
                if let [i, j] = *pair
                    && i < j
                {
                    let ground = falls.ground * (self.times[j] - self.times[i]);
                    let step = floor.step_in_air(&track[i], &track[j], ground).unwrap_or(ground);
                    at += ground - step;
                }
                path.push(at);
            }
            if falls.is_loop && frames.len() == track.len() {
                // A foot that stands in all frames ends where it started.
                let count = path.len() - 1;
                #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
                path.iter_mut().enumerate().for_each(|(i, p)| *p -= at * (i as f32 / count as f32));
            }
            #[expect(clippy::cast_precision_loss, reason = "clips have fewer than 2²⁴ frames")]
            let mean = path.iter().sum::<Vec3>() / path.len() as f32;
            for (&i, at) in frames.iter().zip(path) {
                offsets[i] = Some(at - mean + up * drop(i));
            }
        }
        let mut filled = fill(&offsets, &self.times, falls.is_loop);
        // A foot in the air must not sink into the floor either.
        let sinks = |(i, offset): (usize, &Vec3)| match offsets[i] {
            Some(_) => 0.0,
            None => (drop(i) - offset.dot(up)).max(0.0),
        };
        let sinks: Vec<f32> = filled.iter().enumerate().map(sinks).collect();
        let rises = rises(&sinks, &self.times, falls.is_loop);
        for (i, offset) in filled.iter_mut().enumerate().filter(|(i, _)| offsets[*i].is_none()) {
            *offset += up * rises[i];
        }
        filled
    }

    /// Returns the distance by which to lower the hips in each frame, so that standing feet are within reach.
    fn lowering(&self, falls: &Stances, offsets: &[Vec<Vec3>], lift: f32) -> Vec<f32> {
        let up = self.bodies.up;
        let needed = |i: usize| {
            let legs = self.bodies.feet.iter().zip(&self.legs[i]).enumerate();
            let lower =
                legs.filter(|(foot, _)| falls.stands(*foot, i)).map(|(foot, (pair, [hip, ankle]))| {
                    let leg = (*hip + up * lift) - (*ankle + up * lift + offsets[foot][i]);
                    let height = leg.dot(up);
                    let across_squared = (leg.length_squared() - height * height).max(0.0);
                    let reach = REACH * pair.reach;
                    height - (reach * reach - across_squared).max(0.0).sqrt()
                });
            lower.fold(0.0, f32::max).min(MAX_LOWERING * self.bodies.height)
        };
        let needed: Vec<f32> = (0..self.times.len()).map(needed).collect();
        smooth_above(&needed, &self.times, SMOOTHING, falls.is_loop)
    }
}
