//! Inverse kinematics of a character: feet and hips, goals of limbs and chains, and the head. The CPU twin of
//! `shaders/crowd/bodies.wgsl`.

use glam::{Quat, Vec3};

use super::frames::{part_of, unit};
use super::goal::{CHARACTER, FOLLOWS_HIPS, GOALS, HAS_POLE, HAS_ROTATION, HEAD, PackedGoal, WORLD};
use super::types::NONE;
use super::{BELOW_HIPS, Base, CrowdLimb, Figure, FootGoal, Ground, LIMBS};

/// Inputs for a character's body in addition to its clips.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, G> {
    /// Position of the camera or of another point, which the head may look at, in world metres.
    pub eye: Vec3,
    /// Weight with which the head looks at `eye`, from 0 to 1.
    pub looks: f32,
    /// The ground under the feet. If `None`, the feet stay where the clip puts them.
    pub ground: Option<G>,
    /// The goals. Only the first [`GOALS`] are used.
    pub goals: &'a [PackedGoal],
}

#[derive(Clone, Copy)]
struct LimbGoal {
    /// Rotation of the end relative to the pose of the clip, before the hips move.
    turn: Quat,
    /// Position of the end in model space, before the hips move.
    position: Vec3,
    /// Position of the pole relative to the first joint, or zero without a pole.
    pole: Vec3,
    is_moved: bool,
}

impl Figure<'_> {
    /// Returns the rotation of a joint in model space: the product of its ancestors' rotations and its own.
    fn orientation(&self, joint: u32) -> Quat {
        let mut q = self.rotation(joint);
        let parent = |joint: u32| self.joints.get(joint as usize).map_or(NONE, |joint| joint.parent);
        let mut above = parent(joint);
        for _ in 0..256 {
            if above == NONE {
                break;
            }
            q = self.rotation(above) * q;
            above = parent(above);
        }
        unit(q).unwrap_or(Quat::IDENTITY)
    }

    fn in_model(&self, position: Vec3) -> Vec3 {
        self.unplaced(position - self.place.position)
    }

    /// Converts a position from the frame of a goal to model space, after the hips moved.
    fn goal_point(&self, base: &Base, goal: &PackedGoal, position: Vec3) -> Vec3 {
        match goal.frame {
            WORLD => self.in_model(position),
            CHARACTER => position,
            joint => {
                let at = self.rows(joint).point(position);
                if goal.flags & FOLLOWS_HIPS != 0 { base.moved(at) } else { at }
            }
        }
    }

    /// Converts the rotation of a goal from its frame to model space, after the hips moved.
    fn goal_turn(&self, base: &Base, goal: &PackedGoal) -> Quat {
        match goal.frame {
            WORLD => self.place.rotation.conjugate() * goal.rotation,
            CHARACTER => goal.rotation,
            joint => {
                let turn = self.orientation(joint) * goal.rotation;
                if goal.flags & FOLLOWS_HIPS != 0 { base.turn * turn } else { turn }
            }
        }
    }

    /// Returns the target of a limb: its foot or its pose in the clip, over which its goals are blended in order.
    fn limb_goal(
        &mut self,
        index: u32,
        limb: &CrowdLimb,
        base: &Base,
        foot: Option<&FootGoal>,
        goals: &[PackedGoal],
    ) -> LimbGoal {
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
        for (slot, goal) in goals.iter().enumerate().take(GOALS) {
            if !self.is_moved_by(goal, slot, index) {
                continue;
            }
            let target = self.within_reach(limb, base, self.goal_point(base, goal, goal.position));
            at = self.faded(goal, slot, at, target);
            is_moved = true;
            let mut rotation = Quat::IDENTITY;
            if goal.flags & HAS_ROTATION != 0 && goal.rotation.is_finite() {
                let now = self.orientation(limb.end);
                let wanted = self.goal_turn(base, goal);
                rotation = part_of(wanted * (turn * now).conjugate(), goal.weight.min(1.0));
            }
            turn = self.faded_turn(slot, rotation) * turn;
            if goal.flags & HAS_POLE != 0 && goal.weight > 0.0 && goal.pole.is_finite() {
                let at = self.goal_point(base, goal, goal.pole);
                pole = base.unmoved(at) - self.position(limb.first);
            }
        }
        LimbGoal { turn: base.turn.conjugate() * turn, position: base.unmoved(at), pole, is_moved }
    }

    /// Poses the body of the character. Changes only local rotations, and the translations of the hips and of detached feet.
    pub fn pose_body<G: Ground + Copy>(&mut self, inputs: &Inputs<'_, G>) {
        let body = self.body;
        let none = ([FootGoal::default(); LIMBS], Base::NOTHING);
        let (feet, base) = inputs.ground.map_or(none, |mut ground| self.place_feet(&mut ground));
        self.update_fades(inputs.goals);
        // All goals are computed first, because they depend on the pose of the clips.
        let stands = |index: u32| index < body.parts.legs && inputs.ground.is_some();
        let mut goals = [None; LIMBS];
        for ((index, goal), (limb, foot)) in (0..).zip(&mut goals).zip(body.limbs().iter().zip(&feet)) {
            let foot = Some(foot).filter(|_| stands(index));
            *goal = Some((self.limb_goal(index, limb, &base, foot, inputs.goals), foot.is_none()));
        }
        for (limb, goal) in body.limbs().iter().zip(goals) {
            // The limit of a leg's first joint does not apply on the ground, because a foot must not sink into it.
            if let Some((goal, is_limited)) = goal.filter(|(goal, _)| goal.is_moved) {
                self.solve_limb(limb, &base, goal.position, goal.turn, goal.pole, is_limited);
            }
        }
        self.pose_hips(&base);
        for (index, chain) in (body.parts.limbs..).zip(body.chains()) {
            let end = chain.joints.get(chain.links as usize).copied().unwrap_or(NONE);
            let (mut at, mut is_moved) = (self.position(end), false);
            for (slot, goal) in inputs.goals.iter().enumerate().take(GOALS) {
                if self.is_moved_by(goal, slot, index) {
                    let target = base.unmoved(self.goal_point(&base, goal, goal.position));
                    let target = self.within_chain(chain, target);
                    at = self.faded(goal, slot, at, target);
                    is_moved = true;
                }
            }
            if is_moved {
                self.solve_chain(chain, at);
            }
        }
        self.pose_head(inputs, &base);
        self.stance.is_known = 1;
    }

    /// Turns the head to the last of its goals. Without one, it turns to `eye`.
    fn pose_head<G>(&mut self, inputs: &Inputs<'_, G>, base: &Base) {
        let (mut at, mut weight) = (self.in_model(inputs.eye), inputs.looks);
        for (slot, goal) in inputs.goals.iter().enumerate().take(GOALS) {
            if self.is_moved_by(goal, slot, HEAD) {
                at = self.goal_point(base, goal, goal.position);
                weight = self.faded_look(goal, slot);
            }
        }
        self.aim_head(base.unmoved(at), weight);
    }
}
