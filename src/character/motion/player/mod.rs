//! Computes the pose of a motion at a given time.

mod feet;
mod held;
mod interval;

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Character;
use crate::pose::{Mirror, Pose};
use crate::rig::Foot;

use super::blend::{add, blend, blend_some, ease};
use super::edit::deform;
use super::key_contacts::{Correction, KeyContacts};
use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;
use super::root_node::RootNode;
use super::sample::Playhead;
use super::strip::PreparedStrip;
use super::timeline::{Motion, RootMotion};
use super::{Contact, ContactConstraint, GoalKey, Layer, sample_keys};
use feet::PlantedFoot;
use held::HeldContact;

/// Number of intervals into which an overlap is divided to align two strips. Both strips are sampled at the ends of the
/// intervals.
const ALIGNMENT_STEPS: u8 = 8;

/// Plays motions of one character. Use one player for each character.
///
/// A pose depends only on the arguments, not on earlier calls.
#[derive(Clone, Debug, Default)]
pub struct Player {
    /// Whether the motion is played as a loop. Times outside the motion are then wrapped, and the windows of edits wrap
    /// around the ends. If the root motion of a strip accumulates, each round continues where the last one ended.
    pub looping: bool,
    /// Whether key poses are left out, so that the motion is played on top of the pose that is passed in.
    pub skips_keys: bool,
    /// The node that defines the character's position on the ground, such as the hips. If `None`, the node is detected, which takes some
    /// milliseconds for each new motion.
    pub root: Option<usize>,
    /// The mirror for mirrored strips ([`Strip::mirror`](super::Strip::mirror)). If `None`, these strips are played unmirrored.
    pub mirror: Option<Arc<Mirror>>,
    prepared: Option<PreparedMotion>,
    scratch: Scratch,
}

/// Scratch buffers.
#[derive(Clone, Debug, Default)]
struct Scratch {
    base: Pose,
    other: Pose,
    turns: Vec<(usize, Vec3)>,
    corrections: Vec<Correction>,
    held_turns: Vec<Quat>,
    world: Vec<Affine3A>,
    /// Height of each foot relative to the floor in three poses, in metres.
    sunk: [Vec<f32>; 3],
}

/// A motion prepared for playback.
#[derive(Clone, Debug)]
struct PreparedMotion {
    motion: Motion,
    feet: Vec<Foot>,
    root: Option<usize>,
    looping: bool,
    mirror: Option<Arc<Mirror>>,
    root_node: Option<RootNode>,
    /// Length of the loop in seconds, if the motion is played as a loop.
    round: Option<f32>,
    /// Root motion from the start of a round to its end, if the root motion of a strip accumulates and the motion is played as a loop or has
    /// a contact that reaches around the end of a loop.
    round_motion: PlanarTransform,
    locomotion: LocomotionRoot,
    strips: Vec<PreparedStrip>,
    layers: Vec<PreparedLayer>,
    planted: Vec<PlantedFoot>,
    key_contacts: KeyContacts,
    held: Vec<HeldContact>,
}

/// A layer with the first pose of its clip.
#[derive(Clone, Debug)]
struct PreparedLayer {
    layer: Layer,
    first: Pose,
    playhead: Playhead,
}

