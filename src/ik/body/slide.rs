//! The displacements of prismatic joints.

use glam::DVec3;

use crate::{Limit, LinkIndex};

use super::Body;

impl Body {
    /// Returns the displacement of a prismatic joint from rest along its axis, in metres in its parent's frame. The
    /// displacement is 0 for other joints, and for links that do not exist.
    pub fn displacement(&self, link: LinkIndex) -> f64 {
        self.displacements.get(link.0).copied().unwrap_or(0.0)
    }

    /// Sets the displacement of a prismatic joint, in metres in its parent's frame. Does nothing if the link does not exist
    /// or is not prismatic, or if the displacement is not finite.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Limit, Link, LinkIndex};
    ///
    /// let rail = Link::base().with_limit(Limit::prismatic(DVec3::X, 0.0..=2.0));
    /// let mut robot = Body::new(vec![rail], DAffine3::IDENTITY)?;
    /// robot.set_displacement(LinkIndex(0), 0.7);
    /// assert_eq!(robot.displacement(LinkIndex(0)), 0.7);
    /// assert_eq!(robot.world_from_link(LinkIndex(0)).map(|m| m.translation), Some(DVec3::X * 0.7));
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn set_displacement(&mut self, link: LinkIndex, displacement: f64) {
        let is_prismatic = self.links.get(link.0).is_some_and(|l| matches!(l.limit, Limit::Prismatic { .. }));
        if let Some(own) =
            self.displacements.get_mut(link.0).filter(|_| is_prismatic && displacement.is_finite())
        {
            *own = displacement;
        }
    }

    /// Returns the displacements of the links in metres. The slice is empty if no joint is prismatic.
    pub(crate) fn displacements(&self) -> &[f64] {
        &self.displacements
    }

    /// Returns the displacements for writing. The caller must write finite numbers.
    pub(crate) fn displacements_mut(&mut self) -> &mut [f64] {
        &mut self.displacements
    }

    /// Returns the position of a link's origin in its parent's frame: its offset, moved by its displacement. The
    /// translation of the base is not included.
    pub(crate) fn local_position(&self, index: usize) -> DVec3 {
        let link = &self.links[index];
        let Some((displacement, axis)) = self.slide(index) else { return link.offset };
        // A reversed link undoes the displacement after its rotation.
        let axis = if link.reversed { self.rotations[index] * link.rest.conjugate() * axis } else { axis };
        link.offset + axis * displacement
    }

    /// Returns the translation of a reversed prismatic joint in its rotated frame, or zero for other joints.
    pub(crate) fn shift_after_turn(&self, index: usize) -> DVec3 {
        let link = &self.links[index];
        let slide = self.slide(index).filter(|_| link.reversed);
        slide.map_or(DVec3::ZERO, |(displacement, axis)| link.rest.conjugate() * axis * displacement)
    }

    /// Returns the displacement of a prismatic joint and its axis in the rest pose, in its parent's frame. Returns `None`
    /// if the displacement is 0.
    fn slide(&self, index: usize) -> Option<(f64, DVec3)> {
        let displacement = self.displacements.get(index).copied().filter(|d| *d != 0.0)?;
        Some((displacement, self.links[index].slide_axis()?))
    }
}
