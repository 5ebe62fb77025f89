//! The figure of a body and its stance, which is the pose that the figure stays near.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use crate::figure::{Figure, FigureParts};
use crate::{Link, LinkIndex, SolveError};

use super::{Body, unit};

/// A link has no fixed length if its scales along the axes differ by more than this fraction. Smaller differences count as
/// rounding errors, because transforms of reparented joints are computed from matrices in single precision.
const UNEVENNESS: f64 = 1e-3;

/// A pose that a figure stays near.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stance {
    /// Local rotations of the links.
    pub(crate) rotations: Vec<DQuat>,
    /// Translation of the base from its offset, in base space.
    pub(crate) root: DVec3,
}

impl Body {
    /// Makes the body a figure with these parts. If [`root_motion`](crate::Options::root_motion) is set,
    /// [`Method::FullBody`](crate::Method::FullBody) and [`Method::Auto`](crate::Method::Auto) pose a figure as a whole. Call
    /// [`Body::set_facing`] first.
    ///
    /// # Errors
    /// [`SolveError::Missing`] if a link does not exist, and [`SolveError::Figure`] if a link occurs twice, if a limb has fewer than three
    /// joints, if a link is not below the part that it belongs to, or if a number is invalid. The body is then unchanged.
    pub fn set_figure(&mut self, parts: FigureParts) -> Result<(), SolveError> {
        self.figure = Some(Arc::new(Figure::new(&self.links, parts)?));
        Ok(())
    }

    pub(crate) fn figure(&self) -> Option<&Arc<Figure>> {
        self.figure.as_ref()
    }

    /// Returns whether the figure solver can pose this body. The body must be a figure without prismatic joints or
    /// reversed links.
    pub fn poses_as_figure(&self) -> bool {
        self.figure.is_some() && self.displacements.is_empty() && !self.links.iter().any(|link| link.reversed)
    }

    /// Returns whether the lengths of links depend on the pose.
    pub(crate) fn has_uneven_scale(&self) -> bool {
        let is_even = |link: &Link| {
            let sizes = link.scale.abs();
            sizes.max_element() - sizes.min_element() <= UNEVENNESS * sizes.max_element()
        };
        self.uniform_scale.is_none() || !self.links.iter().all(is_even)
    }

    /// Sets the pose that a figure stays near: a local rotation for each link, and the translation of the base from its offset, in metres
    /// in base space. If no stance is set, a solve stays near its start pose. Allocates nothing after the first call. Numbers that are not
    /// finite are replaced by rest values.
    pub fn set_stance(&mut self, rotation: impl Fn(LinkIndex) -> DQuat, root: DVec3) {
        let stance = self.stance.get_or_insert_with(|| Stance { rotations: Vec::new(), root: DVec3::ZERO });
        let given = |(i, l): (usize, &Link)| {
            let q = rotation(LinkIndex(i));
            if q.is_finite() && q.length_squared() > 0.0 { unit(q) } else { l.rest }
        };
        stance.rotations.clear();
        stance.rotations.extend(self.links.iter().enumerate().map(given));
        stance.root = if root.is_finite() { root } else { DVec3::ZERO };
    }

    /// Removes the stance.
    pub fn clear_stance(&mut self) {
        self.stance = None;
    }

    pub(crate) fn stance(&self) -> Option<&Stance> {
        self.stance.as_ref()
    }

    /// Sets the up and front directions of the figure in the rest pose, as the rotation from the space of the figure (+Y
    /// up, +Z to its front) to base space. [`Swivel::Arm`](crate::Swivel::Arm) and [`Swivel::Leg`](crate::Swivel::Leg) use
    /// this rotation. A new body faces the +Z direction of the world. Does nothing if the rotation is not finite.
    pub fn set_facing(&mut self, base_from_figure: DQuat) {
        if base_from_figure.is_finite() {
            self.facing = unit(base_from_figure);
        }
    }

    /// Returns the rotation from the space of the figure to base space. See [`Body::set_facing`].
    pub(crate) fn facing(&self) -> DQuat {
        self.facing
    }
}
