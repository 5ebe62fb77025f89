//! Inverse kinematics of a character: feet and hips, goals of limbs and chains, and the head. The CPU twin of
//! `shaders/crowd/bodies.wgsl`.

use glam::{Quat, Vec3};

use super::figure::{Base, Figure};
use super::limit::{part_of, to_parent, vector_in_frame};
use super::plant::FootGoal;
use super::{BELOW_HIPS, GOALS, Goal, HAS_POLE, HAS_ROTATION, HEAD, LIMBS, Limb};
use crate::crowd::types::NONE;

/// Where a limb must go.
#[derive(Clone, Copy)]
struct LimbGoal {
    /// Rotation of the end from the pose of the clip, before the hips moved.
    turn: Quat,
    /// Position of the end in model space, before the hips moved.
    position: Vec3,
    /// Relative to the first joint, or zero.
    pole: Vec3,
    is_moved: bool,
}

impl Figure<'_> {
    /// Returns the goal of a limb, a chain or the head.
    fn goal(&self, limb: u32) -> Option<Goal> {
        let is_set = |goal: &&Goal| goal.limb == limb && goal.weight > 0.0 && goal.position.is_finite();
        self.goals.iter().take(GOALS).find(is_set).copied()
    }

    /// Returns a world position in model space.
    fn in_model(&self, position: Vec3) -> Vec3 {
        self.unplaced(position - self.character.position)
    }

    /// Returns the place of a limb's foot, or its goal if it has one.
    fn limb_goal(&self, index: u32, limb: &Limb, base: &Base, foot: Option<&FootGoal>) -> LimbGoal {
        let (mut at, mut turn) = (self.position(limb.end), Quat::IDENTITY);
        if limb.flags & BELOW_HIPS != 0 {
            (at, turn) = (base.moved(at), base.turn);
        }
        let (mut pole, mut is_moved) = (Vec3::ZERO, false);
        if let Some(foot) = foot {
            is_moved = foot.is_moved || base.shift != Vec3::ZERO;
            at = self.unplaced(foot.ankle);
            turn = self.unplaced_turn(foot.turn);
        }
        if let Some(goal) = self.goal(index) {
            let weight = goal.weight.min(1.0);
            at = at * (1.0 - weight) + self.in_model(goal.position) * weight;
            is_moved = true;
            if goal.flags & HAS_ROTATION != 0 && goal.rotation.is_finite() {
                let now = self.orientation(limb.end);
                let wanted = self.character.rotation.conjugate() * goal.rotation;
                turn = part_of(wanted * (turn * now).conjugate(), weight) * turn;
            }
            if goal.flags & HAS_POLE != 0 && goal.pole.is_finite() {
                pole = base.unmoved(self.in_model(goal.pole)) - self.position(limb.first);
            }
        }
        LimbGoal { turn: base.turn.conjugate() * turn, position: base.unmoved(at), pole, is_moved }
    }

    /// Moves the joint of the hips.
    fn pose_hips(&mut self, base: &Base) {
        let joint = self.body.parts.hips;
        if base.shift == Vec3::ZERO {
            return;
        }
        let (above, hips) = (self.parent_rows(joint), self.position(joint));
        self.translate(joint, vector_in_frame(&above, base.moved(hips) - hips));
        if base.turn != Quat::IDENTITY {
            self.set_rotation(joint, to_parent(&above, base.turn) * self.rotation(joint));
        }
    }

    /// Poses the body of the character. Only local rotations, and the translations of the hips and of detached feet, change.
    pub(in crate::crowd) fn pose_body(&mut self) {
        let body = self.body;
        let mut feet = [FootGoal::default(); LIMBS];
        let mut base = Base::NOTHING;
        if let Some(terrain) = self.terrain {
            for (leg, (limb, foot)) in body.legs().iter().zip(&mut feet).enumerate() {
                *foot = self.place_foot(terrain, leg, limb);
            }
            self.remember_feet(&feet);
            if body.parts.hips != NONE && !body.legs().is_empty() {
                base = self.move_hips(&feet);
            }
        }
        // All goals come first, because they depend on the pose of the clips.
        let stands = |index: u32| index < body.parts.legs && self.terrain.is_some();
        let mut goals = [None; LIMBS];
        for ((index, goal), (limb, foot)) in (0..).zip(&mut goals).zip(body.limbs().iter().zip(&feet)) {
            let foot = Some(foot).filter(|_| stands(index));
            *goal = Some((self.limb_goal(index, limb, &base, foot), foot.is_none()));
        }
        for (limb, goal) in body.limbs().iter().zip(goals) {
            // The limits of hips give way to the ground, because a foot must not sink into it.
            if let Some((goal, is_limited)) = goal.filter(|(goal, _)| goal.is_moved) {
                self.solve_limb(limb, &base, goal.position, goal.turn, goal.pole, is_limited);
            }
        }
        self.pose_hips(&base);
        for (index, chain) in (body.parts.limbs..).zip(body.chains()) {
            let Some(goal) = self.goal(index) else { continue };
            let end = chain.joints.get(chain.links as usize).copied().unwrap_or(NONE);
            let (now, at) = (self.position(end), base.unmoved(self.in_model(goal.position)));
            let weight = goal.weight.min(1.0);
            self.solve_chain(chain, now * (1.0 - weight) + at * weight);
        }
        let looked_at = self.goal(HEAD).map(|goal| (goal.position, goal.weight));
        let (at, weight) = looked_at.unwrap_or((self.eye, self.character.looks));
        self.aim_head(base.unmoved(self.in_model(at)), weight);
        self.stance.is_known = 1;
    }
}
