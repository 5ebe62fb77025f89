//! Chains on the GPU: one lane for each start of each problem.

use wgpu::{Buffer, ComputePass};

use crate::compute::{Access, Kernel, storage_with, uniform};
use crate::{Gpu, RenderError};

use super::block_buffers::BlockBuffers;
use super::gpu_types::{ChainConstants, PackedJoint};
use super::pose_table::POSES;
use super::shaders;

/// Number of lanes in a workgroup.
const LANES: u32 = 64;

const BUFFERS: [Access; 7] =
    [Access::Uniform, Access::Read, Access::Read, Access::Read, Access::Read, Access::Write, Access::Write];

/// The pipelines for chains with a certain number of joints and certain kinds of limits.
#[derive(Clone, Debug)]
pub(super) struct ChainKernels {
    descend: Kernel,
    restart: Kernel,
}

/// The structure of a chain on the GPU.
#[derive(Clone, Debug)]
pub(super) struct UploadedChain {
    pub(super) joints: Buffer,
    poses: Buffer,
}

/// What the problems of a group have in common.
#[derive(Debug)]
pub(super) struct ChainGroup {
    pub(super) kernels: ChainKernels,
    pub(super) uploaded: UploadedChain,
    /// The constants of the shader. [`ChainGroup::encode`] fills in the number of problems.
    pub(super) chain: ChainConstants,
}

impl UploadedChain {
    pub(super) fn new(gpu: &Gpu, joints: &[PackedJoint], poses: &[[f32; 4]]) -> Result<Self, RenderError> {
        Ok(Self {
            joints: storage_with(gpu, "joints", bytemuck::cast_slice(joints))?,
            poses: storage_with(gpu, "poses", bytemuck::cast_slice(poses))?,
        })
    }
}

impl ChainKernels {
    /// Creates the pipelines for the given number of joints and kinds of limits, or returns `None` if there are too many joints.
    pub(super) fn new(gpu: &Gpu, joints: usize, kinds: u32) -> Option<Self> {
        let is_hardware = !gpu.capabilities.is_software;
        let constants = shaders::chain_constants(joints, kinds, is_hardware)?;
        let [steps, restarts] = shaders::CHAIN_FILES;
        let files = [&constants, steps, restarts];
        let kernel = |entry| Kernel::new(gpu, "chain IK", &files, entry, &[], &BUFFERS);
        Some(Self { descend: kernel("descend_from_start"), restart: kernel("restart") })
    }
}

impl ChainGroup {
    /// Encodes the solve of a block of `count` problems. Each answer consists of the rotations of the joints and a vector with the squared
    /// error, the position error, the orientation error and the number of iterations.
    pub(super) fn encode(&self, gpu: &Gpu, pass: &mut ComputePass<'_>, block: &BlockBuffers, count: u32) {
        let poses = u32::try_from(POSES).unwrap_or(0);
        let chain = ChainConstants { problems: count, poses, ..self.chain };
        let constants = uniform(gpu, "chain", bytemuck::bytes_of(&chain));
        let bound = [
            &constants,
            &self.uploaded.joints,
            &block.targets,
            &block.starts,
            &self.uploaded.poses,
            &block.answers,
            &block.unsolved,
        ]
        .map(Buffer::as_entire_buffer_binding);
        let ChainKernels { descend, restart } = &self.kernels;
        descend.dispatch(pass, &descend.bind(gpu, &bound), count.div_ceil(LANES));
        if chain.restarts > 0 {
            // Dispatch as many workgroups as if all problems were unsolved. Only the GPU knows how many are unsolved,
            // and the surplus workgroups end at once.
            let groups = count.div_ceil(LANES / chain.restarts.min(LANES));
            restart.dispatch(pass, &restart.bind(gpu, &bound), groups);
        }
    }
}
