//! Full-body IK: all effectors and pins of a skeleton at once, with root motion.
//!
//! Prioritised damped least squares (Baerlocher & Boulic 2004) on all joints and the position of the base. Priorities
//! are expressed by weights of very different sizes and not by nested null spaces, so a single matrix J W Jᵀ is
//! enough. The secondary task, in the null space, pulls the body back to the pose in which the solve started.

use crate::ik::tree::Tree;
use crate::ik::{JacobianOptions, Method, Secondary};

use super::jacobian::Jacobian;

/// Weight of moving the base relative to turning joints, as a fraction of the longest chain's squared length.
const ROOT_WEIGHT: f64 = 0.05;

/// Fraction of the way back to the start pose that the secondary task requests in one iteration.
const PULL: f64 = 0.02;
/// Error below which the pull towards the start pose fades, as a fraction of the longest chain's length.
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
