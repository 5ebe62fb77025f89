//! What a performer says, on a character.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::Character;
use crate::motion::capture::{CaptureError, Segments, facing, stance};
use crate::pose::Pose;

use super::faces::Faces;
use super::{BONES, Bone, Performer};

/// Writes a performer's posture into poses of a character.
///
/// With N the product of the rotations from the hips to a bone, F the turn from VRM's space to the character's and T the bone's world
/// orientation in the character's T-pose, the bone's is F N F⁻¹ T: what turned in the world is turned in the world, whichever way the joint's
/// own axes stand. For a bone whose carrier is in the character too, and whose T-pose is the rest, that is the local rotation rest · W⁻¹ q W
/// with W the world orientation at rest. Bones that the character lacks are not lost: the next ones carry their turn.
#[derive(Clone, Debug)]
pub struct Live {
    /// Metres of the character a metre of the performer; 1 at first.
    pub scale: f32,
    segments: Segments,
    /// The bone of each joint of the segments.
    bones: Vec<Bone>,
    /// By [`Bone::index`].
    carriers: [Option<usize>; BONES],
    /// Whether the root of the segments is the hips, which the performer also moves.
    moves: bool,
    /// How high the hips are at rest over the origin, metres.
    height: f32,
    faces: Faces,
    said: Vec<Option<Quat>>,
}

impl Live {
    /// Follows performers with a character; `bones` maps VRM 1.0's names to nodes.
    ///
    /// # Errors
    /// [`CaptureError`] for a map without bones that the protocol knows, or whose nodes will not do.
    pub fn new(character: &Character, bones: &BTreeMap<String, usize>) -> Result<Self, CaptureError> {
        let skeleton = &character.skeleton;
        let known: Vec<(Bone, usize)> =
            Bone::all().filter_map(|bone| Some((bone, *bones.get(&bone.vrm())?))).collect();
        let nodes: Vec<usize> = known.iter().map(|(_, node)| *node).collect();
        let mut segments = Segments::new(skeleton, &nodes)?;
        let character_from_vrm = facing(skeleton, bones);
        segments.world_from_sensors = character_from_vrm;
        // In the T-pose every rotation of the protocol is the identity.
        segments.calibrate(&vec![Some(Quat::IDENTITY); nodes.len()], &stance(skeleton, bones, 0.0));

        let mut carriers = [None; BONES];
        Bone::all().zip(&mut carriers).for_each(|(bone, out)| *out = bone.carrier().map(Bone::index));
        let hips = segments.tracked.joints.first().filter(|j| bones.get("hips") == Some(&j.node));
        let up = (character_from_vrm * Vec3::Y).as_dvec3();
        #[expect(clippy::cast_possible_truncation, reason = "poses are in single precision")]
        let height = hips.map_or(0.0, |j| j.offset.dot(up) as f32);
        Ok(Self {
            scale: 1.0,
            moves: hips.is_some(),
            height,
            carriers,
            bones: known.iter().map(|(bone, _)| *bone).collect(),
            faces: Faces::new(character),
            said: vec![None; nodes.len()],
            segments,
        })
    }

    /// Takes the performer's hips to be as high now as the character's are at rest, and sets [`Live::scale`] by it. False, and
    /// nothing changed, where it has not said where they are.
    pub fn level(&mut self, performer: &Performer) -> bool {
        let scale = hips(performer).map(|place| self.height / place.y);
        let scale = scale.filter(|s| s.is_finite() && *s > 1e-3 && *s < 1e3);
        self.scale = scale.unwrap_or(self.scale);
        scale.is_some()
    }

    /// Writes what the performer said last into a pose of the character: the rotations of bones that it spoke of, the place of the hips,
    /// the weights of the morph targets that its blend values move. Everything else stays as it is in the pose. Nothing is allocated.
    pub fn pose(&mut self, performer: &Performer, pose: &mut Pose) {
        let mut turns = [Quat::IDENTITY; BONES];
        for index in 0..BONES {
            let carrier = self.carriers[index].map_or(performer.root.1, |c| turns[c]);
            let own = performer.bones[index].map_or(Quat::IDENTITY, |(_, rotation)| rotation);
            turns[index] = (carrier * own).normalize();
        }
        for (bone, said) in self.bones.iter().zip(&mut self.said) {
            *said = performer.bones[bone.index()].map(|_| turns[bone.index()]);
        }
        self.segments.pose(&self.said, pose);
        if let (true, Some(place)) = (self.moves, hips(performer)) {
            self.place(place, pose);
        }
        self.faces.show(&performer.morphs, &mut pose.weights);
    }

    /// Moves the hips to a place in VRM's space.
    fn place(&self, place: Vec3, pose: &mut Pose) {
        let Some(hips) = self.segments.tracked.joints.first() else { return };
        let world = self.segments.world_from_sensors * (place * self.scale);
        let local = hips.between.inverse().transform_point3(world.as_dvec3()).as_vec3();
        if let Some(out) = pose.locals.get_mut(hips.node).filter(|_| local.is_finite()) {
            out.translation = local;
        }
    }
}

/// Where the hips are, in VRM's space, metres of the performer.
fn hips(performer: &Performer) -> Option<Vec3> {
    let (position, _) = performer.bones[Bone::HIPS.index()]?;
    Some(performer.root.0 + performer.root.1 * position)
}
