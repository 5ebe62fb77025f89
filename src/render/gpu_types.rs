//! The Rust counterparts of the structs in `shaders/`. `src/render/shader_tests.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};
use half::f16;

/// `Globals` in `shaders/globals.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Globals {
    pub(crate) clip_from_world: [[f32; 4]; 4],
    pub(crate) shadow_from_world: [[f32; 4]; 4],
    pub(crate) eye: [f32; 4],
    pub(crate) light: [f32; 4],
    pub(crate) floor: [f32; 4],
    pub(crate) viewport: [f32; 4],
    pub(crate) grid: [f32; 4],
    pub(crate) key: [f32; 4],
    pub(crate) environment: [f32; 4],
    pub(crate) background: [f32; 4],
    pub(crate) irradiance: [[f32; 4]; 9],
    pub(crate) occlusion: [f32; 4],
    pub(crate) lights: [PunctualLightRecord; 8],
}

/// `Vertex` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    pub(crate) weights: [f32; 3],
    pub(crate) joints: [u16; 4],
}

impl Vertex {
    /// The vertex attributes of the fields.
    pub(crate) const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Uint32x2];
}

/// `VertexSurface` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct VertexSurface {
    pub(crate) normal: [f32; 3],
    pub(crate) texcoord_0: [f32; 2],
    pub(crate) texcoord_1: [f32; 2],
    pub(crate) tangent: [i16; 4],
    pub(crate) color: [f16; 4],
}

impl VertexSurface {
    /// The vertex attributes of the fields.
    pub(crate) const ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
        3 => Float32x3, 4 => Float32x2, 5 => Float32x2, 6 => Snorm16x4, 7 => Float16x4,
    ];
}

/// `UvTransform` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct UvTransform {
    pub(crate) linear: [f32; 4],
    pub(crate) offset_set: [f32; 4],
}

/// `PartConstants` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PartConstants {
    pub(crate) base_color: [f32; 4],
    pub(crate) emissive_normal_scale: [f32; 4],
    pub(crate) surface: [f32; 4],
    pub(crate) dielectric: [f32; 4],
    pub(crate) specular: [f32; 4],
    pub(crate) clearcoat: [f32; 4],
    pub(crate) sheen: [f32; 4],
    pub(crate) volume: [f32; 4],
    pub(crate) iridescence: [f32; 4],
    pub(crate) anisotropy: [f32; 4],
    pub(crate) shade: [f32; 4],
    pub(crate) toon: [f32; 4],
    pub(crate) rim: [f32; 4],
    pub(crate) matcap: [f32; 4],
    pub(crate) outline: [f32; 4],
    pub(crate) outline_width: [f32; 4],
    pub(crate) uv_motion: [f32; 4],
    pub(crate) uv: [UvTransform; 12],
    pub(crate) morph_targets: u32,
    pub(crate) first_delta: u32,
    pub(crate) first_influence: u32,
    pub(crate) vertices: u32,
}

impl PartConstants {
    /// Returns a bit for each texture that uses the second set of texture coordinates.
    pub(crate) fn second_sets(&self) -> u32 {
        self.uv.iter().rev().fold(0, |sets, uv| sets << 1 | u32::from(uv.offset_set[2] > 0.5))
    }
}

/// `Instance` in `shaders/skinning.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Instance {
    pub(crate) tint: [f32; 4],
    pub(crate) first_matrix: u32,
    pub(crate) first_weight: u32,
    pub(crate) reserved: [u32; 2],
}

/// `Placed` in `shaders/placed.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Placed {
    pub(crate) sphere: [f32; 4],
    pub(crate) tint: [f32; 4],
    pub(crate) scale: f32,
    pub(crate) reserved: [u32; 3],
}

impl Placed {
    /// An instance of which there is nothing to draw.
    pub(crate) const NOTHING: Self =
        Self { sphere: [0.0, 0.0, 0.0, -1.0], tint: [0.0; 4], scale: 1.0, reserved: [0; 3] };
}

/// Maximum number of levels of detail below the full one, and of all levels. `shaders/cull.wgsl` has memory for exactly this number.
pub(crate) const COARSE: usize = 8;
pub(crate) const LEVELS: usize = COARSE + 1;

/// `CullViews` in `shaders/cull.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct CullViews {
    pub(crate) planes: [[f32; 4]; 12],
    pub(crate) pixels: [[f32; 4]; 2],
    pub(crate) camera: [[f32; 4]; 4],
    pub(crate) area: [f32; 2],
    pub(crate) reserved: [f32; 2],
}

/// `CullSize` in `shaders/cull.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct CullSize {
    pub(crate) instances: u32,
    pub(crate) bones: u32,
    pub(crate) weights: u32,
    pub(crate) stride: u32,
    pub(crate) groups: u32,
    pub(crate) parts: u32,
    pub(crate) view: u32,
    pub(crate) pixel_error: f32,
    pub(crate) errors: [f32; COARSE],
}

/// `PunctualLightRecord` in `shaders/globals.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PunctualLightRecord {
    pub(crate) place: [f32; 4],
    pub(crate) color: [f32; 4],
    pub(crate) direction: [f32; 4],
    pub(crate) cone: [f32; 4],
}

/// `Line` in `shaders/lines.wgsl`: a line or a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Line {
    pub(crate) start: [f32; 4],
    pub(crate) end: [f32; 4],
    pub(crate) corner: [f32; 4],
    pub(crate) color: [f32; 4],
}

/// Bits of the shaders' constant `FLAGS`, as in `shaders/base_color.wgsl`.
pub(crate) mod flags {
    pub(crate) const HAS_NORMALS: u32 = 1;
    pub(crate) const HAS_TANGENTS: u32 = 2;
    pub(crate) const ALPHA_MASK: u32 = 4;
    pub(crate) const ALPHA_BLEND: u32 = 8;
    pub(crate) const UNLIT: u32 = 16;
    pub(crate) const CLEARCOAT: u32 = 32;
    pub(crate) const SHEEN: u32 = 64;
    pub(crate) const TRANSMISSION: u32 = 128;
    pub(crate) const IRIDESCENCE: u32 = 256;
    pub(crate) const ANISOTROPY: u32 = 512;
    pub(crate) const DISPERSION: u32 = 1024;
    pub(crate) const GLOSSINESS: u32 = 2048;
    pub(crate) const TOON: u32 = 4096;
    pub(crate) const MOVING_TEXTURES: u32 = 8192;
    /// All layers that have their own shaders.
    pub(crate) const LAYERS: u32 = CLEARCOAT | SHEEN | TRANSMISSION | IRIDESCENCE | ANISOTROPY;
}
