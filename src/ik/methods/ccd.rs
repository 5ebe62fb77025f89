//! Cyclic coordinate descent: Wang & Chen 1991; Welman 1993, "Inverse kinematics and geometric constraints for
//! articulated figure manipulation", section 4.2.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::rotation::{any_perpendicular, best_fit, rotation_vector, shortest_arc};
use crate::tree::{JointState, Role, Tree, TreeJoint};
use crate::{CcdOptions, Limit};

use super::ccd_joints::{slide, turn_coupled};

/// The largest number of iterations whose turns are repeated by one extrapolation. The number doubles from 1 to this value in six
/// iterations.
const MAX_STRIDE: f64 = 64.0;
/// The largest turn of a joint by one extrapolation, in radians. A larger turn would leave the region in which the
/// turns of an iteration point in the right direction.
const MAX_EXTRAPOLATION: f64 = 1.0;

/// The state of cyclic coordinate descent. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ccd {
    /// Number of iterations since the start of this descent.
    iterations: usize,
    /// Angle by which each joint has turned in this descent, in radians.
    turned: Vec<f64>,
    /// Square of the length of the longest chain, in base space.
    length2: f64,
    /// The weighted error before the last iteration.
    last_error: f64,
    /// Whether an iteration did not reduce the error and [`CcdOptions::early_stop`] is set.
    stopped: bool,
    /// Number of iterations whose turns are repeated by the next extrapolation.
    stride: f64,
    /// The states of the joints before the iteration and after its sweep, for extrapolation.
    before: Vec<JointState>,
    after: Vec<JointState>,
    /// The current and the desired vectors from the current joint to the effectors that it moves (in the joint's frame), and their weights.
    vectors: Vec<(DVec3, DVec3, f64)>,
}

impl Ccd {
    /// Prepares for iterations that start in the current pose of the tree.
    pub(crate) fn set(&mut self, tree: &Tree) {
        let length = tree.length();
        (self.iterations, self.length2, self.last_error) = (0, length * length, f64::INFINITY);
        (self.stopped, self.stride) = (false, 1.0);
        self.turned.clear();
        self.turned.resize(tree.joints.len(), 0.0);
    }

    /// Returns whether the solve ends because the last iteration did not reduce the weighted error (see
    /// [`CcdOptions::early_stop`]). Called once before each iteration.
    pub(crate) fn stops(&mut self, options: &CcdOptions, error: f64) -> bool {
        self.stopped = options.early_stop && error >= self.last_error;
        self.last_error = error;
        self.stopped
    }

    /// Returns whether the last iterations [ended the solve](Self::stops), so that there is no restart.
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Returns whether any joint has a maximum rotation for the whole solve. If so, the pose must result only from this
    /// method's turns: a limb must not be straightened or bent first, and the solve must not restart from another pose.
    pub(crate) fn has_budgets(tree: &Tree, options: &CcdOptions) -> bool {
        options.budget.is_finite() || tree.joints.iter().any(|j| j.ccd_budget.is_finite())
    }

    /// Runs one iteration. Each joint turns so that the effectors that it moves come nearest to their goals. For one position this is the
    /// shortest arc from joint→effector to joint→target. For several positions or orientations it is the solution of Wahba's problem
    /// ([`best_fit`]). For a hinge it is the best angle about its axis. Prismatic joints and mimic joints have their own steps. If
    /// [`CcdOptions::extrapolate`] is set, [`Ccd::extrapolate`] must follow.
    pub(crate) fn pass(&mut self, tree: &mut Tree, options: &CcdOptions) {
        if options.extrapolate {
            tree.store_joints(&mut self.before);
        }
        self.sweep(tree, options);
        self.iterations += 1;
    }

    /// Returns whether the next iteration turns the joints from the base to the tip.
    pub(crate) fn is_base_first(&self, options: &CcdOptions) -> bool {
        options.is_base_first(self.iterations)
    }

