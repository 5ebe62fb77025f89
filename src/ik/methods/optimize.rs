//! Nonlinear least squares with a trust region: Levenberg 1944 and Marquardt 1963, with the damping rule of Nielsen 1999.
//!
//! Minimises a weighted sum: the squared errors of the goals, and two priors for each joint. The unknowns are rotation
//! vectors. The priors are the squared distances from the rest pose and from the start pose, and their matrices are
//! diagonal. With D = μ + priors, the step (JᵀJ + D)⁻¹(Jᵀe + D h) equals h + D⁻¹Jᵀ(J D⁻¹ Jᵀ + I)⁻¹(e − J h) by
//! Woodbury's identity, so all Jacobian methods share the same small system. Limits are constraints: a joint that
//! reaches its limit is locked, and the system is solved again for the other joints.

use crate::damping::Damping;
use crate::rotation::rotation_vector;
use crate::tree::{JointState, Role, Tree, TreeJoint, TreePose};
use crate::{JointParameters, OptimizeOptions};

use super::jacobian::{Inverse, Jacobian, towards};

/// State of a solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Optimize {
    /// The damping μ, in base-space metres squared.
    damping: Damping,
    start: Vec<JointState>,
    best: TreePose,
    cost: f64,
    predicted: f64,
    /// Whether the last accepted step gained almost nothing, or no step could be accepted.
    converged: bool,
}

/// Returns the squared distance of a joint from another state, in radians squared. A leader's prior covers its own
/// turn, and the followers have no prior.
fn distance_squared(joint: &TreeJoint, state: JointState) -> f64 {
    match &joint.prismatic {
        _ if joint.role == Role::Follower => 0.0,
        Some(prismatic) => ((state.displacement - joint.displacement) / prismatic.per_radian).powi(2),
        None => rotation_vector(state.rotation * joint.rotation.conjugate()).length_squared(),
    }
}

/// The solve ends after a step that reduces the sum by less than this fraction.
const MIN_GAIN: f64 = 1e-9;

impl Optimize {
    /// Stores the pose in which a solve starts.
    pub(crate) fn set_start(&mut self, tree: &Tree) {
        tree.store_joints(&mut self.start);
    }

    pub(crate) fn set(&mut self, tree: &Tree) {
        (self.cost, self.converged) = (f64::INFINITY, false);
        self.damping = Damping::optimisation(tree.length());
    }

    /// Returns the sum to minimise, in base-space metres squared.
    fn objective(&self, tree: &Tree, jacobian: &Jacobian, options: &OptimizeOptions, length2: f64) -> f64 {
        let priors = tree.joints.iter().zip(&self.start).map(|(joint, start)| {
            let from = |pose: JointState| distance_squared(joint, pose);
            let rest = if options.rest > 0.0 { options.rest * from(joint.rest_state()) } else { 0.0 };
            let stay = if options.stay > 0.0 { options.stay * from(*start) } else { 0.0 };
            length2 * (rest + stay)
        });
        jacobian.cost() + priors.sum::<f64>()
    }

    /// Returns whether the sum no longer falls.
    pub(crate) fn is_converged(&self) -> bool {
        self.converged
    }

    /// Restores the pose with the smallest sum.
    pub(crate) fn restore_best(&self, tree: &mut Tree) {
        self.best.apply(tree);
    }

    /// Makes one step. The next call evaluates the step, and undoes it if the step increased the sum.
    pub(crate) fn pass(&mut self, jacobian: &mut Jacobian, tree: &mut Tree, options: &OptimizeOptions) {
        let length = tree.length();
        let length2 = length * length;
        jacobian.evaluate(tree, f64::INFINITY);
        let cost = self.objective(tree, jacobian, options, length2);
        if cost <= self.cost {
            let gain = self.cost - cost;
            self.damping.accept_nielsen(gain, self.predicted);
            self.converged = self.cost.is_finite() && gain <= MIN_GAIN * self.cost;
            self.cost = cost;
            self.best.store(tree);
        } else {
            self.restore_best(tree);
            jacobian.evaluate(tree, f64::INFINITY);
            self.converged = self.damping.reject_nielsen();
        }
        jacobian.set_freedom(tree, JointParameters::RotationVector);
        let (rest, stay) = (options.rest * length2, options.stay * length2);
        let inverse = 1.0 / (self.damping.value() + rest + stay);
        jacobian.scale_freedom(inverse);
        for (index, joint) in tree.joints.iter().enumerate() {
            jacobian.offset[index] = if rest + stay > 0.0 {
                (towards(tree, joint, joint.rest_state()) * rest
                    + towards(tree, joint, self.start[index]) * stay)
                    * inverse
            } else {
                glam::DVec3::ZERO
            };
        }
        jacobian.solve(tree, Inverse::Damped(1.0));
        self.predicted = jacobian.predicted_gain();
        jacobian.apply(tree, JointParameters::RotationVector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::tree::moving_base;

    #[test]
    fn the_best_pose_includes_the_base() {
        let mut tree = moving_base();
        let (mut optimize, mut jacobian, mut start) = (Optimize::default(), Jacobian::default(), Vec::new());
        tree.store_joints(&mut start);
        optimize.set_start(&tree);
        optimize.set(&tree);
        jacobian.set(&tree);
        let root = tree.root;
        optimize.pass(&mut jacobian, &mut tree, &Options::default().optimize);
        assert_ne!(tree.root, root);
        optimize.restore_best(&mut tree);
        let mut restored = Vec::new();
        tree.store_joints(&mut restored);
        assert_eq!((tree.root, restored), (root, start));
    }
}
