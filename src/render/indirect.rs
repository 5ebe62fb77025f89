//! Instances whose palettes are on the GPU. The GPU also decides which of them are drawn, and with how many triangles.

use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{bytes_of, cast_slice};
use wgpu::BufferUsages;

use super::compute::{Access, Kernel, read_back, storage, storage_with, uniform};
use super::gpu_types::{COARSE, CullSize, CullViews, Instance, LEVELS};
use super::layout::{Layouts, bind_instances};
use super::{Gpu, RenderError, shaders};

mod levels;
#[cfg(test)]
mod tests;

pub use levels::DrawnLevels;
pub(crate) use levels::Levels;

/// Number of lists created so far.
static LISTS: AtomicU64 = AtomicU64::new(0);

/// Number of lanes in a workgroup, as in `shaders/cull.wgsl`.
pub(crate) const LANES: u32 = 256;
/// The largest error of a shadow in texels, for a largest error of one pixel in the image. Even the sharpest edges of shadows are blurred over
/// a disc with a radius of 2.5 texels (`shaders/soft_shadow.wgsl`), and a shadow has no looks, which are part of the error.
const SHADOW_ERROR: f32 = 3.0;
/// Size in bytes of the arguments of an indexed draw.
const ARGUMENTS: u64 = 20;
/// Alignment of regions of records, in records. It equals 256 bytes, the alignment that bindings require.
const RECORD_ALIGNMENT: u32 = 8;

/// The kernels that cull instances, shared by all lists of a renderer.
#[derive(Debug)]
pub(super) struct Culling {
    cull: Kernel,
    sum_blocks: Kernel,
    record: Kernel,
    /// The planes of the camera and of the key light, written by every frame.
    pub(super) views: Option<wgpu::Buffer>,
}

/// Instances of a model whose palettes another GPU pass writes. In each frame, the GPU lists the instances that the camera
/// and the key light can see, and each part is drawn by one indirect draw for each level of detail.
#[derive(Debug)]
pub struct GpuInstances {
    /// A number that is unique in this process.
    pub(super) id: u64,
    instances: u32,
    bytes: u64,
    views: [View; 2],
    /// The draws of the parts, in the order of the model.
    pub(super) parts: Vec<GpuPart>,
    /// The group of each part: parts with the same matrices and morph weights share their records.
    groups: Vec<usize>,
    /// The levels of detail, if the model has any.
    coarse: Option<Coarse>,
}

/// The triangles of all levels of detail except the full one.
#[derive(Debug)]
struct Coarse {
    /// The ranges of each part in `indices`.
    parts: Vec<[Range<u32>; COARSE]>,
    indices: wgpu::Buffer,
}

/// The offsets of a part within an instance's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GpuPart {
    /// Index of its first matrix in the palette of an instance.
    pub(crate) first_matrix: u32,
    /// Index of its first morph weight among the weights of an instance.
    pub(crate) first_weight: u32,
    /// Whether its matrix mirrors the part.
    pub(crate) mirrored: bool,
}

/// The buffers with the data of instances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuInstanceBuffers<'a> {
    /// Number of instances, and the length of the buffers.
    pub(crate) instances: u32,
    /// A [`Placed`](super::gpu_types::Placed) for each instance.
    pub(crate) placed: &'a wgpu::Buffer,
    /// The palettes: `world_from_mesh` as three rows of four numbers.
    pub(crate) palettes: &'a wgpu::Buffer,
    /// Number of matrices in a palette.
    pub(crate) bones: u32,
    /// The morph weights of all instances.
    pub(crate) weights: &'a wgpu::Buffer,
    /// Number of morph weights of an instance.
    pub(crate) weight_count: u32,
}

/// The instances that a camera or the light sees.
#[derive(Debug)]
struct View {
    cull: wgpu::BindGroup,
    /// The instances of each group of parts.
    groups: Vec<wgpu::BindGroup>,
    size: wgpu::Buffer,
    arguments: wgpu::Buffer,
}

impl Culling {
    pub(super) fn new(gpu: &Gpu) -> Self {
        use Access::{Read, Uniform, Write};
        let buffers = [Uniform, Uniform, Read, Read, Write, Write, Write];
        let kernel = |entry: &'static str| Kernel::new(gpu, entry, shaders::CULL, entry, &[], &buffers);
        let views = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("views"),
            size: size_of::<CullViews>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let [cull, sum_blocks, record] = ["cull", "sum_blocks", "record"].map(kernel);
        Self { cull, sum_blocks, record, views: Some(views) }
    }

