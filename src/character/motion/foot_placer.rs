//! Puts the feet of a character on uneven ground, frame by frame.

use glam::{Affine3A, Quat, Vec3, Vec3Swizzles};

use crate::asset::{Character, Skeleton};
use crate::body::stance::Stance;
use crate::body::types::{CrowdJoint, Local, NONE, Rows};
use crate::body::{CrowdBody, CrowdLimb, Figure, Ground, LIMBS, Place};
use crate::pose::{Pose, world_matrices};
use crate::rig::Rig;

/// Maximum height of a standing foot's lowest point above the floor of the pose, as a fraction of the leg.
const LOW: f32 = 0.06;
/// A foot may start to stand if the slower end of its sole moves at most this fast, in leg lengths per second. A standing
/// foot is released only at a higher speed, so that noise does not release it.
const SLOW: f32 = 0.45;
const RELEASE_SLOW: f32 = 0.6;
/// Time constant in seconds with which the level of the character follows the ground below its hips.
const FOLLOW: f32 = 0.2;

/// Puts the feet of a character on uneven ground in a game loop: soles stand on the ground and tilt with its slope, the hips sink so that
/// the lower foot reaches the ground, swinging feet keep their height above the ground, and standing feet stay in place. The placer works
/// on the CPU in closed form, and represents a foot in the same way as GPU crowds.
///
/// Call [`Self::update`] once a frame, after sampling the pose from a clip that was made for level ground. Use one placer for each
/// character. Its results depend only on its inputs since [`Self::reset`]. It does not allocate.
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::glam::Vec3;
/// use sinew_character::motion::{FootPlacer, Playhead};
/// use sinew_character::pose::Pose;
/// use sinew_character::rig;
///
/// let character = asset::mannequin()?;
/// let run = character.clips.iter().find(|clip| clip.name.as_deref() == Some("run")).ok_or("no clip")?;
/// let (mut pose, mut playhead) = (Pose::default(), Playhead::default());
/// let mut feet = FootPlacer::new(&character, &rig::detect(&character)).ok_or("no legs")?;
/// let seconds = 1.0 / 60.0;
/// for frame in 0..60_u8 {
///     pose.reset(&character.skeleton);
///     playhead.sample(run, seconds * f32::from(frame) % run.seconds, &character.skeleton, &mut pose);
///     feet.position.z += 2.0 * seconds;
///     // A ramp that rises by one metre over five.
///     feet.update(seconds, |at| Some((0.2 * at.z, Vec3::new(0.0, 1.0, -0.2))), &mut pose);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FootPlacer {
    /// Position of the character's origin in the world, in the unit of the pose. Its height only needs to be near the ground,
    /// because the hips follow the ground by up to 45 % of the leg.
    pub position: Vec3,
    /// Rotation of the character in the world. It should be about the vertical axis, +Y.
    pub rotation: Quat,
    /// Scale of the character in the world.
    pub scale: f32,
    skeleton: Skeleton,
    body: CrowdBody,
    joints: Vec<CrowdJoint>,
    stance: Stance,
    locals: Vec<Local>,
    models: Vec<Rows>,
    world: Vec<Affine3A>,
    tracks: [Track; LIMBS],
    contacts: u32,
    level: Level,
}

/// The smoothed height of the ground below a character: a second-order filter without lag on slopes (Benedict & Bordner 1962,
/// "Synthesis of an optimal set of radar track-while-scan smoothing equations", critically damped).
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    height: Option<f32>,
    /// Rate of change of the height, per second.
    velocity: f32,
}

impl Level {
    fn follow(&mut self, ground: f32, seconds: f32) -> f32 {
        let Some(height) = self.height.filter(|height| height.is_finite() && self.velocity.is_finite())
        else {
            *self = Self { height: Some(ground), velocity: 0.0 };
            return ground;
        };
        let theta = (-seconds / FOLLOW).exp();
        let predicted = height + self.velocity * seconds;
        let error = ground - predicted;
        let followed = predicted + (1.0 - theta * theta) * error;
        if seconds > 0.0 {
            self.velocity += (1.0 - theta) * (1.0 - theta) * error / seconds;
        }
        self.height = Some(followed);
        followed
    }
}

/// Positions of the ends of a sole in the last frame, before the foot was placed: heel and toe in world space.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    ends: Option<[Vec3; 2]>,
}

/// The ground of a game. Where its function returns `None`, the floor of the pose serves as the ground.
struct Callback<F> {
    ground: F,
    floor: f32,
}

impl<F: FnMut(Vec3) -> Option<(f32, Vec3)>> Ground for Callback<F> {
    fn height(&mut self, at: Vec3) -> f32 {
        let height = (self.ground)(at).map(|(height, _)| height);
        height.filter(|height| height.is_finite()).unwrap_or(self.floor)
    }

    fn normal(&mut self, at: Vec3, _: f32) -> Vec3 {
        let normal = (self.ground)(at).map(|(_, normal)| normal);
        normal.filter(|normal| normal.is_finite() && normal.y > 0.0).unwrap_or(Vec3::Y)
    }
}

