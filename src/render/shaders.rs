//! The shader modules, each concatenated from several files.

use super::Gpu;
use super::capabilities::Capabilities;

const SRGB: &str = sinew_shaders::SRGB;
const GLOBALS: &str = sinew_shaders::GLOBALS;
const SKINNING: &str = sinew_shaders::SKINNING;
const FETCH_STORAGE: &str = sinew_shaders::FETCH_STORAGE;
const FETCH_TEXTURE: &str = sinew_shaders::FETCH_TEXTURE;
const BONES: &str = sinew_shaders::BONES;
const MANY_BONES: &str = sinew_shaders::MANY_BONES;
const BASE_COLOR: &str = sinew_shaders::BASE_COLOR;
/// Instances whose palettes are on the GPU.
pub(crate) const PLACED: &str = sinew_shaders::PLACED;
const COMPARED_DEPTH: &str = sinew_shaders::COMPARED_DEPTH;
const SAMPLED_DEPTH: &str = sinew_shaders::SAMPLED_DEPTH;
const SHADOW_MAP: &str = sinew_shaders::SHADOW_MAP;
const SOFT_SHADOW: &str = sinew_shaders::SOFT_SHADOW;
const AMBIENT_OCCLUSION: &str = sinew_shaders::AMBIENT_OCCLUSION;
const PUNCTUAL: &str = sinew_shaders::PUNCTUAL;
const EXTRA_MAPS: &str = sinew_shaders::EXTRA_MAPS;
const SEVEN_SLOTS: &str = sinew_shaders::SEVEN_SLOTS;
const FIVE_SLOTS: &str = sinew_shaders::FIVE_SLOTS;
const ENVIRONMENT: &str = sinew_shaders::ENVIRONMENT;
const TONE_MAP: &str = sinew_shaders::TONE_MAP;
const NORMALS: &str = sinew_shaders::NORMALS;
const VARYINGS: &str = sinew_shaders::VARYINGS;
const SURFACES: &str = sinew_shaders::SURFACE;
const NO_LAYERS: &str = sinew_shaders::NO_LAYERS;
const NO_TOON: &str = sinew_shaders::NO_TOON;
const SMOOTH_HOLES: &str = sinew_shaders::SMOOTH_HOLES;

/// The files of a module for surfaces. The modules differ in how materials are shaded.
macro_rules! surface {
    ($($shading:expr),* $(,)?) => {
        &[
            SRGB,
            GLOBALS,
            SKINNING,
            FETCH_STORAGE,
            BONES,
            BASE_COLOR,
            EXTRA_MAPS,
            SEVEN_SLOTS,
            COMPARED_DEPTH,
            SHADOW_MAP,
            SOFT_SHADOW,
            AMBIENT_OCCLUSION,
            PUNCTUAL,
            ENVIRONMENT,
            TONE_MAP,
            NORMALS,
            $($shading,)*
            VARYINGS,
            SURFACES,
            SMOOTH_HOLES,
        ]
    };
}

/// Surfaces in all modes, without layers of materials.
pub(super) const SURFACE: &[&str] = surface![NO_LAYERS, NO_TOON,];
/// Surfaces with MToon shading, and their outlines.
pub(super) const TOON_SURFACE: &[&str] = surface![NO_LAYERS, sinew_shaders::TOON,];
/// Surfaces with layers of materials.
pub(super) const LAYERED_SURFACE: &[&str] = surface![
    sinew_shaders::LAYERS,
    sinew_shaders::THIN_FILM,
    sinew_shaders::ANISOTROPY,
    sinew_shaders::TRANSMISSION,
    NO_TOON,
];
/// Depth as seen from the key light.
pub(super) const SHADOW: &[&str] =
    &[SRGB, GLOBALS, SKINNING, FETCH_STORAGE, BONES, BASE_COLOR, sinew_shaders::SHADOW];
/// The floor.
pub(super) const FLOOR: &[&str] =
    &[SRGB, GLOBALS, COMPARED_DEPTH, SHADOW_MAP, SOFT_SHADOW, AMBIENT_OCCLUSION, sinew_shaders::FLOOR];
