//! Full-body IK: all effectors and pins of a skeleton at once, with root motion.
//!
//! Prioritised damped least squares (Baerlocher & Boulic 2004) on all joints and the position of the base: pins first,
//! the goals in the null space of the pins, and a pull back to the start pose in the null space of both.

use crate::tree::Tree;
use crate::{JacobianOptions, Method, Secondary};

use super::jacobian::Jacobian;

/// Fraction of the way back to the start pose that the secondary task requests in one iteration.
const PULL: f64 = 0.02;
/// Error below which the pull towards the start pose fades, as a fraction of the longest chain's length.
const PULL_FADE: f64 = 0.05;

/// Runs one iteration. If [`Tree::root_moves`] is set, the base may move too.
pub(crate) fn pass(jacobian: &mut Jacobian, tree: &mut Tree, options: &JacobianOptions) {
    let secondary = if options.secondary == Secondary::None { Secondary::Start } else { options.secondary };
    // Near the goals a full pull would only slow down the last steps.
    let fade = (tree.measure().sum.sqrt() / (PULL_FADE * tree.length())).min(1.0);
    let gain = if options.secondary == Secondary::None { PULL * fade } else { options.secondary_gain };
    let options = JacobianOptions { secondary, secondary_gain: gain, ..*options };
    jacobian.pass(tree, Method::FullBody, &options);
}