impl FootPlacer {
    /// Creates the placer of a character from its rig, at the origin. Returns `None` if the rig has no legs that stand, or if
    /// the joints of a leg do not form a chain.
    pub fn new(character: &Character, rig: &Rig) -> Option<Self> {
        let skeleton = character.skeleton.clone();
        let body = CrowdBody::new(character, character.default_scene, rig, &|node| u32::try_from(node).ok());
        let parent = |parent: Option<usize>| parent.and_then(|p| u32::try_from(p).ok()).unwrap_or(NONE);
        let joint = |node: &crate::asset::Node| CrowdJoint {
            rest_rotation: node.rest.rotation,
            rest_translation: node.rest.translation,
            parent: parent(node.parent),
            rest_scale: node.rest.scale,
            radius: -1.0,
            masks: [1.0; 4],
        };
        let joints: Vec<CrowdJoint> = skeleton.nodes.iter().map(joint).collect();
        (!body.legs().is_empty()).then(|| Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            scale: 1.0,
            locals: Vec::with_capacity(joints.len()),
            models: Vec::with_capacity(joints.len()),
            world: Vec::with_capacity(joints.len()),
            skeleton,
            body,
            joints,
            stance: Stance::default(),
            tracks: [Track::default(); LIMBS],
            contacts: 0,
            level: Level::default(),
        })
    }

    /// Forgets where the feet stand, for example after the character has been moved to another place.
    pub fn reset(&mut self) {
        (self.stance, self.tracks, self.contacts) = (Stance::default(), [Track::default(); LIMBS], 0);
        self.level = Level::default();
    }

    /// Returns the nodes of the feet that stood in the last update. The foot of an animal is the end of its leg.
    pub fn standing(&self) -> impl Iterator<Item = usize> + '_ {
        let feet = self.body.ends.iter().take(self.body.legs().len()).enumerate();
        feet.filter(|(leg, _)| self.stance.held >> leg & 1 == 1).map(|(_, node)| *node)
    }

    /// Places the feet in a pose. `seconds` is the time since the last update.
    ///
    /// `ground` returns the height and the upward normal of the ground directly below or above a point, in world space and
    /// in the unit of the pose, or `None` where there is no ground. It is called about eight times for each foot.
    ///
    /// Changes only the local rotations of the legs and the translation of the hips. If a foot's node is not a descendant of
    /// its leg in the file, its translation changes as well. Does nothing if the pose belongs to another skeleton or the
    /// placement is not finite.
    pub fn update(&mut self, seconds: f32, ground: impl FnMut(Vec3) -> Option<(f32, Vec3)>, pose: &mut Pose) {
        let place = Place { rotation: self.rotation, position: self.position, scale: self.scale };
        let is_placed = place.position.is_finite() && place.rotation.is_finite() && place.scale.is_finite();
        if pose.locals.len() != self.joints.len() || !is_placed {
            return;
        }
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        world_matrices(&self.skeleton, pose, &mut self.world);
        self.models.clear();
        self.models.extend(self.world.iter().map(|world| Rows::from(*world)));
        self.locals.clear();
        self.locals.extend(pose.locals.iter().map(|t| Local::new(t.rotation, t.translation, t.scale)));
        let floor = self.body.parts.floor * place.scale.abs();
        let mut ground = Callback { ground, floor: place.position.y + floor };
        let hips = self.models.get(self.body.parts.hips as usize).map_or(Vec3::ZERO, Rows::translation);
        let hips = place.position + place.rotation * (hips * place.scale);
        let lift = self.level.follow(ground.height(hips), seconds) - ground.floor;
        self.find_contacts(seconds, &place);
        // The hip displacement is stored relative to the level, because the character may jump at the end of a clip.
        self.stance.hips += lift;
        let mut figure = Figure {
            seconds,
            body: &self.body,
            joints: &self.joints,
            place,
            contacts: self.contacts,
            models: &self.models,
            stance: &mut self.stance,
            locals: &mut self.locals,
        };
        figure.stand(&mut ground);
        self.stance.hips -= lift;
        self.write(pose);
    }

    /// Copies the joints that may have moved into the pose.
    fn write(&self, pose: &mut Pose) {
        let legs = self.body.legs().iter().flat_map(|limb| [limb.first, limb.middle, limb.end]);
        for joint in legs.chain([self.body.parts.hips]) {
            let joint = joint as usize;
            if let (Some(local), Some(out)) = (self.locals.get(joint), pose.locals.get_mut(joint)) {
                (out.rotation, out.translation) = (local.rotation, local.translation);
            }
        }
    }

    /// Finds the feet that stand in the pose: low feet with an end that moves slowly in the world.
    fn find_contacts(&mut self, seconds: f32, place: &Place) {
        let size = self.body.parts.size * place.scale.abs();
        let floor = self.body.parts.floor * place.scale.abs();
        let point = |limb: &CrowdLimb, index: usize| {
            let sole = limb.sole.get(index).copied().unwrap_or_default();
            let model = self.models.get(sole.joint as usize).copied().unwrap_or(Rows::IDENTITY);
            place.rotation * (model.point(sole.position) * place.scale)
        };
        let mut contacts = 0;
        for (leg, (limb, track)) in self.body.legs().iter().zip(&mut self.tracks).enumerate() {
            let bit = 1_u32 << leg;
            let heights = (0..limb.soles as usize).map(|index| point(limb, index).y);
            let low = heights.fold(f32::INFINITY, f32::min) - floor;
            let ends = [limb.heel, limb.toe].map(|index| place.position + point(limb, index as usize));
            let moved = |before: [Vec3; 2]| {
                let [heel, toe] = [0, 1].map(|end| (ends[end] - before[end]).xz().length());
                heel.min(toe)
            };
            let was = self.contacts & bit != 0;
            let slow = if was { RELEASE_SLOW } else { SLOW } * size * seconds;
            let is_slow = match track.ends {
                Some(_) if seconds <= 0.0 => was,
                Some(before) => moved(before) < slow,
                None => false,
            };
            if low < LOW * size && is_slow {
                contacts |= bit;
            }
            track.ends = Some(ends);
        }
        self.contacts = contacts;
    }
}
