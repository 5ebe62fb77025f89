//! The description of a frame.

use std::str::FromStr;

use glam::{Affine3A, Mat4, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::api::{ParseError, named};
use crate::asset::{Alpha, Material};
use crate::view::{Bounds, Camera};

use super::{GpuInstances, Light, LightSource, MAX_LIGHTS, PunctualLight};

/// The input for one image. It is independent of joints, clips and files.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The characters.
    pub instances: Vec<Instance<'a>>,
    /// Characters whose palettes are on the GPU.
    pub crowds: Vec<CrowdInstances<'a>>,
    /// The camera.
    pub camera: Camera,
    /// The shading mode.
    pub mode: ShadingMode,
    /// The light in the shaded modes.
    pub light: Light,
    /// Lights in addition to an environment, without shadows. Lights beyond [`MAX_LIGHTS`](super::MAX_LIGHTS) are not drawn.
    pub lights: Vec<PunctualLight>,
    /// The background.
    pub background: Background,
    /// Samples per pixel: 1 or 4.
    pub samples: u32,
    /// The floor, if it is shown.
    pub ground: Option<Floor>,
    /// Whether the key light casts shadows.
    pub shadow: bool,
    /// Whether surfaces that are close to each other receive less light from an environment. It has no effect on classic light or
    /// frames with crowds. It makes drawing much slower.
    pub ambient_occlusion: bool,
    /// Centre and radius of a sphere around everything that casts shadows, in world metres.
    pub sphere: (Vec3, f32),
    /// Translucent instances in the colour of their tint, drawn over the scene and under the fills. Where surfaces coincide, the
    /// scene hides all ghosts, and the first ghost hides the others. Ghosts cast no shadows, and are not drawn in modes that
    /// store data.
    pub ghosts: Vec<Instance<'a>>,
    /// Triangles on top of the scene, under the lines.
    pub fills: Vec<Fill>,
    /// Lines and dots on top of everything.
    pub lines: Vec<Line>,
}

impl Frame<'_> {
    /// Returns whether the key light exists and casts shadows.
    pub(super) fn casts_shadows(&self) -> bool {
        self.shadow && self.light.has_key()
    }

    /// Returns the lights that are drawn in addition to the environment.
    pub(super) fn drawn_lights(&self) -> &[PunctualLight] {
        let has_environment = self.mode.is_shaded() && self.light.source != LightSource::Classic;
        let count = if has_environment { self.lights.len().min(MAX_LIGHTS) } else { 0 };
        self.lights.get(..count).unwrap_or_default()
    }

    /// Returns whether hidden characters of a crowd may be left out.
    pub(super) fn has_hidden_crowds(&self) -> bool {
        self.crowds.iter().any(|crowd| crowd.instances.has_phases())
    }

    pub(super) fn has_ambient_occlusion(&self) -> bool {
        let has_environment = self.mode.is_shaded() && self.light.source != LightSource::Classic;
        self.ambient_occlusion && has_environment && self.crowds.is_empty()
    }
}

/// Instances of a model whose palettes are on the GPU.
#[derive(Clone, Copy, Debug)]
pub struct CrowdInstances<'a> {
    /// Index of the model in the list passed to the renderer.
    pub model: usize,
    /// The instances.
    pub instances: &'a GpuInstances,
    /// A number that changes whenever the instances change.
    pub version: u64,
}

/// A model in a pose.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    /// Index of the model in the list passed to the renderer.
    pub model: usize,
    /// The parts of the model to draw. Other parts are not drawn.
    pub draws: Vec<Draw<'a>>,
    /// `world_from_mesh` of all draws, as matrices or, if [`Draw::dual`] is set, as dual quaternions and stretches.
    pub palette: &'a [Mat4],
    /// The placement of the instance: a rotation, a uniform scale and a translation in world metres. It is applied to the matrices and
    /// boxes above.
    pub place: Affine3A,
    /// Linear RGBA factor of the base colour. White keeps the model's colour.
    pub tint: Vec4,
}

