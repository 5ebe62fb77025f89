//! Numeric material properties that clips and expressions change.

use std::slice::from_mut;

use glam::{Affine2, Mat2, Vec2};

use super::{AlphaMode, Material, TextureRef};

/// A property of a material that consists of one to four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialProperty(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Index into [`FIELDS`].
    Field(usize),
    /// Index into [`TEXTURES`].
    Texture(usize, TexturePart),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TexturePart {
    Offset,
    Rotation,
    Scale,
}

/// Returns the numbers that a property changes in a material, or `None` if the material does not have the property.
type Field = fn(&mut Material) -> Option<&mut [f32]>;

/// Properties by JSON pointer within a material.
const FIELDS: &[(&str, Field)] = &[
    ("pbrMetallicRoughness/baseColorFactor", |m| Some(m.base_color.as_mut())),
    ("pbrMetallicRoughness/metallicFactor", |m| Some(from_mut(&mut m.metallic))),
    ("pbrMetallicRoughness/roughnessFactor", |m| Some(from_mut(&mut m.roughness))),
    ("alphaCutoff", |m| match &mut m.alpha_mode {
        AlphaMode::Mask(cutoff) => Some(from_mut(cutoff)),
        AlphaMode::Opaque | AlphaMode::Blend => None,
    }),
    ("emissiveFactor", |m| Some(m.emissive.as_mut())),
    ("normalTexture/scale", |m| Some(from_mut(&mut m.normal_scale))),
    ("occlusionTexture/strength", |m| Some(from_mut(&mut m.occlusion_strength))),
    ("extensions/KHR_materials_emissive_strength/emissiveStrength", |m| {
        Some(from_mut(&mut m.emissive_strength))
    }),
    ("extensions/KHR_materials_ior/ior", |m| Some(from_mut(&mut m.ior))),
    ("extensions/KHR_materials_specular/specularFactor", |m| Some(from_mut(&mut m.specular))),
    ("extensions/KHR_materials_specular/specularColorFactor", |m| Some(m.specular_color.as_mut())),
    ("extensions/KHR_materials_clearcoat/clearcoatFactor", |m| {
        Some(from_mut(&mut m.clearcoat.as_mut()?.factor))
    }),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", |m| {
        Some(from_mut(&mut m.clearcoat.as_mut()?.roughness))
    }),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale", |m| {
        Some(from_mut(&mut m.clearcoat.as_mut()?.normal_scale))
    }),
    ("extensions/KHR_materials_sheen/sheenColorFactor", |m| Some(m.sheen.as_mut()?.color.as_mut())),
    ("extensions/KHR_materials_sheen/sheenRoughnessFactor", |m| {
        Some(from_mut(&mut m.sheen.as_mut()?.roughness))
    }),
    ("extensions/KHR_materials_transmission/transmissionFactor", |m| {
        Some(from_mut(&mut m.transmission.as_mut()?.factor))
    }),
    ("extensions/KHR_materials_volume/thicknessFactor", |m| {
        Some(from_mut(&mut m.volume.as_mut()?.thickness))
    }),
    ("extensions/KHR_materials_volume/attenuationDistance", |m| {
        Some(from_mut(&mut m.volume.as_mut()?.attenuation_distance))
    }),
    ("extensions/KHR_materials_volume/attenuationColor", |m| {
        Some(m.volume.as_mut()?.attenuation_color.as_mut())
    }),
    ("extensions/KHR_materials_iridescence/iridescenceFactor", |m| {
        Some(from_mut(&mut m.iridescence.as_mut()?.factor))
    }),
    ("extensions/KHR_materials_iridescence/iridescenceIor", |m| {
        Some(from_mut(&mut m.iridescence.as_mut()?.ior))
    }),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", |m| {
        m.iridescence.as_mut()?.thickness.get_mut(..1)
    }),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", |m| {
        m.iridescence.as_mut()?.thickness.get_mut(1..)
    }),
    ("extensions/KHR_materials_anisotropy/anisotropyStrength", |m| {
        Some(from_mut(&mut m.anisotropy.as_mut()?.strength))
    }),
    ("extensions/KHR_materials_anisotropy/anisotropyRotation", |m| {
        Some(from_mut(&mut m.anisotropy.as_mut()?.rotation))
    }),
    ("extensions/VRMC_materials_mtoon/shadeColorFactor", |m| Some(m.toon.as_mut()?.shade_color.as_mut())),
    ("extensions/VRMC_materials_mtoon/matcapFactor", |m| Some(m.toon.as_mut()?.matcap_color.as_mut())),
    ("extensions/VRMC_materials_mtoon/parametricRimColorFactor", |m| {
        Some(m.toon.as_mut()?.rim_color.as_mut())
    }),
    ("extensions/VRMC_materials_mtoon/outlineColorFactor", |m| {
        Some(m.toon.as_mut()?.outline.as_mut()?.color.as_mut())
    }),
];

/// Returns a texture of a material, or `None` if the material does not have it.
type Texture = fn(&mut Material) -> Option<&mut TextureRef>;

