//! What is asked for.

use glam::{DQuat, DVec3};

use super::{Body, SolveError};

/// Where a link shall be, how it shall be turned, what it shall look at: any of these together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Index of the link.
    pub link: usize,
    /// World position that the link's point shall have, metres.
    pub position: Option<DVec3>,
    /// World orientation that the link shall have, by the product of rotations.
    pub orientation: Option<DQuat>,
    /// What the link shall point at.
    pub aim: Option<Aim>,
    /// World position towards which the limb that ends at the link bends.
    pub pole: Option<DVec3>,
    /// The point of the link that shall be there, in the link's own frame (zero: the joint itself).
    pub offset: DVec3,
    /// How much it counts against the other goals; not negative.
    pub weight: f64,
    /// Whether it outranks all that are not pinned.
    pub pinned: bool,
}

/// An axis of a link that shall point at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// Direction in the link's own frame, any length but zero.
    pub axis: DVec3,
    /// World position, metres.
    pub at: DVec3,
}

impl Goal {
    fn of(link: usize) -> Self {
        Self {
            link,
            position: None,
            orientation: None,
            aim: None,
            pole: None,
            offset: DVec3::ZERO,
            weight: 1.0,
            pinned: false,
        }
    }

    /// The link's joint shall be at a world position.
    pub fn position(link: usize, target: DVec3) -> Self {
        Self { position: Some(target), ..Self::of(link) }
    }

    /// The link shall have a world orientation.
    pub fn orientation(link: usize, target: DQuat) -> Self {
        Self { orientation: Some(target), ..Self::of(link) }
    }

    /// Both.
    pub fn pose(link: usize, position: DVec3, orientation: DQuat) -> Self {
        Self { orientation: Some(orientation), ..Self::position(link, position) }
    }

    /// An axis of the link (its own frame) shall point at a world position.
    pub fn aim(link: usize, axis: DVec3, at: DVec3) -> Self {
        Self { aim: Some(Aim { axis, at }), ..Self::of(link) }
    }

    /// The link shall stay as it is, before all else.
    pub fn pin(link: usize, position: DVec3, orientation: DQuat) -> Self {
        Self { pinned: true, ..Self::pose(link, position, orientation) }
    }

    /// Whether turning the link itself matters, not only those above it.
    pub(super) fn turns_own(&self) -> bool {
        self.orientation.is_some() || self.aim.is_some() || self.offset != DVec3::ZERO
    }

    /// Everything finite, and the link there.
    pub(super) fn check(&self, index: usize, body: &Body) -> Result<(), SolveError> {
        let count = body.links().len();
        if self.link >= count {
            return Err(SolveError::NoSuchLink { goal: index, link: self.link, count });
        }
        let bad = |what, value: String| Err(SolveError::Goal { goal: index, what, value });
        let places = [("position", self.position), ("pole", self.pole), ("offset", Some(self.offset))];
        for (what, place) in places.into_iter().filter_map(|(what, p)| p.map(|p| (what, p))) {
            if !place.is_finite() {
                return bad(what, place.to_string());
            }
        }
        if let Some(q) = self.orientation.filter(|q| !(q.is_finite() && q.length() > 0.0)) {
            return bad("orientation", q.to_string());
        }
        if let Some(aim) = self.aim {
            if !aim.at.is_finite() {
                return bad("aim", aim.at.to_string());
            }
            if !(aim.axis.is_finite() && aim.axis.length() > 0.0) {
                return bad("aim axis", aim.axis.to_string());
            }
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return bad("weight", self.weight.to_string());
        }
        Ok(())
    }
}