impl Player {
    /// Computes the pose of a motion at a time in seconds, and the contact constraints of feet that must stay in place.
    ///
    /// On input, `pose` is the pose to which the motion is applied, such as the rest pose. `feet` are the feet that
    /// stand on the ground. `contacts` is cleared first.
    ///
    /// A foot that is in the same place in two successive key poses stays there between them. Between two keys, no foot sinks farther below
    /// the floor than in the keys. Feet in strips are planted only if [`Motion::plant`] is set. [`Motion::contacts`] take precedence over
    /// both.
    ///
    /// The first call for a motion prepares it, which samples every clip in it. Further calls for a motion of one clip
    /// do not allocate.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::motion::{Motion, Player};
    /// use sinew_character::pose::Pose;
    ///
    /// let character = asset::mannequin()?;
    /// let run = character.clips.iter().position(|clip| clip.name.as_deref() == Some("run"));
    /// let motion = Motion::clip(run.ok_or("the clip run does not exist")?);
    /// let mut player = Player::default();
    /// player.looping = true;
    /// let mut pose_at = |seconds: f32| {
    ///     let mut pose = Pose::rest(&character.skeleton);
    ///     player.pose(&character, &motion, &[], seconds, &mut pose, &mut Vec::new());
    ///     pose
    /// };
    /// let (now, later) = (pose_at(0.1), pose_at(0.1 + motion.seconds(&character.clips)));
    /// for (a, b) in now.locals.iter().zip(&later.locals) {
    ///     assert!(a.rotation.angle_between(b.rotation) < 1e-2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose(
        &mut self,
        character: &Character,
        motion: &Motion,
        feet: &[Foot],
        time: f32,
        pose: &mut Pose,
        contacts: &mut Vec<ContactConstraint>,
    ) {
        contacts.clear();
        if motion.is_rest() {
            return;
        }
        let is_current = |p: &PreparedMotion| {
            let is_same_mirror = match (&p.mirror, &self.mirror) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            let is_same_playback = p.root == self.root && p.looping == self.looping && is_same_mirror;
            p.motion == *motion && p.feet == feet && is_same_playback
        };
        if !self.prepared.as_ref().is_some_and(is_current) {
            let prepared = PreparedMotion::new(
                character,
                motion,
                feet,
                self.root,
                self.looping,
                self.mirror.as_ref(),
                &mut self.scratch,
            );
            self.prepared = Some(prepared);
        }
        let Some(prepared) = &mut self.prepared else { return };
        let skeleton = &character.skeleton;
        let (time, rounds) = prepared.wrap(time);
        self.scratch.corrections.clear();
        if !self.skips_keys {
            let Scratch { other, corrections, held_turns, .. } = &mut self.scratch;
            sample_keys::sample(&motion.keys, skeleton, time, pose, other);
            prepared.key_contacts.corrections(skeleton, time, pose, corrections);
            prepared.turns_of_held(skeleton, time, pose, held_turns);
        }
        prepared.pose(character, time, pose, &mut self.scratch);
        // A strip that moves a foot releases the foot from the keys below the strip.
        let shown = |foot| prepared.weight_of_keys(character, foot, time);
        let of_key = |correction| prepared.key_contacts.constraint(correction, skeleton, pose, shown);
        contacts.extend(self.scratch.corrections.iter().filter_map(of_key));
        if !self.skips_keys {
            prepared.raise_in_fade(character, time, pose, &mut self.scratch, contacts);
        }
        prepared.add_contacts(character, time, pose, contacts);
        if !self.skips_keys {
            prepared.add_goals(time, contacts);
            prepared.add_held(character, time, pose, &self.scratch.held_turns, contacts);
        }
        let earlier = prepared.round_motion.times(rounds);
        earlier.apply(&prepared.locomotion.tops, pose);
        for contact in contacts.iter_mut().filter(|contact| contact.on.is_none()) {
            contact.position = earlier.transform_point(contact.position);
            contact.orientation = contact.orientation.map(|turn| earlier.transform_orientation(turn));
        }
    }
}

