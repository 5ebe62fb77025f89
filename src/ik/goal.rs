//! What is asked for.

use glam::DVec3;

use super::{Body, SolveError};

/// A place for a point of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Index of the link.
    pub link: usize,
    /// World position, metres.
    pub target: DVec3,
    /// The point of the link that shall be there, in the link's own frame (zero: the joint itself).
    pub offset: DVec3,
    /// How much it counts against the other goals; not negative.
    pub weight: f64,
}

impl Goal {
    /// The link's joint shall be at a world position.
    pub fn position(link: usize, target: DVec3) -> Self {
        Self { link, target, offset: DVec3::ZERO, weight: 1.0 }
    }

    /// Everything finite, and the link there.
    pub(super) fn check(&self, index: usize, body: &Body) -> Result<(), SolveError> {
        let count = body.links().len();
        if self.link >= count {
            return Err(SolveError::NoSuchLink { goal: index, link: self.link, count });
        }
        let bad = |what, value: String| Err(SolveError::Goal { goal: index, what, value });
        if !self.target.is_finite() {
            return bad("target", self.target.to_string());
        }
        if !self.offset.is_finite() {
            return bad("offset", self.offset.to_string());
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return bad("weight", self.weight.to_string());
        }
        Ok(())
    }
}