/// One part of an instance to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draw<'a> {
    /// Index of the part.
    pub part: usize,
    /// Index of its first matrix in the palette.
    pub first_matrix: usize,
    /// Whether its matrices contain dual quaternions and stretches.
    pub dual: bool,
    /// Whether its matrix mirrors the part, so that its clockwise triangles are the front faces.
    pub mirrored: bool,
    /// Morph weights, one per target. Missing ones are zero.
    pub morph_weights: &'a [f32],
    /// The material that replaces the model's own if any of its numbers differ. It must have the same textures. Ghosts ignore it.
    pub material: Option<&'a Material>,
    /// A box in world metres that contains the part. A part outside the view is not drawn, blended parts are sorted by the centres of their
    /// boxes, and only the floor below the box can be in shadow. An empty box means that the extent is unknown.
    pub bounds: Bounds,
}

/// A horizontal floor that fades out around its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// The centre in world metres.
    pub center: Vec3,
    /// The distance from the centre at which the floor has faded out, in world metres.
    pub radius: f32,
    /// The lines on it.
    pub grid: Grid,
}

/// The lines on a floor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Grid {
    /// Faint lines that do not distract from the character.
    Faint,
    /// Clear lines that help to judge depth: thin ones every tenth of a unit, thicker ones every unit, and the X and Z axes in red and
    /// blue. A unit is a metre for a human, and another power of ten of a metre for much larger or smaller characters.
    Clear {
        /// Width of the thin lines in pixels.
        width: f32,
    },
}

/// A straight line on top of the scene. It is a dot if both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end in world metres.
    pub start: Vec3,
    /// The other end in world metres.
    pub end: Vec3,
    /// Widths of both ends in pixels.
    pub widths: [f32; 2],
    /// Linear RGBA, straight alpha.
    pub color: Vec4,
}

/// A triangle on top of the scene, visible from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Corners in world metres.
    pub corners: [Vec3; 3],
    /// Linear RGBA, straight alpha.
    pub color: Vec4,
}

/// Shading modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ShadingMode {
    /// Metallic-roughness material under studio light.
    #[default]
    Shaded,
    /// Base colour, shaded by Lambert's law under one light, plus ambient light.
    Lambert,
    /// World normals as colours.
    Normal,
    /// White wherever there is a surface.
    Mask,
    /// [`Self::Shaded`], with the caller's lines on top.
    Skeleton,
}

impl ShadingMode {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::Shaded, Self::Lambert, Self::Normal, Self::Mask, Self::Skeleton];

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shaded => "shaded",
            Self::Lambert => "lambert",
            Self::Normal => "normal",
            Self::Mask => "mask",
            Self::Skeleton => "skeleton",
        }
    }

    /// Returns whether the mode uses studio light, with textures, tone mapping and shadows.
    pub fn is_shaded(self) -> bool {
        matches!(self, Self::Shaded | Self::Skeleton)
    }

    /// Returns whether the pixels are data instead of colours. Data must not be converted to sRGB.
    pub fn is_data(self) -> bool {
        matches!(self, Self::Normal | Self::Mask)
    }
}

impl FromStr for ShadingMode {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        named("shading mode", name, Self::ALL.map(|mode| (mode.name(), mode)))
    }
}

/// The background of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// An sRGB colour.
    Color([u8; 3]),
    /// No background: alpha is zero.
    Transparent,
    /// Keeps the current contents of the view that is passed to [`Renderer::draw`](super::Renderer::draw). In an image, the same as
    /// `Transparent`.
    Keep,
}

impl Background {
    /// Neutral light grey.
    pub const STUDIO: Self = Self::Color([0xE4, 0xE5, 0xE8]);
    /// Middle grey, against which both white and black figures stand out.
    pub const GREY: Self = Self::Color([0x83, 0x86, 0x8B]);
    /// Black.
    pub const BLACK: Self = Self::Color([0, 0, 0]);

    /// Returns the background that belongs to a light: light grey for the classic light, and middle grey for environments.
    pub fn of_light(source: &LightSource) -> Self {
        if *source == LightSource::Classic { Self::STUDIO } else { Self::GREY }
    }
}

/// The alpha channel of an image with a background.
impl From<Background> for Alpha {
    fn from(background: Background) -> Self {
        if background == Background::Transparent { Self::Keep } else { Self::Drop }
    }
}

impl FromStr for Background {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if text == "transparent" {
            return Ok(Self::Transparent);
        }
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii());
        let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, r, g, b] = value
            .map(u32::to_be_bytes)
            .ok_or_else(|| ParseError::new("background", text, "#rrggbb or transparent"))?;
        Ok(Self::Color([r, g, b]))
    }
}
