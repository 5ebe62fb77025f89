//! Light of a scene: the fixed classic light, or an environment that surfaces reflect.
//!
//! An environment is light from all directions. It is stored in two forms. Nine spherical harmonics describe the light that matt surfaces
//! collect (Ramamoorthi & Hanrahan 2001). The levels of a small texture contain the light that surfaces of increasing roughness reflect,
//! which is the first factor of a split sum (Karis 2013). The brightest area of an environment is the key light, which casts the shadow.

mod environment;
mod harmonics;
mod hdr;
mod maps;
mod octahedron;
mod prefilter;
mod punctual;
mod scenes;
mod tone;

pub use environment::{Environment, KeyLight};
pub use hdr::HdrError;
pub(super) use maps::LightMaps;
pub(super) use punctual::records;
pub use punctual::{FileLights, MAX_LIGHTS, PunctualLight};
pub use tone::ToneMap;

use std::str::FromStr;
use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::api::ParseError;

/// The direction towards the key light of [`LightSource::Classic`].
const CLASSIC_KEY: Vec3 = Vec3::new(0.38, 0.82, 0.43);

/// The light of a frame, in the shaded modes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Light {
    /// Where the light comes from.
    pub source: LightSource,
    /// The angle in radians by which the light is rotated about the vertical axis, counter-clockwise as seen from above.
    #[serde(default)]
    pub rotation: f32,
    /// Exposure in stops. Each stop doubles the brightness.
    #[serde(default)]
    pub exposure: f32,
    /// How light is converted to colours.
    #[serde(default)]
    pub tone: ToneMap,
    /// Whether the lights of the file are drawn in addition to an environment.
    #[serde(default, skip_serializing_if = "is_default")]
    pub file_lights: FileLights,
}

/// Recordings without file lights are written as they were before this field existed.
fn is_default(lights: &FileLights) -> bool {
    *lights == FileLights::default()
}

/// The source of a frame's light.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LightSource {
    /// A key light, a fill light and an ambient light from formulas, without reflections of a room.
    #[default]
    Classic,
    /// A photographer's studio: soft boxes in a grey room.
    Studio,
    /// A clear day with the sun.
    Outdoor,
    /// The same light from everywhere, without a shadow.
    Flat,
    /// Light from an image. Files have no name for this source.
    #[serde(skip)]
    Image(Arc<Environment>),
}

impl Light {
    /// The largest exposure that options and files accept, in stops, in both directions.
    pub const MAX_EXPOSURE: f32 = 16.0;

    /// Returns light from a source, without rotation or exposure.
    pub fn new(source: LightSource) -> Self {
        Self { source, ..Self::default() }
    }

    /// Checks that rotation and exposure are within their ranges.
    ///
    /// # Errors
    /// The value that is invalid.
    pub fn validate(&self) -> Result<(), String> {
        let is_exposure = self.exposure.abs() <= Self::MAX_EXPOSURE;
        if !is_exposure {
            return Err(format!("exposure must be between -{0} and {0} stops", Self::MAX_EXPOSURE));
        }
        self.file_lights.validate()?;
        // The limit is slightly more than a full turn, because angles in degrees are rounded.
        if self.rotation.abs() <= 6.3 { Ok(()) } else { Err("rotation must be at most a whole turn".into()) }
    }

    /// Returns the environment, which is computed on first use. `None` for the classic light.
    pub fn environment(&self) -> Option<&Environment> {
        match &self.source {
            LightSource::Classic => None,
            LightSource::Studio => Some(scenes::studio()),
            LightSource::Outdoor => Some(scenes::outdoor()),
            LightSource::Flat => Some(scenes::flat()),
            LightSource::Image(environment) => Some(environment),
        }
    }

    /// Returns the unit direction towards the key light.
    pub fn key_direction(&self) -> Vec3 {
        let still = self.environment().map_or_else(|| CLASSIC_KEY.normalize(), |e| e.key.direction);
        if self.rotation == 0.0 { still } else { glam::Quat::from_rotation_y(self.rotation) * still }
    }

    /// Returns whether there is a key light that casts shadows.
    pub fn has_key(&self) -> bool {
        self.environment().is_none_or(|environment| environment.key.color != Vec3::ZERO)
    }

    /// Returns the factor by which all light is multiplied.
    pub fn exposure_factor(&self) -> f32 {
        self.exposure.exp2()
    }
}

impl LightSource {
    /// The sources that need no file.
    pub const BUILT_IN: [Self; 4] = [Self::Classic, Self::Studio, Self::Outdoor, Self::Flat];

    /// The name in files and options.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Studio => "studio",
            Self::Outdoor => "outdoor",
            Self::Flat => "flat",
            Self::Image(_) => "image",
        }
    }
}

impl FromStr for LightSource {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let known = || Self::BUILT_IN.map(|source| source.name()).join(", ");
        let found = Self::BUILT_IN.into_iter().find(|source| source.name() == name);
        found.ok_or_else(|| ParseError::new("light", name, format!("one of {}", known())))
    }
}
