//! Poses in the style of examples: Grochow, Martin, Hertzmann & Popović 2004, "Style-based inverse kinematics".
//!
//! A [`Style`] is a scaled Gaussian process latent variable model (their section 4): every posture y of the examples
//! has a place x in a latent space of two or three dimensions, and the features of a posture are functions of that
//! place, all drawn from one Gaussian process. Of every place in latent space the model tells a posture, f(x), and how
//! far to trust it, σ(x). Posing (their section 5) looks for the latent place and the posture together that meet the
//! goals and are likely.
//!
//! - `model.rs`: the model and what it predicts;
//! - `learn.rs`: from postures to a model;
//! - `cost.rs`: what is made least when posing, and its gradient;
//! - `solve.rs`: posing a body;
//! - `file.rs`: what is written down of a model.

mod cost;
mod file;
mod learn;
mod model;
mod solve;

use std::sync::Arc;

pub use file::{STYLE_FORMAT, StyleError};
pub use learn::{Learned, Learning};
pub use model::Style;
pub(super) use solve::pose;

/// A style and which of its joints a body's links are.
#[derive(Clone, Debug)]
pub struct Styled {
    /// The model.
    pub style: Arc<Style>,
    /// The joint of the model for each link of the body; `None`: the style says nothing of it.
    pub joints: Vec<Option<usize>>,
}

impl PartialEq for Styled {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.style, &other.style) && self.joints == other.joints
    }
}

impl Styled {
    /// A style for a body whose links are the model's joints, in their order.
    pub fn whole(style: Arc<Style>) -> Self {
        let joints = (0..style.joints().len()).map(Some).collect();
        Self { style, joints }
    }

    /// What makes it unusable for a body of so many links.
    pub(super) fn fault(&self, links: usize) -> Option<&'static str> {
        let known = self.style.joints().len();
        if self.joints.len() != links {
            Some("its style is for a body of other links")
        } else if self.joints.iter().flatten().any(|j| *j >= known) {
            Some("a link is said to be a joint that its style does not have")
        } else if self.joints.iter().all(Option::is_none) {
            Some("its style knows none of the joints")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
