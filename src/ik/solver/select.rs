//! The checks of a problem, and the method that solves it.

use crate::custom::registered;
use crate::custom_solve::NO_METHOD;
use crate::methods::{textbook, two_bone};
use crate::tree::{EffectorTask, Tree};
use crate::{Body, Goal, Method, Options, SolveError};

/// Error message of methods that move points at constant distances.
const ONLY_TURNS: &str =
    "it cannot move prismatic and mimic joints, because it moves points at constant distances";
/// Error message of methods that move or turn an effector as a whole.
const UNEVEN_AXES: &str = "axes that are not free must have equal weights";
/// Error message of [`Method::Style`] without a style.
pub(super) const NO_STYLE: &str = "it needs a style that was learned from postures, or examples to blend";

impl Options {
    /// Returns the error that [`Solver::solve`](crate::Solver::solve) would return, without solving.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Method, Options};
    ///
    /// let arm = Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y)], DAffine3::IDENTITY)?;
    /// let goal = Goal::position(LinkIndex(1), DVec3::X);
    /// assert!(Options::default().refusal(&arm, &[goal]).is_none());
    /// // The closed form needs two bones, and this arm has one.
    /// let two_bone = Options::default().with_method(Method::TwoBone);
    /// assert!(two_bone.refusal(&arm, &[goal]).is_some());
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn refusal(&self, body: &Body, goals: &[Goal]) -> Option<SolveError> {
        let selected = || {
            self.check(body, goals)?;
            let mut tree = Tree::default();
            tree.set(body, goals, self);
            self.select_method(&tree, goals)
        };
        selected().err()
    }

    /// Checks the values of the goals, the tolerances and the characteristic length.
    pub(super) fn check(&self, body: &Body, goals: &[Goal]) -> Result<(), SolveError> {
        for (index, goal) in goals.iter().enumerate() {
            goal.check(index, body)?;
        }
        let tolerances = [self.tolerance.unwrap_or(1.0), self.angle_tolerance];
        if let Some(tolerance) = tolerances.into_iter().find(|t| !(t.is_finite() && *t > 0.0)) {
            return Err(SolveError::Tolerance { tolerance });
        }
        let value = self.characteristic_length;
        if !(value.is_finite() && value > 0.0) {
            return Err(SolveError::CharacteristicLength { value });
        }
        Ok(())
    }

    /// Returns the method that solves a tree. For [`Method::Auto`], this is the method that it selects.
    pub(super) fn select_method(&self, tree: &Tree, goals: &[Goal]) -> Result<Method, SolveError> {
        let is_uneven = |t: &EffectorTask| t.position_term.is_uneven() || t.orientation_term.is_uneven();
        let has_uneven_axes = tree.tasks.iter().any(is_uneven);
        if let Some(why) = self.textbook.then(|| textbook::check(tree, goals, self)).flatten() {
            return Err(SolveError::Unsuited { method: self.method, why });
        }
        let method = match self.method {
            Method::TwoBone => two_bone::joints(tree).map(|_| Method::TwoBone)?,
            method @ (Method::Fabrik | Method::Particle) if !tree.only_turns() => {
                return Err(SolveError::Unsuited { method, why: ONLY_TURNS });
            }
            Method::Auto if goals.len() > 1 || goals.iter().any(|g| g.pinned) => Method::FullBody,
            Method::Auto if !has_uneven_axes && two_bone::joints(tree).is_ok() => Method::TwoBone,
            Method::Auto => Method::Dls,
            method @ Method::Style => return Err(SolveError::Unsuited { method, why: NO_STYLE }),
            method @ Method::Custom if registered().is_none() => {
                return Err(SolveError::Unsuited { method, why: NO_METHOD });
            }
            method => method,
        };
        if has_uneven_axes && !method.weighs_axes() {
            return Err(SolveError::Unsuited { method, why: UNEVEN_AXES });
        }
        Ok(method)
    }
}
