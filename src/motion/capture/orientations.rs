//! Posture from the orientations of segments: what inertial or magnetic sensors say becomes rotations.

use glam::{DQuat, Quat};

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::CaptureError;
use super::tracked::Tracked;

/// Turns orientations of sensors on segments into the posture of a skeleton.
///
/// With Oᵢ the world orientation of a segment and Oᵢ₊₁ that of the next one outwards, the joint between them has turned by
/// Rⱼ = Oᵢᵀ Oᵢ₊₁ (Oshita, lecture on inverse kinematics). A sensor sits somehow on its segment: what is between the two is found once,
/// in a pose that is known ([`Segments::calibrate`], [`stance()`](super::stance())).
#[derive(Clone, Debug)]
pub struct Segments {
    /// The character's world from the world that the sensors speak of; the identity at first. Both need the same way up and the same front.
    pub world_from_sensors: Quat,
    pub(super) tracked: Tracked,
    /// Sensor from segment, by place in the tree.
    offsets: Vec<DQuat>,
    /// World orientations of the segments.
    world: Vec<DQuat>,
}

impl Segments {
    /// Follows joints of a skeleton, given as node indices; a joint's segment is what it turns. Sensors come in their order. What is
    /// between two of them stays at rest. Until it is calibrated, each sensor is taken to be aligned with its joint.
    ///
    /// # Errors
    /// [`CaptureError`] as [`Fit::new`](super::Fit::new).
    pub fn new(skeleton: &Skeleton, joints: &[usize]) -> Result<Self, CaptureError> {
        let tracked = Tracked::new(skeleton, joints)?;
        let count = tracked.joints.len();
        Ok(Self {
            world_from_sensors: Quat::IDENTITY,
            offsets: vec![DQuat::IDENTITY; count],
            world: vec![DQuat::IDENTITY; count],
            tracked,
        })
    }

    /// Finds how each sensor sits on its segment: offset = sensor⁻¹ · segment, while the performer stands as the pose does. Sensors that
    /// say nothing keep the offset that they have.
    pub fn calibrate(&mut self, sensors: &[Option<Quat>], standing: &Pose) {
        for index in 0..self.tracked.joints.len() {
            let joint = &self.tracked.joints[index];
            let Some(local) = standing.locals.get(joint.node) else { continue };
            self.world[index] = self.around(index) * local.rotation.as_dquat();
            if let Some(sensor) = self.sensor(index, sensors) {
                self.offsets[index] = (sensor.conjugate() * self.world[index]).normalize();
            }
        }
    }

    /// Writes the posture that sensors show: world orientations, one a joint in the order of the list, `None` where a
    /// sensor says nothing; what is not finite or has no length counts as that. The rules for the pose are those of
    /// [`Fit::pose`](super::Fit::pose): a joint without a word keeps its local rotation. Nothing is moved; nothing is allocated.
    pub fn pose(&mut self, sensors: &[Option<Quat>], pose: &mut Pose) {
        self.tracked.settle(pose);
        for index in 0..self.tracked.joints.len() {
            let around = self.around(index);
            let Some(local) = pose.locals.get_mut(self.tracked.joints[index].node) else { continue };
            if let Some(sensor) = self.sensor(index, sensors) {
                let segment = sensor * self.offsets[index];
                local.rotation = (around.conjugate() * segment).as_quat().normalize();
            }
            self.world[index] = (around * local.rotation.as_dquat()).normalize();
        }
    }

    /// The world orientation of the space that a joint's rotation is in, once its carrier's is known.
    fn around(&self, index: usize) -> DQuat {
        let joint = &self.tracked.joints[index];
        joint.parent.map_or(DQuat::IDENTITY, |p| self.world[p]) * joint.turn_between
    }

    /// What a joint's sensor says, in the character's world.
    fn sensor(&self, index: usize, sensors: &[Option<Quat>]) -> Option<DQuat> {
        let said = sensors.get(self.tracked.joints[index].column?).copied().flatten()?.as_dquat();
        let length = said.length();
        let fine = length.is_finite() && length > 1e-6;
        fine.then(|| self.world_from_sensors.as_dquat() * (said / length))
    }
}

#[cfg(test)]
mod tests {
    use super::super::stance;
    use super::super::tests::{walk, worlds};
    use super::*;
    use glam::Vec3;

    fn orientation(world: &glam::Affine3A) -> Quat {
        Quat::from_mat3a(&world.matrix3)
    }

    #[test]
    fn calibrated_sensors_give_the_motion_back() {
        let seen = walk(1.0);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        // Each sensor sits in its own way, and their world is turned.
        let sits = |column: usize| Quat::from_scaled_axis(Vec3::new(1.0, 0.3 * column as f32, -0.7));
        let turned = Quat::from_rotation_y(0.8);
        let sensors = |pose: &Pose| -> Vec<Option<Quat>> {
            let world = worlds(&seen.character, pose);
            let said = |(column, &joint): (usize, &usize)| {
                Some(turned.inverse() * orientation(&world[joint]) * sits(column))
            };
            seen.joints.iter().enumerate().map(said).collect()
        };
        for lowered in [0.0, 0.7] {
            let standing = stance(skeleton, bones, lowered);
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
    fn a_few_sensors_turn_what_they_sit_on() {
        let seen = walk(0.5);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        let joints = ["hips", "chest", "leftLowerArm"].map(|b| bones[b]);
        let mut segments = Segments::new(skeleton, &joints).unwrap();
        let mut pose = Pose::rest(skeleton);
        for truth in &seen.poses {
            let world = worlds(&seen.character, truth);
            let said = joints.map(|j| Some(orientation(&world[j])));
            segments.pose(&said, &mut pose);
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
