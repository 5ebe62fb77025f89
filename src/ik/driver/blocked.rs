//! Whether limits keep an effector from its goal.
//!
//! At the nearest pose within limits, the gradient of the squared error points out of the limits (Karush 1939; Kuhn &
//! Tucker 1951). The projected gradient, which is the part that the limits allow, then gains nothing.

use glam::{DMat3, DQuat, DVec3};

use crate::ik::rotation::rotation_vector;
use crate::ik::tree::{EffectorTask, Joint, Tree};

/// Largest angle of the trial turn that is projected by the limits, radians. It is small enough for the limits to be
/// flat, and large compared with the distance from the border at which a converged joint may still be.
const TRIAL: f64 = 1e-3;
/// A smaller part of the trial turn is a rounding error, radians.
const ROUNDING: f64 = 1e-9;
/// Limits block the error if they remove at least this fraction of the gradient.
const REMOVED: f64 = 1e-2;
/// Limits block the error if the best step along the projected gradient, of at most [`STEP`], would remove at most this
/// fraction of the squared error, to second order.
const REMAINING_GAIN: f64 = 1e-2;
/// Largest turn of a joint in the step along the projected gradient, radians. The linear model is good for it.
const STEP: f64 = 0.1;

/// The error of a straight chain is flat: its gradient is at most this fraction of what the error and the chain's length
/// allow. Rounding leaves far less, and limits that block a bent chain leave far more.
const FLAT: f64 = 1e-6;

/// The derivatives of an effector's squared error, in base space.
struct Gradient {
    /// Negative derivatives of half the squared error: with respect to the position, and, divided by `radian` twice, with
    /// respect to the orientation. If all axes count equally, they are the position error, metres, and the orientation
    /// error, radians.
    error: DVec3,
    turn: DVec3,
    radian: f64,
    /// The squared position error and the squared orientation error, metres squared.
    squares: (f64, f64),
    position: WeightedMap,
    orientation: WeightedMap,
}

/// How a part of the error sees a vector of base space: the weight, and the map to the axes if these differ.
#[derive(Clone, Copy, Debug)]
struct WeightedMap {
    weight: f64,
    axes: Option<DMat3>,
}

impl WeightedMap {
    /// Returns the weighted squared length of a vector along the axes.
    fn square(&self, vector: DVec3) -> f64 {
        self.weight * self.axes.map_or(vector, |axes| axes * vector).length_squared()
    }
}

/// Returns whether the limits of the joints above an effector keep it from its goal.
pub(in crate::ik) fn is_blocked(tree: &Tree, effector: usize) -> bool {
    let task = &tree.tasks[effector];
    let gradient = Gradient::new(task);
    let above = || tree.movers(effector);
    let slope = |joint: usize| gradient.slope(tree, joint, effector);
    let steepest = above().map(|j| slope(j).length()).fold(0.0, f64::max);
    if steepest == 0.0 {
        return false;
    }
    let scale = TRIAL / steepest;
    let (mut whole, mut removed, mut along) = (0.0, 0.0, 0.0);
    let mut longest = 0.0_f64;
    let (mut moved, mut turned) = (DVec3::ZERO, DVec3::ZERO);
    for joint in above() {
        let slope = slope(joint);
        let allowed = allowed(tree, &tree.joints[joint], slope * scale) / scale;
        whole += slope.length_squared();
        removed += (slope - allowed).length_squared();
        along += slope.dot(allowed);
        longest = longest.max(allowed.length());
        let (turn, shift) = tree.effector_motion(joint, allowed, effector);
        moved += shift;
        turned += turn * gradient.radian;
    }
    let bent = if task.target.is_some() { gradient.position.square(moved) } else { 0.0 };
    let spun = if gradient.turn == DVec3::ZERO { 0.0 } else { gradient.orientation.square(turned) };
    let squared = gradient.squares.0 + gradient.squares.1;
    let curvature = bent + spun;
    let best = if curvature > 0.0 { along / curvature } else { f64::INFINITY };
    let step = if longest > 0.0 { best.min(STEP / longest) } else { 0.0 };
    let gain = step * (2.0 * along - step * curvature);
    removed > REMOVED * REMOVED * whole && gain <= REMAINING_GAIN * squared
}

/// Returns whether no joint has a direction to turn in, although a goal is not met.
pub(super) fn is_flat(tree: &Tree) -> bool {
    (0..tree.tasks.len()).filter(|&t| tree.tasks[t].weight > 0.0).all(|index| {
        let task = &tree.tasks[index];
        let gradient = Gradient::new(task);
        let error = gradient.error.length() + gradient.radian * gradient.turn.length();
        let steepest = FLAT * error * tree.lengths(index).sum;
        tree.movers(index).all(|joint| gradient.slope(tree, joint, index).length() <= steepest)
    })
}

impl Gradient {
    fn new(task: &EffectorTask) -> Self {
        let radian = task.radian;
        let error = task.target.map_or(DVec3::ZERO, |target| target - task.position);
        let term = &task.position_term;
        let position = WeightedMap { weight: term.weight, axes: term.axes.map(|a| a.weighted_from_base) };
        let orientation = match task.orientation {
            Some(_) => WeightedMap { weight: task.orientation_term.weight, axes: task.turn_map },
            None => WeightedMap { weight: 1.0, axes: None },
        };
        // The error along the axes is already weighted once. The transposed map weights it again.
        let (turn, turn_along) = match (task.orientation, orientation.axes) {
            (Some(_), Some(axes)) => {
                let along = task.orientation_term.weighted_rotation(task.turn);
                (axes.transpose() * along, along)
            }
            (Some(_), None) => (task.turn, task.turn),
            (None, _) => (task.aim_turn, task.aim_turn),
        };
        let force = position.axes.map_or(error, |axes| axes.transpose() * (axes * error));
        Self {
            error: force * position.weight,
            turn: turn * orientation.weight,
            radian,
            squares: (position.square(error), orientation.weight * (radian * turn_along).length_squared()),
            position,
            orientation,
        }
    }

    /// Returns the negative gradient with respect to the turn of a joint and its followers, as a rotation vector.
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

/// Returns the part of a small turn of a joint that its limit allows, as a rotation vector in base space.
fn allowed(tree: &Tree, joint: &Joint, turn: DVec3) -> DVec3 {
    if let Some(prismatic) = &joint.prismatic {
        let moved = prismatic.moved(joint.displacement, tree.axis_to_frame(joint, turn));
        let angle = (moved - joint.displacement) / prismatic.per_radian;
        return tree.base_from_axes(joint) * (prismatic.axis * angle);
    }
    let requested = DQuat::from_scaled_axis(tree.axis_to_frame(joint, turn)) * joint.rotation;
    let allowed = rotation_vector(joint.allowed(requested.normalize()) * joint.rotation.conjugate());
    // The step along the gradient would enlarge a rounding error to a turn that the limit does not allow.
    if allowed.length() < ROUNDING { DVec3::ZERO } else { tree.base_from_axes(joint) * allowed }
}
