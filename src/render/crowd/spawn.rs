//! The properties of new characters of a crowd.

use glam::{Quat, Vec2, Vec3, Vec4};

use crate::api::Missing;

use super::CrowdError;
use super::types::{Character, CrowdLayer, LAYERS, NONE};

/// Maximum time in seconds and maximum speed factor. Up to these values, all sums remain finite.
const LONGEST: f32 = 1e6;
pub(super) const FASTEST: f32 = 1e4;

/// Identifies a character of a crowd. The identifier is valid until the character is despawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CharacterId {
    pub(super) batch: u32,
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// The properties of a new character.
#[derive(Clone, Debug, PartialEq)]
pub struct Spawn {
    /// Position in world metres. A terrain determines the height.
    pub position: Vec3,
    /// Rotation about the vertical axis, in radians.
    pub heading: f32,
    /// Scale factor of the model. Must be greater than zero.
    pub scale: f32,
    /// Linear RGBA factor of the base colour. White keeps the model's colour.
    pub tint: Vec4,
    /// Factor for the walking speed of the character's clips. With 0, the character stays in place.
    pub pace: f32,
    /// Turn rate about the vertical axis, in radians per second.
    pub turn: f32,
    /// How strongly the character's head turns towards the camera, from 0 to 1. See also [`Look`](super::Look).
    pub looks: f32,
    /// The clips that the character plays, at most four. Later clips are blended over earlier clips.
    pub clips: Vec<PlayedClip>,
}

/// A clip that a character plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedClip {
    /// Index of the clip.
    pub clip: usize,
    /// Time in the clip, in seconds.
    pub time: f32,
    /// Playback speed. 1 is the speed of the clip.
    pub speed: f32,
    /// Weight from 0 to 1 with which the clip is blended over the previous clips.
    pub weight: f32,
    /// Change of the weight per second, for transitions.
    pub rate: f32,
    /// Index, from 0 to 3, of the mask that selects the joints that the clip moves. `None` means the whole body.
    pub mask: Option<usize>,
    /// Whether the clip loops.
    pub loops: bool,
    /// Whether the clip is played only while the character stands at its [`Destination`](super::Destination). Its weight then
    /// changes by itself, and `weight` is its initial value.
    pub stands: bool,
}

impl Default for Spawn {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            heading: 0.0,
            scale: 1.0,
            tint: Vec4::ONE,
            pace: 1.0,
            turn: 0.0,
            looks: 0.0,
            clips: Vec::new(),
        }
    }
}

impl PlayedClip {
    /// Creates a looping clip that starts at a time in seconds.
    pub fn new(clip: usize, time: f32) -> Self {
        Self { clip, time, speed: 1.0, weight: 1.0, rate: 0.0, mask: None, loops: true, stands: false }
    }

    /// Creates a looping clip that is played only while the character stands at its [`Destination`](super::Destination), or turns
    /// towards it. The clip must be in a later layer than the clips that walk.
    pub fn standing(clip: usize) -> Self {
        Self { weight: 0.0, stands: true, ..Self::new(clip, 0.0) }
    }

    pub(super) fn layer(&self, clips: usize) -> Result<CrowdLayer, CrowdError> {
        if self.clip >= clips {
            return Err(Missing::index_in("the model", "clip", self.clip, clips).into());
        }
        let numbers = [self.time, self.speed, self.weight, self.rate];
        if let Some(value) = numbers.into_iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "clip", value });
        }
        if let Some(mask) = self.mask.filter(|&mask| mask >= 4) {
            return Err(Missing::index_in("the model", "mask", mask, 4).into());
        }
        Ok(CrowdLayer {
            clip: u32::try_from(self.clip).unwrap_or(NONE),
            time: self.time.clamp(-LONGEST, LONGEST),
            speed: self.speed.clamp(-FASTEST, FASTEST),
            weight: self.weight.clamp(0.0, 1.0),
            rate: self.rate.clamp(-FASTEST, FASTEST),
            mask: self.mask.and_then(|mask| u32::try_from(mask).ok()).unwrap_or(NONE),
            loops: u32::from(self.loops),
            stands: u32::from(self.stands),
        })
    }
}

/// Returns the state of one of the four clips that a character plays. `clips` is the number of clips of the model.
pub(super) fn played(
    layer: usize,
    clip: Option<&PlayedClip>,
    clips: usize,
) -> Result<CrowdLayer, CrowdError> {
    if layer >= LAYERS {
        return Err(CrowdError::Layers { count: layer.saturating_add(1) });
    }
    clip.map_or(Ok(CrowdLayer::EMPTY), |clip| clip.layer(clips))
}

/// Checks a position and a heading. Returns the rotation.
pub(super) fn rotation_at(position: Vec3, heading: f32) -> Result<Quat, CrowdError> {
    let [x, y, z] = position.to_array();
    match [x, y, z, heading].into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(CrowdError::NotFinite { what: "place", value }),
        None => Ok(Quat::from_rotation_y(heading)),
    }
}

/// Checks and limits a pace and a turn rate.
pub(super) fn limited_pace(pace: f32, turn: f32) -> Result<[f32; 2], CrowdError> {
    match [pace, turn].into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(CrowdError::NotFinite { what: "pace", value }),
        None => Ok([pace, turn].map(|value| value.clamp(-FASTEST, FASTEST))),
    }
}

impl Spawn {
    pub(super) fn character(&self, clips: usize) -> Result<Character, CrowdError> {
        let [x, y, z] = self.position.to_array();
        let [r, g, b, a] = self.tint.to_array();
        let numbers = [
            ("position", [x, y, z]),
            ("tint", [r, g, b]),
            ("tint", [a, 0.0, 0.0]),
            ("heading, pace or turn", [self.heading, self.pace, self.turn]),
            ("scale or looks", [self.scale, self.looks, 0.0]),
        ];
        for (what, values) in numbers {
            if let Some(value) = values.into_iter().find(|value| !value.is_finite()) {
                return Err(CrowdError::NotFinite { what, value });
            }
        }
        if self.scale <= 0.0 {
            return Err(CrowdError::Scale { scale: self.scale });
        }
        if self.clips.len() > LAYERS {
            return Err(CrowdError::Layers { count: self.clips.len() });
        }
        let mut layers = [CrowdLayer::EMPTY; LAYERS];
        for (layer, played) in layers.iter_mut().zip(&self.clips) {
            *layer = played.layer(clips)?;
        }
        Ok(Character {
            rotation: Quat::from_rotation_y(self.heading),
            position: self.position,
            scale: self.scale,
            tint: self.tint.into(),
            pace: self.pace.clamp(-FASTEST, FASTEST),
            turn: self.turn.clamp(-FASTEST, FASTEST),
            is_present: 1,
            looks: self.looks.clamp(0.0, 1.0),
            looked_at: Vec3::ZERO,
            looks_at_point: 0,
            destination: Vec2::ZERO,
            radius: 0.0,
            steering: 0.0,
            layers,
        })
    }
}
