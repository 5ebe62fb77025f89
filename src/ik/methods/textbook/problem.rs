//! The problems that the founding documents cover.

use crate::tree::Tree;
use crate::{Goal, Method, Options, Secondary};

const NO_DOCUMENT: &str = "textbook=true needs a method of a founding document: ccd, particle, jacobian-transpose, pseudo-inverse, dls, two-bone or fused";
const ONE_POSITION: &str = "with textbook=true, there must be one goal, and it must have a position only";
const ONE_POSE: &str =
    "with textbook=true, there must be one goal, and it must have a position, with or without an orientation";
const NO_STEP: &str = "textbook=true needs jacobian.step, the factor δ, which the document leaves open";
const NO_DAMPING: &str = "textbook=true needs jacobian.damping, the factor λ, which the document leaves open";
const NO_BALANCE: &str = "the documents give no formula for jacobian.secondary=balance";
const OTHER_JOINTS: &str =
    "with textbook=true, all joints must turn, and none may follow another one, as in the documents";

/// Returns the reason why the founding documents do not cover a problem, or `None` if they do cover it.
pub(crate) fn check(tree: &Tree, goals: &[Goal], options: &Options) -> Option<&'static str> {
    let jacobian = options.jacobian;
    let own = match options.method {
        Method::Ccd | Method::Particle | Method::TwoBone => None,
        Method::JacobianTranspose if jacobian.step.is_none() => Some(NO_STEP),
        Method::Dls if jacobian.damping.is_none() => Some(NO_DAMPING),
        Method::JacobianTranspose | Method::PseudoInverse | Method::Dls => {
            (jacobian.secondary == Secondary::Balance).then_some(NO_BALANCE)
        }
        Method::Fused => None,
        _ => Some(NO_DOCUMENT),
    };
    if own.is_some() {
        return own;
    }
    let takes_orientation = options.method == Method::TwoBone;
    let is_stated = |goal: &Goal| {
        goal.whole_position().is_some()
            && (takes_orientation || goal.orientation.is_none())
            && goal.aim.is_none()
            && goal.pole.is_none()
    };
    match goals {
        [goal] if is_stated(goal) => (!tree.only_turns()).then_some(OTHER_JOINTS),
        _ => Some(if takes_orientation { ONE_POSE } else { ONE_POSITION }),
    }
}
