//! Applies the turns of a step to a tree.

use glam::{DMat3, DQuat, DVec3};

use crate::JointParameters;
use crate::tree::Tree;

use super::Jacobian;

/// Maximum rotation of a joint per iteration, in radians. Beyond about this angle, the linearised step is a poor
/// prediction of the resulting pose.
pub(crate) const LARGEST_TURN: f64 = 1.0;
/// Damping of a step in Euler angles, in radians squared. In gimbal lock, two of the axes are parallel.
const GIMBAL_DAMPING: f64 = 1e-9;

impl Jacobian {
    /// Returns the factor that scales the step so that no joint turns by more than the maximum.
    pub(super) fn step_scale(&self) -> f64 {
        let largest = self.turns.iter().map(|t| t.length_squared()).fold(0.0, f64::max).sqrt();
        if largest > LARGEST_TURN { LARGEST_TURN / largest } else { 1.0 }
    }

    /// Turns and displaces the joints within their limits, and moves the base.
    pub(crate) fn apply(&mut self, tree: &mut Tree, parameters: JointParameters) {
        let scale = self.step_scale();
        for (index, turn) in self.turns.iter().enumerate() {
            let joint = &tree.joints[index];
            let local = tree.axis_to_frame(joint, *turn * scale);
            if joint.prismatic.is_some() {
                let from = joint.displacement;
                tree.joints[index].slide_by(from, local);
                continue;
            }
            let euler = parameters == JointParameters::Euler && joint.hinge.is_none();
            tree.joints[index].rotation = if euler {
                joint.allowed(euler_step(joint.rotation, local).normalize())
            } else {
                joint.turned_by(local)
            };
        }
        if self.root_weight > 0.0 {
            tree.root += self.root_step * scale;
        }
        tree.forward();
    }
}

/// Returns the axes of the x, y and z angles of a rotation in XYZ order, in the frame before the rotation.
pub(crate) fn euler_axes(rotation: DQuat) -> DMat3 {
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
    // In gimbal lock, two axes coincide. A little damping selects the smallest angles that produce the turn.
    let m = axes.transpose() * axes + DMat3::from_diagonal(DVec3::splat(GIMBAL_DAMPING));
    let rates = m.inverse() * axes.transpose_mul_vec3(turn);
    DQuat::from_euler(glam::EulerRot::XYZ, a + rates.x, b + rates.y, c + rates.z)
}
