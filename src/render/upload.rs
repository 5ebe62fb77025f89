//! Uploads the input of a frame. The buffers are reused in later frames.

use bytemuck::{bytes_of, cast_slice};
use glam::Mat4;
use wgpu::BufferUsages;

use super::layout::Layouts;
use super::model::Model;
use super::{Draw, Gpu, RenderError, gpu_types};

/// Stride of the part records in bytes. Every adapter supports dynamic offsets that are multiples of 256.
const PART_STRIDE: u64 = 256;

/// Values that replace a part's emissive colour (the first three) and the scale of its normal map (the last).
pub(super) type Tint = [f32; 4];

/// The uploaded input of a frame. A buffer is replaced only when it is too small.
#[derive(Debug, Default)]
pub(super) struct FrameBuffers {
    pub(super) globals: Option<wgpu::Buffer>,
    parts: Option<wgpu::Buffer>,
    palette: Option<wgpu::Buffer>,
    morph_weights: Option<wgpu::Buffer>,
    pub(super) lines: Option<wgpu::Buffer>,
}

impl FrameBuffers {
    /// Uploads the data of all draws, and binds it together with the model's morph targets.
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
            let weights_of_draw = draw.morph_weights.iter().copied().chain(std::iter::repeat(0.0));
            weights.extend(weights_of_draw.take(template.morph_targets as usize));
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

/// Returns the offset of a draw's record.
pub(super) fn dynamic_offset(index: usize) -> u32 {
    u32::try_from(index as u64 * PART_STRIDE).unwrap_or(u32::MAX)
}

/// Returns a buffer of at least `size` bytes, and creates it if necessary. It is never empty, because empty buffers
/// cannot be bound.
pub(super) fn ensure<'a>(
    gpu: &Gpu,
    buffer: &'a mut Option<wgpu::Buffer>,
    label: &'static str,
    size: u64,
    usage: BufferUsages,
) -> &'a wgpu::Buffer {
    if buffer.as_ref().is_some_and(|b| b.size() < size) {
        *buffer = None;
    }
    buffer.get_or_insert_with(|| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: size.max(256).next_multiple_of(16),
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}

/// Uploads bytes into a reusable buffer.
pub(super) fn write(
    gpu: &Gpu,
    buffer: &mut Option<wgpu::Buffer>,
    label: &'static str,
    bytes: &[u8],
    usage: BufferUsages,
) -> Result<wgpu::Buffer, RenderError> {
    gpu.check_storage(label, bytes.len() as u64)?;
    let buffer = ensure(gpu, buffer, label, bytes.len() as u64, usage);
    gpu.queue.write_buffer(buffer, 0, bytes);
    Ok(buffer.clone())
}