impl PreparedMotion {
    fn new(
        character: &Character,
        motion: &Motion,
        soles: &[Foot],
        root: Option<usize>,
        looping: bool,
        mirror: Option<&Arc<Mirror>>,
        scratch: &mut Scratch,
    ) -> Self {
        let feet: &[usize] = &soles.iter().map(|foot| foot.node).collect::<Vec<_>>();
        let locomotion = LocomotionRoot::new(character, feet, root);
        let skeleton = &character.skeleton;
        let rest = Pose::rest(skeleton);
        let is_valid = motion.validate().is_ok();
        // Contacts are only needed to plant feet and to synchronize clips.
        let needs_contacts = motion.plant || motion.strips.iter().any(|s| s.clips.len() > 1);
        let contact_feet: &[usize] = if needs_contacts { feet } else { &[] };
        let strips = motion.strips.iter().filter(|_| is_valid);
        let mut strips: Vec<PreparedStrip> = strips
            .filter_map(|s| PreparedStrip::new(s, character, &locomotion, mirror, contact_feet))
            .collect();
        strips.sort_by(|a, b| a.start.total_cmp(&b.start));
        // The keys below a strip pose the nodes that the strip does not move.
        let keyed = |time: f32, pose: &mut Pose, other: &mut Pose| {
            pose.clone_from(&rest);
            sample_keys::sample(&motion.keys, skeleton, time, pose, other);
        };
        let Scratch { base, other, .. } = &mut *scratch;
        if let (Some(first), Some(last)) = (strips.first_mut(), motion.keys.last()) {
            // The first strip continues where the key poses leave the character.
            let overlap = first.fade(last.time);
            let middle = first.start + 0.5 * overlap;
            keyed(middle, base, other);
            first.pose(middle - first.start, character, &locomotion.tops, base, other);
            let [led, own] = [&*base, &*other].map(|pose| locomotion.planar_transform(skeleton, pose));
            first.placement = led.after(own.inverse());
        }
        for i in 1..strips.len() {
            let (before, after) = strips.split_at_mut(i);
            let (Some(before), Some(after)) = (before.last_mut(), after.first_mut()) else { continue };
            let after_start = after.start;
            let overlap = after.fade(before.end());
            // The hips sway and twist with each step, so both strips are aligned by their mean transform.
            let mut mean_transform = |strip: &mut PreparedStrip| {
                let transforms = (0..=ALIGNMENT_STEPS).map(|i| {
                    let at = after_start + overlap * f32::from(i) / f32::from(ALIGNMENT_STEPS);
                    keyed(at, base, other);
                    strip.pose(at - strip.start, character, &locomotion.tops, base, other);
                    locomotion.planar_transform(skeleton, other)
                });
                PlanarTransform::mean(transforms)
            };
            let (led, own) = (mean_transform(before), mean_transform(after));
            after.placement = led.after(own.inverse());
        }
        let prepare_layer = |layer: &Layer| {
            let clip = character.clips.get(layer.clip)?;
            let (mut first, mut playhead) = (rest.clone(), Playhead::default());
            playhead.sample(clip, 0.0, skeleton, &mut first);
            Some(PreparedLayer { layer: layer.clone(), first, playhead })
        };
        let layers = motion.layers.iter().filter(|_| is_valid).filter_map(prepare_layer).collect();
        let round = looping.then(|| motion.seconds(&character.clips)).filter(|r| *r > 0.0);
        let root_node = motion.root_node.and_then(|node| RootNode::new(skeleton, &locomotion, node));
        let keyed: &[Foot] = if is_valid { soles } else { &[] };
        let key_contacts = KeyContacts::new(motion, skeleton, keyed);
        let (motion, feet, mirror) = (motion.clone(), soles.to_vec(), mirror.cloned());
        let round_motion = PlanarTransform::default();
        let mut prepared = Self {
            motion,
            feet,
            root,
            looping,
            mirror,
            root_node,
            round,
            round_motion,
            locomotion,
            strips,
            layers,
            planted: Vec::new(),
            key_contacts,
            held: Vec::new(),
        };
        prepared.measure_round(character, &rest, scratch);
        if prepared.motion.plant {
            prepared.plant(character, &rest, scratch);
        }
        if is_valid {
            prepared.hold(character, &rest, scratch);
        }
        prepared
    }

    /// Measures the root motion of a round.
    fn measure_round(&mut self, character: &Character, rest: &Pose, scratch: &mut Scratch) {
        let accumulates = self.motion.strips.iter().any(|s| s.root_motion == RootMotion::Accumulate);
        let wraps = self.motion.contacts.iter().any(Contact::wraps);
        let round = self.round.or_else(|| wraps.then(|| self.motion.seconds(&character.clips)));
        let Some(round) = round.filter(|_| accumulates) else { return };
        let [start, end] = [0.0, round].map(|time| {
            let mut pose = rest.clone();
            sample_keys::sample(&self.motion.keys, &character.skeleton, time, &mut pose, &mut scratch.other);
            self.pose(character, time, &mut pose, scratch);
            self.locomotion.planar_transform(&character.skeleton, &pose)
        });
        self.round_motion = end.after(start.inverse());
    }

