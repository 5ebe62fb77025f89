//! Retargeting between humanoids: each joint follows the joint of the same body part.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Character;
use crate::mathematics::propagate;
use crate::motion::ContactConstraint;
use crate::motion::interpolate::slerp;
use crate::pose::Pose;

use super::align::align;
use super::copy_rest;
use super::figure::RestFigure;
use super::followed_joints::{FigurePair, FollowedJoint};
use super::frame::{SIDES, mirror, turn};
use super::ground::source_ground;
use super::limbs::{ArmPair, DetachedJoint, FootPair, arm, detached_joints, foot, standing_height};
use super::tree::{NodeSubset, set_position, to_local};

/// The contact constraint of a foot has full weight if the foot is raised above its standing height by at most `FULL_WEIGHT`, and zero
/// weight at `ZERO_WEIGHT` or above. Both are fractions of the hip height.
const FULL_WEIGHT: f32 = 0.05;
const ZERO_WEIGHT: f32 = 0.25;
/// Maximum distance by which the hips are lowered so that feet reach the ground, as a fraction of the hip height.
const MAX_LOWERING: f32 = 0.15;

/// A precomputed mapping between two humanoids.
#[derive(Clone, Debug)]
pub(super) struct BodyMapping {
    /// `target_world_from_source_world`. Scales the source to the size of the target and moves its ground to the
    /// target's.
    pub(super) target_from_source: Affine3A,
    turn: Quat,
    source: NodeSubset,
    target: NodeSubset,
    pub(super) rest: Pose,
    turns: Vec<FollowedJoint>,
    /// For each node of the target, its index in `turns`.
    turn_of: Vec<Option<usize>>,
    anchor: usize,
    /// Offset from the midpoint of the hip joints to the anchor. It rotates with the anchor but is not scaled, so its
    /// length is in world metres.
    anchor_from_middle: Vec3,
    /// The hip joints of the source.
    pub(super) hips: [usize; 2],
    pub(super) feet: Vec<FootPair>,
    arms: Vec<ArmPair>,
    /// Joints that are not descendants of their anatomical parent in the file's hierarchy.
    detached: Vec<DetachedJoint>,
    /// The up direction of the target, and the height of its hips above the ground.
    pub(super) up: Vec3,
    pub(super) height: f32,
}

impl BodyMapping {
    /// Returns `None` if the height of the hips above the ground is not positive in one of the bodies.
    pub(super) fn new(character: &Character, source: &RestFigure, target: &RestFigure) -> Option<Self> {
        let aligned = align(source, target);
        let ground = source_ground(character, source, target);
        let up = target.up();
        let height = target.height();
        let ratio = height / standing_height(source, &aligned);
        if !(ratio.is_finite() && ratio > 0.0 && height > 0.0) {
            return None;
        }
        let source_up = ground.turn.conjugate() * up;
        let from = source.middle + source_up * (ground.height - source.middle.dot(source_up));
        let to = target.middle - up * height;
        let linear = Affine3A::from_scale_rotation_translation(Vec3::splat(ratio), ground.turn, Vec3::ZERO);
        let target_from_source = Affine3A::from_translation(to - linear.transform_point3(from)) * linear;
        let turns = FigurePair { source, target, aligned: &aligned }.followed_joints();
        let mut turn_of = vec![None; target.positions.len()];
        turns.iter().enumerate().for_each(|(i, t)| turn_of[t.node] = Some(i));
        let anchor = target.anchor()?;
        let hips = [source.node("leftUpperLeg")?, source.node("rightUpperLeg")?];
        let feet: Vec<FootPair> = SIDES
            .into_iter()
            .filter_map(|side| foot(side, source, target, &aligned, ratio, anchor))
            .collect();
        let arms: Vec<ArmPair> =
            SIDES.into_iter().filter_map(|side| arm(side, source, target, ratio)).collect();
        let detached = detached_joints(target, anchor);
        let from_turns = turns.iter().flat_map(|t| [t.from.0, t.to.0]);
        let from_positions =
            hips.into_iter().chain(feet.iter().flat_map(|f| [Some(f.from), f.toes]).flatten());
        let from_positions = from_positions
            .chain(arms.iter().flat_map(|a| [a.from, a.from_shoulders[0], a.from_shoulders[1]]));
        let to_turns = turns.iter().map(|t| t.node);
        let to_positions = detached.iter().flat_map(|d| [d.node, d.logical_parent]);
        let to_positions = to_positions.chain(arms.iter().flat_map(|a| a.to_shoulders));
        Some(Self {
            source: NodeSubset::new(source.skeleton, from_turns, from_positions),
            target: NodeSubset::new(target.skeleton, to_turns, to_positions),
            turn: ground.turn,
            target_from_source,
            rest: target.pose.clone(),
            turn_of,
            turns,
            anchor,
            anchor_from_middle: target.turns[anchor].conjugate() * (target.positions[anchor] - target.middle),
            hips,
            feet,
            arms,
            detached,
            up,
            height,
        })
    }

