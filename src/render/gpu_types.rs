//! The Rust counterparts of the structs in `shaders/`. `tests/render/layout.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};

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
}

/// `Vertex` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Vertex {
    pub position_u: [f32; 4],
    pub normal_v: [f32; 4],
    pub tangent: [f32; 4],
    pub color: [f32; 4],
    pub weights_0: [f32; 4],
    pub weights_1: [f32; 4],
    pub bones_0: [u16; 4],
    pub bones_1: [u16; 4],
    pub texcoord_1: [f32; 2],
    pub padding: [f32; 2],
}

impl Vertex {
    /// The vertex attributes of the fields.
    pub const ATTRIBUTES: [wgpu::VertexAttribute; 10] = wgpu::vertex_attr_array![
        0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4, 4 => Float32x4, 5 => Float32x4,
        6 => Uint32x2, 7 => Uint32x2, 8 => Float32x2, 9 => Float32x2,
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
    pub uv: [UvTransform; 5],
    pub first_matrix: u32,
    pub morph_targets: u32,
    pub first_delta: u32,
    pub first_weight: u32,
    pub vertices: u32,
    pub flags: u32,
    pub reserved: [u32; 2],
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

/// Bits of [`Part::flags`], as in `shaders/skinning.wgsl`.
#[expect(missing_docs, reason = "the names are sufficient")]
pub mod flags {
    pub const HAS_NORMALS: u32 = 1;
    pub const HAS_TANGENTS: u32 = 2;
    pub const ALPHA_MASK: u32 = 4;
    pub const ALPHA_BLEND: u32 = 8;
    pub const DOUBLE_SIDED: u32 = 16;
    pub const UNLIT: u32 = 32;
}
