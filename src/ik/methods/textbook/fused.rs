//! The fused method as printed: Li & Peng 2013, "The research based on the 3D inverse dynamics of IK algorithm", eqs. 3 and
//! 4 for the first placement and eqs. 8 to 16 for every further step.

use glam::{DQuat, DVec3};

use crate::methods::fused::middle_joint;
use crate::tree::{JointState, Tree};
use crate::{Correction, FusedOptions, JacobianOptions};

use super::jacobian::{Inverse, Jacobian, difference};
use super::signed_angle;

/// The state between two steps. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fused {
    /// θ of the previous step.
    before: Vec<JointState>,
}

impl Fused {
    /// Prepares for a solve that starts in the current pose.
    pub(crate) fn set(&mut self, tree: &Tree) {
        tree.store_joints(&mut self.before);
    }

    /// Makes one step Δθ = J⁺ ΔX + (I − J⁺ J) ΔH. Returns false and changes nothing if J Jᵀ is singular.
    pub(crate) fn step(
        &mut self,
        tree: &mut Tree,
        jacobian: &mut Jacobian,
        options: &FusedOptions,
        differential: &JacobianOptions,
    ) -> bool {
        let count = tree.joints.len();
        #[expect(clippy::cast_precision_loss, reason = "chains are short")]
        let place = |index: usize| index as f64 / count.saturating_sub(1).max(1) as f64;
        let joints = tree.joints.iter().zip(&self.before).zip(&mut jacobian.wanted).enumerate();
        for (index, ((joint, &before), wanted)) in joints {
            let weight = options.first_weight + (options.last_weight - options.first_weight) * place(index);
            let change = |to| difference(tree, joint, to, differential.parameters);
            *wanted = match options.correction {
                // θᵢᵐ = (1 − α) θᵢ₋₁ + α θᵢ, so αᵢ (θᵢ − θᵢᵐ) = αᵢ (1 − α)(θᵢ − θᵢ₋₁).
                Correction::Midpoint => change(before) * (-weight * (1.0 - options.alpha)),
                Correction::MidAngle => change(joint.centre_state()) * 2.0,
            };
        }
        self.set(tree);
        let longest = differential.clamp * tree.length();
        jacobian.step(tree, Inverse::Pseudo(0.0), differential.parameters, longest)
    }
}

/// The closed form of two links, eqs. 3 and 4. The links are the two halves of the chain: the joint that divides it most
/// evenly bends by θ₂, and the first joint turns by θ₁. Changes nothing if the cosine of θ₂ is not within ±1.
pub(crate) fn closed_form(tree: &mut Tree) {
    let Some(task) = tree.tasks.first().copied() else { return };
    let index = middle_joint(tree);
    let (Some(first), Some(joint), Some(target)) = (tree.joints.first(), tree.joints.get(index), task.target)
    else {
        return;
    };
    let (upper, lower) = (joint.position - first.position, task.position - joint.position);
    let (l1, l2) = (upper.length(), lower.length());
    let cos = ((target - first.position).length_squared() - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
    if index == 0 || !(-1.0..=1.0).contains(&cos) {
        return;
    }
    let axis = match joint.hinge_axis() {
        Some(axis) => tree.axis_from_frame(joint, axis),
        None => upper.cross(lower),
    };
    // A straight ball joint bends about the bend axis of its rest pose.
    let rest = tree.axis_from_frame(joint, tree.bend_axis(index, super::child_local(tree, index)));
    let axis = axis.try_normalize().unwrap_or(rest);
    let angle = cos.acos() - signed_angle(axis, upper, lower);
    turn(tree, index, axis, angle);
    let Some((first, end)) =
        tree.joints.first().zip(tree.tasks.first()).map(|(j, t)| (j.position, t.position))
    else {
        return;
    };
    let (from, to) = (end - first, target - first);
    let own = tree.joints.first().and_then(|joint| Some(tree.axis_from_frame(joint, joint.hinge_axis()?)));
    let axis = own.or_else(|| from.cross(to).try_normalize());
    if let Some(axis) = axis {
        turn(tree, 0, axis, signed_angle(axis, from, to));
    }
}

/// Turns a joint about an axis of base space by an angle in radians, within its limit.
pub(super) fn turn(tree: &mut Tree, index: usize, axis: DVec3, angle: f64) {
    let Some(joint) = tree.joints.get(index) else { return };
    let turn = DQuat::from_axis_angle(tree.axis_to_frame(joint, axis), angle);
    let rotation = joint.allowed((turn * joint.rotation).normalize());
    if let Some(joint) = tree.joints.get_mut(index) {
        joint.rotation = rotation;
    }
    tree.forward();
}
