//! Full body: every effector and pin of a skeleton at once, with root motion.
//!
//! Prioritised damped least squares (Baerlocher & Boulic 2004, by weights far apart instead of nested null spaces:
//! the same J W Jᵀ then solves all priorities at once) on all joints and the base's place, with a pull to the pose that
//! the solve started from in what is left free.

use super::jacobian::Jacobian;
use super::tree::Tree;
use super::{JacobianOptions, Method, Secondary};

/// How much the base moves, against joints: a share of the body's length squared.
const ROOT: f64 = 0.05;

/// Share of the way back to where the solve started that the null space takes in a pass.
const PULL: f64 = 0.02;
/// Error, as a share of the body's length, below which the pull fades.
const FADES: f64 = 0.05;

/// One pass. The base moves too, where it may.
pub(super) fn pass(jacobian: &mut Jacobian, tree: &mut Tree, options: &JacobianOptions, root: bool) {
    let length = tree.length();
    jacobian.root_weight = if root { ROOT * length * length } else { 0.0 };
    let secondary = if options.secondary == Secondary::None { Secondary::Start } else { options.secondary };
    // The pull fades with the error: near the goals it would only slow the last steps.
    let fade = (tree.measure().sum.sqrt() / (FADES * tree.length())).min(1.0);
    let gain = if options.secondary == Secondary::None { PULL * fade } else { options.secondary_gain };
    let options = JacobianOptions { secondary, secondary_gain: gain, ..*options };
    jacobian.pass(tree, Method::FullBody, &options, None);
}
