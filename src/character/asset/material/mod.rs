//! Surface materials: glTF's metallic-roughness model and its layers.

mod layers;
mod property;
mod texture;
mod toon;

pub use layers::{Anisotropy, Clearcoat, Iridescence, Sheen, Transmission, Volume};
pub use property::MaterialProperty;
pub use texture::{Filter, Sampler, Texture, TextureRef, Wrap};
pub use toon::{Outline, OutlineWidth, Toon, UvMotion};

use glam::{Vec3, Vec4};

/// A metallic-roughness material. Colours are linear.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name in the file.
    pub name: Option<String>,
    /// RGBA factor of the base colour.
    pub base_color: Vec4,
    /// sRGB-encoded RGB and linear alpha.
    pub base_color_texture: Option<TextureRef>,
    /// Metalness, 0 (dielectric) to 1 (metal).
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Roughness in the green channel, and metalness in the blue channel.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Normal map in tangent space.
    pub normal_texture: Option<TextureRef>,
    /// Factor on the x and y components of the normal map.
    pub normal_scale: f32,
    /// Ambient occlusion in the red channel.
    pub occlusion_texture: Option<TextureRef>,
    /// Strength of the occlusion, 0 to 1.
    pub occlusion_strength: f32,
    /// RGB factor of the emission.
    pub emissive: Vec3,
    /// `KHR_materials_emissive_strength`: an additional factor for the emission.
    pub emissive_strength: f32,
    /// sRGB-encoded RGB.
    pub emissive_texture: Option<TextureRef>,
    /// How alpha is used.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are also drawn. Their normals are flipped.
    pub double_sided: bool,
    /// `KHR_materials_unlit`: the base colour is shown without lighting.
    pub unlit: bool,
    /// `KHR_materials_ior`: index of refraction of the parts that are not metal, at least 1. Zero reflects all light.
    pub ior: f32,
    /// `KHR_materials_specular`: strength of the reflection of the parts that are not metal, 0 to 1.
    pub specular: f32,
    /// Texture whose alpha channel scales the specular strength.
    pub specular_texture: Option<TextureRef>,
    /// Linear RGB colour of the specular reflection at normal incidence.
    pub specular_color: Vec3,
    /// sRGB-encoded texture whose RGB scales the specular colour.
    pub specular_color_texture: Option<TextureRef>,
    /// Whether the alpha channel of [`Self::specular_color_texture`] is a factor of the glossiness, which is one minus the roughness
    /// (`KHR_materials_pbrSpecularGlossiness`).
    pub has_glossiness: bool,
    /// `KHR_materials_clearcoat`: a clear coat.
    pub clearcoat: Option<Clearcoat>,
    /// `KHR_materials_sheen`: fibres that shine at grazing angles.
    pub sheen: Option<Sheen>,
    /// `KHR_materials_transmission`: light that passes through the surface.
    pub transmission: Option<Transmission>,
    /// `KHR_materials_volume`: the volume inside the surface. It is visible only through a surface with transmission.
    pub volume: Option<Volume>,
    /// `KHR_materials_dispersion`: the difference in a volume's refraction between blue and red light. It is 20 divided by the Abbe number,
    /// or zero for no dispersion.
    pub dispersion: f32,
    /// `KHR_materials_iridescence`: a thin film whose colour depends on the angle.
    pub iridescence: Option<Iridescence>,
    /// `KHR_materials_anisotropy`: reflections that are stretched in one direction.
    pub anisotropy: Option<Anisotropy>,
    /// `VRMC_materials_mtoon`: shading in two colours instead of the metallic-roughness model.
    pub toon: Option<Toon>,
}

impl Material {
    /// Returns the reflectance at normal incidence, per colour channel, where the surface is not a metal (`KHR_materials_specular`, after
    /// Fresnel's equations).
    pub fn dielectric_reflectance(&self) -> Vec3 {
        (self.clear_reflectance() * self.specular_color).min(Vec3::ONE) * self.specular
    }

    /// Returns the reflectance of a clear surface with this index of refraction at normal incidence (`KHR_materials_ior`, after Fresnel's
    /// equations).
    pub fn clear_reflectance(&self) -> f32 {
        match self.ior {
            0.0 => 1.0,
            // The default gives exactly the value of glTF's core material.
            1.5 => 0.04,
            ior => ((ior.max(1.0) - 1.0) / (ior.max(1.0) + 1.0)).powi(2),
        }
    }

    /// Returns a copy without the name. This needs no allocation.
    pub fn without_name(&self) -> Self {
        // All other fields are copied.
        Self { name: None, ..*self }
    }

    /// Returns all references to textures, including those of the layers.
    pub fn texture_refs_mut(&mut self) -> impl Iterator<Item = &mut TextureRef> {
        let core = [
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
            &mut self.specular_texture,
            &mut self.specular_color_texture,
        ];
        let clearcoat = self.clearcoat.iter_mut();
        let clearcoat =
            clearcoat.flat_map(|c| [&mut c.texture, &mut c.roughness_texture, &mut c.normal_texture]);
        let sheen = self.sheen.iter_mut().flat_map(|s| [&mut s.color_texture, &mut s.roughness_texture]);
        let iridescence = self.iridescence.iter_mut();
        let iridescence = iridescence.flat_map(|i| [&mut i.texture, &mut i.thickness_texture]);
        let others = [
            self.transmission.as_mut().map(|t| &mut t.texture),
            self.volume.as_mut().map(|v| &mut v.thickness_texture),
            self.anisotropy.as_mut().map(|a| &mut a.texture),
        ];
        let layers = clearcoat.chain(sheen).chain(iridescence).chain(others.into_iter().flatten());
        let layers = layers.chain(self.toon.iter_mut().flat_map(Toon::textures_mut));
        core.into_iter().chain(layers).flatten()
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
            emissive_strength: 1.0,
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: 1.5,
            specular: 1.0,
            specular_texture: None,
            specular_color: Vec3::ONE,
            specular_color_texture: None,
            has_glossiness: false,
            clearcoat: None,
            sheen: None,
            transmission: None,
            volume: None,
            dispersion: 0.0,
            iridescence: None,
            anisotropy: None,
            toon: None,
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