    /// Computes the pose of the target without contact constraints. If the source pose has a different number of nodes, the target stays in
    /// the rest pose.
    pub(super) fn free_pose(&mut self, source: &Pose, out: &mut Pose) {
        if self.turn_as(source, out) {
            self.set_anchor(&[], out);
            self.move_detached(out);
        }
    }

    /// Sets the rotations of the target, and resets its translations. Returns whether the source pose has the expected number of nodes.
    fn turn_as(&mut self, source: &Pose, out: &mut Pose) -> bool {
        copy_rest(&self.rest, out);
        let fits = source.locals.len() == self.source.turns.len();
        if fits {
            self.source.update_orientations(source, self.turn);
            self.source.update_matrices(source, self.target_from_source);
            self.set_rotations(out);
        }
        fits
    }

    /// Returns the hip joint and the ankle of each foot in the last pose. `world` contains the world matrices of that pose.
    pub(super) fn legs(&self, world: &[Affine3A]) -> Vec<[Vec3; 2]> {
        let at = |node: usize| world.get(node).map_or(Vec3::ZERO, |m| m.translation.into());
        let turn = self.target.turns[self.anchor];
        self.feet.iter().map(|f| [at(self.anchor) + turn * f.hip, at(f.to)]).collect()
    }

    /// Moves the whole body in the world.
    pub(super) fn shift_anchor(&mut self, by: Vec3, out: &mut Pose) {
        let at = Vec3::from(self.target.world_of(self.anchor, out).translation);
        self.place(self.anchor, at + by, out);
        self.move_detached(out);
    }

    /// Moves a node to a position in the world.
    pub(super) fn place(&self, node: usize, position: Vec3, out: &mut Pose) {
        set_position(&self.target, node, position, out);
    }

    pub(super) fn pose(
        &mut self,
        source: &Pose,
        hands: bool,
        out: &mut Pose,
        contacts: &mut Vec<ContactConstraint>,
    ) {
        if !self.turn_as(source, out) {
            return;
        }
        self.constrain_feet(contacts);
        self.set_anchor(contacts, out);
        self.move_detached(out);
        self.finish_feet(out, contacts);
        if hands {
            self.constrain_hands(out, contacts);
        }
    }

    /// Sets the rotations of the target, parents first.
    fn set_rotations(&mut self, out: &mut Pose) {
        propagate(self.target.order.iter().copied(), &mut self.target.turns, |above, node| {
            let above = *above.unwrap_or(&Quat::IDENTITY);
            let local = &mut out.locals[node];
            match self.turn_of[node].map(|t| &self.turns[t]) {
                Some(t) => {
                    let orientation = |(joint, shared): (usize, Quat)| self.source.turns[joint] * shared;
                    let first = orientation(t.from);
                    let world =
                        if t.factor > 0.0 { slerp(first, orientation(t.to), t.factor) } else { first };
                    local.rotation =
                        (above.conjugate() * world * mirror(local.scale).conjugate()).normalize();
                    world
                }
                None => above * turn(local),
            }
        });
    }

