//! Applies the pose of a performer to a character.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::Character;
use crate::capture::{CaptureError, Segments, calibration_pose, facing};
use crate::mathematics::propagate;
use crate::pose::Pose;

use super::expressions::Expressions;
use super::trackers::Trackers;
use super::{BONES, Bone, LiveGoal, Performer};

/// Writes a performer's pose into poses of a character.
///
/// Let N be the product of the rotations from the hips to a bone, F the rotation from VRM's space to the character's world, and T
/// the bone's world orientation in the character's T-pose. The bone's world orientation is then F N F⁻¹ T, so that the
/// character's bone rotates in world space like the performer's, regardless of its joint axes. If the bone's parent is also in the
/// character, and the T-pose is the rest pose, then the local rotation is rest · W⁻¹ q W. Here q is the received rotation in the
/// character's world, and W is the bone's world orientation in the rest pose. The rotation of a bone that the character does not have is
/// passed on to its child bones.
#[derive(Clone, Debug)]
pub struct LiveCharacter {
    /// Factor from the performer's lengths to the character's. Initially 1.
    pub scale: f32,
    segments: Segments,
    /// The bone that each sensor of `segments` represents.
    bones: Vec<Bone>,
    /// The index of each bone's parent, in the order of [`Bone::index`].
    parents: [Option<usize>; BONES],
    /// Whether the root of `segments` is the hips, whose position follows the performer.
    has_hips: bool,
    /// Height of the hips above the origin in the rest pose, in metres.
    height: f32,
    expressions: Expressions,
    trackers: Trackers,
    orientations: Vec<Option<Quat>>,
}

impl LiveCharacter {
    /// Creates the mapping to a character. `bones` maps the bone names of VRM 1.0 to nodes.
    ///
    /// # Errors
    /// [`CaptureError`] if the map has no bone of the protocol, or if its nodes are not valid.
    pub fn new(character: &Character, bones: &BTreeMap<String, usize>) -> Result<Self, CaptureError> {
        let skeleton = &character.skeleton;
        let known: Vec<(Bone, usize)> =
            Bone::all().filter_map(|bone| Some((bone, *bones.get(&bone.vrm())?))).collect();
        let nodes: Vec<usize> = known.iter().map(|(_, node)| *node).collect();
        let mut segments = Segments::new(skeleton, &nodes)?;
        let character_from_vrm = facing(skeleton, bones);
        segments.world_from_sensors = character_from_vrm;
        // In the T-pose every rotation of the protocol is the identity.
        segments.calibrate(&vec![Some(Quat::IDENTITY); nodes.len()], &calibration_pose(skeleton, bones, 0.0));

        let mut parents = [None; BONES];
        Bone::all().zip(&mut parents).for_each(|(bone, out)| *out = bone.logical_parent().map(Bone::index));
        let hips = segments.tracked.joints.first().filter(|j| bones.get("hips") == Some(&j.node));
        let up = (character_from_vrm * Vec3::Y).as_dvec3();
        #[expect(clippy::cast_possible_truncation, reason = "poses are in single precision")]
        let height = hips.map_or(0.0, |j| j.offset.dot(up) as f32);
        Ok(Self {
            scale: 1.0,
            has_hips: hips.is_some(),
            height,
            parents,
            bones: known.iter().map(|(bone, _)| *bone).collect(),
            expressions: Expressions::new(character),
            trackers: Trackers::default(),
            orientations: vec![None; nodes.len()],
            segments,
        })
    }