    /// Turns each joint once.
    ///
    /// A sweep from the tips to the base is O(n). The frame of a joint depends on its ancestors, which turn later, so
    /// the frames stay valid and only the effectors need an update. In the other direction the frame of each joint is
    /// updated before the joint turns.
    fn sweep(&mut self, tree: &mut Tree, options: &CcdOptions) {
        let (count, base_first) = (tree.joints.len(), options.is_base_first(self.iterations));
        for step in 0..count {
            let index = if base_first { step } else { count - 1 - step };
            if base_first {
                // The joint's ancestors have turned. The effectors are already up to date.
                tree.forward_joint(index);
            }
            if tree.joints[index].role == Role::Leader {
                let left = options.budget.min(tree.joints[index].ccd_budget) - self.turned[index];
                self.turned[index] += turn_coupled(tree, index, options, left);
            } else if tree.joints[index].role == Role::Single {
                self.turn(tree, index, options);
            }
            if base_first {
                tree.forward_joint(index);
            }
        }
        tree.forward();
    }

    fn turn(&mut self, tree: &mut Tree, index: usize, options: &CcdOptions) {
        if tree.joints[index].prismatic.is_some() {
            return slide(tree, index, options);
        }
        self.gather(tree, index);
        let joint = &tree.joints[index];
        let arc = match (joint.hinge_axis(), &self.vectors[..]) {
            (_, []) => return,
            (axis, vectors) if options.linear => linear_turn(axis, vectors, self.length2),
            (Some(axis), vectors) => best_turn_about(axis, vectors),
            (None, &[(from, to, _)]) => arc_to_target(tree, joint, from, to),
            (None, several) => best_fit(several.iter().copied()),
        };
        let budget = options.budget.min(joint.ccd_budget);
        let is_whole = options.has_full_turns() && joint.weight >= 1.0 && budget.is_infinite();
        let arc = if is_whole {
            arc
        } else {
            let place = tree.joints.len() - index;
            partial_turn(arc, joint.weight, place, budget - self.turned[index], options)
        };
        let requested = (arc * joint.rotation).normalize();
        let rotation = joint.allowed(requested);
        let limited = joint.limit != Limit::Free && rotation != requested;
        let arc = if limited { rotation * joint.rotation.conjugate() } else { arc };
        // A turn that a limit has changed may increase the error. Skip it in that case.
        if limited && self.gain(arc) < 0.0 {
            return;
        }
        if budget.is_finite() {
            self.turned[index] += rotation_vector(arc).length();
        }
        tree.joints[index].rotation = rotation;
        tree.move_effectors_below(index, arc);
    }

    /// Repeats the turns of the last sweep, `stride` times as far, if this reduces the error.
    pub(crate) fn extrapolate(&mut self, tree: &mut Tree) {
        let error = tree.measure().sum;
        tree.store_joints(&mut self.after);
        for (joint, before) in tree.joints.iter_mut().zip(&self.before) {
            if let Some(prismatic) = &joint.prismatic {
                let further = (joint.displacement - before.displacement) * self.stride;
                let largest = MAX_EXTRAPOLATION * prismatic.per_radian;
                joint.displacement = prismatic.clamped(joint.displacement + further.clamp(-largest, largest));
                continue;
            }
            let turn = rotation_vector(joint.rotation * before.rotation.conjugate()) * self.stride;
            let further = DQuat::from_scaled_axis(turn.clamp_length_max(MAX_EXTRAPOLATION)) * joint.rotation;
            joint.rotation = joint.allowed(further.normalize());
        }
        tree.forward();
        if tree.measure().sum < error {
            self.stride = (self.stride * 2.0).min(MAX_STRIDE);
            return;
        }
        self.stride = (self.stride * 0.5).max(1.0);
        tree.restore_joints(&self.after);
    }

    /// Collects the vectors to all effectors that a joint moves.
    fn gather(&mut self, tree: &Tree, index: usize) {
        self.vectors.clear();
        let joint = &tree.joints[index];
        for task in tree.tasks_below(index).map(|place| tree.task_at(place)) {
            let task = &tree.tasks[task];
            let inside = |v: DVec3| tree.to_frame(joint, v);
            if let Some(target) = tree.nearest_target(task, task.position) {
                let from = task.position - joint.position;
                self.vectors.push((inside(from), inside(target - joint.position), task.position_weight()));
            }
            if let Some(orientation) = task.nearest_orientation(task.rotation) {
                // This length makes the errors of the three axes together count as much as the orientation error times
                // `radian`.
                let length = task.radian * std::f64::consts::FRAC_1_SQRT_2;
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let (from, to) = (task.rotation * axis * length, orientation * axis * length);
                    self.vectors.push((
                        tree.axis_to_frame(joint, from),
                        tree.axis_to_frame(joint, to),
                        task.orientation_weight(),
                    ));
                }
            }
            if let Some((from, to)) = task.aim_directions() {
                let (from, to) = (from * task.radian, to * task.radian);
                self.vectors.push((
                    tree.axis_to_frame(joint, from),
                    tree.axis_to_frame(joint, to),
                    task.weight,
                ));
            }
        }
    }

    /// Returns the amount by which a turn brings the vectors together: half the decrease of Σ w |to − from|².
    fn gain(&self, arc: DQuat) -> f64 {
        self.vectors.iter().map(|&(from, to, weight)| weight * to.dot(arc * from - from)).sum()
    }
}

