//! How a material reaches the shaders: its record, the order of its textures, and the features that select a pipeline.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::asset::{AlphaMode, Material, Outline, OutlineWidth, Primitive, TextureRef, Toon};

use super::gpu_types::{self, UvTransform, flags};
use super::layout::{CORE_MAPS, EXTRA_SLOTS};

/// Stride of the records of parts in bytes. Every adapter supports dynamic offsets that are multiples of 256.
pub(super) const PART_STRIDE: usize = 768;
const _: () = assert!(size_of::<gpu_types::PartConstants>() <= PART_STRIDE);

/// The purpose of a texture, which determines its colour space and its neutral colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TextureUse {
    /// sRGB. The neutral colour is white.
    Color,
    /// Linear. The neutral colour is white.
    Data,
    /// Linear. The neutral colour is a normal that points straight up.
    Normal,
}

/// Returns the textures of glTF's core material in the order of the shader's bindings, with their purposes.
pub(super) fn core_maps(material: &Material) -> [(Option<TextureRef>, TextureUse); CORE_MAPS] {
    [
        (material.base_color_texture, TextureUse::Color),
        (material.metallic_roughness_texture, TextureUse::Data),
        (material.normal_texture, TextureUse::Normal),
        (material.occlusion_texture, TextureUse::Data),
        (material.emissive_texture, TextureUse::Color),
    ]
}

/// An additional texture that a material can have.
struct ExtraMap {
    /// The name of the override constant that contains the slot.
    constant: &'static str,
    usage: TextureUse,
    texture: fn(&Material) -> Option<TextureRef>,
}

const fn extra(
    constant: &'static str,
    usage: TextureUse,
    texture: fn(&Material) -> Option<TextureRef>,
) -> ExtraMap {
    ExtraMap { constant, usage, texture }
}

use TextureUse::{Color, Data, Normal};

/// All additional textures. If a material has more additional textures than there are slots, the last ones are left out.
const EXTRA_MAPS: [ExtraMap; EXTRA_MAP_COUNT] = [
    extra("TRANSMISSION_MAP", Data, |m| m.transmission?.texture),
    extra("THICKNESS_MAP", Data, |m| m.volume?.thickness_texture),
    extra("CLEARCOAT_MAP", Data, |m| m.clearcoat?.texture),
    extra("CLEARCOAT_NORMAL_MAP", Normal, |m| m.clearcoat?.normal_texture),
    extra("SHEEN_COLOR_MAP", Color, |m| m.sheen?.color_texture),
    extra("ANISOTROPY_MAP", Data, |m| m.anisotropy?.texture),
    extra("SPECULAR_COLOR_MAP", Color, |m| m.specular_color_texture),
    extra("SPECULAR_MAP", Data, |m| m.specular_texture),
    extra("IRIDESCENCE_MAP", Data, |m| m.iridescence?.texture),
    extra("IRIDESCENCE_THICKNESS_MAP", Data, |m| m.iridescence?.thickness_texture),
    extra("CLEARCOAT_ROUGHNESS_MAP", Data, |m| m.clearcoat?.roughness_texture),
    extra("SHEEN_ROUGHNESS_MAP", Data, |m| m.sheen?.roughness_texture),
    extra("SHADE_MAP", Color, |m| m.toon?.shade_texture),
    extra("SHADING_SHIFT_MAP", Data, |m| m.toon?.shading_shift_texture),
    extra("MATCAP_MAP", Color, |m| m.toon?.matcap_texture),
    extra("RIM_MAP", Color, |m| m.toon?.rim_texture),
    extra("OUTLINE_WIDTH_MAP", Data, |m| m.toon?.outline?.width_texture),
    extra("UV_MASK_MAP", Data, |m| m.toon?.uv_motion.mask_texture),
];
pub(super) const EXTRA_MAP_COUNT: usize = 18;

/// Returns the additional textures of a material in the order of their slots, with their indices in [`EXTRA_MAPS`] and their purposes.
pub(super) fn extra_maps(material: &Material) -> impl Iterator<Item = (usize, TextureRef, TextureUse)> {
    let all = EXTRA_MAPS.iter().enumerate();
    all.filter_map(|(i, map)| Some((i, (map.texture)(material)?, map.usage))).take(EXTRA_SLOTS)
}

