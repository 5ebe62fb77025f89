//! What a surface looks like: glTF's metallic-roughness material.

use glam::{Affine2, Vec3, Vec4};

/// A metallic-roughness surface. Colours are linear light.
#[derive(Clone, Debug)]
pub struct Material {
    /// The file's name for it.
    pub name: Option<String>,
    /// RGBA factor.
    pub base_color: Vec4,
    /// sRGB-encoded RGB, linear alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 (dielectric) to 1 (metal).
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Green: roughness, blue: metallic.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// Factor on the normal map's x and y.
    pub normal_scale: f32,
    /// Red: ambient occlusion.
    pub occlusion_texture: Option<TextureRef>,
    /// How much of the occlusion counts, 0 to 1.
    pub occlusion_strength: f32,
    /// RGB, `KHR_materials_emissive_strength` multiplied in.
    pub emissive: Vec3,
    /// sRGB-encoded RGB.
    pub emissive_texture: Option<TextureRef>,
    /// What alpha means.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are drawn, with their normal turned.
    pub double_sided: bool,
    /// `KHR_materials_unlit`: the base colour is shown as it is.
    pub unlit: bool,
}

impl Default for Material {
    /// glTF's default material: white, metallic 1, roughness 1.
    fn default() -> Self {
        Self {
            name: None,
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}

/// What alpha means to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaMode {
    /// Nothing.
    Opaque,
    /// Below the cutoff there is no surface.
    Mask(f32),
    /// Coverage, blended over what is behind.
    Blend,
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index into [`crate::asset::Character::textures`].
    pub texture: usize,
    /// 0 or 1: which of the primitive's texture coordinates.
    pub uv_set: usize,
    /// `KHR_texture_transform`, applied to the texture coordinates.
    pub uv_transform: Affine2,
}

/// An image and how it is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Index into [`crate::asset::Character::images`]; `None` where the file names none that can be read.
    pub image: Option<usize>,
    /// Filters and wrapping.
    pub sampler: Sampler,
}

/// How a texture is read between and beyond its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// When the texture is enlarged.
    pub magnify: Filter,
    /// When it is reduced.
    pub minify: Filter,
    /// Between mip levels; `None` uses the full-size level alone.
    pub mipmap: Option<Filter>,
    /// Beyond 0..1 in u.
    pub wrap_u: Wrap,
    /// Beyond 0..1 in v.
    pub wrap_v: Wrap,
}

/// Which pixels answer between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// A blend by distance.
    #[default]
    Linear,
}

/// What lies beyond the texture's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The texture again.
    #[default]
    Repeat,
    /// The texture mirrored.
    Mirror,
    /// Its last pixel.
    Clamp,
}
