//! Computes a pose from the orientations of body segments, as measured by inertial or magnetic sensors.

use glam::{DQuat, Quat};

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::CaptureError;
use super::tracked::TrackedTree;

/// Turns the orientations of sensors on body segments into a pose of a skeleton.
///
/// If Oᵢ is the world orientation of a segment and Oᵢ₊₁ is the world orientation of the next segment outwards, the rotation of the joint
/// between them is Rⱼ = Oᵢᵀ Oᵢ₊₁ (Oshita, lecture on inverse kinematics). The mounting orientation of a sensor on its segment is arbitrary.
/// It is measured once, while the performer stands in a known pose ([`Segments::calibrate`],
/// [`calibration_pose()`](super::calibration_pose())).
#[derive(Clone, Debug)]
pub struct Segments {
    /// Rotation from the sensors' world to the character's world, which aligns their up and front directions. Initially
    /// the identity.
    pub world_from_sensors: Quat,
    pub(super) tracked: TrackedTree,
    /// Rotation from segment to sensor, by index in the tree.
    offsets: Vec<DQuat>,
    /// World orientations of the segments.
    world: Vec<DQuat>,
}

impl Segments {
    /// Creates the mapping for joints of a skeleton, given as node indices. The segment of a joint is the part of
    /// the body that the joint rotates. Sensors are in the order of the joints. Nodes between two joints keep their
    /// rest pose. Before calibration, each sensor is assumed to be aligned with its joint.
    ///
    /// # Errors
    /// [`CaptureError`], as for [`Fit::new`](super::Fit::new).
    pub fn new(skeleton: &Skeleton, joints: &[usize]) -> Result<Self, CaptureError> {
        let tracked = TrackedTree::new(skeleton, joints)?;
        let count = tracked.joints.len();
        Ok(Self {
            world_from_sensors: Quat::IDENTITY,
            offsets: vec![DQuat::IDENTITY; count],
            world: vec![DQuat::IDENTITY; count],
            tracked,
        })
    }

    /// Measures the mounting orientation of each sensor, sensor⁻¹ · segment, while the performer stands in
    /// `calibration_pose`. Sensors without a value keep their mounting orientation.
    pub fn calibrate(&mut self, sensors: &[Option<Quat>], calibration_pose: &Pose) {
        for index in 0..self.tracked.joints.len() {
            let joint = &self.tracked.joints[index];
            let Some(local) = calibration_pose.locals.get(joint.node) else { continue };
            self.world[index] = self.world_from_parent_space(index) * local.rotation.as_dquat();
            if let Some(sensor) = self.sensor(index, sensors) {
                self.offsets[index] = (sensor.conjugate() * self.world[index]).normalize();
            }
        }
    }

