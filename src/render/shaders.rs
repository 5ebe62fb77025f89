//! The shader modules, each concatenated from several files.

use super::Gpu;
use super::capabilities::Capabilities;

const SRGB: &str = include_str!("../../shaders/srgb.wgsl");
const GLOBALS: &str = include_str!("../../shaders/globals.wgsl");
const SKINNING: &str = include_str!("../../shaders/skinning.wgsl");
const FETCH_STORAGE: &str = include_str!("../../shaders/fetch_storage.wgsl");
const FETCH_TEXTURE: &str = include_str!("../../shaders/fetch_texture.wgsl");
const BONES: &str = include_str!("../../shaders/bones.wgsl");
const MANY_BONES: &str = include_str!("../../shaders/many_bones.wgsl");
const BASE_COLOR: &str = include_str!("../../shaders/base_color.wgsl");
/// Instances whose palettes are on the GPU.
pub(crate) const PLACED: &str = include_str!("../../shaders/placed.wgsl");
const COMPARED_DEPTH: &str = include_str!("../../shaders/compared_depth.wgsl");
const SAMPLED_DEPTH: &str = include_str!("../../shaders/sampled_depth.wgsl");
const SHADOW_MAP: &str = include_str!("../../shaders/shadow_map.wgsl");
const SOFT_SHADOW: &str = include_str!("../../shaders/soft_shadow.wgsl");
const AMBIENT_OCCLUSION: &str = include_str!("../../shaders/ambient_occlusion.wgsl");
const PUNCTUAL: &str = include_str!("../../shaders/punctual.wgsl");
const EXTRA_MAPS: &str = include_str!("../../shaders/extra_maps.wgsl");
const SEVEN_SLOTS: &str = include_str!("../../shaders/seven_slots.wgsl");
const FIVE_SLOTS: &str = include_str!("../../shaders/five_slots.wgsl");
const ENVIRONMENT: &str = include_str!("../../shaders/environment.wgsl");
const TONE_MAP: &str = include_str!("../../shaders/tone_map.wgsl");
const NORMALS: &str = include_str!("../../shaders/normals.wgsl");
const SURFACES: &str = include_str!("../../shaders/surface.wgsl");
const NO_LAYERS: &str = include_str!("../../shaders/no_layers.wgsl");
const NO_TOON: &str = include_str!("../../shaders/no_toon.wgsl");
const SMOOTH_HOLES: &str = include_str!("../../shaders/smooth_holes.wgsl");

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
            SURFACES,
            SMOOTH_HOLES,
        ]
    };
}

/// Surfaces in all modes, without layers of materials.
pub(super) const SURFACE: &[&str] = surface![NO_LAYERS, NO_TOON,];
/// Surfaces with MToon shading, and their outlines.
pub(super) const TOON_SURFACE: &[&str] = surface![NO_LAYERS, include_str!("../../shaders/toon.wgsl"),];
/// Surfaces with layers of materials.
pub(super) const LAYERED_SURFACE: &[&str] = surface![
    include_str!("../../shaders/layers.wgsl"),
    include_str!("../../shaders/thin_film.wgsl"),
    include_str!("../../shaders/anisotropy.wgsl"),
    include_str!("../../shaders/transmission.wgsl"),
    NO_TOON,
];
/// Depth as seen from the key light.
pub(super) const SHADOW: &[&str] =
    &[SRGB, GLOBALS, SKINNING, FETCH_STORAGE, BONES, BASE_COLOR, include_str!("../../shaders/shadow.wgsl")];
/// The floor.
pub(super) const FLOOR: &[&str] = &[
    SRGB,
    GLOBALS,
    COMPARED_DEPTH,
    SHADOW_MAP,
    SOFT_SHADOW,
    AMBIENT_OCCLUSION,
    include_str!("../../shaders/floor.wgsl"),
];
/// Translucent copies of the character.
pub(super) const GHOST: &[&str] =
    &[SRGB, GLOBALS, SKINNING, FETCH_STORAGE, BONES, BASE_COLOR, include_str!("../../shaders/ghost.wgsl")];
/// Lines and triangles on top of the scene.
pub(super) const LINES: &[&str] = &[SRGB, GLOBALS, include_str!("../../shaders/lines.wgsl")];
/// Skinned vertices for reading back.
pub(super) const SKIN_VERTICES: &[&str] =
    &[SKINNING, FETCH_STORAGE, MANY_BONES, include_str!("../../shaders/skin_vertices.wgsl")];
/// Culling of instances whose palettes are on the GPU.
pub(super) const CULL: &[&str] =
    &[SKINNING, FETCH_STORAGE, MANY_BONES, PLACED, include_str!("../../shaders/cull.wgsl")];

/// A texture over a part of a window.
pub(super) const COMPOSE: &[&str] = &[SRGB, include_str!("../../shaders/compose.wgsl")];

/// Smaller levels of the shadow map.
pub(super) const SHADOW_LEVELS: &[&str] = &[
    SRGB,
    COMPARED_DEPTH,
    include_str!("../../shaders/compose.wgsl"),
    include_str!("../../shaders/shadow_levels.wgsl"),
];

/// All modules with their files in order, for tests without an adapter.
pub const SOURCES: [(&str, &[&str]); 11] = [
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

/// Returns the modules that draw, with the files for adapters of the class of WebGL2, for tests without an adapter.
pub fn webgl2_sources() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let drawing = SOURCES.into_iter().filter(|(name, _)| !["skin_vertices", "cull"].contains(name));
    drawing.map(|(name, files)| (name, files_for(Capabilities::WEBGL2, files)))
}

/// Creates a module that draws, from the files for an adapter.
pub(super) fn module_for(gpu: &Gpu, label: &str, files: &[&'static str]) -> wgpu::ShaderModule {
    module(&gpu.device, label, &files_for(gpu.capabilities, files))
}

pub(crate) fn module(device: &wgpu::Device, label: &str, files: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(files.concat().into()),
    })
}
