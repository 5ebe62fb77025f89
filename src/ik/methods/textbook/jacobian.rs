//! The Jacobian methods as described in the founding documents: Oshita's lecture of 2021 (pseudo-inverse, null space and weights), Li &
//! Peng 2013 (eqs. 5 to 12), and the notes of 2020 (transpose).

use glam::{DMat3, DQuat, DVec3, EulerRot};

use crate::methods::jacobian::{euler_axes, secondary_state, towards};
use crate::rotation::wrapped;
use crate::tree::{JointState, Tree, TreeJoint};
use crate::{JacobianOptions, JointParameters};

use super::linear::{Matrix, solve};
use super::planar_axis;

/// Largest length of Δp as a fraction of the chain's length: the upper end of the lecture's 2 to 10 %.
pub(crate) const LARGEST_STEP: f64 = 0.1;

/// The method that computes the change of the angles from Δp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inverse {
    /// Δθ = δ Jᵀ Δp.
    Transpose(f64),
    /// Δθ = J⁺ Δp, damped by λ². Zero means the pseudo-inverse itself.
    Pseudo(f64),
}

/// A column of the Jacobian: an angle of a joint.
#[derive(Clone, Copy, Debug)]
struct Column {
    joint: usize,
    /// Unit axis in base space.
    axis: DVec3,
    /// a × l: the velocity of the end in base space.
    entry: DVec3,
    /// The entry of W⁻¹.
    weight: f64,
    /// The change of the angle that the secondary task requests, in radians.
    wanted: f64,
    /// The change of the angle, in radians.
    change: f64,
}

/// The Jacobian of one step. Buffers are reused by later steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobian {
    columns: Vec<Column>,
    /// Joint states at the start.
    start: Vec<JointState>,
    /// The [`difference`] that a secondary task requests of each joint.
    pub(crate) wanted: Vec<DVec3>,
}

impl Jacobian {
    /// Prepares for a solve that starts in the current pose.
    pub(crate) fn set(&mut self, tree: &Tree) {
        tree.store_joints(&mut self.start);
        self.wanted.clear();
        self.wanted.resize(tree.joints.len(), DVec3::ZERO);
    }

    /// Sets the secondary task of the options.
    pub(crate) fn set_secondary(&mut self, tree: &Tree, options: &JacobianOptions) {
        for ((wanted, joint), start) in self.wanted.iter_mut().zip(&tree.joints).zip(&self.start) {
            let state = secondary_state(joint, options.secondary, Some(*start));
            let change = state.map(|state| difference(tree, joint, state, options.parameters));
            *wanted = change.map_or(DVec3::ZERO, |change| change * options.secondary_gain);
        }
    }

    /// Makes one step. Δp is at most `longest` base-space metres long. Returns false and changes nothing if the matrix
    /// that must be inverted is singular.
    pub(crate) fn step(
        &mut self,
        tree: &mut Tree,
        inverse: Inverse,
        parameters: JointParameters,
        longest: f64,
    ) -> bool {
        let Some(task) = tree.tasks.first() else { return false };
        let Some(target) = task.target else { return false };
        let moved = (target - task.position).clamp_length_max(longest);
        self.set_columns(tree, parameters, inverse);
        let solved = match inverse {
            Inverse::Transpose(delta) => {
                self.columns.iter_mut().for_each(|c| c.change = delta * c.weight * c.entry.dot(moved));
                true
            }
            Inverse::Pseudo(damping) => self.invert(moved, damping, planar_axis(tree)),
        };
        if solved {
            self.apply(tree, parameters, inverse);
        }
        solved
    }

    /// Computes the columns J_j = a_j × l_j.
    fn set_columns(&mut self, tree: &Tree, parameters: JointParameters, inverse: Inverse) {
        self.columns.clear();
        let Some(end) = tree.tasks.first().map(|task| task.position) else { return };
        for ((index, joint), wanted) in tree.joints.iter().enumerate().zip(&self.wanted) {
            let mut add = |axis: DVec3, wanted: f64| {
                let entry = tree.velocity(joint, axis, end - joint.position);
                let column = Column { joint: index, axis, entry, weight: joint.weight, wanted, change: 0.0 };
                self.columns.push(column);
            };
            match (joint.hinge_axis(), parameters) {
                (Some(axis), _) => {
                    let axis = tree.axis_from_frame(joint, axis);
                    add(axis, wanted.dot(axis));
                }
                (None, JointParameters::Euler) => {
                    let DMat3 { x_axis, y_axis, z_axis } = euler_axes(joint.rotation);
                    let axes = [x_axis, y_axis, z_axis].map(|axis| tree.axis_from_frame(joint, axis));
                    axes.into_iter().zip(wanted.to_array()).for_each(|(axis, wanted)| add(axis, wanted));
                }
                (None, JointParameters::RotationVector) => {
                    // In the notes, joints turn about the axes of the world.
                    let is_transpose = matches!(inverse, Inverse::Transpose(_));
                    let place = |axis| if is_transpose { tree.base_direction(axis) } else { axis };
                    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(place);
                    axes.into_iter().for_each(|axis| add(axis, wanted.dot(axis)));
                }
            }
        }
    }

