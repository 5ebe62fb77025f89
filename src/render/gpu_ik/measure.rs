//! Errors that the GPU measures: one lane for each goal of each problem.

use wgpu::{Buffer, ComputePass};

use crate::Gpu;
use crate::compute::{Access, Kernel, uniform};

use super::block_buffers::BlockBuffers;
use super::gpu_types::MeasureConstants;
use super::shaders;

/// Number of lanes in a workgroup.
const LANES: u32 = 64;

#[derive(Clone, Debug)]
pub(super) struct MeasureKernel(Kernel);

/// What the problems of a group have in common.
#[derive(Debug)]
pub(super) struct MeasuredGroup {
    pub(super) kernel: MeasureKernel,
    pub(super) joints: Buffer,
    pub(super) goals: Buffer,
    /// The constants of the shader. [`MeasuredGroup::encode`] fills in the number of problems.
    pub(super) constants: MeasureConstants,
}

impl MeasureKernel {
    pub(super) fn new(gpu: &Gpu) -> Self {
        use Access::{Read, Uniform, Write};
        let access = [Uniform, Read, Read, Read, Read, Write];
        Self(Kernel::new(gpu, "IK errors", shaders::MEASURE, "measure_goals", &[], &access))
    }
}

impl MeasuredGroup {
    /// Encodes the measurement of a block of `count` problems, whose answers are complete.
    pub(super) fn encode(&self, gpu: &Gpu, pass: &mut ComputePass<'_>, block: &BlockBuffers, count: u32) {
        let constants = MeasureConstants { problems: count, ..self.constants };
        let uniforms = uniform(gpu, "measure", bytemuck::bytes_of(&constants));
        let bound = [&uniforms, &self.joints, &self.goals, &block.targets, &block.answers, &block.errors]
            .map(Buffer::as_entire_buffer_binding);
        let MeasureKernel(kernel) = &self.kernel;
        let lanes = count.saturating_mul(constants.goals);
        kernel.dispatch(pass, &kernel.bind(gpu, &bound), lanes.div_ceil(LANES));
    }
}
