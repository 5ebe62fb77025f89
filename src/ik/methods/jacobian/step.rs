//! Iterations of the Jacobian methods.

use glam::DVec3;

use crate::rotation::rotation_vector;
use crate::tree::{JointState, Role, Tree, TreeJoint};
use crate::{JacobianOptions, Method, Secondary};

use super::{Inverse, Jacobian};

impl Jacobian {
    /// Runs one iteration of transpose, pseudo-inverse, damped or selectively damped least squares.
    pub(crate) fn pass(&mut self, tree: &mut Tree, kind: Method, options: &JacobianOptions) {
        let length = tree.length();
        let inverse = match kind {
            Method::JacobianTranspose => {
                Inverse::Transpose(options.step.map(|step| step / (length * length)))
            }
            Method::PseudoInverse => Inverse::Pseudo,
            Method::Sdls => Inverse::Selective,
            _ => return self.damped_pass(tree, options),
        };
        self.select_balance(tree, options);
        self.evaluate(tree, options.clamp * length);
        self.set_freedom(tree, options.parameters);
        self.secondary(tree, options);
        self.solve(tree, inverse);
        self.apply(tree, options.parameters);
    }

    /// Adds or removes the rows of the secondary task [`Secondary::Balance`].
    pub(super) fn select_balance(&mut self, tree: &Tree, options: &JacobianOptions) {
        let balances = options.secondary == Secondary::Balance;
        self.set_secondary_balance(tree, balances.then_some(options.secondary_gain));
    }

    /// Computes the rotations of the secondary task.
    pub(super) fn secondary(&mut self, tree: &Tree, options: &JacobianOptions) {
        for (index, joint) in tree.joints.iter().enumerate() {
            let wanted = secondary_state(joint, options.secondary, self.start.get(index).copied());
            self.pull[index] =
                wanted.map_or(DVec3::ZERO, |wanted| towards(tree, joint, wanted) * options.secondary_gain);
        }
    }
}

/// Returns the state that a secondary task pulls a joint towards, or `None` if it does not pull single joints.
#[inline]
pub(crate) fn secondary_state(
    joint: &TreeJoint,
    secondary: Secondary,
    start: Option<JointState>,
) -> Option<JointState> {
    match secondary {
        Secondary::None | Secondary::Balance => None,
        Secondary::Rest => Some(joint.rest_state()),
        Secondary::Posture => Some(joint.posture_state()),
        Secondary::Start => start,
        Secondary::LimitCentres => Some(joint.centre_state()),
    }
}

/// Returns the rotation that turns a joint to `wanted`, as a rotation vector in base space. For a hinge, only the
/// component about its axis is returned. The turn of a prismatic joint represents its displacement
/// ([`Prismatic::per_radian`](crate::tree::Prismatic::per_radian)). A mimic joint does not turn by itself.
pub(crate) fn towards(tree: &Tree, joint: &TreeJoint, wanted: JointState) -> DVec3 {
    if joint.role == Role::Follower || joint.prismatic.is_some() {
        return joint.prismatic.filter(|_| joint.role != Role::Follower).map_or(DVec3::ZERO, |prismatic| {
            let angle = (wanted.displacement - joint.displacement) / prismatic.per_radian;
            tree.axis_from_frame(joint, prismatic.axis * angle)
        });
    }
    let turn = rotation_vector(wanted.rotation * joint.rotation.conjugate());
    let turn = joint.hinge_axis().map_or(turn, |axis| axis * turn.dot(axis));
    tree.axis_from_frame(joint, turn)
}