/// Textures by JSON pointer within a material.
const TEXTURES: &[(&str, Texture)] = &[
    ("pbrMetallicRoughness/baseColorTexture", |m| m.base_color_texture.as_mut()),
    ("pbrMetallicRoughness/metallicRoughnessTexture", |m| m.metallic_roughness_texture.as_mut()),
    ("normalTexture", |m| m.normal_texture.as_mut()),
    ("occlusionTexture", |m| m.occlusion_texture.as_mut()),
    ("emissiveTexture", |m| m.emissive_texture.as_mut()),
    ("extensions/KHR_materials_specular/specularTexture", |m| m.specular_texture.as_mut()),
    ("extensions/KHR_materials_specular/specularColorTexture", |m| m.specular_color_texture.as_mut()),
    ("extensions/KHR_materials_clearcoat/clearcoatTexture", |m| m.clearcoat.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture", |m| {
        m.clearcoat.as_mut()?.roughness_texture.as_mut()
    }),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture", |m| {
        m.clearcoat.as_mut()?.normal_texture.as_mut()
    }),
    ("extensions/KHR_materials_sheen/sheenColorTexture", |m| m.sheen.as_mut()?.color_texture.as_mut()),
    ("extensions/KHR_materials_sheen/sheenRoughnessTexture", |m| {
        m.sheen.as_mut()?.roughness_texture.as_mut()
    }),
    ("extensions/KHR_materials_transmission/transmissionTexture", |m| {
        m.transmission.as_mut()?.texture.as_mut()
    }),
    ("extensions/KHR_materials_volume/thicknessTexture", |m| m.volume.as_mut()?.thickness_texture.as_mut()),
    ("extensions/KHR_materials_iridescence/iridescenceTexture", |m| m.iridescence.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessTexture", |m| {
        m.iridescence.as_mut()?.thickness_texture.as_mut()
    }),
    ("extensions/KHR_materials_anisotropy/anisotropyTexture", |m| m.anisotropy.as_mut()?.texture.as_mut()),
    ("extensions/VRMC_materials_mtoon/shadeMultiplyTexture", |m| m.toon.as_mut()?.shade_texture.as_mut()),
    ("extensions/VRMC_materials_mtoon/shadingShiftTexture", |m| {
        m.toon.as_mut()?.shading_shift_texture.as_mut()
    }),
    ("extensions/VRMC_materials_mtoon/rimMultiplyTexture", |m| m.toon.as_mut()?.rim_texture.as_mut()),
    ("extensions/VRMC_materials_mtoon/outlineWidthMultiplyTexture", |m| {
        m.toon.as_mut()?.outline.as_mut()?.width_texture.as_mut()
    }),
    ("extensions/VRMC_materials_mtoon/uvAnimationMaskTexture", |m| {
        m.toon.as_mut()?.uv_motion.mask_texture.as_mut()
    }),
];

const TRANSFORM: &str = "/extensions/KHR_texture_transform/";

impl MaterialProperty {
    /// Finds the property with the given JSON pointer in a material, such as `pbrMetallicRoughness/baseColorFactor`.
    pub fn find(pointer: &str) -> Option<Self> {
        if let Some((texture, part)) = pointer.split_once(TRANSFORM) {
            let part = match part {
                "offset" => TexturePart::Offset,
                "rotation" => TexturePart::Rotation,
                "scale" => TexturePart::Scale,
                _ => return None,
            };
            let texture = TEXTURES.iter().position(|(name, _)| *name == texture)?;
            return Some(Self(Kind::Texture(texture, part)));
        }
        FIELDS.iter().position(|(name, _)| *name == pointer).map(|field| Self(Kind::Field(field)))
    }

    /// Returns the JSON pointers of all textures of a material.
    pub fn textures() -> impl Iterator<Item = &'static str> {
        TEXTURES.iter().map(|(name, _)| *name)
    }

    /// Returns how many values the property has in a material, and the values, padded with zeros. Returns `None` if the material does not
    /// have the property.
    pub fn get(self, material: &Material) -> Option<(usize, [f32; 4])> {
        let mut values = [0.0; 4];
        // The tables contain only functions that return mutable references. The copy leaves out the name, so nothing is allocated.
        let mut copy = material.without_name();
        let count = match self.0 {
            Kind::Field(field) => {
                let (_, field) = FIELDS.get(field)?;
                let numbers = field(&mut copy)?;
                values.iter_mut().zip(&*numbers).for_each(|(to, from)| *to = *from);
                numbers.len()
            }
            Kind::Texture(texture, part) => {
                let (_, texture) = TEXTURES.get(texture)?;
                let transform = Parts::of(texture(&mut copy)?.uv_transform);
                let (pair, count) = match part {
                    TexturePart::Offset => (transform.offset, 2),
                    TexturePart::Scale => (transform.scale, 2),
                    TexturePart::Rotation => (Vec2::new(transform.rotation, 0.0), 1),
                };
                (values[0], values[1]) = (pair.x, pair.y);
                count
            }
        };
        Some((count, values))
    }

    /// Sets the property in a material, if the material has the property and all numbers are finite.
    pub fn set(self, material: &mut Material, numbers: &[f32]) {
        if !numbers.iter().all(|x| x.is_finite()) {
            return;
        }
        match self.0 {
            Kind::Field(field) => {
                let Some(to) = FIELDS.get(field).and_then(|(_, field)| field(material)) else { return };
                to.iter_mut().zip(numbers).for_each(|(to, from)| *to = *from);
            }
            Kind::Texture(texture, part) => {
                let texture = TEXTURES.get(texture).and_then(|(_, texture)| texture(material));
                let Some(texture) = texture else { return };
                let mut parts = Parts::of(texture.uv_transform);
                let pair = numbers.get(..2).map(Vec2::from_slice);
                match (part, pair, numbers.first()) {
                    (TexturePart::Offset, Some(offset), _) => parts.offset = offset,
                    (TexturePart::Scale, Some(scale), _) => parts.scale = scale,
                    (TexturePart::Rotation, _, Some(angle)) => parts.rotation = *angle,
                    _ => return,
                }
                let transform = parts.transform();
                if transform.is_finite() {
                    texture.uv_transform = transform;
                }
            }
        }
    }
}