    /// Wraps a time of a loop into the first round, and returns it with the number of rounds before it. The end is not wrapped to the
    /// start, so that the last frame of a motion that is not cyclic is also shown.
    fn wrap(&self, time: f32) -> (f32, f64) {
        match self.round {
            Some(_) if !time.is_finite() => (0.0, 0.0),
            Some(round) if !(0.0..=round).contains(&time) => {
                let (time, round) = (f64::from(time), f64::from(round));
                #[expect(clippy::cast_possible_truncation, reason = "times are single precision")]
                let within = time.rem_euclid(round) as f32;
                (within, time.div_euclid(round))
            }
            _ => (time, 0.0),
        }
    }

    /// Returns the blend weight of a strip at a time on the timeline. A strip fades in while it overlaps the previous strip. The first
    /// strip fades in while it overlaps the key poses.
    fn weight(&self, strip: usize, time: f32) -> f32 {
        let before = match strip.checked_sub(1) {
            Some(before) => self.strips.get(before).map(PreparedStrip::end),
            None => self.motion.keys.last().map(|key| key.time),
        };
        let (Some(this), Some(before)) = (self.strips.get(strip), before) else { return 1.0 };
        let overlap = this.fade(before);
        match time - this.start {
            since if since < 0.0 => 0.0,
            since if since >= overlap => 1.0,
            since => ease(since / overlap),
        }
    }

    /// Adds the constraints of goals that have keys. A goal with full weight replaces planted contacts.
    fn add_goals(&self, time: f32, contacts: &mut Vec<ContactConstraint>) {
        for (index, &GoalKey { node, .. }) in self.motion.goals.iter().enumerate() {
            let is_known = self.motion.goals.iter().take(index).any(|key| key.node == node);
            if is_known {
                continue;
            }
            let Some(goal) = self.motion.goal_at(node, time).filter(|goal| goal.weight > 0.0) else {
                continue;
            };
            if goal.weight >= 1.0 {
                contacts.retain(|known| known.node != node);
            }
            contacts.push(goal.constraint());
        }
    }

    /// Returns the weight, from 0 to 1, of a foot's key poses under the strips at the given time.
    fn weight_of_keys(&self, character: &Character, foot: usize, time: f32) -> f32 {
        let strips = self.strips.iter().enumerate().filter(|(_, strip)| strip.moves(character, foot));
        strips.map(|(index, _)| 1.0 - self.weight(index, time)).product()
    }

    fn pose(&mut self, character: &Character, time: f32, pose: &mut Pose, scratch: &mut Scratch) {
        let Scratch { base, other, turns, .. } = scratch;
        // The last strip with full weight hides all strips before it.
        let hides = (0..self.strips.len()).rev().find(|&i| self.weight(i, time) >= 1.0);
        base.clone_from(pose);
        for i in hides.unwrap_or(0)..self.strips.len() {
            let weight = if Some(i) == hides { 1.0 } else { self.weight(i, time) };
            let Some(strip) = self.strips.get_mut(i) else { break };
            if weight >= 1.0 {
                strip.pose(time - strip.start, character, &self.locomotion.tops, base, pose);
            } else if weight > 0.0 {
                strip.pose(time - strip.start, character, &self.locomotion.tops, base, other);
                blend(pose, other, weight);
            }
        }
        for PreparedLayer { layer, first, playhead } in &mut self.layers {
            let Some(clip) = character.clips.get(layer.clip) else { continue };
            let at = f64::from(time) * f64::from(layer.speed);
            let at = if clip.seconds > 0.0 { at.rem_euclid(f64::from(clip.seconds)) } else { 0.0 };
            let nodes = (!layer.mask.is_empty()).then_some(layer.mask.as_slice());
            other.clone_from(if layer.additive { first } else { pose });
            #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
            playhead.sample(clip, at as f32, &character.skeleton, other);
            match (layer.additive, nodes) {
                (true, _) => add(pose, first, other, layer.weight, nodes),
                (false, Some(nodes)) => blend_some(pose, other, layer.weight, nodes),
                (false, None) => blend(pose, other, layer.weight),
            }
        }
        deform(&self.motion.edits, time, self.round, pose, turns);
        if let Some(root_node) = &self.root_node {
            root_node.apply(&character.skeleton, &self.locomotion, pose);
        }
    }
}
