//! What is to be drawn.

use std::str::FromStr;

use glam::{Mat4, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::camera::{Bounds, Camera};

/// One picture's worth of input. Nothing in it refers to joints, clips or files.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// What each part of the model takes from the palette; parts that are not named are not drawn.
    pub draws: Vec<Draw<'a>>,
    /// `world_from_mesh` of all draws: matrices, or what [`Draw::dual`] says.
    pub palette: &'a [Mat4],
    /// From where.
    pub camera: Camera,
    /// How surfaces look.
    pub mode: Mode,
    /// What is behind everything.
    pub background: Background,
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// Whether the key light casts shadows.
    pub shadow: bool,
    /// Centre and radius of a sphere around all that casts shadows, world metres.
    pub sphere: (Vec3, f32),
    /// Translucent doubles of the model, over the scene and under the fills; what coincides is the scene's, then the
    /// first ghost's. They cast no shadow, and are not drawn where a mode stores data.
    pub ghosts: Vec<Ghost<'a>>,
    /// Surfaces over everything, below the lines.
    pub fills: Vec<Fill>,
    /// Lines and dots over everything.
    pub lines: Vec<Line>,
}

/// A part of the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draw<'a> {
    /// Index of the part.
    pub part: usize,
    /// Where its matrices start in the palette.
    pub first_matrix: usize,
    /// Whether they hold dual quaternions and stretches.
    pub dual: bool,
    /// Whether its matrix mirrors it: clockwise triangles are then its outside.
    pub mirrored: bool,
    /// Morph weights, one a target; missing ones are zero.
    pub morph_weights: &'a [f32],
    /// The box around it, world metres: its middle orders blended parts, and the floor is in shadow only below it.
    /// Empty where that is not known.
    pub bounds: Bounds,
}

/// The model once more, standing otherwise.
#[derive(Clone, Debug)]
pub struct Ghost<'a> {
    /// What each part of the model takes from the ghost's own palette.
    pub draws: Vec<Draw<'a>>,
    /// `world_from_mesh` of its draws.
    pub palette: &'a [Mat4],
    /// Linear RGB.
    pub color: Vec3,
}

/// A floor at some height, fading out around a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its middle.
    pub center: Vec3,
    /// World metres until it has faded.
    pub radius: f32,
}

/// A stroke over the picture, straight between two places; a dot if they are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// World metres.
    pub start: Vec3,
    /// World metres.
    pub end: Vec3,
    /// Pixels at either end.
    pub widths: [f32; 2],
    /// Linear RGBA, straight alpha.
    pub color: Vec4,
}

/// A triangle over the picture, either side up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// World metres.
    pub corners: [Vec3; 3],
    /// Linear RGBA, straight alpha.
    pub color: Vec4,
}

/// How surfaces look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Metallic-roughness under studio light.
    #[default]
    Shaded,
    /// Base colour under one lamp, as anybody can compute it.
    Lambert,
    /// World normals as colours.
    Normal,
    /// White where there is anything.
    Mask,
    /// Shaded, with the caller's lines over it.
    Skeleton,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Shaded, Self::Lambert, Self::Normal, Self::Mask, Self::Skeleton];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shaded => "shaded",
            Self::Lambert => "lambert",
            Self::Normal => "normal",
            Self::Mask => "mask",
            Self::Skeleton => "skeleton",
        }
    }

    /// Whether it is lit by the studio, with textures, tone map and shadows.
    pub fn is_shaded(self) -> bool {
        matches!(self, Self::Shaded | Self::Skeleton)
    }

    /// Whether its values are stored as they are, not as sRGB colours.
    pub fn is_data(self) -> bool {
        matches!(self, Self::Normal | Self::Mask)
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|m| m.name() == name)
            .ok_or_else(|| format!("\"{name}\" is none of {}", known()))
    }
}

/// What is behind everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// A colour, sRGB.
    Color([u8; 3]),
    /// Nothing: alpha zero.
    Transparent,
}

impl Background {
    /// The neutral studio.
    pub const STUDIO: Self = Self::Color([0xE4, 0xE5, 0xE8]);
    /// Black.
    pub const BLACK: Self = Self::Color([0, 0, 0]);
}

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "transparent" {
            return Ok(Self::Transparent);
        }
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii());
        let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, r, g, b] = value
            .map(u32::to_be_bytes)
            .ok_or_else(|| format!("\"{text}\" is neither #rrggbb nor transparent"))?;
        Ok(Self::Color([r, g, b]))
    }
}