/// Translucent copies of the character.
pub(super) const GHOST: &[&str] =
    &[SRGB, GLOBALS, SKINNING, FETCH_STORAGE, BONES, BASE_COLOR, sinew_shaders::GHOST];
/// Lines and triangles on top of the scene.
pub(super) const LINES: &[&str] = &[SRGB, GLOBALS, sinew_shaders::LINES];
/// Skinned vertices for reading back.
pub(super) const SKIN_VERTICES: &[&str] =
    &[SKINNING, FETCH_STORAGE, MANY_BONES, sinew_shaders::SKIN_VERTICES];
/// Culling of instances whose palettes are on the GPU.
pub(super) const CULL: &[&str] = &[SKINNING, FETCH_STORAGE, MANY_BONES, PLACED, sinew_shaders::CULL];

/// A texture drawn over part of a window.
pub(super) const COMPOSE: &[&str] = &[SRGB, sinew_shaders::COMPOSE];

/// Smaller levels of the shadow map.
pub(super) const SHADOW_LEVELS: &[&str] =
    &[SRGB, COMPARED_DEPTH, sinew_shaders::COMPOSE, sinew_shaders::SHADOW_LEVELS];

/// All modules with their files in order, for tests without an adapter.
#[cfg(test)]
pub(crate) const SOURCES: [(&str, &[&str]); 11] = [
    ("surface", SURFACE),
    ("layered_surface", LAYERED_SURFACE),
    ("toon_surface", TOON_SURFACE),
    ("shadow", SHADOW),
    ("floor", FLOOR),
    ("ghost", GHOST),
    ("lines", LINES),
    ("skin_vertices", SKIN_VERTICES),
    ("cull", CULL),
    ("compose", COMPOSE),
    ("shadow_levels", SHADOW_LEVELS),
];

/// Returns the files of a module for an adapter. If the adapter lacks a feature, the files that need the feature are replaced by files with
/// the same functions.
fn files_for(capabilities: Capabilities, files: &[&'static str]) -> Vec<&'static str> {
    let replaced = |file: &&'static str| match *file {
        FETCH_STORAGE if !capabilities.has_vertex_storage => FETCH_TEXTURE,
        SEVEN_SLOTS if !capabilities.has_vertex_storage => FIVE_SLOTS,
        COMPARED_DEPTH if !capabilities.loads_compared_depth => SAMPLED_DEPTH,
        file => file,
    };
    files.iter().map(replaced).collect()
}

/// Returns the drawing modules with their files for WebGL2-class adapters, for tests without an adapter.
#[cfg(test)]
pub(crate) fn webgl2_sources() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let drawing = SOURCES.into_iter().filter(|(name, _)| !["skin_vertices", "cull"].contains(name));
    drawing.map(|(name, files)| (name, files_for(Capabilities::WEBGL2, files)))
}

/// Creates a drawing module from the files for an adapter.
pub(super) fn module_for(gpu: &Gpu, label: &str, files: &[&'static str]) -> wgpu::ShaderModule {
    module(&gpu.device, label, &files_for(gpu.capabilities, files))
}

/// Creates a module for surfaces from the files for an adapter, with the given text in place of `varyings.wgsl`.
pub(super) fn surface_module(
    gpu: &Gpu,
    label: &str,
    files: &[&'static str],
    varyings: &str,
) -> wgpu::ShaderModule {
    module(&gpu.device, label, &with_varyings(&files_for(gpu.capabilities, files), varyings))
}

/// Returns the files of a module for surfaces, with the given text in place of `varyings.wgsl`.
pub(crate) fn with_varyings<'a>(files: &[&'static str], varyings: &'a str) -> Vec<&'a str> {
    files.iter().map(|&file| if file == VARYINGS { varyings } else { file }).collect()
}

pub(crate) fn module(device: &wgpu::Device, label: &str, files: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(files.concat().into()),
    })
}
