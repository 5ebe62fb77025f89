//! Layers that Khronos extensions add to the core material of glTF. Factors are multiplied by their textures.

use glam::Vec3;

use super::TextureRef;

/// A clear coat over the surface (`KHR_materials_clearcoat`). Its index of refraction is 1.5.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clearcoat {
    /// Coverage of the surface, 0 to 1.
    pub factor: f32,
    /// Texture whose red channel scales the coverage.
    pub texture: Option<TextureRef>,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Texture whose green channel scales the roughness.
    pub roughness_texture: Option<TextureRef>,
    /// Tangent-space normal map of the layer. Without a normal map, the layer has the normals of the mesh.
    pub normal_texture: Option<TextureRef>,
    /// Factor on the x and y components of the normal map.
    pub normal_scale: f32,
}

/// Fibres that stand on the surface and shine at grazing angles, like velvet (`KHR_materials_sheen`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sheen {
    /// Linear RGB. Black means no sheen.
    pub color: Vec3,
    /// sRGB-encoded texture whose RGB scales the colour.
    pub color_texture: Option<TextureRef>,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Texture whose alpha channel scales the roughness.
    pub roughness_texture: Option<TextureRef>,
}

/// Light that passes through the surface instead of being scattered below it (`KHR_materials_transmission`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transmission {
    /// Fraction of the light that passes through, 0 to 1.
    pub factor: f32,
    /// Texture whose red channel scales that fraction.
    pub texture: Option<TextureRef>,
}

/// The inside of a closed surface, which refracts and absorbs light (`KHR_materials_volume`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Thickness below the surface in the space of the mesh. Zero means a thin wall, which does not refract.
    pub thickness: f32,
    /// Texture whose green channel scales the thickness.
    pub thickness_texture: Option<TextureRef>,
    /// Distance in world metres after which white light has the attenuation colour. Infinite if no light is absorbed.
    pub attenuation_distance: f32,
    /// Linear RGB.
    pub attenuation_color: Vec3,
}

/// A thin film whose colour depends on the angle, like a soap bubble (`KHR_materials_iridescence`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iridescence {
    /// Coverage of the surface, 0 to 1.
    pub factor: f32,
    /// Texture whose red channel scales the coverage.
    pub texture: Option<TextureRef>,
    /// Index of refraction of the film, at least 1.
    pub ior: f32,
    /// Film thicknesses in nanometres: the first where the texture is 0, the second where it is 1 or missing.
    pub thickness: [f32; 2],
    /// Texture whose green channel interpolates between the two thicknesses.
    pub thickness_texture: Option<TextureRef>,
}

/// Reflections that are stretched along a direction of the surface, as on brushed metal (`KHR_materials_anisotropy`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// Strength, 0 to 1.
    pub strength: f32,
    /// Angle of the direction in radians, counter-clockwise from the tangent.
    pub rotation: f32,
    /// Texture with the direction in the red and green channels. The blue channel scales the strength.
    pub texture: Option<TextureRef>,
}

impl Default for Volume {
    /// Returns a thin wall that absorbs nothing.
    fn default() -> Self {
        Self {
            thickness: 0.0,
            thickness_texture: None,
            attenuation_distance: f32::INFINITY,
            attenuation_color: Vec3::ONE,
        }
    }
}

impl Default for Iridescence {
    /// Returns the extension's defaults: no film.
    fn default() -> Self {
        Self { factor: 0.0, texture: None, ior: 1.3, thickness: [100.0, 400.0], thickness_texture: None }
    }
}

impl Volume {
    /// Returns the absorption coefficient of each colour channel, per metre (Beer's law).
    pub fn absorption(&self) -> Vec3 {
        let absorption =
            |color: f32| (-color.clamp(1e-6, 1.0).ln() / self.attenuation_distance.max(1e-6)).max(0.0);
        Vec3::from(self.attenuation_color.to_array().map(absorption))
    }
}