/// Returns the number of textures of a material that have no slot.
pub(super) fn missing_slots(material: &Material) -> usize {
    let count = EXTRA_MAPS.iter().filter(|map| (map.texture)(material).is_some()).count();
    count.saturating_sub(EXTRA_SLOTS)
}

/// Which textures of a material exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Maps {
    /// The textures of glTF's core.
    pub(super) core: [bool; CORE_MAPS],
    /// The slot of each additional texture, counted from 1, or 0 for a missing texture.
    pub(super) extra: [u8; EXTRA_MAP_COUNT],
}

impl Maps {
    /// Returns the textures that a shader uses. The additional textures are either all used or all unused.
    pub(super) fn used(self, core: [bool; CORE_MAPS], extra: bool) -> Self {
        Self {
            core: std::array::from_fn(|map| self.core[map] && core[map]),
            extra: if extra { self.extra } else { [0; EXTRA_MAP_COUNT] },
        }
    }

    pub(super) fn has_transmission(&self) -> bool {
        let mut maps = EXTRA_MAPS.iter().zip(self.extra);
        maps.any(|(map, slot)| map.constant == "TRANSMISSION_MAP" && slot > 0)
    }

    /// Returns whether the surface or one of its layers has a normal map.
    pub(super) fn has_normals(&self) -> bool {
        let layers = EXTRA_MAPS.iter().zip(self.extra);
        self.core[2] || layers.into_iter().any(|(map, slot)| map.usage == Normal && slot > 0)
    }

    /// Returns the indices of the textures in the record of a part.
    pub(super) fn transforms(&self) -> impl Iterator<Item = usize> {
        let core = self.core.iter().enumerate().filter_map(|(map, exists)| exists.then_some(map));
        core.chain(self.extra.iter().filter(|slot| **slot > 0).map(|slot| CORE_MAPS - 1 + usize::from(*slot)))
    }

    /// Returns the values of the shader's override constants.
    pub(super) fn constants(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let core =
            ["BASE_COLOR_MAP", "METALLIC_ROUGHNESS_MAP", "NORMAL_MAP", "OCCLUSION_MAP", "EMISSIVE_MAP"];
        let core = core.into_iter().zip(self.core).map(|(name, exists)| (name, f64::from(u8::from(exists))));
        let extra = EXTRA_MAPS.iter().zip(self.extra).map(|(map, slot)| (map.constant, f64::from(slot)));
        core.chain(extra)
    }
}

pub(super) fn record(material: &Material) -> gpu_types::PartConstants {
    let cutoff = if let AlphaMode::Mask(cutoff) = material.alpha_mode { cutoff } else { 0.0 };
    let mut uv = [UvTransform::zeroed(); CORE_MAPS + EXTRA_SLOTS];
    let core = core_maps(material).map(|(texture, _)| texture);
    let textures = core.into_iter().chain(extra_maps(material).map(|(_, texture, _)| Some(texture)));
    uv.iter_mut().zip(textures).for_each(|(uv, texture)| *uv = uv_transform(texture));
    let coat = material.clearcoat.unwrap_or_default();
    let sheen = material.sheen.unwrap_or_default();
    let volume = material.volume.unwrap_or_default();
    let film = material.iridescence.unwrap_or_default();
    let grain = material.anisotropy.unwrap_or_default();
    let (sin, cos) = grain.rotation.sin_cos();
    let toon = material.toon.as_ref().map_or_else(gpu_types::PartConstants::zeroed, toon);
    gpu_types::PartConstants {
        base_color: material.base_color.into(),
        emissive_normal_scale: (material.emissive * material.emissive_strength)
            .extend(material.normal_scale)
            .into(),
        surface: [material.metallic, material.roughness, material.occlusion_strength, cutoff],
        dielectric: material.dielectric_reflectance().extend(material.specular).into(),
        specular: (material.clear_reflectance() * material.specular_color).extend(material.ior).into(),
        clearcoat: [coat.factor, coat.roughness, coat.normal_scale, material.dispersion],
        sheen: sheen.color.extend(sheen.roughness).into(),
        volume: volume.absorption().extend(volume.thickness).into(),
        iridescence: [film.factor, film.ior, film.thickness[0], film.thickness[1]],
        anisotropy: [grain.strength, cos, sin, material.transmission.unwrap_or_default().factor],
        uv,
        ..toon
    }
}