    /// Returns the nodes whose rotations follow the performer.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.segments.tracked.joints.iter().filter(|joint| joint.column.is_some()).map(|joint| joint.node)
    }

    /// Returns the node whose position follows the performer's hips.
    pub fn hips(&self) -> Option<usize> {
        self.segments.tracked.joints.first().filter(|_| self.has_hips).map(|joint| joint.node)
    }

    /// Sets [`LiveCharacter::scale`] so that the performer's current hip height matches the character's rest hip height, and assigns
    /// trackers to bones again. Returns false and changes nothing if the performer's hip position is unknown or unusable.
    pub fn level(&mut self, performer: &Performer) -> bool {
        let of_hips = |(name, at): (&String, &Vec3)| (self.trackers.bone(name)? == Bone::HIPS).then_some(*at);
        let position = hip_position(performer).or_else(|| performer.trackers.iter().find_map(of_hips));
        let scale = position.map(|position| self.height / position.y);
        let scale = scale.filter(|s| s.is_finite() && *s > 1e-3 && *s < 1e3);
        if let Some(scale) = scale {
            self.scale = scale;
            self.trackers.reset();
        }
        scale.is_some()
    }

    /// Assigns a tracker to a bone. Other trackers belong to the nearest bone.
    pub fn set_tracker(&mut self, name: &str, bone: Bone) {
        self.trackers.choose(name, bone);
    }

    /// Returns the goals that [`LiveCharacter::pose`] has computed from the performer's trackers and joint positions. Inverse kinematics
    /// solves them on top of the pose.
    ///
    /// A position with the name of a bone (`leftHand`, `WristLeft`, `left_wrist`) is a goal of that joint. Any other position is a tracker.
    /// It belongs to the bone that was chosen for it, or otherwise to the bone that was nearest when it first arrived. Possible bones are
    /// hips, chest, head, lower arms, hands, lower legs and feet. Each bone takes one tracker at most, no more than 0.3 m away. The goal
    /// applies to the point of the bone where the tracker was at that time.
    pub fn goals(&self) -> &[LiveGoal] {
        self.trackers.goals()
    }

    /// Writes the performer's latest values into a pose of the character: the received bone rotations, the position of
    /// the hips, and the morph weights of the blend values. Nothing else changes. No memory is allocated, unless there
    /// are trackers. Also computes [`LiveCharacter::goals`].
    pub fn pose(&mut self, performer: &Performer, pose: &mut Pose) {
        let mut turns = [Quat::IDENTITY; BONES];
        propagate(self.parents.into_iter().enumerate(), &mut turns, |parent, bone| {
            let local = performer.bones[bone].map_or(Quat::IDENTITY, |(_, rotation)| rotation);
            (*parent.unwrap_or(&performer.root.1) * local).normalize()
        });
        for (bone, out) in self.bones.iter().zip(&mut self.orientations) {
            *out = performer.bones[bone.index()].map(|_| turns[bone.index()]);
        }
        self.segments.pose(&self.orientations, pose);
        if let (true, Some(position)) = (self.has_hips, hip_position(performer)) {
            self.move_hips(position, pose);
        }
        self.expressions.apply(&performer.morphs, &mut pose.weights);
        self.follow_trackers(performer, pose);
    }

    fn follow_trackers(&mut self, performer: &Performer, pose: &Pose) {
        // A sender with a model also sends bones. Until they arrive, the pose does not show where trackers are worn.
        let assigns = performer.ready != Some(true) || performer.bones[Bone::HIPS.index()].is_some();
        let world = |at: &Vec3| (self.segments.world_from_sensors * (*at * self.scale)).as_dvec3();
        let positions: Vec<_> =
            performer.trackers.iter().map(|(name, at)| (name.as_str(), world(at))).collect();
        let (tree, scale) = (&self.segments.tracked, f64::from(self.scale));
        self.trackers.update(&positions, tree, &self.bones, pose, scale, assigns);
    }

    /// Moves the hips to a position in VRM's space.
    fn move_hips(&self, position: Vec3, pose: &mut Pose) {
        let Some(hips) = self.segments.tracked.joints.first() else { return };
        let world = self.segments.world_from_sensors * (position * self.scale);
        let local = hips.between.inverse().transform_point3(world.as_dvec3()).as_vec3();
        if let Some(out) = pose.locals.get_mut(hips.node).filter(|_| local.is_finite()) {
            out.translation = local;
        }
    }
}

/// Returns the position of the performer's hips in VRM's space, in unscaled metres.
fn hip_position(performer: &Performer) -> Option<Vec3> {
    let (position, _) = performer.bones[Bone::HIPS.index()]?;
    Some(performer.root.0 + performer.root.1 * position)
}
