//! Full-body IK: all effectors and pins of a skeleton at once, with root motion.
//!
//! Prioritised damped least squares (Baerlocher & Boulic 2004) on all joints and the position of the base. Priorities
//! are weights of very different sizes instead of nested null spaces, so that one matrix J W Jᵀ covers all of them. The
//! null space pulls the body back to the pose in which the solve started.

use crate::ik::tree::Tree;
use crate::ik::{JacobianOptions, Method, Secondary};

use super::jacobian::Jacobian;

/// Weight of moving the base relative to turning joints, as a fraction of the squared body length.
const ROOT_WEIGHT: f64 = 0.05;

/// Fraction of the way back to the start pose that the null space covers in one iteration.
const PULL: f64 = 0.02;
/// Error below which the pull fades, as a fraction of the body length.
const PULL_FADE: f64 = 0.05;

/// Runs one iteration. If `root` is set, the base may move too.
pub(in crate::ik) fn pass(jacobian: &mut Jacobian, tree: &mut Tree, options: &JacobianOptions, root: bool) {
    let length = tree.length();
    jacobian.root_weight = if root { ROOT_WEIGHT * length * length } else { 0.0 };
    let secondary = if options.secondary == Secondary::None { Secondary::Start } else { options.secondary };
    // Near the goals a full pull would only slow down the last steps.
    let fade = (tree.measure().sum.sqrt() / (PULL_FADE * tree.length())).min(1.0);
    let gain = if options.secondary == Secondary::None { PULL * fade } else { options.secondary_gain };
    let options = JacobianOptions { secondary, secondary_gain: gain, ..*options };
    jacobian.pass(tree, Method::FullBody, &options, None);
}