/// Returns the features of a part as bits of [`flags`].
pub(super) fn part_flags(primitive: &Primitive, material: &Material) -> u32 {
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    let moves = material.toon.is_some_and(|toon| toon.uv_motion.moves());
    flag(!primitive.normals.is_empty(), flags::HAS_NORMALS)
        | flag(!primitive.tangents.is_empty(), flags::HAS_TANGENTS)
        | flag(matches!(material.alpha_mode, AlphaMode::Mask(_)), flags::ALPHA_MASK)
        | flag(material.alpha_mode == AlphaMode::Blend, flags::ALPHA_BLEND)
        | flag(material.unlit, flags::UNLIT)
        | flag(material.clearcoat.is_some(), flags::CLEARCOAT)
        | flag(material.sheen.is_some_and(|sheen| sheen.color != Vec3::ZERO), flags::SHEEN)
        | flag(material.transmission.is_some(), flags::TRANSMISSION)
        | flag(material.has_glossiness, flags::GLOSSINESS)
        | flag(material.dispersion > 0.0, flags::DISPERSION)
        | flag(material.iridescence.is_some(), flags::IRIDESCENCE)
        | flag(material.anisotropy.is_some(), flags::ANISOTROPY)
        | flag(has_toon(material), flags::TOON)
        | flag(has_toon(material) && moves, flags::MOVING_TEXTURES)
}

/// Returns whether a material is shaded as MToon.
pub(super) fn has_toon(material: &Material) -> bool {
    material.toon.is_some() && !material.unlit
}

/// Returns whether a material hides everything behind it, even if it is blended.
pub(super) fn writes_depth(material: &Material) -> bool {
    material.alpha_mode != AlphaMode::Blend || material.toon.is_some_and(|toon| toon.writes_depth)
}

/// Returns whether the order in which the triangles of a part are drawn is visible, because surfaces are visible through each other.
pub(super) fn has_visible_order(material: &Material) -> bool {
    material.alpha_mode == AlphaMode::Blend || material.transmission.is_some()
}

/// Returns a blended material's draw order. Materials that write depth are drawn before all others, and each group is sorted by offset.
pub(super) fn blend_order(material: &Material) -> i32 {
    material
        .toon
        .map_or(0, |toon| toon.queue_offset - if toon.writes_depth { DEPTH_WRITING_FIRST } else { 0 })
}

/// Greater than the difference between any two offsets.
const DEPTH_WRITING_FIRST: i32 = 100;

/// Returns whether a line is drawn around a primitive with the given material. The line's direction comes from the normals, so a primitive
/// without normals has no line.
pub(super) fn has_outline(primitive: &Primitive, material: &Material) -> bool {
    let outline = material.toon.and_then(|toon| toon.outline);
    has_toon(material) && outline.is_some() && !primitive.normals.is_empty()
}

/// Returns the fields of a record that concern MToon.
fn toon(toon: &Toon) -> gpu_types::PartConstants {
    let outline = toon.outline.unwrap_or(Outline {
        width: OutlineWidth::World(0.0),
        width_texture: None,
        color: Vec3::ZERO,
        lighting_mix: 0.0,
    });
    let (offset, angle) = toon.uv_motion.phase();
    gpu_types::PartConstants {
        shade: toon.shade_color.extend(toon.shading_shift).into(),
        toon: [toon.toony, toon.gi_equalization, toon.rim_lift, toon.rim_lighting_mix],
        rim: toon.rim_color.extend(toon.rim_fresnel_power).into(),
        matcap: if toon.matcap_texture.is_some() { toon.matcap_color } else { Vec3::ZERO }
            .extend(toon.shading_shift_scale)
            .into(),
        outline: outline.color.extend(outline.lighting_mix).into(),
        outline_width: match outline.width {
            OutlineWidth::World(metres) => [metres, 0.0, 0.0, 0.0],
            OutlineWidth::Screen(heights) => [0.0, heights, 0.0, 0.0],
        },
        uv_motion: [offset.x, offset.y, angle, 0.0],
        ..gpu_types::PartConstants::zeroed()
    }
}

fn uv_transform(texture: Option<TextureRef>) -> UvTransform {
    let Some(texture) = texture else { return UvTransform::zeroed() };
    let m = texture.uv_transform;
    let set = if texture.uv_set == 1 { 1.0 } else { 0.0 };
    UvTransform {
        linear: m.matrix2.to_cols_array(),
        offset_set: [m.translation.x, m.translation.y, set, 0.0],
    }
}
