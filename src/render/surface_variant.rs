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
