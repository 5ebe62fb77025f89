//! The properties of surfaces that select a pipeline.

use super::gpu_types::flags;
use super::material::Maps;
use super::model::ModelPart;
use super::output::Output;
use super::skinning::SkinningVariant;
use super::varyings::Varyings;
use super::{Background, Frame, Gpu, LightSource, ShadingMode, ToneMap, shaders, texture};

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceVariant {
    pub(super) skinning: SkinningVariant,
    pub(super) mode: ShadingMode,
    pub(super) maps: Maps,
    /// The part's flags that the shading mode uses.
    pub(super) flags: u32,
    pub(super) varyings: Varyings,
    pub(super) shadows: bool,
    pub(super) light: LightVariant,
    /// Whether other surfaces are visible through the part.
    pub(super) transmissive: bool,
    /// Whether the part is drawn from far to near. Such a part is blended, unless it replaces the pixels behind it.
    pub(super) blended: bool,
    pub(super) replaces: bool,
    /// Whether the edges of holes are smooth.
    pub(super) smooth_holes: bool,
    pub(super) writes_depth: bool,
    /// Whether the line around the part is drawn instead of the part.
    pub(super) outline: bool,
    pub(super) culled: bool,
    pub(super) mirrored: bool,
    pub(super) output: Output,
}

/// The properties of a light that select a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct LightVariant {
    pub(super) has_environment: bool,
    /// Whether this is the classic light with a rotation.
    pub(super) is_turned: bool,
    pub(super) has_occlusion: bool,
    /// Whether there are lights besides the environment.
    pub(super) has_lights: bool,
    pub(super) tone: ToneMap,
}

impl LightVariant {
    fn new(frame: &Frame<'_>) -> Self {
        let light = &frame.light;
        let has_environment = light.source != LightSource::Classic;
        let is_turned = !has_environment && light.rotation != 0.0;
        let (has_occlusion, has_lights) = (frame.has_ambient_occlusion(), !frame.drawn_lights().is_empty());
        Self { has_environment, is_turned, has_occlusion, has_lights, tone: light.tone }
    }
}

impl SurfaceVariant {
    /// Returns the variant for a part in a frame. `second_sets` has a bit for each texture of the drawn material that uses the second set of
    /// texture coordinates.
    pub(super) fn new(
        gpu: &Gpu,
        frame: &Frame<'_>,
        part: &ModelPart,
        second_sets: u32,
        skinning: SkinningVariant,
        mirrored: bool,
        output: Output,
    ) -> Self {
        let shaded = frame.mode.is_shaded();
        let transmissive = is_transmissive(frame, part);
        let core_maps = texture::used_textures(frame.mode, part.flags & flags::ALPHA_MASK != 0);
        let mode = if shaded { ShadingMode::Shaded } else { frame.mode };
        let maps = part.textures.maps.used(core_maps, shaded);
        let used = part.flags & used_flags(frame.mode, part.needs_tangents());
        Self {
            skinning,
            mode,
            maps,
            flags: used,
            varyings: Varyings::new(mode, used, &maps, second_sets, transmissive),
            shadows: shaded && frame.casts_shadows(),
            light: if shaded { LightVariant::new(frame) } else { LightVariant::default() },
            transmissive,
            // The backdrop contains everything except the host's own image, over which it must be blended.
            replaces: transmissive
                && part.flags & flags::ALPHA_BLEND == 0
                && !(frame.background == Background::Keep && frame.samples == 1),
            // With classic light, holes keep their hard edges, so that the goldens of existing suites still match.
            smooth_holes: shaded
                && gpu.capabilities.has_sample_masks
                && output.samples > 1
                && frame.light.source != LightSource::Classic
                && part.flags & flags::ALPHA_MASK != 0,
            blended: transmissive || part.blended && !frame.mode.is_data(),
            // A transmissive surface hides the surfaces behind it, because its own colours already include them.
            writes_depth: transmissive && part.flags & flags::ALPHA_BLEND == 0
                || part.writes_depth && !transmissive
                || frame.mode.is_data(),
            outline: false,
            culled: frame.mode != ShadingMode::Mask && !part.double_sided,
            mirrored,
            output,
        }
    }

    /// Returns the variant that draws the line around a part. `None` if the part has no line, or if the frame's mode does not show it.
    pub(super) fn outline_of(self, part: &ModelPart, frame: &Frame<'_>) -> Option<Self> {
        let is_shown = part.has_outline && frame.mode.is_shaded();
        is_shown.then_some(Self { outline: true, culled: true, ..self })
    }