    /// Computes Δθ = J⁺ Δp + (I − J⁺ J) Δθ′, with J⁺ = W⁻¹ Jᵀ (J W⁻¹ Jᵀ + λ² I)⁻¹ if there are at least as many columns
    /// as rows, and J⁺ = (Jᵀ J + λ² I)⁻¹ Jᵀ if there are fewer. The Jacobian of a planar chain has only the two rows of
    /// its plane. Returns false if the matrix is singular.
    fn invert(&mut self, moved: DVec3, damping: f64, plane: Option<DVec3>) -> bool {
        let rows: [DVec3; 3] = match plane {
            Some(normal) => {
                let side = normal.any_orthonormal_vector();
                [side, normal.cross(side), DVec3::ZERO]
            }
            None => [DVec3::X, DVec3::Y, DVec3::Z],
        };
        let count = if plane.is_some() { 2 } else { 3 };
        let secondary: DVec3 = self.columns.iter().map(|c| c.entry * c.wanted).sum();
        let left = moved - secondary;
        let changes = if self.columns.len() < count {
            self.tall(left, damping)
        } else {
            let inside = |v: DVec3| rows.map(|row| row.dot(v));
            let mut matrix: Matrix = [[0.0; 3]; 3];
            for column in &self.columns {
                let entry = inside(column.entry);
                for (row, own) in matrix.iter_mut().zip(entry) {
                    row.iter_mut().zip(entry).for_each(|(sum, other)| *sum += column.weight * own * other);
                }
            }
            (0..3).for_each(|i| matrix[i][i] += damping);
            let Some(y) = solve(matrix, inside(left), count) else { return false };
            // The third row is zero in a plane. With `take(count)`, LLVM orders the operands of a phi differently in each build.
            let y: DVec3 = rows.into_iter().zip(y).map(|(row, y)| row * y).sum();
            self.columns.iter_mut().for_each(|c| c.change = c.wanted + c.weight * c.entry.dot(y));
            return true;
        };
        let Some(changes) = changes else { return false };
        self.columns.iter_mut().zip(changes).for_each(|(c, change)| c.change = c.wanted + change);
        true
    }

    /// Returns (Jᵀ J + λ² I)⁻¹ Jᵀ Δp for a Jacobian with fewer than three columns, or `None` if the matrix is singular.
    fn tall(&self, moved: DVec3, damping: f64) -> Option<[f64; 3]> {
        let (mut matrix, mut right): (Matrix, _) = ([[0.0; 3]; 3], [0.0; 3]);
        for ((row, right), own) in matrix.iter_mut().zip(&mut right).zip(&self.columns) {
            *right = own.entry.dot(moved);
            row.iter_mut().zip(&self.columns).for_each(|(x, other)| *x = own.entry.dot(other.entry));
        }
        (0..3).for_each(|i| matrix[i][i] += damping);
        solve(matrix, right, self.columns.len())
    }

    /// Turns the joints.
    fn apply(&self, tree: &mut Tree, parameters: JointParameters, inverse: Inverse) {
        for changes in self.columns.chunk_by(|a, b| a.joint == b.joint) {
            let Some(joint) = changes.first().and_then(|first| tree.joints.get(first.joint)) else {
                continue;
            };
            let rotation = match (joint.hinge_axis(), changes) {
                (Some(axis), [only]) => DQuat::from_axis_angle(axis, only.change) * joint.rotation,
                (None, [x, y, z]) if parameters == JointParameters::Euler => {
                    let (a, b, c) = joint.rotation.to_euler(EulerRot::XYZ);
                    DQuat::from_euler(EulerRot::XYZ, a + x.change, b + y.change, c + z.change)
                }
                // In the notes, the rotation is the product of the turns about the three axes.
                (None, axes) if matches!(inverse, Inverse::Transpose(_)) => {
                    let turn =
                        |c: &Column| DQuat::from_axis_angle(tree.axis_to_frame(joint, c.axis), c.change);
                    axes.iter().map(turn).product::<DQuat>() * joint.rotation
                }
                (_, axes) => {
                    let turn: DVec3 = axes.iter().map(|c| c.axis * c.change).sum();
                    DQuat::from_scaled_axis(tree.axis_to_frame(joint, turn)) * joint.rotation
                }
            };
            let rotation = joint.allowed(rotation.normalize());
            if let Some(joint) = changes.first().and_then(|first| tree.joints.get_mut(first.joint)) {
                joint.rotation = rotation;
            }
        }
        tree.forward();
    }
}

/// Returns the changes of a joint's parameters on the way to a state: a rotation vector in base space, or the changes
/// of its three Euler angles.
pub(crate) fn difference(
    tree: &Tree,
    joint: &TreeJoint,
    to: JointState,
    parameters: JointParameters,
) -> DVec3 {
    if parameters == JointParameters::RotationVector || joint.hinge_axis().is_some() {
        return towards(tree, joint, to);
    }
    let angles = |rotation: DQuat| DVec3::from(rotation.to_euler(EulerRot::XYZ));
    DVec3::from((angles(to.rotation) - angles(joint.rotation)).to_array().map(wrapped))
}