/// The parts of a `KHR_texture_transform`.
struct Parts {
    offset: Vec2,
    rotation: f32,
    scale: Vec2,
}

impl Parts {
    fn of(transform: Affine2) -> Self {
        let [x_axis, y_axis] = [transform.matrix2.x_axis, transform.matrix2.y_axis];
        let side = if transform.matrix2.determinant() < 0.0 { -1.0 } else { 1.0 };
        // If the x axis has zero length, its direction follows from the y axis.
        let x = if x_axis == Vec2::ZERO { -y_axis.perp() * side } else { x_axis };
        Self {
            offset: transform.translation,
            rotation: if x == Vec2::ZERO { 0.0 } else { (-x.y).atan2(x.x) },
            scale: Vec2::new(x_axis.length(), y_axis.length() * side),
        }
    }

    fn transform(&self) -> Affine2 {
        let (sin, cos) = self.rotation.sin_cos();
        let rotation = Mat2::from_cols(Vec2::new(cos, -sin), Vec2::new(sin, cos));
        Affine2::from_mat2_translation(rotation * Mat2::from_diagonal(self.scale), self.offset)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;

    const BASE_COLOR: &str = "pbrMetallicRoughness/baseColorFactor";

    #[test]
    fn properties_are_found_by_pointers() {
        let base_color = MaterialProperty::find(BASE_COLOR).unwrap();
        let mut material = Material::default();
        assert_eq!(base_color.get(&material), Some((4, [1.0; 4])));
        base_color.set(&mut material, &[0.5, 0.25, 0.0, 1.0]);
        assert_eq!(material.base_color, Vec4::new(0.5, 0.25, 0.0, 1.0));
        base_color.set(&mut material, &[f32::NAN; 4]);
        assert_eq!(material.base_color, Vec4::new(0.5, 0.25, 0.0, 1.0));
        assert_eq!(MaterialProperty::find("pbrMetallicRoughness/unknown"), None);
        assert_eq!(MaterialProperty::find("normalTexture/extensions/KHR_texture_transform/texCoord"), None);
        let sheen = MaterialProperty::find("extensions/KHR_materials_sheen/sheenColorFactor").unwrap();
        assert_eq!(sheen.get(&material), None);
        sheen.set(&mut material, &[1.0; 3]);
        assert!(material.sheen.is_none());
        for (pointer, _) in FIELDS {
            assert_eq!(FIELDS.iter().filter(|(other, _)| other == pointer).count(), 1, "{pointer}");
        }
    }

    #[test]
    fn parts_of_texture_transforms_change_alone() {
        let of = |part: &str| {
            let pointer = format!("normalTexture{TRANSFORM}{part}");
            MaterialProperty::find(&pointer).unwrap()
        };
        let parts = Parts { offset: Vec2::new(0.5, 2.0), rotation: 0.75, scale: Vec2::new(2.0, -3.0) };
        let texture = TextureRef { texture: 0, uv_set: 0, uv_transform: parts.transform() };
        let mut material = Material { normal_texture: Some(texture), ..Material::default() };
        let near = |property: MaterialProperty, material: &Material, expected: [f32; 2]| {
            let (count, [x, y, ..]) = property.get(material).unwrap();
            let error = (x - expected[0]).abs().max((y - expected[1]).abs());
            assert!(error < 1e-5, "{count}: {x} {y}");
        };
        near(of("offset"), &material, [0.5, 2.0]);
        near(of("rotation"), &material, [0.75, 0.0]);
        near(of("scale"), &material, [2.0, -3.0]);
        of("rotation").set(&mut material, &[-0.25]);
        of("offset").set(&mut material, &[1.0, 1.0]);
        near(of("scale"), &material, [2.0, -3.0]);
        near(of("rotation"), &material, [-0.25, 0.0]);
        near(of("offset"), &material, [1.0, 1.0]);
        of("scale").set(&mut material, &[0.0, 2.0]);
        near(of("rotation"), &material, [-0.25, 0.0]);
    }
}