    /// Returns the variant that draws coarse levels of detail of a part. Their triangles are about as wide as a pixel, so vertices instead of
    /// fragments compute the visibility of the key light. `None` if all levels have the same variant.
    pub(super) fn of_coarse_levels(self) -> Option<Self> {
        let receives_shadows = self.shadows && self.flags & flags::UNLIT == 0;
        // A vertex knows neither the visible side of a double-sided surface nor the normal of a triangle.
        let knows_normals = self.culled && self.flags & flags::HAS_NORMALS != 0;
        let has_own = receives_shadows && knows_normals && !(self.blended || self.outline);
        has_own.then(|| Self { varyings: self.varyings.with_light(), ..self })
    }

    /// Returns the name and the files of the shader.
    pub(super) fn files(self) -> (&'static str, &'static [&'static str]) {
        if self.flags & flags::TOON != 0 {
            ("toon surface", shaders::TOON_SURFACE)
        } else if self.flags & flags::LAYERS != 0 {
            ("layered surface", shaders::LAYERED_SURFACE)
        } else {
            ("surface", shaders::SURFACE)
        }
    }
}

/// Returns whether other surfaces are visible through a part in a frame.
pub(super) fn is_transmissive(frame: &Frame<'_>, part: &ModelPart) -> bool {
    frame.mode.is_shaded() && part.is_transmissive()
}

/// Returns the flags that a mode uses. Parts that differ only in other flags share a pipeline.
fn used_flags(mode: ShadingMode, has_normal_map: bool) -> u32 {
    let alpha = flags::HAS_NORMALS | flags::ALPHA_MASK;
    let colors = alpha | flags::ALPHA_BLEND | flags::UNLIT;
    match mode {
        ShadingMode::Mask => 0,
        ShadingMode::Normal => alpha,
        ShadingMode::Lambert => colors,
        ShadingMode::Shaded | ShadingMode::Skeleton => {
            let tangents = if has_normal_map { flags::HAS_TANGENTS } else { 0 };
            let toon = flags::TOON | flags::MOVING_TEXTURES;
            colors | flags::LAYERS | flags::DISPERSION | flags::GLOSSINESS | toon | tangents
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::asset::{AlphaMode, Character, Material, Mesh, Node, Primitive, Skeleton};
    use crate::puppet::Puppet;
    use crate::scene::{self, ViewSettings};
    use crate::view::{AUTO_FOV_Y, Camera};
    use crate::{DecodedImages, Renderer};

    #[test]
    fn coarse_levels_of_opaque_single_sided_surfaces_have_shadows_at_vertices() {
        let plain = Material::default();
        // Whether the surface has normals, its material, and whether its coarse levels have a variant of their own.
        let surfaces = [
            (true, plain.clone(), true),
            (true, Material { double_sided: true, ..plain.clone() }, false),
            (true, Material { unlit: true, ..plain.clone() }, false),
            (true, Material { alpha_mode: AlphaMode::Blend, ..plain.clone() }, false),
            (false, plain, false),
        ];
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let primitives = surfaces.iter().enumerate().map(|(material, (has_normals, ..))| Primitive {
            triangles: vec![[0, 1, 2]],
            normals: if *has_normals { vec![Vec3::Z; 3] } else { Vec::new() },
            positions: positions.clone(),
            material: Some(material),
            ..Primitive::default()
        });
        let node = Node { mesh: Some(0), ..Node::new("surfaces") };
        let mut character = Character::new(Skeleton::new(vec![node]).unwrap());
        let (primitives, weights, target_names) = (primitives.collect(), Vec::new(), Vec::new());
        character.meshes = vec![Mesh { name: None, primitives, weights, target_names }];
        character.materials = surfaces.iter().map(|(_, material, _)| material.clone()).collect();
        let puppet = Puppet::new(character, 0);
        let renderer = Renderer::new(Gpu::of_tests());
        let images = DecodedImages::default();
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0);
        let settings = ViewSettings::new(camera, puppet.bounds());
        let output = Output::new(ShadingMode::Shaded, 4, wgpu::TextureFormat::Rgba8UnormSrgb, false);
        assert_eq!(model.parts.len(), surfaces.len());
        for shadow in [false, true] {
            let frame = scene::frame(&puppet, &settings.clone().with_shadow(shadow));
            for (index, (part, (.., expected))) in model.parts.iter().zip(&surfaces).enumerate() {
                let skinning = SkinningVariant::of(part, false, false);
                let variant = SurfaceVariant::new(renderer.gpu(), &frame, part, 0, skinning, false, output);
                let coarse = variant.of_coarse_levels();
                assert_eq!(coarse.is_some(), shadow && *expected, "surface {index}, shadow: {shadow}");
                assert!(coarse.is_none_or(|coarse| coarse.varyings.has_light()));
                assert!(!variant.varyings.has_light());
                assert_eq!(SurfaceVariant { outline: true, ..variant }.of_coarse_levels(), None);
            }
        }
    }
}