    /// Moves the hips to the position of the source's hips, measured at the midpoint of the hip joints. The hips are
    /// lowered if a leg is too short for the constraint of its foot.
    fn set_anchor(&mut self, contacts: &[ContactConstraint], out: &mut Pose) {
        let [left, right] = self.hips.map(|n| self.source.at(n));
        let turn = self.target.turns[self.anchor];
        let position = 0.5 * (left + right) + turn * self.anchor_from_middle;
        let lowering = self.feet.iter().zip(contacts).map(|(f, contact)| {
            let leg = position + turn * f.hip - contact.position;
            let height = leg.dot(self.up);
            let across_squared = (leg.length_squared() - height * height).max(0.0);
            let reachable = (f.reach * f.reach - across_squared).max(0.0).sqrt();
            contact.weight * (height - reachable).clamp(0.0, MAX_LOWERING * self.height)
        });
        let position = position - self.up * lowering.fold(0.0, f32::max);
        let above = self.target.parents[self.anchor].map(|p| self.target.world_of(p, out));
        let position = above.map_or(position, |above| to_local(above, position));
        if position.is_finite() {
            out.locals[self.anchor].translation = position;
        }
    }

    /// Moves detached joints along with their limbs.
    fn move_detached(&mut self, out: &mut Pose) {
        for d in &self.detached {
            let position = self.target.world_of(d.logical_parent, out).transform_point3(d.position);
            set_position(&self.target, d.node, position, out);
        }
    }

    /// Adds a constraint for each foot. Its orientation is set later, after the hips have been moved.
    fn constrain_feet(&self, contacts: &mut Vec<ContactConstraint>) {
        contacts.extend(self.feet.iter().map(|f| {
            let ankle = self.source.at(f.from);
            let heel = ankle.dot(self.up) - f.ankle_height;
            let toes = f.toes.map_or(heel, |t| self.source.at(t).dot(self.up) - f.toes_height);
            let position = ankle + f.offset(self.target.turns[f.to], self.up, (heel - toes) / self.height);
            let fade = (heel.min(toes) / self.height - FULL_WEIGHT) / (ZERO_WEIGHT - FULL_WEIGHT);
            let fade = fade.clamp(0.0, 1.0);
            let weight = 1.0 - fade * fade * (3.0 - 2.0 * fade);
            ContactConstraint {
                node: f.constrained,
                offset: Vec3::ZERO,
                position,
                orientation: None,
                on: None,
                weight,
                yields: false,
                pulls: false,
            }
        }));
    }

    /// Moves detached feet to their constraints, and adds the orientations of the other feet to their constraints.
    fn finish_feet(&self, out: &mut Pose, contacts: &mut [ContactConstraint]) {
        for (f, contact) in self.feet.iter().zip(contacts) {
            if f.is_detached {
                let current = self.target.world_of(f.to, out).translation.into();
                set_position(&self.target, f.to, Vec3::lerp(current, contact.position, contact.weight), out);
            } else {
                contact.orientation = Some(self.target.orientation(f.to, out));
            }
        }
    }

    /// Adds a constraint for each hand. The offset from the midpoint of the shoulders is the source's offset, scaled by the arm span.
    pub(super) fn constrain_hands(&mut self, out: &mut Pose, contacts: &mut Vec<ContactConstraint>) {
        for a in &self.arms {
            let [left, right] = a.from_shoulders.map(|n| self.source.at(n));
            let reach = self.source.at(a.from) - 0.5 * (left + right);
            let [left, right] = a.to_shoulders.map(|n| Vec3::from(self.target.world_of(n, out).translation));
            let position = 0.5 * (left + right) + a.ratio * reach;
            let orientation = Some(self.target.orientation(a.to, out));
            let (node, offset) = (a.to, Vec3::ZERO);
            contacts.push(ContactConstraint {
                node,
                offset,
                position,
                orientation,
                on: None,
                weight: 1.0,
                yields: false,
                pulls: false,
            });
        }
    }
}
