//! Whole bodies on the GPU: one workgroup for each body.

use wgpu::{Buffer, ComputePass};

use crate::Gpu;
use crate::compute::{Access, Kernel, uniform};

use super::block_buffers::BlockBuffers;
use super::gpu_types::TreeConstants;
use super::shaders;

/// Maximum numbers of joints and goals of a body.
pub(super) const MAX_JOINTS: usize = 96;
pub(super) const MAX_GOALS: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct BodyKernel(Kernel);

/// What the problems of a group have in common.
#[derive(Debug)]
pub(super) struct BodyGroup {
    pub(super) kernel: BodyKernel,
    pub(super) joints: Buffer,
    pub(super) goals: Buffer,
    /// For each row of the normal equations, the index of its error.
    pub(super) rows: Buffer,
    /// The constants of the shader. [`BodyGroup::encode`] fills in the number of problems.
    pub(super) tree: TreeConstants,
}

impl BodyKernel {
    pub(super) fn new(gpu: &Gpu) -> Self {
        use Access::{Read, Uniform, Write};
        let access = [Uniform, Read, Read, Read, Read, Write, Read];
        Self(Kernel::new(gpu, "body IK", shaders::BODY, "solve_bodies", &[], &access))
    }
}

impl BodyGroup {
    /// Encodes the solve of a block of `count` problems. Each answer consists of the rotations of the joints, the translation of the base,
    /// and a vector with the squared error, the number of goals that are met, zero, and the number of iterations.
    pub(super) fn encode(&self, gpu: &Gpu, pass: &mut ComputePass<'_>, block: &BlockBuffers, count: u32) {
        let tree = TreeConstants { problems: count, ..self.tree };
        let constants = uniform(gpu, "tree", bytemuck::bytes_of(&tree));
        let bound = [
            &constants,
            &self.joints,
            &self.goals,
            &block.targets,
            &block.starts,
            &block.answers,
            &self.rows,
        ]
        .map(Buffer::as_entire_buffer_binding);
        let BodyKernel(kernel) = &self.kernel;
        kernel.dispatch(pass, &kernel.bind(gpu, &bound), count);
    }
}
