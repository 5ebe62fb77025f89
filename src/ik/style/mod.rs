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

use super::{Body, Examples, Goal, Options};

pub use file::{STYLE_FORMAT, StyleError};
pub use learn::{Learned, Learning};
pub use model::Style;

/// What [`Method::Style`](super::Method::Style) takes postures from.
#[derive(Clone, Debug)]
pub enum Teaching {
    /// A learned model.
    Style(Arc<Style>),
    /// Examples that are blended.
    Examples(Arc<Examples>),
}

impl Teaching {
    /// How many joints its postures have.
    fn joints(&self) -> usize {
        match self {
            Self::Style(style) => style.joints().len(),
            Self::Examples(examples) => examples.postures.first().map_or(0, |p| p.rotations.len()),
        }
    }
}

/// A style or examples, and which of their joints a body's links are.
#[derive(Clone, Debug)]
pub struct Styled {
    /// Where postures come from.
    pub teaching: Teaching,
    /// Their joint for each link of the body; `None`: they say nothing of it.
    pub joints: Vec<Option<usize>>,
}

impl PartialEq for Styled {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.teaching, &other.teaching) {
            (Teaching::Style(a), Teaching::Style(b)) => Arc::ptr_eq(a, b),
            (Teaching::Examples(a), Teaching::Examples(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.joints == other.joints
    }
}

impl Styled {
    /// A style for a body whose links are the model's joints, in their order.
    pub fn whole(style: Arc<Style>) -> Self {
        let joints = (0..style.joints().len()).map(Some).collect();
        Self { teaching: Teaching::Style(style), joints }
    }

    /// What makes it unusable for a body of so many links.
    pub(super) fn fault(&self, links: usize) -> Option<&'static str> {
        let known = self.teaching.joints();
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

    /// Stands a body in the posture that it has for some goals, within the limits where they count: near the goals, not
    /// at them. How many steps that took.
    pub(super) fn pose(&self, body: &mut Body, goals: &[Goal], options: &Options) -> usize {
        match &self.teaching {
            Teaching::Style(style) => solve::pose(body, goals, (style, &self.joints), options),
            Teaching::Examples(examples) => {
                examples.blend(body, &self.joints, goals, options.root_motion);
                if options.limits {
                    solve::hold(body, &mut vec![true; self.joints.len()]);
                }
                1
            }
        }
    }
}

#[cfg(test)]
mod tests;
