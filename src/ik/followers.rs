//! Joint values of a body, and the mimic joints that follow them.

use super::link::own;
use super::mimic::hinge_angle;
use super::{Body, Limit, Link, LinkIndex};

impl Body {
    /// Returns the angle of a hinge from rest in radians, or the displacement of a prismatic joint in metres. An angle is
    /// within ±π of the middle of the range. Returns `None` for other joints, and for links that do not exist.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Limit, Link, LinkIndex, Mimic};
    ///
    /// // Two fingers of a gripper. The second one follows the first one, in the opposite direction.
    /// let finger = Limit::prismatic(DVec3::X, -0.04..=0.04);
    /// let follows = Mimic { of: LinkIndex(1), ratio: -1.0, offset: 0.0 };
    /// let mut gripper = Body::new(
    ///     vec![
    ///         Link::base().with_limit(Limit::Locked),
    ///         Link::child(LinkIndex(0), DVec3::Y).with_limit(finger),
    ///         Link::child(LinkIndex(0), DVec3::Y).with_limit(finger).with_mimic(follows),
    ///     ],
    ///     DAffine3::IDENTITY,
    /// )?;
    /// gripper.set_joint_value(LinkIndex(1), 0.03)?;
    /// assert_eq!([0, 1, 2].map(|link| gripper.joint_value(LinkIndex(link))), [None, Some(0.03), Some(-0.03)]);
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn joint_value(&self, link: LinkIndex) -> Option<f64> {
        let Link { limit, rest, reversed, .. } = *self.links().get(link.0)?;
        match limit {
            Limit::Prismatic { .. } => Some(self.displacement(link)),
            _ => {
                hinge_angle(&self.coupled_limit(link.0), own(rest, reversed, *self.rotations().get(link.0)?))
            }
        }
    }

    /// Sets the values of hinges (radians) and prismatic joints (metres). Each item is the index of a link and a value. Values are not
    /// clamped to the limits. Other links, and values that are not finite, are skipped. Mimic joints then follow their leaders.
    pub fn set_joint_values(&mut self, values: impl Iterator<Item = (LinkIndex, f64)>) {
        for (link, value) in values {
            match self.links().get(link.0).copied() {
                Some(own) if matches!(own.limit, Limit::Hinge { .. }) => {
                    self.set_rotation(link, own.hinge_rotation(value));
                }
                _ => self.set_displacement(link, value),
            }
        }
        self.follow_leaders();
    }

    /// Returns the smallest and the largest value of a hinge in radians, or of a prismatic joint in metres, narrowed to the range that the
    /// followers of the joint allow. Returns `None` for other joints, and for links that do not exist.
    pub fn value_range(&self, link: LinkIndex) -> Option<[f64; 2]> {
        self.links().get(link.0).and_then(|_| self.coupled_limit(link.0).range())
    }

    /// Returns the position in metres and the rotation of a link in its parent's frame, or `None` if the link does not exist.
    pub fn local(&self, link: LinkIndex) -> Option<(glam::DVec3, glam::DQuat)> {
        self.rotations().get(link.0).map(|rotation| (self.local_position(link.0), *rotation))
    }

    /// Sets mimic joints to the values that their leaders determine. Every solve ends with this step.
    pub(super) fn follow_leaders(&mut self) {
        if self.coupled_limits().is_empty() {
            return;
        }
        for index in 0..self.links().len() {
            let link = self.links()[index];
            let Some(mimic) = link.mimic else { continue };
            let value = self.joint_value(mimic.of).map(|value| mimic.ratio * value + mimic.offset);
            match (link.limit, value) {
                (_, None) => {}
                (Limit::Prismatic { .. }, Some(value)) => self.set_displacement(LinkIndex(index), value),
                (_, Some(angle)) => self.set_rotation(LinkIndex(index), link.hinge_rotation(angle)),
            }
        }
    }
}
