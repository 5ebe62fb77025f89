//! What a frame brings to the GPU, in buffers that are kept from one to the next.

use bytemuck::{bytes_of, cast_slice};
use glam::Mat4;
use wgpu::BufferUsages;

use super::layout::Layouts;
use super::model::Model;
use super::{Draw, Gpu, RenderError, gpu_types};

/// Distance of two parts' records: what every adapter can bind at an offset.
const PART_STRIDE: u64 = 256;

/// What stands in for a part's light of its own and the scale of its normal map.
pub(super) type Tint = [f32; 4];

/// This frame's input, uploaded; each buffer is replaced only when it is too small.
#[derive(Debug, Default)]
pub(super) struct FrameBuffers {
    pub(super) globals: Option<wgpu::Buffer>,
    parts: Option<wgpu::Buffer>,
    palette: Option<wgpu::Buffer>,
    morph_weights: Option<wgpu::Buffer>,
    pub(super) lines: Option<wgpu::Buffer>,
}

impl FrameBuffers {
    /// Uploads what the draws take, and binds it with the model's morph targets.
    pub(super) fn upload_parts(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        model: &Model,
        palette: &[Mat4],
        draws: &[(Draw<'_>, Option<Tint>)],
    ) -> Result<wgpu::BindGroup, RenderError> {
        let mut weights: Vec<f32> = Vec::new();
        let mut records = vec![0_u8; draws.len() * PART_STRIDE as usize];
        for ((draw, tint), bytes) in draws.iter().zip(records.chunks_exact_mut(PART_STRIDE as usize)) {
            let template = &model.parts[draw.part].uniform;
            let uniform = gpu_types::Part {
                first_matrix: u32::try_from(draw.first_matrix).unwrap_or(u32::MAX),
                first_weight: u32::try_from(weights.len()).unwrap_or(u32::MAX),
                emissive_normal_scale: tint.unwrap_or(template.emissive_normal_scale),
                ..*template
            };
            let given = draw.morph_weights.iter().copied().chain(std::iter::repeat(0.0));
            weights.extend(given.take(template.morph_targets as usize));
            let (head, _) = bytes.split_at_mut(size_of::<gpu_types::Part>());
            head.copy_from_slice(bytes_of(&uniform));
        }
        let storage = BufferUsages::STORAGE;
        let parts = write(gpu, &mut self.parts, "parts", &records, storage)?;
        let palette = write(gpu, &mut self.palette, "joint matrices", cast_slice(palette), storage)?;
        let weights = write(gpu, &mut self.morph_weights, "morph weights", cast_slice(&weights), storage)?;
        let part = wgpu::BufferBinding {
            buffer: &parts,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<gpu_types::Part>() as u64),
        };
        Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("parts"),
            layout: &layouts.part,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(part) },
                wgpu::BindGroupEntry { binding: 1, resource: palette.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 2, resource: model.deltas.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 3, resource: weights.as_entire_binding() },
            ],
        }))
    }
}

/// Where the record of a draw stands.
pub(super) fn dynamic_offset(index: usize) -> u32 {
    u32::try_from(index as u64 * PART_STRIDE).unwrap_or(u32::MAX)
}

/// A buffer of at least some size, the one there if it is large enough. Never empty: an empty one cannot be bound.
pub(super) fn ensure<'a>(
    gpu: &Gpu,
    buffer: &'a mut Option<wgpu::Buffer>,
    what: &'static str,
    size: u64,
    usage: BufferUsages,
) -> &'a wgpu::Buffer {
    if buffer.as_ref().is_some_and(|b| b.size() < size) {
        *buffer = None;
    }
    buffer.get_or_insert_with(|| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: size.max(256).next_multiple_of(16),
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}

/// Uploads bytes into a buffer that is kept.
pub(super) fn write(
    gpu: &Gpu,
    buffer: &mut Option<wgpu::Buffer>,
    what: &'static str,
    bytes: &[u8],
    usage: BufferUsages,
) -> Result<wgpu::Buffer, RenderError> {
    gpu.check_storage(what, bytes.len() as u64)?;
    let buffer = ensure(gpu, buffer, what, bytes.len() as u64, usage);
    gpu.queue.write_buffer(buffer, 0, bytes);
    Ok(buffer.clone())
}