/// Returns the turn about an axis that maximises Σ w to·(R from), from the sine and cosine parts of the sum.
pub(crate) fn best_turn_about(axis: DVec3, vectors: &[(DVec3, DVec3, f64)]) -> DQuat {
    let (sin, cos) = vectors.iter().fold((0.0, 0.0), |(sin, cos), &(from, to, weight)| {
        let along = axis.dot(from) * axis.dot(to);
        (sin + weight * axis.dot(from.cross(to)), cos + weight * (from.dot(to) - along))
    });
    if sin == 0.0 && cos == 0.0 { DQuat::IDENTITY } else { DQuat::from_axis_angle(axis, sin.atan2(cos)) }
}

/// Returns the linearised turn (see [`CcdOptions::linear`]) about the axis of a hinge, or about any axis if `axis` is
/// `None`. `length2` is the square of the chain's length.
///
/// The weighted mean of l × Δp equals the weighted mean of `from × to`, because from × (to − from) = from × to.
#[inline]
pub(crate) fn linear_turn(axis: Option<DVec3>, vectors: &[(DVec3, DVec3, f64)], length2: f64) -> DQuat {
    let sum = |(sum, total): (DVec3, f64), &(from, to, weight): &(DVec3, DVec3, f64)| {
        (sum + from.cross(to) * weight, total + weight)
    };
    let (sum, total) = vectors.iter().fold((DVec3::ZERO, 0.0), sum);
    let turn = sum / (length2 * total).max(f64::MIN_POSITIVE);
    DQuat::from_scaled_axis(axis.map_or(turn, |axis| axis * axis.dot(turn)))
}

/// Returns the shortest arc between two vectors in a joint's frame. If the vectors are opposite, the axis of the arc is
/// perpendicular to them and does not depend on the joint's frame.
fn arc_to_target(tree: &Tree, joint: &TreeJoint, from: DVec3, to: DVec3) -> DQuat {
    let hint = if from.dot(to) < 0.0 {
        tree.to_frame(joint, any_perpendicular(Tree::from_frame(joint, from)))
    } else {
        DVec3::X
    };
    shortest_arc(from, to, hint)
}

/// Returns the part of a turn that is applied. `weight` is the joint's weight, `place` is its number counted from the
/// tip, and `left` is its remaining budget in radians.
#[inline]
pub(crate) fn partial_turn(arc: DQuat, weight: f64, place: usize, left: f64, options: &CcdOptions) -> DQuat {
    #[expect(clippy::cast_precision_loss, reason = "chains are short")]
    let step = options.step * if options.growing { place as f64 } else { 1.0 };
    let turn = rotation_vector(arc) * (weight.min(1.0) * options.factor());
    DQuat::from_scaled_axis(turn.clamp_length_max(step.min(left).clamp(0.0, PI)))
}

impl Tree {
    /// Updates all effectors that a joint moves, after it has turned by an arc in its frame. Descendant joints are not
    /// updated.
    fn move_effectors_below(&mut self, index: usize, arc: DQuat) {
        for place in self.tasks_below(index) {
            let task = self.task_at(place);
            let joint: &TreeJoint = &self.joints[index];
            let from = self.to_frame(joint, self.tasks[task].position - joint.position);
            let position = joint.position + Self::from_frame(joint, arc * from);
            let rotation = if self.tasks[task].orientation.is_some() || self.tasks[task].aim.is_some() {
                let base_from_axes = DQuat::from_mat3(&self.base_from_axes(joint));
                base_from_axes * arc * base_from_axes.conjugate() * self.tasks[task].rotation
            } else {
                self.tasks[task].rotation
            };
            (self.tasks[task].position, self.tasks[task].rotation) = (position, rotation);
        }
    }
}
