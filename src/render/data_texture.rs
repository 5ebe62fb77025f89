//! Data that vertex shaders read from textures of vectors if they cannot read storage buffers (`shaders/fetch_texture.wgsl`).

use bytemuck::cast_slice;
use glam::Vec4;
use wgpu::{TextureFormat, TextureUsages};

use super::{Gpu, RenderError};

/// Width of the textures in vectors, as in the shader. It is also their maximum height, which every adapter supports. In a larger texture,
/// single precision could not represent the index of every number exactly.
pub(super) const WIDTH: usize = 2048;
/// Size of a vector in bytes.
pub(super) const VECTOR: u64 = size_of::<Vec4>() as u64;
/// Size of the largest texture in bytes.
const LIMIT: u64 = (WIDTH * WIDTH) as u64 * VECTOR;

/// Data that shaders read by index.
#[derive(Debug)]
pub(super) enum VertexData {
    /// A storage buffer.
    Buffer(wgpu::Buffer),
    /// A texture with the same contents, row by row.
    Texture(wgpu::TextureView),
}

impl VertexData {
    pub(super) fn as_binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => buffer.as_entire_binding(),
            Self::Texture(view) => wgpu::BindingResource::TextureView(view),
        }
    }
}

/// Fails if data of this size does not fit into the storage buffer or texture that vertex shaders read.
pub(super) fn check(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<(), RenderError> {
    if gpu.capabilities.has_vertex_storage {
        return gpu.check_storage(what, bytes);
    }
    if bytes > LIMIT { Err(RenderError::Buffer { what, bytes, limit: LIMIT }) } else { Ok(()) }
}

/// Creates a texture that contains vectors. The caller must have checked their size.
pub(super) fn upload(gpu: &Gpu, what: &'static str, vectors: &[Vec4]) -> wgpu::TextureView {
    let mut padded = vectors.to_vec();
    padded.resize(vectors.len().max(1).next_multiple_of(WIDTH), Vec4::ZERO);
    let texture = create(gpu, what, rows(padded.len()));
    gpu.queue.write_texture(texture.as_image_copy(), cast_slice(&padded), row_layout(0), texture.size());
    texture.create_view(&Default::default())
}

/// Number of rows for the vectors.
pub(super) fn rows(vectors: usize) -> u32 {
    u32::try_from(vectors.div_ceil(WIDTH)).unwrap_or(u32::MAX)
}

/// Layout of rows that begin at `offset`.
pub(super) fn row_layout(offset: u64) -> wgpu::TexelCopyBufferLayout {
    wgpu::TexelCopyBufferLayout {
        offset,
        bytes_per_row: Some(WIDTH as u32 * VECTOR as u32),
        rows_per_image: None,
    }
}

pub(super) fn create(gpu: &Gpu, what: &'static str, rows: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(what),
        size: wgpu::Extent3d { width: WIDTH as u32, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::Rgba32Float,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    })
}
