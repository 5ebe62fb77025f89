//! Joints that follow those of the same part of the body.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Character;
use crate::motion::Hold;
use crate::motion::interpolate::slerp;
use crate::pose::Pose;

use super::align::{SIDES, align};
use super::at_rest;
use super::figure::{Figure, mirror, turn};
use super::ground::ground;
use super::limbs::{Arm, Foot, Loose, arm, foot, loose, standing};
use super::tree::{Tree, put, within};
use super::turns::{Pairs, Turn};

/// A foot is held up to the first of these heights above where it stands, and free from the second on, in heights of the hips.
const HELD: f32 = 0.05;
const FREE: f32 = 0.25;
/// How far the hips are lowered at most so that feet reach the ground, in heights of the hips.
const LOWERED: f32 = 0.15;

/// All that is known of two bodies before a pose is.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    /// `target_world_from_source_world`: the source as large as the target, its ground on the target's.
    pub(super) target_from_source: Affine3A,
    turn: Quat,
    source: Tree,
    target: Tree,
    rest: Pose,
    turns: Vec<Turn>,
    /// For each node of the target its place in `turns`.
    turn_of: Vec<Option<usize>>,
    anchor: usize,
    /// The anchor from the middle of the hips, in its own frame: metres of the world.
    anchor_from_middle: Vec3,
    /// The source's joints of the hips.
    hips: [usize; 2],
    feet: Vec<Foot>,
    arms: Vec<Arm>,
    /// Joints that the file does not hang on what carries them.
    loose: Vec<Loose>,
    /// Which way is up, and how high the hips and the ground are.
    up: Vec3,
    height: f32,
}

impl Bodies {
    /// `None` where a body has no height.
    pub(super) fn new(character: &Character, source: &Figure, target: &Figure) -> Option<Self> {
        let aligned = align(source, target);
        let ground = ground(character, source, target);
        let up = target.up();
        let height = target.height();
        let ratio = height / standing(source, &aligned);
        if !(ratio.is_finite() && ratio > 0.0 && height > 0.0) {
            return None;
        }
        let source_up = ground.turn.conjugate() * up;
        let from = source.middle + source_up * (ground.height - source.middle.dot(source_up));
        let to = target.middle - up * height;
        let linear = Affine3A::from_scale_rotation_translation(Vec3::splat(ratio), ground.turn, Vec3::ZERO);
        let target_from_source = Affine3A::from_translation(to - linear.transform_point3(from)) * linear;
        let turns = Pairs { source, target, aligned: &aligned }.turns();
        let mut turn_of = vec![None; target.places.len()];
        turns.iter().enumerate().for_each(|(i, t)| turn_of[t.node] = Some(i));
        let anchor = target.anchor()?;
        let hips = [source.node("leftUpperLeg")?, source.node("rightUpperLeg")?];
        let feet: Vec<Foot> = SIDES
            .into_iter()
            .filter_map(|side| foot(side, (source, target), &aligned, ratio, anchor))
            .collect();
        let arms: Vec<Arm> = SIDES.into_iter().filter_map(|side| arm(side, source, target, ratio)).collect();
        let loose = loose(target, anchor);
        let from_turns = turns.iter().flat_map(|t| [t.from.0, t.to.0]);
        let from_places = hips.into_iter().chain(feet.iter().flat_map(|f| [Some(f.from), f.toes]).flatten());
        let from_places =
            from_places.chain(arms.iter().flat_map(|a| [a.from, a.from_shoulders[0], a.from_shoulders[1]]));
        let to_turns = turns.iter().map(|t| t.node);
        let to_places = loose.iter().flat_map(|l| [l.node, l.carrier]);
        let to_places = to_places.chain(arms.iter().flat_map(|a| a.to_shoulders));
        Some(Self {
            source: Tree::new(source.skeleton, from_turns, from_places),
            target: Tree::new(target.skeleton, to_turns, to_places),
            turn: ground.turn,
            target_from_source,
            rest: target.pose.clone(),
            turn_of,
            turns,
            anchor,
            anchor_from_middle: target.turns[anchor].conjugate() * (target.places[anchor] - target.middle),
            hips,
            feet,
            arms,
            loose,
            up,
            height,
        })
    }

