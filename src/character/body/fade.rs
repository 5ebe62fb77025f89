//! Changes of goals without jumps: the displacement by the previous goal fades out while the new goal fades in. The CPU twin of
//! `shaders/crowd/fade.wgsl`.

use glam::{Quat, Vec3};

use super::frames::part_of;
use super::goal::{PackedGoal, TAKES_OVER};
use super::stance::Stance;
use super::{Base, CrowdChain, CrowdLimb, Figure, LINKS};

impl Figure<'_> {
    /// Updates the fades of the goals. A goal that was set since the last step takes over the displacement by the goal that it replaces.
    pub(super) fn update_fades(&mut self, goals: &[PackedGoal]) {
        let seconds = self.seconds;
        let Stance { changes, fades, .. } = &mut *self.stance;
        for ((goal, before), fade) in goals.iter().zip(changes).zip(fades) {
            if goal.change == 0 && *before == 0 {
                continue;
            }
            if goal.change == *before {
                fade.left = (fade.left - goal.rate.abs() * seconds).max(0.0);
            } else {
                let is_known = *before != 0 && fade.last.is_finite() && fade.last_turn.is_finite();
                let is_same = is_known && fade.limb == goal.limb;
                (fade.offset, fade.turn) =
                    if is_same { (fade.last, fade.last_turn) } else { (Vec3::ZERO, Quat::IDENTITY) };
                // The weight of the goal and the rest of the fade add up to 1. The rate may have changed since the goal was set.
                let takes_over = is_same && goal.flags & TAKES_OVER != 0;
                fade.left = if takes_over { (1.0 - goal.weight).max(0.0) } else { 0.0 };
                fade.limb = goal.limb;
                *before = goal.change;
            }
            if !(goal.weight > 0.0 || fade.left > 0.0) {
                (fade.last, fade.last_turn) = (Vec3::ZERO, Quat::IDENTITY);
            }
        }
    }

    /// Returns whether the goal with an index has an effect on a limb, a chain or the head.
    pub(super) fn is_moved_by(&self, goal: &PackedGoal, index: usize, limb: u32) -> bool {
        let left = self.stance.fades.get(index).map_or(0.0, |fade| fade.left);
        goal.limb == limb && goal.position.is_finite() && (goal.weight > 0.0 || left > 0.0)
    }

    /// Returns the position to which the goal with an index moves a part from the position `at`, and remembers the displacement.
    pub(super) fn faded(&mut self, goal: &PackedGoal, index: usize, at: Vec3, target: Vec3) -> Vec3 {
        let weight = goal.weight.min(1.0);
        let mut next = at * (1.0 - weight) + target * weight;
        if let Some(fade) = self.stance.fades.get_mut(index) {
            if fade.left > 0.0 {
                next += fade.offset * fade.left;
            }
            fade.last = next - at;
        }
        next
    }

    /// Adds the rest of the previous goal's rotation to the rotation by the goal with an index, and remembers the result.
    pub(super) fn faded_turn(&mut self, index: usize, turn: Quat) -> Quat {
        let Some(fade) = self.stance.fades.get_mut(index) else { return turn };
        let next = if fade.left > 0.0 { part_of(fade.turn, fade.left) * turn } else { turn };
        fade.last_turn = next;
        next
    }

    /// Returns the weight of a goal of the head, which takes over from an earlier weight as the displacement of a hand does. The aim itself
    /// follows its target smoothly.
    pub(super) fn faded_look(&mut self, goal: &PackedGoal, index: usize) -> f32 {
        self.faded(goal, index, Vec3::ZERO, Vec3::ONE).x
    }

    /// Returns the target of a limb, or the farthest point in its direction that the limb can reach. A fade to or from a distant target would
    /// otherwise move the limb only at one of its ends. Positions are in model space after the hips moved.
    pub(super) fn within_reach(&self, limb: &CrowdLimb, base: &Base, target: Vec3) -> Vec3 {
        let [top, middle, end] = [limb.first, limb.middle, limb.end].map(|joint| self.position(joint));
        let reach = (middle - top).length() + (end - middle).length();
        nearest(top, reach, base.unmoved(target)).map_or(target, |nearest| base.moved(nearest))
    }

    /// Returns the target of a chain, or the farthest point in its direction that the straight chain can reach. Positions are in model space
    /// before the hips move.
    pub(super) fn within_chain(&self, chain: &CrowdChain, target: Vec3) -> Vec3 {
        let links = (chain.links as usize).min(LINKS);
        let joints = chain.joints.get(..=links).unwrap_or_default();
        let length = |pair: &[u32]| (self.position(pair[1]) - self.position(pair[0])).length();
        let reach = joints.windows(2).map(length).sum();
        nearest(self.position(chain.joints[0]), reach, target).unwrap_or(target)
    }
}

/// Returns the point within `reach` of `from` that is nearest to a target, or `None` if this is the target itself.
fn nearest(from: Vec3, reach: f32, target: Vec3) -> Option<Vec3> {
    let offset = target - from;
    let distance = offset.length();
    (distance > reach).then(|| from + offset * (reach / distance))
}
