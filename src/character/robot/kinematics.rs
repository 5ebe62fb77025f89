//! Forward kinematics, Jacobians, and joint values of bodies.

use std::f64::consts::TAU;

use glam::{DAffine3, DVec3};

use crate::api::Missing;
use crate::ik::{Body, JacobianColumn, LinkIndex};

use super::joint::JointUnit;
use super::{Robot, RobotError, RobotJoint};

/// If a value exceeds its range by less than this, in radians or metres, rounding is the cause.
const ROUNDING: f64 = 1e-9;

impl Robot {
    /// Returns the initial joint values: 0, or the middle of a range that excludes 0.
    pub fn rest(&self) -> Vec<f64> {
        self.joints.iter().map(|joint| joint.rest).collect()
    }

    /// Checks that `q` has one finite value for each joint.
    ///
    /// # Errors
    /// [`RobotError::Count`] or [`RobotError::NotFinite`].
    pub fn check(&self, q: &[f64]) -> Result<(), RobotError> {
        if q.len() != self.joints.len() {
            let names: Vec<&str> = self.joints.iter().map(|joint| &*joint.name).collect();
            let (expected, found) = (self.joints.len(), q.len());
            return Err(RobotError::Count { expected, joints: names.join(", "), found });
        }
        match self.joints.iter().zip(q).find(|(_, value)| !value.is_finite()) {
            Some((joint, _)) => Err(RobotError::NotFinite { joint: joint.name.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the nearest values within the ranges of the joints.
    pub fn clamp(&self, q: &[f64]) -> Vec<f64> {
        self.joints.iter().zip(q).map(|(joint, value)| joint.clamp(*value)).collect()
    }

    /// Returns the values of the mimic joints, in the order of [`Robot::mimics`].
    pub fn mimic_values(&self, q: &[f64]) -> Vec<f64> {
        let value = |leader: usize| q.get(leader).copied().unwrap_or_default();
        self.mimics.iter().map(|mimic| mimic.ratio * value(mimic.leader) + mimic.offset).collect()
    }

    /// Returns the body for the solvers with these joint values. Its links have the indices of [`Robot::links`], and its world is the
    /// robot's own frame. The ranges of the joints are ignored.
    ///
    /// # Errors
    /// Those of [`Robot::check`].
    pub fn body(&self, q: &[f64]) -> Result<Body, RobotError> {
        self.check(q)?;
        let mut body = self.body.clone();
        body.set_joint_values(self.joints.iter().map(|joint| joint.link).zip(q.iter().copied()));
        Ok(body)
    }

    /// Returns the transform of a link for joint values (forward kinematics).
    ///
    /// # Errors
    /// The errors of [`Robot::check`], and [`RobotError::Link`] if the link does not exist.
    pub fn world_from_link(&self, q: &[f64], link: LinkIndex) -> Result<DAffine3, RobotError> {
        let missing = || Missing::index_in("the robot", "link", link.0, self.links().len());
        Ok(self.body(q)?.world_from_link(link).ok_or_else(missing)?)
    }

    /// Returns the transforms of all links for joint values, in the order of [`Robot::links`].
    ///
    /// # Errors
    /// Those of [`Robot::check`].
    pub fn fk(&self, q: &[f64]) -> Result<Vec<DAffine3>, RobotError> {
        Ok(self.body(q)?.world_from_links())
    }

    /// Returns the derivative of a point of a link with respect to `q`. Each joint has one column: the velocity of the point and the
    /// angular velocity of the link in the robot's own frame. The point is in metres in the link's frame.
    ///
    /// # Errors
    /// The errors of [`Robot::check`], and [`RobotError::Link`] if the link does not exist.
    pub fn jacobian(
        &self,
        q: &[f64],
        link: LinkIndex,
        point: DVec3,
    ) -> Result<Vec<JacobianColumn>, RobotError> {
        let missing = || Missing::index_in("the robot", "link", link.0, self.links().len());
        let jacobian = self.body(q)?.jacobian(link, point).ok_or_else(missing)?;
        let column = |joint: &RobotJoint| jacobian.columns().iter().find(|c| c.link == joint.link).copied();
        Ok(self.joints.iter().map(|joint| column(joint).unwrap_or_default()).collect())
    }

    /// Returns the joint values of a body of this robot. A hinge that can turn by more than a revolution has the value nearest to
    /// `near`, so that a path has no jumps. All values are within the ranges.
    pub fn values(&self, body: &Body, near: &[f64]) -> Vec<f64> {
        let value = |(place, joint): (usize, &RobotJoint)| {
            let value = body.joint_value(joint.link).unwrap_or_default();
            let near = near.get(place).copied().unwrap_or(joint.rest);
            joint.clamp(unwrapped(joint, value, near))
        };
        self.joints.iter().enumerate().map(value).collect()
    }
}

/// Returns the value within the range that is nearest to `near` and differs from `value` by whole revolutions.
fn unwrapped(joint: &RobotJoint, value: f64, near: f64) -> f64 {
    if joint.unit != JointUnit::Radians || joint.is_leader {
        return value;
    }
    let turns = ((near - value) / TAU).round();
    let Some([min, max]) = joint.range else { return value + turns * TAU };
    let (least, most) = (((min - ROUNDING - value) / TAU).ceil(), ((max + ROUNDING - value) / TAU).floor());
    if least <= most { value + turns.max(least).min(most) * TAU } else { value }
}