    pub(super) fn pose(&mut self, source: &Pose, hands: bool, out: &mut Pose, holds: &mut Vec<Hold>) {
        at_rest(&self.rest, out);
        if source.locals.len() != self.source.turns.len() {
            return;
        }
        self.source.follow(source, self.turn);
        self.source.place(source, self.target_from_source);
        self.turn_all(out);
        self.feet_holds(holds);
        self.set_anchor(holds, out);
        self.carry(out);
        self.put_feet(out, holds);
        if hands {
            self.hold_hands(out, holds);
        }
    }

    /// Every rotation of the target, parents first.
    fn turn_all(&mut self, out: &mut Pose) {
        for &(node, parent) in &self.target.order {
            let above = parent.map_or(Quat::IDENTITY, |p| self.target.turns[p]);
            let local = &mut out.locals[node];
            self.target.turns[node] = match self.turn_of[node].map(|t| &self.turns[t]) {
                Some(t) => {
                    let of = |(joint, shared): (usize, Quat)| self.source.turns[joint] * shared;
                    let world = if t.share > 0.0 { slerp(of(t.from), of(t.to), t.share) } else { of(t.from) };
                    local.rotation =
                        (above.conjugate() * world * mirror(local.scale).conjugate()).normalize();
                    world
                }
                None => above * turn(local),
            };
        }
    }

    /// The hips where the source's are, each measured in the middle between its legs; and lower where a leg is too short for the
    /// place that its foot is held at.
    fn set_anchor(&mut self, holds: &[Hold], out: &mut Pose) {
        let [left, right] = self.hips.map(|n| self.source.at(n));
        let turn = self.target.turns[self.anchor];
        let place = 0.5 * (left + right) + turn * self.anchor_from_middle;
        let lowered = self.feet.iter().zip(holds).map(|(f, hold)| {
            let way = place + turn * f.hip - hold.position;
            let high = way.dot(self.up);
            let across = (way.length_squared() - high * high).max(0.0);
            let reached = (f.reach * f.reach - across).max(0.0).sqrt();
            hold.weight * (high - reached).clamp(0.0, LOWERED * self.height)
        });
        let place = place - self.up * lowered.fold(0.0, f32::max);
        let above = self.target.parents[self.anchor].map(|p| self.target.world_of(p, out));
        let place = above.map_or(place, |above| within(above, place));
        if place.is_finite() {
            out.locals[self.anchor].translation = place;
        }
    }

    /// What hangs elsewhere goes with its limb all the same.
    fn carry(&mut self, out: &mut Pose) {
        for l in &self.loose {
            let place = self.target.world_of(l.carrier, out).transform_point3(l.place);
            put(&self.target, l.node, place, out);
        }
    }

    /// A hold a foot, before the hips are where they will be.
    fn feet_holds(&self, holds: &mut Vec<Hold>) {
        holds.extend(self.feet.iter().map(|f| {
            let ankle = self.source.at(f.from);
            let heel = ankle.dot(self.up) - f.ankle_height;
            let toes = f.toes.map_or(heel, |t| self.source.at(t).dot(self.up) - f.toes_height);
            let position = ankle + f.offset(self.target.turns[f.to], self.up, (heel - toes) / self.height);
            let above = (heel.min(toes) / self.height - HELD) / (FREE - HELD);
            let above = above.clamp(0.0, 1.0);
            let weight = 1.0 - above * above * (3.0 - 2.0 * above);
            Hold { node: f.held, position, orientation: None, weight }
        }));
    }

    /// Feet that hang elsewhere go where they are held; the others tell how they are turned.
    fn put_feet(&self, out: &mut Pose, holds: &mut [Hold]) {
        for (f, hold) in self.feet.iter().zip(holds) {
            if f.is_loose {
                let now = self.target.world_of(f.to, out).translation.into();
                put(&self.target, f.to, Vec3::lerp(now, hold.position, hold.weight), out);
            } else {
                hold.orientation = Some(self.target.orientation(f.to, out));
            }
        }
    }

    fn hold_hands(&mut self, out: &mut Pose, holds: &mut Vec<Hold>) {
        for a in &self.arms {
            let [left, right] = a.from_shoulders.map(|n| self.source.at(n));
            let reach = self.source.at(a.from) - 0.5 * (left + right);
            let [left, right] = a.to_shoulders.map(|n| Vec3::from(self.target.world_of(n, out).translation));
            let position = 0.5 * (left + right) + a.ratio * reach;
            let orientation = Some(self.target.orientation(a.to, out));
            holds.push(Hold { node: a.to, position, orientation, weight: 1.0 });
        }
    }
}
