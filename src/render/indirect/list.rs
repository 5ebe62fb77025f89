//! Lists of instances, and the draws of their parts.

use std::mem::offset_of;

use bytemuck::{bytes_of, cast_slice};
use wgpu::BufferUsages;

use super::super::compute::{storage, storage_with, uniform};
use super::super::gpu_types::{COARSE, CullSize, Instance, LEVELS};
use super::super::layout::{Layouts, bind_instances};
use super::super::{Gpu, RenderError};
use super::kernels::Culling;
use super::{GpuInstanceBuffers, LANES, Levels};

/// Size in bytes of the arguments of an indexed draw.
pub(super) const ARGUMENTS: u64 = 20;
/// Size in bytes of the number of hidden instances, which follows the arguments.
pub(super) const HIDDEN: u64 = 4;
/// Alignment of regions of records, in records. It equals 256 bytes, the alignment that bindings require.
const RECORD_ALIGNMENT: u32 = 8;

/// What all lists of the same instances share.
#[derive(Debug)]
pub(super) struct ListInput {
    pub(super) size: CullSize,
    /// The draws of all parts, each in all levels, without instances.
    arguments: Vec<[u32; 5]>,
    placed: wgpu::Buffer,
    palettes: wgpu::Buffer,
    weights: wgpu::Buffer,
    /// For each group of parts, the indices of its first matrix and its first morph weight.
    offsets: wgpu::Buffer,
}

/// The instances that a camera or the light sees.
#[derive(Debug)]
pub(super) struct List {
    /// Binds the buffers for the kernels.
    pub(super) cull: wgpu::BindGroup,
    /// The instances of each group of parts.
    pub(super) groups: Vec<wgpu::BindGroup>,
    size: wgpu::Buffer,
    pub(super) arguments: wgpu::Buffer,
}

impl ListInput {
    /// `offsets` are those of each group of parts. `arguments` are the draws of all parts, each in all levels.
    pub(super) fn new(
        gpu: &Gpu,
        buffers: &GpuInstanceBuffers<'_>,
        offsets: &[[u32; 2]],
        arguments: Vec<[u32; 5]>,
    ) -> Result<Self, RenderError> {
        let size = CullSize {
            instances: buffers.instances,
            bones: buffers.bones,
            weights: buffers.weight_count,
            stride: buffers.instances.max(1).next_multiple_of(RECORD_ALIGNMENT),
            groups: to_u32(offsets.len()),
            parts: to_u32(arguments.len() / LEVELS),
            view: 0,
            pixel_error: 0.0,
            errors: [Levels::MISSING; COARSE],
        };
        let offsets = storage_with(gpu, "groups of parts", cast_slice(offsets))?;
        let [placed, palettes, weights] =
            [buffers.placed, buffers.palettes, buffers.weights].map(wgpu::Buffer::clone);
        Ok(Self { size, arguments, placed, palettes, weights, offsets })
    }

    /// Creates an empty list for the camera (view 0) or the key light (view 1).
    pub(super) fn new_list(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        culling: &Culling,
        view: u32,
    ) -> Result<List, RenderError> {
        let size_buffer = uniform(gpu, "culling", bytes_of(&CullSize { view, ..self.size }));
        let seen = storage(gpu, "visible instances", seen_bytes(self.size.instances))?;
        let records = storage(gpu, "instances", self.region() * u64::from(self.size.groups))?;
        let draws = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("arguments of draws"),
            size: (self.arguments.len() as u64 * ARGUMENTS + HIDDEN).max(256),
            usage: BufferUsages::STORAGE
                | BufferUsages::INDIRECT
                | BufferUsages::COPY_DST
                | BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&draws, 0, cast_slice(&self.arguments));
        let views = culling.views.as_ref().unwrap_or(&size_buffer);
        let bound = [views, &size_buffer, &self.placed, &self.offsets, &seen, &records, &draws];
        let bound = bound.map(wgpu::Buffer::as_entire_buffer_binding);
        let group = |index: u32| {
            let region = wgpu::BufferBinding {
                buffer: &records,
                offset: u64::from(index) * self.region(),
                size: wgpu::BufferSize::new(self.region()),
            };
            bind_instances(gpu, layouts, region, &self.palettes, &self.weights)
        };
        Ok(List {
            cull: culling.cull.bind(gpu, &bound),
            groups: (0..self.size.groups).map(group).collect(),
            size: size_buffer,
            arguments: draws,
        })
    }

    /// Returns the size of a list in bytes.
    pub(super) fn list_bytes(&self) -> u64 {
        self.region() * u64::from(self.size.groups) + seen_bytes(self.size.instances)
    }

    /// Sets the errors of the coarse levels, and the draws of a part in each of them. Lists that exist are changed by [`List::write_levels`].
    pub(super) fn set_levels(&mut self, errors: [f32; COARSE], draws: &[[[u32; 5]; COARSE]]) {
        self.size.errors = errors;
        for (of_part, coarse) in self.arguments.chunks_exact_mut(LEVELS).zip(draws) {
            of_part.iter_mut().skip(1).zip(coarse).for_each(|(draw, coarse)| *draw = *coarse);
        }
    }

    /// Returns the size in bytes of the arguments of all draws and of the number of hidden instances.
    pub(super) fn draws_size(&self) -> u64 {
        self.arguments.len() as u64 * ARGUMENTS + HIDDEN
    }

    /// Returns the size in bytes of the records of a group of parts.
    fn region(&self) -> u64 {
        u64::from(self.size.stride) * size_of::<Instance>() as u64
    }
}

impl List {
    /// Writes the errors of levels, and their draws. The draws of the full level keep the number of instances in the last frame.
    pub(super) fn write_levels(&self, gpu: &Gpu, input: &ListInput) {
        let offset = offset_of!(CullSize, errors) as u64;
        gpu.queue.write_buffer(&self.size, offset, bytes_of(&input.size.errors));
        for (part, draws) in (0_u64..).zip(input.arguments.chunks_exact(LEVELS)) {
            let coarse = draws.get(1..).unwrap_or_default();
            let offset = (part * LEVELS as u64 + 1) * ARGUMENTS;
            gpu.queue.write_buffer(&self.arguments, offset, cast_slice(coarse));
        }
    }

    /// Writes the largest error that levels may have in the image.
    pub(super) fn write_pixel_error(&self, gpu: &Gpu, pixels: f32) {
        let offset = offset_of!(CullSize, pixel_error) as u64;
        gpu.queue.write_buffer(&self.size, offset, bytes_of(&pixels));
    }
}

/// Returns the size in bytes of a number for each instance, and for each level and each block of instances.
pub(super) fn seen_bytes(instances: u32) -> u64 {
    (u64::from(instances) + u64::from(instances.div_ceil(LANES)) * LEVELS as u64) * 4
}

/// Converts a count. A value that exceeds 32 bits does not fit into a buffer.
pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
