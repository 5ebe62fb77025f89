//! Poses in the style of examples: Grochow, Martin, Hertzmann & Popović 2004, "Style-based inverse kinematics".
//!
//! A [`Style`] is a scaled Gaussian process latent variable model (section 4 of the paper). Each example posture y
//! has a position x in a latent space of one to three dimensions. The features of a posture are functions of this
//! position, all drawn from one Gaussian process. For any latent position the model predicts a posture f(x) and its
//! uncertainty σ(x). Posing (section 5) searches for a latent position and a posture that meet the goals and are
//! likely.
//!
//! - `model.rs`: the model and its predictions
//! - `learn.rs`: learning a model from postures
//! - `cost.rs`: the objective of posing and its gradient
//! - `solve.rs`: posing a body
//! - `file.rs`: reading and writing a model with serde

mod axes;
mod cost;
mod error;
#[cfg(feature = "serde")]
mod file;
mod learn;
mod model;
mod solve;

use std::sync::Arc;

use crate::{Body, Examples, Goal, Options};

pub use error::StyleError;
pub use learn::{Learned, Learning};
pub use model::Style;

/// The source of the postures for [`Method::Style`](crate::Method::Style).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PosePrior {
    /// A learned model.
    Style(Arc<Style>),
    /// Example postures to blend.
    Examples(Arc<Examples>),
}

impl PosePrior {
    /// Returns the number of joints in the postures.
    fn joints(&self) -> usize {
        match self {
            Self::Style(style) => style.joints().len(),
            Self::Examples(examples) => examples.postures.first().map_or(0, |p| p.rotations.len()),
        }
    }
}

/// A pose prior for a body: a style or examples, and the mapping from the body's links to the joints of the postures.
#[derive(Clone, Debug)]
pub struct BoundPrior {
    /// The source of the postures.
    pub prior: PosePrior,
    /// For each link of the body, the index of its joint in the postures, or `None` if they do not include the link.
    pub joints: Vec<Option<usize>>,
}

impl PartialEq for BoundPrior {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.prior, &other.prior) {
            (PosePrior::Style(a), PosePrior::Style(b)) => Arc::ptr_eq(a, b),
            (PosePrior::Examples(a), PosePrior::Examples(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.joints == other.joints
    }
}

impl BoundPrior {
    /// Creates a pose prior for a body whose links are the model's joints, in the same order.
    pub fn whole(style: Arc<Style>) -> Self {
        let joints = (0..style.joints().len()).map(Some).collect();
        Self { prior: PosePrior::Style(style), joints }
    }

    /// Checks that the prior is valid for a body with this number of links.
    ///
    /// # Errors
    /// The reason why the prior is invalid.
    pub(crate) fn validate(&self, links: usize) -> Result<(), &'static str> {
        let known = self.prior.joints();
        if self.joints.len() != links {
            Err("the pose prior is for a body with a different number of links")
        } else if self.joints.iter().flatten().any(|j| *j >= known) {
            Err("the pose prior maps a link to a joint that does not exist")
        } else if self.joints.iter().all(Option::is_none) {
            Err("the pose prior includes no joint of the body")
        } else {
            Ok(())
        }
    }

    /// Poses a body in the posture of the prior that is nearest to the goals, within the limits if they apply. The
    /// goals are not met exactly. Returns the number of steps.
    pub(crate) fn pose(&self, body: &mut Body, goals: &[Goal], options: &Options) -> usize {
        match &self.prior {
            PosePrior::Style(style) => solve::pose(body, goals, style, &self.joints, options),
            PosePrior::Examples(examples) => {
                examples.blend(body, &self.joints, goals, options.root_motion);
                if options.limits {
                    solve::clamp_to_limits(body, &mut vec![true; self.joints.len()]);
                }
                1
            }
        }
    }
}

#[cfg(test)]
mod tests;
