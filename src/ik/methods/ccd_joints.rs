//! Cyclic coordinate descent for prismatic joints and for mimic joints.

use glam::DVec3;

use crate::CcdOptions;
use crate::tree::{JointState, Tree};

/// Maximum number of times that the step of coupled joints is halved if it does not reduce the error.
const HALVINGS: usize = 6;

/// Moves a prismatic joint to the displacement at which the effectors that it moves are nearest to their target
/// positions, in closed form. The displacement minimises Σ w |target − position|², and changes no orientation. Maximum
/// steps, budgets and [`CcdOptions::linear`] apply only to rotations.
pub(super) fn slide(tree: &mut Tree, index: usize, options: &CcdOptions) {
    let joint = &tree.joints[index];
    let Some(prismatic) = joint.prismatic else { return };
    let along = joint.slide(&prismatic);
    let (mut error, mut weight) = (0.0, 0.0);
    for place in tree.tasks_below(index) {
        let task = &tree.tasks[tree.task_at(place)];
        if let Some(target) = tree.nearest_target(task, task.position) {
            error += task.position_weight() * (target - task.position).dot(along);
            weight += task.position_weight() * along.length_squared();
        }
    }
    if weight <= 0.0 {
        return;
    }
    let step = error / weight * (joint.weight.min(1.0) * options.factor());
    let displacement = prismatic.clamped(joint.displacement + step);
    let moved = along * (displacement - joint.displacement);
    tree.joints[index].displacement = displacement;
    for place in tree.tasks_below(index) {
        let task = tree.task_at(place);
        tree.tasks[task].position += moved;
    }
}

/// Moves a leader and its followers, and returns the angle by which the leader turned, in radians. Leader and followers share one
/// coordinate q with the Jacobian column J, so the Gauss-Newton step is (J·e)/(J·J). The step is halved until it reduces the error. Maximum
/// steps and budgets apply to the leader if it is a hinge. `left` is the leader's remaining budget in radians.
pub(super) fn turn_coupled(tree: &mut Tree, index: usize, options: &CcdOptions, left: f64) -> f64 {
    // Descendant joints may have turned, and the followers need not be among them.
    tree.forward();
    let joint = &tree.joints[index];
    let Some(local) = joint.only_axis() else { return 0.0 };
    let axis = tree.axis_from_frame(joint, local);
    let mut angle = coupled_step(tree, index, axis) * (joint.weight.min(1.0) * options.factor());
    if joint.prismatic.is_none() {
        // `turned_by` is exact up to one radian.
        let largest = options.step.min(left).clamp(0.0, 1.0);
        angle = angle.clamp(-largest, largest);
    }
    let (start, error) = (joint.state(), tree.measure().sum);
    for _ in 0..=HALVINGS {
        let joint = &tree.joints[index];
        let moved = match &joint.prismatic {
            Some(prismatic) => {
                JointState { displacement: prismatic.moved(start.displacement, local * angle), ..start }
            }
            None => JointState { rotation: joint.turned_by(local * angle), ..start },
        };
        tree.joints[index].set_state(moved);
        tree.forward();
        if tree.measure().sum < error {
            return angle.abs();
        }
        tree.joints[index].set_state(start);
        angle *= 0.5;
    }
    tree.forward();
    0.0
}

/// Returns (J·e)/(J·J) for the turn of a joint and its followers about an axis in base space.
fn coupled_step(tree: &Tree, index: usize, axis: DVec3) -> f64 {
    let (mut gradient, mut curvature) = (0.0, 0.0);
    for (effector, task) in tree.tasks.iter().enumerate() {
        let (turned, moved) = tree.effector_motion(index, axis, effector);
        if let Some(target) = tree.nearest_target(task, task.position) {
            gradient += task.position_weight() * moved.dot(target - task.position);
            curvature += task.position_weight() * moved.length_squared();
        }
        let orientation = task.orientation_error().map(|error| (error, task.orientation_weight()));
        let aim = task.aim_error().map(|error| (error, task.weight));
        for (error, weight) in [orientation, aim].into_iter().flatten() {
            let radian2 = task.radian * task.radian * weight;
            gradient += radian2 * turned.dot(error);
            curvature += radian2 * turned.length_squared();
        }
    }
    if curvature > 0.0 { gradient / curvature } else { 0.0 }
}
