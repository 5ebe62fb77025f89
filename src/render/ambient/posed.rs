//! World positions of vertices, computed once for all maps.

use bytemuck::bytes_of;
use wgpu::BufferUsages;

use super::super::draw_list::{Batch, DrawList, DrawnModels};
use super::super::gpu_types::VertexSurface;
use super::super::layout::Layouts;
use super::super::model::Model;
use super::super::skinner::{Skinned, VertexSkinner};
use super::super::skinning::SKINNED;
use super::super::staging::Staging;
use super::super::{Gpu, RenderError};

/// Buffers are bound at multiples of this number of bytes, which suits every adapter's alignment.
const ALIGNMENT: u64 = 256;
/// Maximum size of the skinned vertices, in bytes. If a frame needs more, its vertices are skinned
/// again for each map.
const MOST: u64 = 1 << 28;

/// The skinned vertices of the batches of a frame.
#[derive(Debug)]
pub(super) struct PosedVertices {
    skinner: VertexSkinner,
    /// The index of the first instance of each batch.
    firsts: Option<wgpu::Buffer>,
    results: Option<wgpu::Buffer>,
    /// The offset in bytes of each batch's skinned vertices.
    offsets: Vec<u64>,
}

impl PosedVertices {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        Self { skinner: VertexSkinner::new(gpu, layouts), firsts: None, results: None, offsets: Vec::new() }
    }

    /// Returns whether the vertices of a frame can be skinned once.
    pub(super) fn fits(gpu: &Gpu, models: &[&Model], list: &DrawList) -> bool {
        let count = list.items.len() as u64;
        let parts = || list.items.iter().filter_map(|item| item.part(models));
        let bytes: u64 = parts().map(|part| u64::from(part.uniform.vertices) * SKINNED + ALIGNMENT).sum();
        let limit = MOST.min(gpu.device.limits().max_buffer_size);
        gpu.capabilities.has_compute
            && bytes <= limit
            && parts().all(|part| VertexSkinner::fits(gpu, part, count))
    }

    /// Assigns a part of the result buffer to each batch, and schedules the upload of the shader's
    /// input.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        batches: &[Batch],
        staging: &mut Staging,
    ) -> Result<(), RenderError> {
        let (mut end, mut firsts) = (0, Vec::new());
        self.offsets.clear();
        for batch in batches {
            self.offsets.push(end);
            firsts.resize(firsts.len().next_multiple_of(ALIGNMENT as usize), 0);
            firsts.extend_from_slice(bytes_of(&[batch.instances.start, 0, 0, 0]));
            let vertices = batch.of(models).map_or(0, |(_, part)| part.uniform.vertices);
            let size = u64::from(vertices) * SKINNED * batch.instances.len() as u64;
            end = (end + size).next_multiple_of(ALIGNMENT);
        }
        if self.results.as_ref().is_none_or(|buffer| buffer.size() < end) {
            self.results = Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("posed vertices"),
                size: end.max(ALIGNMENT),
                usage: BufferUsages::STORAGE | BufferUsages::VERTEX,
                mapped_at_creation: false,
            }));
        }
        staging.write(gpu, &mut self.firsts, "first instances", &firsts, BufferUsages::UNIFORM).map(drop)
    }

    pub(super) fn encode(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        instances: &wgpu::BindGroup,
        models: &[&Model],
        batches: &[Batch],
    ) -> Result<(), RenderError> {
        let (Some(firsts), Some(results)) = (&self.firsts, &self.results) else { return Ok(()) };
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for ((batch, &offset), index) in batches.iter().zip(&self.offsets).zip(0..) {
            let Some((model, part)) = batch.of(models) else { continue };
            let count = batch.instances.end.saturating_sub(batch.instances.start);
            let size = wgpu::BufferSize::new(u64::from(part.uniform.vertices) * SKINNED * u64::from(count));
            let Some(size) = size else { continue };
            let skinned = Skinned {
                model,
                part,
                dual: batch.dual,
                first_instance: wgpu::BufferBinding {
                    buffer: firsts,
                    offset: index * ALIGNMENT,
                    size: wgpu::BufferSize::new(16),
                },
                instances: count,
                results: wgpu::BufferBinding { buffer: results, offset, size: Some(size) },
            };
            self.skinner.encode(gpu, &mut pass, instances, skinned)?;
        }
        Ok(())
    }

    /// Draws all batches, each instance with its own vertices.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, drawn: DrawnModels<'_>, batches: &[Batch]) {
        let DrawnModels { models, overrides } = drawn;
        let Some(results) = &self.results else { return };
        for (batch, &offset) in batches.iter().zip(&self.offsets) {
            let Some((model, part)) = batch.of(models) else { continue };
            pass.set_pipeline(&batch.pipeline);
            pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
            let (material, at) = batch.material(model, part, overrides);
            pass.set_bind_group(3, material, &[at; 2]);
            pass.set_vertex_buffer(1, part.stream::<VertexSurface>(&model.surfaces));
            let mut offset = offset;
            for instance in batch.instances.clone() {
                pass.set_vertex_buffer(0, results.slice(offset..));
                pass.draw_indexed(part.indices.clone(), 0, instance..instance + 1);
                offset += u64::from(part.uniform.vertices) * SKINNED;
            }
        }
    }
}
