//! The Rust counterparts of the structs in `shaders/`. `tests/render/layout.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};
use half::f16;

/// `Globals` in `shaders/globals.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Globals {
    pub clip_from_world: [[f32; 4]; 4],
    pub shadow_from_world: [[f32; 4]; 4],
    pub eye: [f32; 4],
    pub light: [f32; 4],
    pub floor: [f32; 4],
    pub viewport: [f32; 4],
    pub grid: [f32; 4],
    pub key: [f32; 4],
    pub environment: [f32; 4],
    pub background: [f32; 4],
    pub irradiance: [[f32; 4]; 9],
    pub occlusion: [f32; 4],
    pub lights: [PunctualLightRecord; 8],
}

/// `Vertex` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Vertex {
    pub position: [f32; 3],
    pub weights: [f32; 3],
    pub joints: [u16; 4],
}

impl Vertex {
    /// The vertex attributes of the fields.
    pub const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Uint32x2];
}

/// `VertexSurface` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct VertexSurface {
    pub normal: [f32; 3],
    pub texcoord_0: [f32; 2],
    pub texcoord_1: [f32; 2],
    pub tangent: [i16; 4],
    pub color: [f16; 4],
}

impl VertexSurface {
    /// The vertex attributes of the fields.
    pub const ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
        3 => Float32x3, 4 => Float32x2, 5 => Float32x2, 6 => Snorm16x4, 7 => Float16x4,
    ];
}

/// `UvTransform` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct UvTransform {
    pub linear: [f32; 4],
    pub offset_set: [f32; 4],
}

/// `Part` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Part {
    pub base_color: [f32; 4],
    pub emissive_normal_scale: [f32; 4],
    pub surface: [f32; 4],
    pub dielectric: [f32; 4],
    pub specular: [f32; 4],
    pub clearcoat: [f32; 4],
    pub sheen: [f32; 4],
    pub volume: [f32; 4],
    pub iridescence: [f32; 4],
    pub anisotropy: [f32; 4],
    pub shade: [f32; 4],
    pub toon: [f32; 4],
    pub rim: [f32; 4],
    pub matcap: [f32; 4],
    pub outline: [f32; 4],
    pub outline_width: [f32; 4],
    pub uv_motion: [f32; 4],
    pub uv: [UvTransform; 12],
    pub morph_targets: u32,
    pub first_delta: u32,
    pub first_influence: u32,
    pub vertices: u32,
}

/// `Instance` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Instance {
    pub tint: [f32; 4],
    pub first_matrix: u32,
    pub first_weight: u32,
    pub reserved: [u32; 2],
}

/// `Placed` in `shaders/placed.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Placed {
    pub sphere: [f32; 4],
    pub tint: [f32; 4],
}

/// `CullViews` in `shaders/cull.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct CullViews {
    pub planes: [[f32; 4]; 12],
}

/// `CullSize` in `shaders/cull.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct CullSize {
    pub instances: u32,
    pub bones: u32,
    pub weights: u32,
    pub stride: u32,
    pub groups: u32,
    pub parts: u32,
    pub view: u32,
    pub reserved: u32,
}

/// `PunctualLightRecord` in `shaders/globals.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct PunctualLightRecord {
    pub place: [f32; 4],
    pub color: [f32; 4],
    pub direction: [f32; 4],
    pub cone: [f32; 4],
}

/// `Line` in `shaders/lines.wgsl`: a line or a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Line {
    pub start: [f32; 4],
    pub end: [f32; 4],
    pub corner: [f32; 4],
    pub color: [f32; 4],
}

/// Bits of the shaders' constant `FLAGS`, as in `shaders/base_color.wgsl`.
#[expect(missing_docs, reason = "the names are sufficient")]
pub mod flags {
    pub const HAS_NORMALS: u32 = 1;
    pub const HAS_TANGENTS: u32 = 2;
    pub const ALPHA_MASK: u32 = 4;
    pub const ALPHA_BLEND: u32 = 8;
    pub const UNLIT: u32 = 16;
    pub const CLEARCOAT: u32 = 32;
    pub const SHEEN: u32 = 64;
    pub const TRANSMISSION: u32 = 128;
    pub const IRIDESCENCE: u32 = 256;
    pub const ANISOTROPY: u32 = 512;
    pub const DISPERSION: u32 = 1024;
    pub const GLOSSINESS: u32 = 2048;
    pub const TOON: u32 = 4096;
    pub const MOVING_TEXTURES: u32 = 8192;
    /// All layers that have their own shaders.
    pub const LAYERS: u32 = CLEARCOAT | SHEEN | TRANSMISSION | IRIDESCENCE | ANISOTROPY;
}
