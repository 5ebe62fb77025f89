//! Poses in which, to first order, no joint rotation reduces the error.

use glam::DVec3;

use crate::LimbOptions;
use crate::methods::two_bone::{bend, swing};
use crate::tree::{EffectorTask, Tree};

/// The error of a straight chain counts as flat if its gradient is at most this fraction of the product of the error and the
/// chain's length. Rounding errors leave a far smaller gradient, and limits that block a bent chain leave a far larger one.
const FLAT: f64 = 1e-6;

/// Sine of the largest bend angle of a nearly straight chain. In the rest poses of characters, knees may be bent backwards by up to ten
/// degrees.
const STRETCHED: f64 = 0.2;
/// A hinge counts as stopped at its limit if it is within this angle of the limit, in radians.
const AT_LIMIT: f64 = 1e-3;

/// Negative derivatives of half an effector's squared error, in base space.
struct Gradient {
    /// Derivative with respect to the position, in metres. `turn` is the derivative with respect to the orientation, divided by the
    /// square of `radian`.
    error: DVec3,
    turn: DVec3,
    radian: f64,
}

/// Returns whether, to first order, no joint rotation reduces the error, although a goal is not met.
pub(super) fn is_flat(tree: &Tree) -> bool {
    (0..tree.tasks.len()).filter(|&t| tree.tasks[t].weight > 0.0).all(|index| {
        let task = &tree.tasks[index];
        let gradient = Gradient::new(task);
        let error = gradient.error.length() + gradient.radian * gradient.turn.length();
        let steepest = FLAT * error * tree.lengths(index).sum;
        tree.movers(index).all(|joint| gradient.slope(tree, joint, index).length() <= steepest)
    })
}

/// Returns the hinge that has stopped at its limit and keeps a nearly straight chain from folding. The knee of a straight leg is
/// such a hinge if its limit is a little beyond straight. If the target is between hip and foot, the error grows until the knee has
/// bent a little, and only then falls.
pub(super) fn stopped_hinge(tree: &Tree) -> Option<usize> {
    let [task] = &tree.tasks[..] else { return None };
    let (target, first) = task.target.zip(tree.joints.first())?;
    let is_nearer = target.distance(first.position) < task.position.distance(first.position);
    let is_straight = |index: usize| {
        let joint = &tree.joints[index];
        let Some(parent) = joint.parent.map(|parent| &tree.joints[parent]) else { return false };
        let (upper, lower) = (joint.position - parent.position, task.position - joint.position);
        upper.cross(lower).length() < STRETCHED * upper.length() * lower.length() && upper.dot(lower) > 0.0
    };
    let is_stopped = |index: usize| {
        let joint = &tree.joints[index];
        joint.hinge_axis().is_some() && joint.is_at_border(AT_LIMIT)
    };
    tree.above(0).find(|&index| is_nearer && is_stopped(index) && is_straight(index))
}

/// Bends a hinge until the end is as far from the joint above the hinge as the target is. Then turns that joint so that the end
/// keeps its direction from that joint.
pub(super) fn fold(tree: &mut Tree, hinge: usize) {
    let Some((line, above)) = tree.tasks.first().map(|t| t.position).zip(tree.joints[hinge].parent) else {
        return;
    };
    bend(tree, above, hinge, &LimbOptions::default());
    swing(tree, above, line);
}

impl Gradient {
    fn new(task: &EffectorTask) -> Self {
        let error = task.target.map_or(DVec3::ZERO, |target| target - task.position);
        // The error along the axes already contains the weights once. The transposed map multiplies this error by the weights again.
        let turn = match (task.orientation, task.turn_map) {
            (Some(_), Some(map)) => map.transpose() * task.orientation_term.weighted_rotation(task.turn),
            (Some(_), None) => task.turn,
            (None, _) => task.aim_turn,
        };
        let weight = task.orientation.map_or(1.0, |_| task.orientation_term.weight);
        let axes = task.position_term.axes.map(|axes| axes.weighted_from_base);
        let force = axes.map_or(error, |axes| axes.transpose() * (axes * error));
        Self { error: force * task.position_term.weight, turn: turn * weight, radian: task.radian }
    }

    /// Returns the negative gradient with respect to the rotation of a joint and its followers, as a rotation vector.
    fn slope(&self, tree: &Tree, index: usize, effector: usize) -> DVec3 {
        let along = |axis| {
            let (turned, moved) = tree.effector_motion(index, axis, effector);
            moved.dot(self.error) + self.radian * self.radian * turned.dot(self.turn)
        };
        let joint = &tree.joints[index];
        match joint.only_axis() {
            Some(axis) => {
                let axis = tree.base_from_axes(joint) * axis;
                axis * along(axis)
            }
            None => DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)),
        }
    }
}
