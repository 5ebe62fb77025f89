//! The shaders, put together from their parts.

const GLOBALS: &str = include_str!("../../shaders/globals.wgsl");
const SKINNING: &str = include_str!("../../shaders/skinning.wgsl");
const BASE_COLOR: &str = include_str!("../../shaders/base_color.wgsl");
const SHADOW_MAP: &str = include_str!("../../shaders/shadow_map.wgsl");

/// Surfaces in all modes.
pub(super) const SURFACE: &[&str] =
    &[GLOBALS, SKINNING, BASE_COLOR, SHADOW_MAP, include_str!("../../shaders/surface.wgsl")];
/// Depth from the key light.
pub(super) const SHADOW: &[&str] =
    &[GLOBALS, SKINNING, BASE_COLOR, include_str!("../../shaders/shadow.wgsl")];
/// The floor.
pub(super) const GROUND: &[&str] = &[GLOBALS, SHADOW_MAP, include_str!("../../shaders/ground.wgsl")];
/// Translucent doubles of the character.
pub(super) const GHOST: &[&str] = &[GLOBALS, SKINNING, BASE_COLOR, include_str!("../../shaders/ghost.wgsl")];
/// Strokes over the picture.
pub(super) const LINES: &[&str] = &[GLOBALS, include_str!("../../shaders/lines.wgsl")];
/// Vertices to be read back.
pub(super) const SKIN_VERTICES: &[&str] = &[SKINNING, include_str!("../../shaders/skin_vertices.wgsl")];

/// Every module by name with its files in order, for tests that need no adapter.
pub const SOURCES: [(&str, &[&str]); 6] = [
    ("surface", SURFACE),
    ("shadow", SHADOW),
    ("ground", GROUND),
    ("ghost", GHOST),
    ("lines", LINES),
    ("skin_vertices", SKIN_VERTICES),
];

pub(super) fn module(device: &wgpu::Device, label: &str, files: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(files.concat().into()),
    })
}
