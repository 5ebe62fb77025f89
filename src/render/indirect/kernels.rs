//! The kernels that list instances. All lists of a renderer share them.

use wgpu::BufferUsages;

use super::super::compute::{Access, Kernel, bind_buffers, buffer_layout};
use super::super::depth_pyramid::DepthPyramid;
use super::super::gpu_types::CullViews;
use super::super::{Gpu, shaders};
use super::LANES;

/// How the kernels use the buffers of a list.
const BUFFERS: [Access; 7] = {
    use Access::{Read, Uniform, Write};
    [Uniform, Uniform, Read, Read, Write, Write, Write]
};

/// The kernels that cull instances.
#[derive(Debug)]
pub(crate) struct Culling {
    pub(super) cull: Kernel,
    sum_blocks: Kernel,
    record: Kernel,
    /// The planes of the camera and of the key light, written by every frame.
    pub(crate) views: Option<wgpu::Buffer>,
    /// Exists if a list has needed it.
    pub(crate) occlusion: Option<OcclusionCulling>,
}

/// The kernels that list the instances that the camera sees in two phases. See `shaders/occlusion.wgsl`.
#[derive(Debug)]
pub(crate) struct OcclusionCulling {
    pub(super) first_phase: Kernel,
    pub(super) second_phase: Kernel,
    pub(super) both_phases: Kernel,
    states: wgpu::BindGroupLayout,
    /// The farthest depths of what the first phase and everything else has drawn.
    pub(crate) pyramid: DepthPyramid,
}

impl Culling {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let kernel = |entry: &'static str| Kernel::new(gpu, entry, shaders::CULL, entry, &[], &BUFFERS);
        let views = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("views"),
            size: size_of::<CullViews>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let [cull, sum_blocks, record] = ["cull", "sum_blocks", "record"].map(kernel);
        Self { cull, sum_blocks, record, views: Some(views), occlusion: None }
    }

    /// Creates the kernels of two phases, if they do not exist.
    pub(crate) fn prepare_occlusion(&mut self, gpu: &Gpu) {
        self.occlusion.get_or_insert_with(|| OcclusionCulling::new(gpu));
    }

    /// Encodes the passes that make a list of at most `instances` instances. `kernel` decides which of them are listed, `group` binds the
    /// buffers of the list, and `others` are the other bind groups of the kernel.
    pub(super) fn encode_list(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        kernel: &Kernel,
        group: &wgpu::BindGroup,
        others: &[&wgpu::BindGroup],
        instances: u32,
    ) {
        let blocks = instances.div_ceil(LANES);
        kernel.dispatch_with(pass, group, others, blocks);
        self.sum_blocks.dispatch(pass, group, 1);
        self.record.dispatch(pass, group, blocks);
    }
}

impl OcclusionCulling {
    fn new(gpu: &Gpu) -> Self {
        let states = buffer_layout(gpu, "states of instances", &[Access::Write, Access::Write]);
        let pyramid = DepthPyramid::new(gpu);
        let kernel = |entry: &'static str, others: &[&wgpu::BindGroupLayout]| {
            Kernel::with_groups(gpu, entry, shaders::OCCLUSION, entry, &[], &BUFFERS, others)
        };
        Self {
            first_phase: kernel("first_phase", &[&states]),
            second_phase: kernel("second_phase", &[&states, &pyramid.layout]),
            both_phases: kernel("both_phases", &[&states]),
            states,
            pyramid,
        }
    }

    /// Binds the states of the instances of a list, and the number of hidden ones.
    pub(super) fn bind_states(
        &self,
        gpu: &Gpu,
        states: &wgpu::Buffer,
        hidden: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let buffers = [states, hidden].map(wgpu::Buffer::as_entire_buffer_binding);
        bind_buffers(gpu, "states of instances", &self.states, &buffers)
    }
}
