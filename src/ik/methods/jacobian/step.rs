//! Iterations of the Jacobian methods.

use glam::{DMat3, DQuat, DVec3};

use crate::ik::rotation::rotation_vector;
use crate::ik::tree::{Joint, Tree};
use crate::ik::{JacobianOptions, JointParameters, Method, Secondary};

use super::{Inverse, Jacobian};

/// Maximum rotation of a joint per iteration, in radians.
const LARGEST_TURN: f64 = 1.0;
/// Maximum number of iterations that restore pins.
const RESTORE_ITERATIONS: usize = 12;

impl Jacobian {
    /// Brings pinned goals back within tolerance, regardless of the other goals.
    pub(in crate::ik) fn restore_pins(&mut self, tree: &mut Tree) {
        self.set(tree);
        for _ in 0..RESTORE_ITERATIONS {
            if tree.measure().meets_pins() {
                break;
            }
            self.evaluate(tree, f64::INFINITY);
            for (index, row) in self
                .rows
                .iter_mut()
                .enumerate()
                .filter(|(_, t)| !tree.tasks.get(t.task).is_some_and(|task| task.pinned))
            {
                row.error = DVec3::ZERO;
                self.levers.iter_mut().filter(|l| l.row == index).for_each(|l| l.matrix = DMat3::ZERO);
            }
            self.set_freedom(tree, JointParameters::RotationVector);
            self.pull.fill(DVec3::ZERO);
            let length = tree.length();
            self.solve(tree, Inverse::Damped(1e-9 * length * length));
            self.apply(tree, JointParameters::RotationVector);
        }
    }

    /// Turns the joints within their limits and moves the base.
    pub(in crate::ik) fn apply(&mut self, tree: &mut Tree, parameters: JointParameters) {
        let largest = self.turns.iter().map(|t| t.length_squared()).fold(0.0, f64::max).sqrt();
        let scale = if largest > LARGEST_TURN { LARGEST_TURN / largest } else { 1.0 };
        for (index, turn) in self.turns.iter().enumerate() {
            let joint = &tree.joints[index];
            let local = tree.axis_to_frame(joint, *turn * scale);
            let euler = parameters == JointParameters::Euler && joint.hinge_axis().is_none();
            let requested =
                if euler { euler_step(joint.rotation, local) } else { retract(local) * joint.rotation };
            let allowed = joint.allowed(requested.normalize());
            tree.joints[index].rotation = allowed;
        }
        if self.root_weight > 0.0 {
            tree.root += self.root_step * scale;
        }
        tree.forward();
    }

    /// Runs one iteration of transpose, pseudo-inverse, damped or selectively damped least squares.
    ///
    /// `additional`: rotations in base space that replace the secondary task of the options.
    pub(in crate::ik) fn pass(
        &mut self,
        tree: &mut Tree,
        kind: Method,
        options: &JacobianOptions,
        additional: Option<&[DVec3]>,
    ) {
        let inverse = match kind {
            Method::JacobianTranspose => Inverse::Transpose,
            Method::PseudoInverse => Inverse::Pseudo,
            Method::Sdls => Inverse::Selective,
            _ => return self.damped_pass(tree, options, additional),
        };
        self.evaluate(tree, options.clamp * tree.length());
        self.set_freedom(tree, options.parameters);
        self.secondary(tree, options);
        self.solve(tree, inverse);
        self.apply(tree, options.parameters);
    }

    /// Computes the rotations of the secondary task.
    pub(super) fn secondary(&mut self, tree: &Tree, options: &JacobianOptions) {
        for (index, joint) in tree.joints.iter().enumerate() {
            let wanted = match options.secondary {
                Secondary::None => {
                    self.pull[index] = DVec3::ZERO;
                    continue;
                }
                Secondary::Rest => joint.rest,
                Secondary::Posture => joint.posture,
                Secondary::Start => self.start[index],
                Secondary::LimitCentres => joint.centre(),
            };
            self.pull[index] = towards(tree, joint, wanted) * options.secondary_gain;
        }
    }
}

/// Returns the rotation that turns a joint to `wanted`, as a rotation vector in base space. For a hinge, only the
/// component about its axis is returned.
pub(in crate::ik) fn towards(tree: &Tree, joint: &Joint, wanted: DQuat) -> DVec3 {
    let turn = rotation_vector(wanted * joint.rotation.conjugate());
    let turn = joint.hinge_axis().map_or(turn, |axis| axis * turn.dot(axis));
    tree.base_from_axes(joint) * turn
}

/// Converts a rotation vector to a unit quaternion. The conversion is exact to first order, and the angle never
/// exceeds π.
pub(in crate::ik) fn retract(v: DVec3) -> DQuat {
    let half = v * 0.5;
    let scale = 1.0 / (1.0 + half.length_squared()).sqrt();
    DQuat::from_vec4((half * scale).extend(scale))
}

/// Returns the axes of the x, y and z angles of a rotation in XYZ order, in the frame before turning.
pub(super) fn euler_axes(rotation: DQuat) -> DMat3 {
    let (a, b, _) = rotation.to_euler(glam::EulerRot::XYZ);
    let x = DQuat::from_rotation_x(a);
    let y = x * DVec3::Y;
    DMat3::from_cols(DVec3::X, y, x * (DQuat::from_rotation_y(b) * DVec3::Z))
}

/// Applies a turn to the three Euler angles of a rotation. With the axes E the turn is E Eᵀ Jᵀ y, so the angles
/// change by Eᵀ Jᵀ y.
pub(super) fn euler_step(rotation: DQuat, turn: DVec3) -> DQuat {
    let (a, b, c) = rotation.to_euler(glam::EulerRot::XYZ);
    let axes = euler_axes(rotation);
    // At gimbal lock two axes coincide. A little damping selects the smallest angles that produce the turn.
    let m = axes.transpose() * axes + DMat3::from_diagonal(DVec3::splat(1e-9));
    let rates = m.inverse() * axes.transpose_mul_vec3(turn);
    DQuat::from_euler(glam::EulerRot::XYZ, a + rates.x, b + rates.y, c + rates.z)
}
