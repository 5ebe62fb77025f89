//! Inverse kinematics of a character: feet and hips, goals of limbs and chains, and the head. The CPU twin of
//! `shaders/crowd/bodies.wgsl`.

use glam::{Quat, Vec3};

use super::body::{BELOW_HIPS, GOALS, Goal, HAS_POLE, HAS_ROTATION, HEAD, LIMBS, Limb};
use super::figure::Figure;
use super::limit::{part_of, vector_in_frame};
use super::plant::FootGoal;
use super::types::NONE;

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

    /// Moves a limb to the place of its foot, and towards its goal if it has one.
    fn pose_limb(&mut self, index: u32, limb: &Limb, base: Vec3, foot: Option<&FootGoal>) {
        let mut at = self.position(limb.end) + if limb.flags & BELOW_HIPS != 0 { base } else { Vec3::ZERO };
        let (mut turn, mut pole, mut is_moved) = (Quat::IDENTITY, Vec3::ZERO, false);
        if let Some(foot) = foot {
            is_moved = foot.is_moved || base != Vec3::ZERO;
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
                pole = self.in_model(goal.pole) - (self.position(limb.first) + base);
            }
        }
        if is_moved {
            // The limits of hips give way to the ground, because a foot must not sink into it.
            self.solve_limb(limb, base, at, turn, pole, foot.is_none());
        }
    }

    /// Poses the body of the character. Only local rotations and the translation of the hips change.
    pub(super) fn pose_body(&mut self) {
        let body = self.body;
        let mut feet = [FootGoal::default(); LIMBS];
        let mut base = Vec3::ZERO;
        if let Some(terrain) = self.terrain {
            for (leg, (limb, foot)) in body.legs().iter().zip(&mut feet).enumerate() {
                *foot = self.place_foot(terrain, leg, limb);
            }
            if body.parts.hips != NONE && !body.legs().is_empty() {
                let height = self.hip_height(&feet);
                base = self.unplaced(Vec3::new(0.0, height, 0.0));
            }
        }
        for (index, (limb, foot)) in (0..).zip(body.limbs().iter().zip(&feet)) {
            let stands = index < body.parts.legs && self.terrain.is_some();
            self.pose_limb(index, limb, base, Some(foot).filter(|_| stands));
        }
        if base != Vec3::ZERO {
            let offset = vector_in_frame(&self.parent_rows(body.parts.hips), base);
            self.translate(body.parts.hips, offset);
        }
        for (index, chain) in (body.parts.limbs..).zip(body.chains()) {
            let Some(goal) = self.goal(index) else { continue };
            let end = chain.joints.get(chain.links as usize).copied().unwrap_or(NONE);
            let now = self.position(end) + base;
            let weight = goal.weight.min(1.0);
            self.solve_chain(chain, base, now * (1.0 - weight) + self.in_model(goal.position) * weight);
        }
        let looked_at = self.goal(HEAD).map(|goal| (goal.position, goal.weight));
        let (at, weight) = looked_at.unwrap_or((self.eye, self.character.looks));
        self.aim_head(base, self.in_model(at), weight);
        self.stance.is_known = 1;
    }
}
