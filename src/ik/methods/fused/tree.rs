//! The fused method on a tree.

use glam::DVec3;

use crate::methods::jacobian::{Inverse, Jacobian, towards};
use crate::methods::two_bone::{bend, orient, swing};
use crate::rotation::rotation_vector;
use crate::tree::{Role, Tree, TreePose};
use crate::{Correction, FusedOptions, JacobianOptions, LimbOptions, Method};

use super::{FusedPose, FusedSteps, can_reach, middle, wants_closed_form};

/// The fused method on a tree, with the buffers that later solves reuse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fused {
    steps: FusedSteps,
    /// The pose before the last step.
    before: TreePose,
    /// Whether the halves of the chain cannot reach the target, so that damped least squares runs alone.
    is_differential: bool,
}

impl Fused {
    /// Prepares for the current pose of a tree. The closed form needs a single target position.
    pub(crate) fn set(&mut self, tree: &Tree) {
        let halves = Halves::of(tree);
        let closed_form =
            halves.as_ref().is_some_and(|h| wants_closed_form(h.upper + h.lower, h.target, tree.length()));
        let reach = halves.is_none_or(|h| h.middle == 0 || can_reach(h.upper, h.lower, h.target));
        self.is_differential = closed_form && !reach;
        self.steps.start(closed_form && reach);
        self.before.store(tree);
    }

    /// Returns whether the iterations cannot continue from the current pose.
    pub(crate) fn is_stuck(&self, jacobian: &Jacobian) -> bool {
        self.steps.is_stuck() || jacobian.is_stuck()
    }

    /// Runs one iteration.
    pub(crate) fn pass(
        &mut self,
        tree: &mut Tree,
        jacobian: &mut Jacobian,
        options: &FusedOptions,
        jacobian_options: &JacobianOptions,
    ) {
        if self.is_differential && options.correction == Correction::Midpoint {
            return jacobian.pass(tree, Method::Dls, jacobian_options);
        }
        let mut pose = PosedTree { tree, jacobian, options: jacobian_options, before: &mut self.before };
        self.steps.iterate(&mut pose, options);
    }
}

struct PosedTree<'a> {
    tree: &'a mut Tree,
    jacobian: &'a mut Jacobian,
    options: &'a JacobianOptions,
    before: &'a mut TreePose,
}

impl FusedPose for PosedTree<'_> {
    fn joint_count(&self) -> usize {
        self.tree.joints.len()
    }

    fn cost(&self) -> f64 {
        self.tree.measure().sum
    }

    fn apply_closed_form(&mut self) {
        self.before.store(self.tree);
        let before = self.tree.measure().sum;
        reach_with_halves(self.tree);
        let after = self.tree.measure().sum;
        if after.is_nan() || after > before {
            self.undo();
        }
    }

    fn last_turns(&self, turns: &mut Vec<DVec3>) {
        turns.clear();
        turns.extend(self.tree.joints.iter().zip(self.before.joints()).map(|(joint, &before)| {
            if joint.role == Role::Follower || joint.prismatic.is_some() {
                return -towards(self.tree, joint, before);
            }
            self.tree.base_from_axes(joint) * rotation_vector(joint.rotation * before.rotation.conjugate())
        }));
    }

    fn turn_to_middle(&self, joint: usize) -> DVec3 {
        let joint = &self.tree.joints[joint];
        towards(self.tree, joint, joint.centre_state())
    }

    fn step(&mut self, additional: Option<&[DVec3]>, boost: f64) {
        self.before.store(self.tree);
        let (tree, jacobian, options) = (&mut *self.tree, &mut *self.jacobian, self.options);
        jacobian.evaluate(tree, options.clamp * tree.length());
        jacobian.set_freedom(tree, options.parameters);
        // As on a free chain, damping lets the goal compensate for these rotations only partly.
        match additional {
            Some(additional) => jacobian.offset.copy_from_slice(additional),
            None => jacobian.offset.fill(DVec3::ZERO),
        }
        let lambda2 = jacobian.lambda2(tree, options);
        jacobian.solve(tree, Inverse::Damped(boost * lambda2));
        jacobian.apply(tree, options.parameters);
    }

    fn undo(&mut self) {
        self.before.apply(self.tree);
    }
}

/// Applies the closed form: the two halves of the chain are the bones of a limb that reaches for the target. Limits may
/// keep the limb from the target. The steps that follow correct the remaining error.
fn reach_with_halves(tree: &mut Tree) {
    let Some((halves, task)) = Halves::of(tree).zip(tree.tasks.first().copied()) else { return };
    if halves.middle > 0 {
        bend(tree, 0, halves.middle, &LimbOptions::default());
        // The turn of the first joint within the limb's plane keeps the end on its line from the base.
        swing(tree, 0, task.position);
    }
    swing(tree, 0, task.target.unwrap_or(task.position));
    orient(tree);
}

/// Returns the index of the joint that divides a chain most evenly, or 0 for a chain of one joint.
pub(crate) fn middle_joint(tree: &Tree) -> usize {
    let positions = tree.joints.iter().map(|joint| joint.position);
    let lengths = positions.clone().zip(positions.skip(1)).map(|(a, b)| a.distance(b));
    middle(lengths, tree.lengths(0).sum)
}

/// The two halves of a chain, as vectors in base space.
struct Halves {
    /// Index of the joint between the halves, or 0 for a chain of one joint.
    middle: usize,
    upper: DVec3,
    lower: DVec3,
    /// Target of the end, relative to the first joint.
    target: DVec3,
}

impl Halves {
    /// Returns `None` unless the only goal is a single target position with equal weights on all axes, at least one joint turns, and no
    /// joint is prismatic or coupled. Otherwise the halves do not form a limb.
    fn of(tree: &Tree) -> Option<Self> {
        let [task] = &tree.tasks[..] else { return None };
        if task.position_term.axes.is_some() || !tree.only_turns() {
            return None;
        }
        let middle = middle_joint(tree);
        let (base, at) = (tree.joints.first()?.position, tree.joints.get(middle)?.position);
        Some(Self { middle, upper: at - base, lower: task.position - at, target: task.target? - base })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::tree::moving_base;

    #[test]
    fn an_undone_step_restores_the_base() {
        let mut tree = moving_base();
        let (mut jacobian, mut before, mut start) = (Jacobian::default(), TreePose::default(), Vec::new());
        tree.store_joints(&mut start);
        jacobian.set(&tree);
        let (root, options) = (tree.root, Options::default().jacobian);
        let mut pose =
            PosedTree { tree: &mut tree, jacobian: &mut jacobian, options: &options, before: &mut before };
        pose.step(None, 1.0);
        assert_ne!(pose.tree.root, root);
        pose.undo();
        let mut restored = Vec::new();
        tree.store_joints(&mut restored);
        assert_eq!((tree.root, restored), (root, start));
    }
}
