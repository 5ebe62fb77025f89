//! Instances whose palettes are on the GPU. The GPU also decides which of them are drawn.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{Zeroable, bytes_of, cast_slice};
use wgpu::BufferUsages;

use super::compute::{Access, Kernel, storage, storage_with};
use super::gpu_types::{CullSize, CullViews, Instance};
use super::layout::{Layouts, bind_instances};
use super::{Gpu, RenderError, shaders};

/// Number of lists created so far.
static LISTS: AtomicU64 = AtomicU64::new(0);

/// Number of lanes in a workgroup, as in `shaders/cull.wgsl`.
pub(crate) const LANES: u32 = 256;
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
/// and the key light can see, and each part is drawn by one indirect draw.
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
        let arguments: Vec<[u32; 5]> =
            indices.iter().map(|indices| [to_u32(indices.len()), 0, indices.start, 0, 0]).collect();
        let view = |index: u32| -> Result<View, RenderError> {
            let size = CullSize {
                instances: buffers.instances,
                bones: buffers.bones,
                weights: buffers.weight_count,
                stride,
                groups: to_u32(offsets.len()),
                parts: to_u32(arguments.len()),
                view: index,
                ..CullSize::zeroed()
            };
            let size_buffer = uniform_with(gpu, "culling", bytes_of(&size));
            let seen = storage(gpu, "visible instances", seen_bytes(buffers.instances))?;
            let records = storage(gpu, "instances", region * offsets.len() as u64)?;
            let draws = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("arguments of draws"),
                size: (arguments.len() as u64 * ARGUMENTS).max(256),
                usage: BufferUsages::STORAGE | BufferUsages::INDIRECT | BufferUsages::COPY_DST,
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
                arguments: draws,
            })
        };
        let views = [view(0)?, view(1)?];
        let bytes = 2 * (region * offsets.len() as u64 + seen_bytes(buffers.instances));
        let id = LISTS.fetch_add(1, Ordering::Relaxed);
        Ok(Self { id, instances: buffers.instances, bytes, views, parts: parts.to_vec(), groups })
    }

    /// Returns the size of the list in bytes, excluding the buffers that the caller passed in.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Binds the instances of a part, and draws the visible ones. The pipeline, vertices and material must be set.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, view: usize, part: usize) {
        let Some(view) = self.views.get(view) else { return };
        let Some(group) = self.groups.get(part).and_then(|&group| view.groups.get(group)) else { return };
        pass.set_bind_group(1, group, &[]);
        pass.draw_indexed_indirect(&view.arguments, part as u64 * ARGUMENTS);
    }
}

/// Returns the size in bytes of a number for each instance and for each block of instances.
fn seen_bytes(instances: u32) -> u64 {
    (u64::from(instances) + u64::from(instances.div_ceil(LANES))) * 4
}

fn uniform_with(gpu: &Gpu, label: &'static str, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.len() as u64,
        usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Converts a count. A value that exceeds 32 bits does not fit into a buffer.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::compute::read_back;
    use super::super::gpu_types::Placed;
    use super::*;

    #[test]
    fn visible_instances_are_listed_in_order() {
        let gpu = Gpu::of_tests();
        let culling = Culling::new(&gpu);
        // Visible where x is positive.
        let mut views = CullViews { planes: [[0.0, 0.0, 0.0, 1.0]; 12] };
        views.planes[0] = [1.0, 0.0, 0.0, 0.0];
        let views = uniform_with(&gpu, "views", bytes_of(&views));
        // One block, two blocks, and more blocks than lanes.
        for count in [1, 256, 257, 70_000] {
            let placed = |index: u32| {
                let x = ((index + 3).wrapping_mul(2_654_435_761) >> 28) as f32 - 6.5;
                let radius = if index % 10 == 9 { -1.0 } else { 0.25 };
                Placed { sphere: [x, 0.0, 0.0, radius], tint: [1.0; 4] }
            };
            let placed: Vec<Placed> = (0..count).map(placed).collect();
            let is_seen = |index: &u32| {
                placed[*index as usize].sphere[0] > 0.0 && placed[*index as usize].sphere[3] > 0.0
            };
            let expected: Vec<u32> = (0..count).filter(is_seen).collect();
            let size = CullSize {
                instances: count,
                bones: 1,
                stride: count,
                groups: 1,
                parts: 1,
                ..CullSize::zeroed()
            };
            let size = uniform_with(&gpu, "culling", bytes_of(&size));
            let placed = storage_with(&gpu, "placed", cast_slice(&placed)).unwrap();
            let groups = storage_with(&gpu, "groups of parts", bytes_of(&[0_u32; 2])).unwrap();
            let seen = storage(&gpu, "visible instances", seen_bytes(count)).unwrap();
            let records =
                storage(&gpu, "instances", u64::from(count) * size_of::<Instance>() as u64).unwrap();
            let arguments = storage(&gpu, "arguments of draws", ARGUMENTS).unwrap();
            let bound = [&views, &size, &placed, &groups, &seen, &records, &arguments];
            let bound = bound.map(wgpu::Buffer::as_entire_buffer_binding);
            let group = culling.cull.bind(&gpu, &bound);
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            culling.dispatch(&mut pass, &group, count);
            drop(pass);
            let range = 0..expected.len() as u64 * size_of::<Instance>() as u64;
            let first_matrices = |bytes: &[u8]| -> Vec<u32> {
                cast_slice::<u8, Instance>(bytes).iter().map(|instance| instance.first_matrix).collect()
            };
            let listed = read_back(&gpu, encoder, &records, range, first_matrices).unwrap();
            let expected: Vec<u32> = expected.into_iter().map(|index| index * 3).collect();
            assert!(listed == expected, "{count} instances");
            let encoder = gpu.device.create_command_encoder(&Default::default());
            let drawn =
                read_back(&gpu, encoder, &arguments, 4..8, |bytes| cast_slice::<u8, u32>(bytes)[0]).unwrap();
            assert_eq!(drawn as usize, listed.len(), "{count} instances");
        }
    }
}
