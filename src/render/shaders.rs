//! The shader modules: the files with their entry points, and the alternatives to files that they import.

use sinew_shaders::{
    COMPARED_DEPTH, FETCH_STORAGE, FETCH_TEXTURE, FIVE_SLOTS, MULTISAMPLED_DEPTH, SAMPLED_DEPTH, SEVEN_SLOTS,
    SMOOTH_HOLES, VARYINGS, with_imports,
};

use super::Gpu;
use super::capabilities::Capabilities;

/// Surfaces in all modes, without layers of materials.
pub(super) const SURFACE: &[&str] = &[sinew_shaders::SURFACE, SMOOTH_HOLES];
/// Surfaces with MToon shading, and their outlines.
pub(super) const TOON_SURFACE: &[&str] = &[sinew_shaders::SURFACE, SMOOTH_HOLES, sinew_shaders::TOON];
/// Surfaces with layers of materials.
pub(super) const LAYERED_SURFACE: &[&str] = &[sinew_shaders::SURFACE, SMOOTH_HOLES, sinew_shaders::LAYERS];
/// Depth as seen from the key light.
pub(super) const SHADOW: &[&str] = &[sinew_shaders::SHADOW];
/// The floor.
pub(super) const FLOOR: &[&str] = &[sinew_shaders::FLOOR];
/// Translucent copies of the character.
pub(super) const GHOST: &[&str] = &[sinew_shaders::GHOST];
/// Lines and triangles on top of the scene.
pub(super) const LINES: &[&str] = &[sinew_shaders::LINES];
/// Skinned vertices for reading back.
pub(super) const SKIN_VERTICES: &[&str] = &[sinew_shaders::SKIN_VERTICES];
/// Culling of instances whose palettes are on the GPU.
pub(super) const CULL: &[&str] = &[sinew_shaders::CULL];
/// A texture drawn over part of a window.
pub(super) const COMPOSE: &[&str] = &[sinew_shaders::COMPOSE];
/// Culling of instances that other surfaces hide.
pub(super) const OCCLUSION: &[&str] = &[sinew_shaders::OCCLUSION];
/// Levels of depth textures.
pub(super) const DEPTH_LEVELS: &[&str] = &[sinew_shaders::DEPTH_LEVELS];
/// Levels of multisampled depth buffers.
pub(super) const MULTISAMPLED_DEPTH_LEVELS: &[&str] = &[sinew_shaders::DEPTH_LEVELS, MULTISAMPLED_DEPTH];

/// All modules, for tests without an adapter.
#[cfg(test)]
pub(crate) const SOURCES: [(&str, &[&str]); 13] = [
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
    ("occlusion", OCCLUSION),
    ("depth_levels", DEPTH_LEVELS),
    ("multisampled_depth_levels", MULTISAMPLED_DEPTH_LEVELS),
];

/// Returns all files of a module for an adapter. If the adapter lacks a feature, the files that need the feature are replaced by files with
/// the same functions.
fn files_for(capabilities: Capabilities, files: &[&'static str]) -> Vec<&'static str> {
    let replaced = |file: &'static str| match file {
        FETCH_STORAGE if !capabilities.has_vertex_storage => FETCH_TEXTURE,
        SEVEN_SLOTS if !capabilities.has_vertex_storage => FIVE_SLOTS,
        COMPARED_DEPTH if !capabilities.loads_compared_depth => SAMPLED_DEPTH,
        file => file,
    };
    with_imports(files).into_iter().map(replaced).collect()
}

/// Returns the drawing modules with their files for WebGL2-class adapters, for tests without an adapter.
#[cfg(test)]
pub(crate) fn webgl2_sources() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let others = ["skin_vertices", "cull", "occlusion", "multisampled_depth_levels"];
    let drawing = SOURCES.into_iter().filter(move |(name, _)| !others.contains(name));
    drawing.map(|(name, files)| (name, files_for(Capabilities::WEBGL2, files)))
}

/// Creates a drawing module from the files for an adapter.
pub(super) fn module_for(gpu: &Gpu, label: &str, files: &[&'static str]) -> wgpu::ShaderModule {
    create(&gpu.device, label, &files_for(gpu.capabilities, files))
}

/// Creates a module for surfaces from the files for an adapter, with the given text in place of `varyings.wgsl`.
pub(super) fn surface_module(
    gpu: &Gpu,
    label: &str,
    files: &[&'static str],
    varyings: &str,
) -> wgpu::ShaderModule {
    create(&gpu.device, label, &with_varyings(&files_for(gpu.capabilities, files), varyings))
}

/// Returns the files of a module for surfaces, with the given text in place of `varyings.wgsl`.
pub(crate) fn with_varyings<'a>(files: &[&'static str], varyings: &'a str) -> Vec<&'a str> {
    files.iter().map(|&file| if file == VARYINGS { varyings } else { file }).collect()
}

/// Creates a module from files and all files that they import.
pub(crate) fn module(device: &wgpu::Device, label: &str, files: &[&str]) -> wgpu::ShaderModule {
    create(device, label, &with_imports(files))
}

fn create(device: &wgpu::Device, label: &str, files: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(files.concat().into()),
    })
}