    /// Writes the measured rotations into a pose. `sensors` has one world orientation per joint in the order of the
    /// list, or `None` if there is no value. A value that is not finite or has length zero counts as missing. As with
    /// [`Fit::pose`](super::Fit::pose), a joint without a value keeps its local rotation. The root is not moved, and no
    /// memory is allocated.
    ///
    /// ```
    /// use sinew_character::asset::{Node, Skeleton, Transform};
    /// use sinew_character::capture::Segments;
    /// use sinew_character::glam::Quat;
    /// use sinew_character::pose::Pose;
    ///
    /// let nodes = vec![Node::new("thigh"), Node::child("shin", 0, Transform::IDENTITY)];
    /// let skeleton = Skeleton::new(nodes)?;
    /// let mut segments = Segments::new(&skeleton, &[0, 1])?;
    /// // The world orientations of both segments. The knee bends by their difference.
    /// let sensors = [0.4, 1.1].map(|angle| Some(Quat::from_rotation_x(angle)));
    /// let mut pose = Pose::rest(&skeleton);
    /// segments.pose(&sensors, &mut pose);
    /// assert!(pose.locals[1].rotation.abs_diff_eq(Quat::from_rotation_x(0.7), 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose(&mut self, sensors: &[Option<Quat>], pose: &mut Pose) {
        self.tracked.reset_untracked(pose);
        for index in 0..self.tracked.joints.len() {
            let world_from_parent_space = self.world_from_parent_space(index);
            let Some(local) = pose.locals.get_mut(self.tracked.joints[index].node) else { continue };
            if let Some(sensor) = self.sensor(index, sensors) {
                let segment = sensor * self.offsets[index];
                local.rotation = (world_from_parent_space.conjugate() * segment).as_quat().normalize();
            }
            self.world[index] = (world_from_parent_space * local.rotation.as_dquat()).normalize();
        }
    }

    /// Returns the world orientation of the space in which a joint's local rotation is expressed. The world
    /// orientation of the joint's tracked parent must already be computed.
    fn world_from_parent_space(&self, index: usize) -> DQuat {
        let joint = &self.tracked.joints[index];
        joint.parent.map_or(DQuat::IDENTITY, |p| self.world[p]) * joint.rotation_between
    }

    /// Returns the measured orientation of a joint's sensor in the character's world.
    fn sensor(&self, index: usize, sensors: &[Option<Quat>]) -> Option<DQuat> {
        let measured = sensors.get(self.tracked.joints[index].column?).copied().flatten()?.as_dquat();
        let length = measured.length();
        let is_valid = length.is_finite() && length > 1e-6;
        is_valid.then(|| self.world_from_sensors.as_dquat() * (measured / length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::calibration_pose;
    use crate::capture::tests::{walk, worlds};
    use glam::Vec3;

    fn orientation(world: &glam::Affine3A) -> Quat {
        Quat::from_mat3a(&world.matrix3)
    }

    #[test]
    fn calibrated_sensors_reproduce_the_motion() {
        let seen = walk(1.0);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        // Each sensor has a different mounting orientation, and the sensors' world is rotated.
        let mounting = |column: usize| Quat::from_scaled_axis(Vec3::new(1.0, 0.3 * column as f32, -0.7));
        let turned = Quat::from_rotation_y(0.8);
        let sensors = |pose: &Pose| -> Vec<Option<Quat>> {
            let world = worlds(&seen.character, pose);
            let measured = |(column, &joint): (usize, &usize)| {
                Some(turned.inverse() * orientation(&world[joint]) * mounting(column))
            };
            seen.joints.iter().enumerate().map(measured).collect()
        };
        for lowered in [0.0, 0.7] {
            let standing = calibration_pose(skeleton, bones, lowered);
            let mut segments = Segments::new(skeleton, &seen.joints).unwrap();
            segments.world_from_sensors = turned;
            segments.calibrate(&sensors(&standing), &standing);
            let mut pose = Pose::rest(skeleton);
            for truth in &seen.poses {
                segments.pose(&sensors(truth), &mut pose);
                for &joint in &seen.joints {
                    let angle = pose.locals[joint].rotation.angle_between(truth.locals[joint].rotation);
                    assert!(angle < 2e-3, "{}: {angle}", skeleton.label(joint));
                }
            }
        }
    }

    #[test]
    fn segments_follow_their_sensors_if_only_a_few_joints_have_sensors() {
        let seen = walk(0.5);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        let joints = ["hips", "chest", "leftLowerArm"].map(|b| bones[b]);
        let mut segments = Segments::new(skeleton, &joints).unwrap();
        let mut pose = Pose::rest(skeleton);
        for truth in &seen.poses {
            let world = worlds(&seen.character, truth);
            let measured = joints.map(|j| Some(orientation(&world[j])));
            segments.pose(&measured, &mut pose);
            let now = worlds(&seen.character, &pose);
            for joint in joints {
                assert!(orientation(&now[joint]).angle_between(orientation(&world[joint])) < 2e-3);
            }
        }
        let before = pose.clone();
        segments.pose(
            &[
                None,
                Some(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)),
                Some(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
            ],
            &mut pose,
        );
        assert_eq!(pose, before);
    }
}