    /// Encodes the passes that list the instances visible to the camera (0) or the light (1).
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, list: &GpuInstances, view: usize) {
        let Some(group) = list.views.get(view).map(|view| &view.cull) else { return };
        self.dispatch(pass, group, list.instances);
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup, instances: u32) {
        let blocks = instances.div_ceil(LANES);
        self.cull.dispatch(pass, group, blocks);
        self.sum_blocks.dispatch(pass, group, 1);
        self.record.dispatch(pass, group, blocks);
    }
}

impl GpuInstances {
    /// See [`Renderer::gpu_instances`](super::Renderer::gpu_instances). `indices` contains the index ranges of the parts.
    pub(super) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        culling: &Culling,
        buffers: &GpuInstanceBuffers<'_>,
        parts: &[GpuPart],
        indices: &[Range<u32>],
    ) -> Result<Self, RenderError> {
        let mut offsets: Vec<[u32; 2]> = Vec::new();
        let mut groups = Vec::with_capacity(parts.len());
        for part in parts {
            let offset = [part.first_matrix, part.first_weight];
            let known = offsets.iter().position(|&known| known == offset);
            groups.push(known.unwrap_or_else(|| {
                offsets.push(offset);
                offsets.len() - 1
            }));
        }
        let stride = buffers.instances.max(1).next_multiple_of(RECORD_ALIGNMENT);
        let region = u64::from(stride) * size_of::<Instance>() as u64;
        let offset_buffer = storage_with(gpu, "groups of parts", cast_slice(&offsets))?;
        // Until the levels of detail are known, they have no triangles.
        let of_part = |full: &Range<u32>| std::iter::once(draw_of(full)).chain([[0; 5]; COARSE]);
        let arguments: Vec<[u32; 5]> =
            indices.iter().zip(parts).flat_map(|(full, _)| of_part(full)).collect();
        let view = |index: u32| -> Result<View, RenderError> {
            let size = CullSize {
                instances: buffers.instances,
                bones: buffers.bones,
                weights: buffers.weight_count,
                stride,
                groups: to_u32(offsets.len()),
                parts: to_u32(arguments.len() / LEVELS),
                view: index,
                pixel_error: 0.0,
                errors: [Levels::MISSING; COARSE],
            };
            let size_buffer = uniform(gpu, "culling", bytes_of(&size));
            let seen = storage(gpu, "visible instances", seen_bytes(buffers.instances))?;
            let records = storage(gpu, "instances", region * offsets.len() as u64)?;
            let draws = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("arguments of draws"),
                size: (arguments.len() as u64 * ARGUMENTS).max(256),
                usage: BufferUsages::STORAGE
                    | BufferUsages::INDIRECT
                    | BufferUsages::COPY_DST
                    | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            gpu.queue.write_buffer(&draws, 0, cast_slice(&arguments));
            let views = culling.views.as_ref().unwrap_or(&size_buffer);
            let bound = [views, &size_buffer, buffers.placed, &offset_buffer, &seen, &records, &draws];
            let bound = bound.map(wgpu::Buffer::as_entire_buffer_binding);
            let group = |index: usize| {
                let region = wgpu::BufferBinding {
                    buffer: &records,
                    offset: index as u64 * region,
                    size: wgpu::BufferSize::new(region),
                };
                bind_instances(gpu, layouts, region, buffers.palettes, buffers.weights)
            };
            Ok(View {
                cull: culling.cull.bind(gpu, &bound),
                groups: (0..offsets.len()).map(group).collect(),
                size: size_buffer,
                arguments: draws,
            })
        };
        let views = [view(0)?, view(1)?];
        let bytes = 2 * (region * offsets.len() as u64 + seen_bytes(buffers.instances));
        let id = LISTS.fetch_add(1, Ordering::Relaxed);
        let (instances, parts) = (buffers.instances, parts.to_vec());
        Ok(Self { id, instances, bytes, views, parts, groups, coarse: None })
    }

    /// Returns whether the levels of detail are known.
    pub(crate) fn has_levels(&self) -> bool {
        self.coarse.is_some()
    }

    /// Adds the levels of detail of the model. Before that, all instances have the full level.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if the triangles exceed the limits of the adapter.
    pub(crate) fn set_levels(&mut self, gpu: &Gpu, levels: &Levels) -> Result<(), RenderError> {
        let triangles: &[u8] = cast_slice(&levels.indices);
        gpu.check_buffer("triangles", triangles.len() as u64)?;
        let indices = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("triangles of levels"),
            size: (triangles.len() as u64).max(4),
            usage: BufferUsages::INDEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&indices, 0, triangles);
        for view in &self.views {
            let offset = offset_of!(CullSize, errors) as u64;
            gpu.queue.write_buffer(&view.size, offset, bytes_of(&levels.errors));
            for (part, ranges) in (0_u64..).zip(&levels.parts).take(self.parts.len()) {
                // The draw of the full level keeps the number of instances in the last frame.
                let draws: Vec<[u32; 5]> = ranges.iter().map(draw_of).collect();
                let offset = (part * LEVELS as u64 + 1) * ARGUMENTS;
                gpu.queue.write_buffer(&view.arguments, offset, cast_slice(&draws));
            }
        }
        self.coarse = Some(Coarse { parts: levels.parts.clone(), indices });
        Ok(())
    }

    /// Sets the largest error that levels of detail may have in the image, in pixels. In the shadow map, it may be [`SHADOW_ERROR`] times as
    /// large, in texels. With 0, which is the initial value, all instances have the full level.
    pub(crate) fn set_pixel_error(&self, gpu: &Gpu, pixels: f32) {
        let offset = offset_of!(CullSize, pixel_error) as u64;
        for (view, error) in self.views.iter().zip([pixels, SHADOW_ERROR * pixels]) {
            gpu.queue.write_buffer(&view.size, offset, bytes_of(&error));
        }
    }

    /// Waits for the GPU, and returns what the camera saw in the last frame.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub(crate) fn read_drawn(&self, gpu: &Gpu) -> Result<DrawnLevels, RenderError> {
        let [View { arguments, .. }, _] = &self.views;
        let encoder = gpu.device.create_command_encoder(&Default::default());
        read_back(gpu, encoder, arguments, 0..self.draws_size(), DrawnLevels::of_draws)
    }

    /// Returns the size in bytes of the arguments of the camera's draws.
    pub(crate) fn draws_size(&self) -> u64 {
        (self.parts.len() * LEVELS) as u64 * ARGUMENTS
    }

    /// Encodes a copy of these arguments to an offset of a buffer.
    pub(crate) fn copy_draws(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Buffer, offset: u64) {
        let [View { arguments, .. }, _] = &self.views;
        encoder.copy_buffer_to_buffer(arguments, 0, target, offset, self.draws_size());
    }

    /// Returns the size of the list in bytes, excluding the buffers that the caller passed in.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Binds the instances of a part, and draws the visible ones. The pipeline, vertices and material must be set. `full` contains the
    /// triangles of the full level. All other levels are drawn with the pipeline `coarse`, if there is one. Blended parts are drawn with
    /// coarse levels first, because these are usually farther away, and must not have this second pipeline.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        view: usize,
        part: usize,
        full: &wgpu::Buffer,
        mut coarse: Option<&wgpu::RenderPipeline>,
        is_blended: bool,
    ) {
        let Some(view) = self.views.get(view) else { return };
        let Some(group) = self.groups.get(part).and_then(|&group| view.groups.get(group)) else { return };
        pass.set_bind_group(1, group, &[]);
        for index in 0..LEVELS {
            let level = if is_blended { LEVELS - 1 - index } else { index };
            let triangles = match level.checked_sub(1) {
                Some(level) => match self.coarse_triangles(part, level) {
                    Some(triangles) => {
                        if let Some(pipeline) = coarse.take() {
                            pass.set_pipeline(pipeline);
                        }
                        triangles
                    }
                    None => continue,
                },
                None => full,
            };
            pass.set_index_buffer(triangles.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed_indirect(&view.arguments, (part * LEVELS + level) as u64 * ARGUMENTS);
        }
    }

    /// Returns the buffer with the triangles of a part in a level below the full one, or `None` if the part has no triangles there.
    fn coarse_triangles(&self, part: usize, level: usize) -> Option<&wgpu::Buffer> {
        let Coarse { parts, indices } = self.coarse.as_ref()?;
        parts.get(part)?.get(level).filter(|range| !range.is_empty()).map(|_| indices)
    }
}

/// Returns the arguments of a draw of some indices, without instances.
fn draw_of(indices: &Range<u32>) -> [u32; 5] {
    [to_u32(indices.len()), 0, indices.start, 0, 0]
}

/// Returns the size in bytes of a number for each instance, and for each level and each block of instances.
fn seen_bytes(instances: u32) -> u64 {
    (u64::from(instances) + u64::from(instances.div_ceil(LANES)) * LEVELS as u64) * 4
}

/// Converts a count. A value that exceeds 32 bits does not fit into a buffer.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
