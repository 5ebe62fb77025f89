//! Surface materials: glTF's metallic-roughness model.

use glam::{Affine2, Vec3, Vec4};

/// A metallic-roughness material. Colours are linear.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name in the file.
    pub name: Option<String>,
    /// RGBA factor of the base colour.
    pub base_color: Vec4,
    /// sRGB-encoded RGB and linear alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 (dielectric) to 1 (metal).
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Roughness in the green channel, and metalness in the blue channel.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// Factor on the x and y components of the normal map.
    pub normal_scale: f32,
    /// Ambient occlusion in the red channel.
    pub occlusion_texture: Option<TextureRef>,
    /// Strength of the occlusion, 0 to 1.
    pub occlusion_strength: f32,
    /// RGB factor of the emission, including `KHR_materials_emissive_strength`.
    pub emissive: Vec3,
    /// sRGB-encoded RGB.
    pub emissive_texture: Option<TextureRef>,
    /// How alpha is used.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are also drawn. Their normals are flipped.
    pub double_sided: bool,
    /// `KHR_materials_unlit`: the base colour is shown without lighting.
    pub unlit: bool,
    /// `KHR_materials_ior`: index of refraction where the surface is not a metal, at least 1. Zero reflects all light.
    pub ior: f32,
    /// `KHR_materials_specular`: strength of the reflection where the surface is not a metal, 0 to 1.
    pub specular: f32,
    /// Colour of that reflection as seen from the front, RGB.
    pub specular_color: Vec3,
}

impl Material {
    /// Returns the share of light from the front that the surface reflects where it is not a metal, for each colour
    /// (`KHR_materials_specular`, after Fresnel's equations).
    pub fn dielectric_reflectance(&self) -> Vec3 {
        // The default index of 1.5 gives exactly the 0.04 of glTF's core material.
        let reflectance = match self.ior {
            0.0 => 1.0,
            1.5 => 0.04,
            ior => ((ior.max(1.0) - 1.0) / (ior.max(1.0) + 1.0)).powi(2),
        };
        (reflectance * self.specular_color).min(Vec3::ONE) * self.specular
    }

    /// Returns the references to all of its textures.
    #[cfg(feature = "urdf")]
    pub(super) fn texture_refs_mut(&mut self) -> impl Iterator<Item = &mut TextureRef> {
        let textures = [
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
        ];
        textures.into_iter().flatten()
    }
}

impl Default for Material {
    /// Returns glTF's default material: white, metallic 1, roughness 1.
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
            ior: 1.5,
            specular: 1.0,
            specular_color: Vec3::ONE,
        }
    }
}

/// How a material uses alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    Opaque,
    /// The surface is invisible where alpha is below this cutoff.
    Mask(f32),
    /// Alpha is coverage, blended over the background.
    Blend,
}

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

/// An image and how it is sampled.
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
