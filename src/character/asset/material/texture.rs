//! Textures of materials, and their sampling.

use glam::Affine2;

/// A texture in a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index into [`crate::asset::Character::textures`].
    pub texture: usize,
    /// Set of texture coordinates of the primitive, 0 or 1.
    pub uv_set: usize,
    /// `KHR_texture_transform`, applied to the texture coordinates.
    pub uv_transform: Affine2,
}

/// An image and its sampling settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Index into [`crate::asset::Character::images`]. `None` if the file has no readable image for the texture.
    pub image: Option<usize>,
    /// Filters and wrapping.
    pub sampler: Sampler,
}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// Filter for magnification.
    pub magnify: Filter,
    /// Filter for minification.
    pub minify: Filter,
    /// Filter between mip levels. `None` uses only the full-size level.
    pub mipmap: Option<Filter>,
    /// Wrapping outside 0..1 in u.
    pub wrap_u: Wrap,
    /// Wrapping outside 0..1 in v.
    pub wrap_v: Wrap,
}

/// How a texture is sampled between pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest pixel.
    Nearest,
    /// Linear interpolation.
    #[default]
    Linear,
}

/// How a texture continues beyond its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The texture repeats.
    #[default]
    Repeat,
    /// The texture repeats, mirrored each time.
    Mirror,
    /// The last pixel repeats.
    Clamp,
}
