//! Cyclic coordinate descent: Wang & Chen 1991; Welman 1993, "Inverse kinematics and geometric constraints for
//! articulated figure manipulation", section 4.2.

use glam::{DQuat, DVec3};

use crate::ik::rotation::{best_fit, rotation_vector, shortest_arc};
use crate::ik::tree::{Joint, Tree};
use crate::ik::{CcdOptions, Limit};

/// The state of cyclic coordinate descent. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(in crate::ik) struct Ccd {
    /// How far each joint has turned in this solve, radians.
    turned: Vec<f64>,
    /// The current and the wanted vectors from the current joint to the effectors below it, in the joint's frame, and
    /// their weights.
    vectors: Vec<(DVec3, DVec3, f64)>,
}

impl Ccd {
    pub(in crate::ik) fn set(&mut self, tree: &Tree) {
        self.turned.clear();
        self.turned.resize(tree.joints.len(), 0.0);
    }

    /// Runs one iteration. Each joint is turned so that the effectors below it come nearest to their goals. For one
    /// position this is the shortest arc from joint→effector to joint→target. For several positions or orientations it
    /// is the solution of Wahba's problem ([`best_fit`]). For a hinge it is the best angle about its axis.
    ///
    /// An iteration from the tips to the base is O(n). The frame of a joint depends on the joints above it, which
    /// turn later, so the frames stay valid and only the effectors need an update. In the other direction the frame
    /// of each joint is updated before the joint turns. Turns below `smallest` radians are skipped.
    pub(in crate::ik) fn pass(&mut self, tree: &mut Tree, options: &CcdOptions, smallest: f64) {
        let count = tree.joints.len();
        for step in 0..count {
            let index = if options.base_first { step } else { count - 1 - step };
            if options.base_first {
                // The joints above have turned. The effectors are already up to date.
                tree.forward_joint(index);
            }
            self.turn(tree, index, options, smallest);
            if options.base_first {
                tree.forward_joint(index);
            }
        }
        tree.forward();
    }

    fn turn(&mut self, tree: &mut Tree, index: usize, options: &CcdOptions, smallest: f64) {
        self.gather(tree, index);
        let joint = &tree.joints[index];
        let arc = match joint.hinge_axis() {
            Some(axis) => best_turn_about(axis, &self.vectors),
            None => match self.vectors[..] {
                [] => return,
                [(from, to, _)] if is_worth_turning(from, to, smallest) => shortest_arc(from, to, DVec3::X),
                [_] => return,
                ref several => best_fit(several.iter().copied()),
            },
        };
        let arc = self.limited_turn(index, tree.joints.len(), joint.weight, arc, options);
        let requested = (arc * joint.rotation).normalize();
        let rotation = joint.allowed(requested);
        let limited = joint.limit != Limit::Free && rotation != requested;
        let arc = if limited { rotation * joint.rotation.conjugate() } else { arc };
        // A turn that a limit has changed may increase the error. Skip it in that case.
        if limited && self.gain(arc) < 0.0 {
            return;
        }
        if options.budget.is_finite() {
            self.turned[index] += rotation_vector(arc).length();
        }
        tree.joints[index].rotation = rotation;
        tree.move_effectors_below(index, arc);
    }

    /// Collects the vectors to all effectors below a joint.
    fn gather(&mut self, tree: &Tree, index: usize) {
        self.vectors.clear();
        let joint = &tree.joints[index];
        for task in tree.tasks_below(index).map(|place| tree.task_at(place)) {
            let task = &tree.tasks[task];
            let inside = |v: DVec3| tree.to_frame(joint, v);
            if let Some(target) = task.target {
                let from = task.position - joint.position;
                self.vectors.push((inside(from), inside(target - joint.position), task.weight));
            }
            if let Some(orientation) = task.orientation {
                // With this length, the errors of the three axes together count as much as the orientation error
                // times `radian`.
                let length = task.radian * std::f64::consts::FRAC_1_SQRT_2;
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let (from, to) = (task.spin * axis * length, orientation * axis * length);
                    self.vectors.push((
                        tree.axis_to_frame(joint, from),
                        tree.axis_to_frame(joint, to),
                        task.weight,
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

    /// Returns the part of a turn that the weight, the maximum step and the budget allow.
    fn limited_turn(
        &self,
        index: usize,
        count: usize,
        weight: f64,
        arc: DQuat,
        options: &CcdOptions,
    ) -> DQuat {
        let cap = options.step * if options.growing { (count - index) as f64 } else { 1.0 };
        let cap = cap.min(options.budget - self.turned[index]).max(0.0);
        if weight >= 1.0 && cap.is_infinite() {
            return arc;
        }
        let turn = rotation_vector(arc) * weight.min(1.0);
        DQuat::from_scaled_axis(turn.clamp_length_max(cap))
    }

    /// Returns how much a turn brings the vectors together: half the decrease of Σ w |to − from|².
    fn gain(&self, arc: DQuat) -> f64 {
        self.vectors.iter().map(|&(from, to, weight)| weight * to.dot(arc * from - from)).sum()
    }
}

/// Returns the turn about an axis that maximises Σ w to·(R from), from the sine and cosine parts of the sum.
pub(in crate::ik) fn best_turn_about(axis: DVec3, vectors: &[(DVec3, DVec3, f64)]) -> DQuat {
    let (sin, cos) = vectors.iter().fold((0.0, 0.0), |(sin, cos), &(from, to, weight)| {
        let along = axis.dot(from) * axis.dot(to);
        (sin + weight * axis.dot(from.cross(to)), cos + weight * (from.dot(to) - along))
    });
    if sin == 0.0 && cos == 0.0 { DQuat::IDENTITY } else { DQuat::from_axis_angle(axis, sin.atan2(cos)) }
}

/// Returns whether the angle between two vectors is at least `smallest`.
fn is_worth_turning(from: DVec3, to: DVec3, smallest: f64) -> bool {
    let lengths = (from.length_squared() * to.length_squared()).sqrt();
    lengths > 0.0 && (from.dot(to) < 0.0 || from.cross(to).length() >= smallest * lengths)
}

impl Tree {
    /// Updates the effectors below a joint that has turned by an arc in its frame. The joints below are not updated.
    fn move_effectors_below(&mut self, index: usize, arc: DQuat) {
        for place in self.tasks_below(index) {
            let task = self.task_at(place);
            let joint: &Joint = &self.joints[index];
            let from = self.to_frame(joint, self.tasks[task].position - joint.position);
            let position = joint.position + Self::from_frame(joint, arc * from);
            let spin = if self.tasks[task].orientation.is_some() || self.tasks[task].aim.is_some() {
                let base_from_axes = DQuat::from_mat3(&self.base_from_axes(joint));
                base_from_axes * arc * base_from_axes.conjugate() * self.tasks[task].spin
            } else {
                self.tasks[task].spin
            };
            (self.tasks[task].position, self.tasks[task].spin) = (position, spin);
        }
    }
}
