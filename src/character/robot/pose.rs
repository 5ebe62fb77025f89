//! Converts poses of characters to joint values, and joint values to poses.

use glam::DVec3;

use crate::asset::Character;
use crate::ik::{Limit, LinkIndex};
use crate::pose::Pose;

use super::{Robot, RobotError};

impl Robot {
    /// Returns the pose of the robot's character with these joint values.
    ///
    /// # Errors
    /// Those of [`Robot::check`].
    pub fn pose(&self, character: &Character, q: &[f64]) -> Result<Pose, RobotError> {
        let body = self.body(q)?;
        let mut pose = Pose::rest(&character.skeleton);
        for (link, node) in self.nodes.iter().enumerate().skip(1) {
            let Some(local) = pose.locals.get_mut(*node) else { continue };
            if let Some((position, rotation)) = body.local(LinkIndex(link)) {
                (local.translation, local.rotation) = (position.as_vec3(), rotation.as_quat().normalize());
            }
        }
        Ok(pose)
    }

    /// Returns the joint values of a pose of the robot's character. Hinges with more than one revolution have the values nearest to `near`,
    /// or to their rest values if `near` does not contain them. All values are within the ranges.
    pub fn pose_values(&self, pose: &Pose, near: &[f64]) -> Vec<f64> {
        let mut body = self.body.clone();
        for (link, node) in self.nodes.iter().enumerate().skip(1) {
            let Some((local, own)) = pose.locals.get(*node).zip(self.body.links().get(link)) else {
                continue;
            };
            match own.limit {
                Limit::Prismatic { axis, .. } => {
                    let moved: DVec3 = local.translation.as_dvec3() - own.offset;
                    body.set_displacement(LinkIndex(link), moved.dot(own.rest * axis));
                }
                Limit::Hinge { .. } => body.set_rotation(LinkIndex(link), local.rotation.as_dquat()),
                _ => {}
            }
        }
        self.values(&body, near)
    }
}
