//! Chains on the GPU: one lane for each start of each problem.

use wgpu::Buffer;

use crate::compute::{Access, Kernel, read_back, storage, storage_with, uniform};
use crate::{Gpu, RenderError};

use super::gpu_types::{ChainConstants, ChainTarget, PackedJoint};
use super::pose_table::POSES;
use super::shaders;

/// Number of lanes in a workgroup.
const LANES: u32 = 64;
/// Size of a quaternion or a vector in bytes.
const VECTOR: u64 = 16;

const BUFFERS: [Access; 7] =
    [Access::Uniform, Access::Read, Access::Read, Access::Read, Access::Read, Access::Write, Access::Write];

/// The pipelines for chains with a certain number of joints and certain kinds of limits.
#[derive(Debug)]
pub(super) struct ChainKernels {
    joints: u64,
    descend: Kernel,
    restart: Kernel,
    buffers: Option<Buffers>,
}

/// Reusable buffers for a number of problems.
#[derive(Debug)]
struct Buffers {
    capacity: usize,
    targets: Buffer,
    starts: Buffer,
    answers: Buffer,
    unsolved: Buffer,
}

/// The structure of a chain on the GPU.
#[derive(Debug)]
pub(super) struct UploadedChain {
    joints: Buffer,
    poses: Buffer,
}

/// The problems of a solve, which have the same structure.
pub(super) struct ChainProblems<'a> {
    pub(super) uploaded: &'a UploadedChain,
    /// The constants of the shader. [`ChainKernels::solve`] fills in the number of problems.
    pub(super) chain: ChainConstants,
    pub(super) targets: &'a [ChainTarget],
    /// The rotations of the start poses.
    pub(super) starts: &'a [[f32; 4]],
    /// Maximum size of a buffer in bytes. Problems that do not fit are solved in further batches.
    pub(super) most_bytes: u64,
}

impl UploadedChain {
    pub(super) fn new(gpu: &Gpu, joints: &[PackedJoint], poses: &[[f32; 4]]) -> Result<Self, RenderError> {
        Ok(Self {
            joints: storage_with(gpu, "joints", bytemuck::cast_slice(joints))?,
            poses: storage_with(gpu, "poses", bytemuck::cast_slice(poses))?,
        })
    }
}

impl Buffers {
    fn new(gpu: &Gpu, joints: u64, capacity: usize) -> Result<Self, RenderError> {
        let count = capacity as u64;
        Ok(Self {
            capacity,
            targets: storage(gpu, "targets", count * size_of::<ChainTarget>() as u64)?,
            starts: storage(gpu, "start poses", count * joints * VECTOR)?,
            answers: storage(gpu, "answers", count * (joints + 1) * VECTOR)?,
            unsolved: storage(gpu, "unsolved problems", 4 * (count + 1))?,
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
        Some(Self {
            joints: joints as u64,
            descend: kernel("descend_from_start"),
            restart: kernel("restart"),
            buffers: None,
        })
    }

    /// Returns the answer to each problem: the rotations of the joints, and then the squared error, the position error, the
    /// orientation error and the number of iterations.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error or the device is lost.
    pub(super) fn solve(
        &mut self,
        gpu: &Gpu,
        problems: &ChainProblems<'_>,
    ) -> Result<Vec<[f32; 4]>, RenderError> {
        let joints = usize::try_from(self.joints).unwrap_or(usize::MAX);
        let most = problems.most_bytes / ((self.joints + 1) * VECTOR);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        let mut answers = Vec::with_capacity(problems.targets.len() * (joints + 1));
        let batches = problems.targets.chunks(most).zip(problems.starts.chunks(most * joints));
        for (targets, starts) in batches {
            answers.extend(self.solve_batch(gpu, problems, targets, starts)?);
        }
        Ok(answers)
    }

    fn solve_batch(
        &mut self,
        gpu: &Gpu,
        problems: &ChainProblems<'_>,
        targets: &[ChainTarget],
        starts: &[[f32; 4]],
    ) -> Result<Vec<[f32; 4]>, RenderError> {
        let buffers = match self.buffers.take().filter(|b| b.capacity >= targets.len()) {
            Some(buffers) => buffers,
            None => Buffers::new(gpu, self.joints, targets.len())?,
        };
        let count = u32::try_from(targets.len()).unwrap_or(u32::MAX);
        let poses = u32::try_from(POSES).unwrap_or(0);
        let chain = ChainConstants { problems: count, poses, ..problems.chain };
        let constants = uniform(gpu, "chain", bytemuck::bytes_of(&chain));
        gpu.queue.write_buffer(&buffers.targets, 0, bytemuck::cast_slice(targets));
        gpu.queue.write_buffer(&buffers.starts, 0, bytemuck::cast_slice(starts));
        let bound = [
            &constants,
            &problems.uploaded.joints,
            &buffers.targets,
            &buffers.starts,
            &problems.uploaded.poses,
            &buffers.answers,
            &buffers.unsolved,
        ]
        .map(Buffer::as_entire_buffer_binding);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&buffers.unsolved, 0, Some(4));
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.descend.dispatch(&mut pass, &self.descend.bind(gpu, &bound), count.div_ceil(LANES));
            if chain.restarts > 0 {
                // Dispatch as many workgroups as if all problems were unsolved. Only the GPU knows how many are unsolved,
                // and the surplus workgroups end at once.
                let groups = count.div_ceil(LANES / chain.restarts.min(LANES));
                self.restart.dispatch(&mut pass, &self.restart.bind(gpu, &bound), groups);
            }
        }
        let size = u64::from(count) * (self.joints + 1) * VECTOR;
        let answers = read_back(gpu, encoder, &buffers.answers, 0..size, bytemuck::pod_collect_to_vec)?;
        self.buffers = Some(buffers);
        Ok(answers)
    }
}
