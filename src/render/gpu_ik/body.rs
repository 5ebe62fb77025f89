//! Whole bodies on the GPU: one workgroup for each body.

use crate::compute::{Access, Kernel, read_back, storage, storage_with, uniform};
use crate::{Gpu, RenderError};

use super::gpu_types::{ChainTarget, PackedJoint, TreeConstants, TreeGoal};
use super::shaders;

/// Maximum numbers of joints and goals of a body.
pub(super) const MAX_JOINTS: usize = 96;
pub(super) const MAX_GOALS: usize = 8;
/// Size of a quaternion or a vector in bytes.
const VECTOR: u64 = 16;

#[derive(Debug)]
pub(super) struct BodyKernel(Kernel);

/// The problems of a solve, which have the same structure.
pub(super) struct BodyProblems<'a> {
    /// The constants of the shader. [`BodyKernel::solve`] fills in the number of problems.
    pub(super) tree: TreeConstants,
    pub(super) joints: &'a [PackedJoint],
    pub(super) goals: &'a [TreeGoal],
    /// For each row of the normal equations, the index of its error.
    pub(super) rows: &'a [u32],
    /// One target for each goal of each problem.
    pub(super) targets: &'a [ChainTarget],
    /// The rotations of the start poses.
    pub(super) starts: &'a [[f32; 4]],
    /// Maximum size of a buffer in bytes. Problems that do not fit are solved in further batches.
    pub(super) most_bytes: u64,
}

impl BodyKernel {
    pub(super) fn new(gpu: &Gpu) -> Self {
        use Access::{Read, Uniform, Write};
        let access = [Uniform, Read, Read, Read, Read, Write, Read];
        Self(Kernel::new(gpu, "body IK", shaders::BODY, "solve_bodies", &[], &access))
    }

    /// Returns the answer to each problem: the rotations of the joints, the translation of the base, and a vector with the squared error,
    /// the number of goals that are met, and the number of iterations.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error or the device is lost.
    pub(super) fn solve(&self, gpu: &Gpu, problems: &BodyProblems<'_>) -> Result<Vec<[f32; 4]>, RenderError> {
        let (joints, goals) = (problems.joints.len().max(1), problems.goals.len().max(1));
        let stride = (joints + 2).max(2 * goals);
        let most = usize::try_from(problems.most_bytes / VECTOR).unwrap_or(usize::MAX) / stride;
        let most = most.max(1);
        let joint_buffer = storage_with(gpu, "joints", bytemuck::cast_slice(problems.joints))?;
        let goal_buffer = storage_with(gpu, "goals", bytemuck::cast_slice(problems.goals))?;
        let row_buffer = storage_with(gpu, "rows", bytemuck::cast_slice(problems.rows))?;
        let mut answers = Vec::new();
        for (targets, starts) in
            problems.targets.chunks(most * goals).zip(problems.starts.chunks(most * joints))
        {
            let count = u32::try_from(targets.len() / goals).unwrap_or(u32::MAX);
            let tree = TreeConstants { problems: count, ..problems.tree };
            let size = u64::from(count) * (joints as u64 + 2) * VECTOR;
            let output = storage(gpu, "answers", size)?;
            let buffers = [
                &uniform(gpu, "tree", bytemuck::bytes_of(&tree)),
                &joint_buffer,
                &goal_buffer,
                &storage_with(gpu, "targets", bytemuck::cast_slice(targets))?,
                &storage_with(gpu, "start poses", bytemuck::cast_slice(starts))?,
                &output,
                &row_buffer,
            ];
            let bound = buffers.map(wgpu::Buffer::as_entire_buffer_binding);
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                self.0.dispatch(&mut pass, &self.0.bind(gpu, &bound), count);
            }
            let found: Vec<[f32; 4]> =
                read_back(gpu, encoder, &output, 0..size, bytemuck::pod_collect_to_vec)?;
            answers.extend(found);
        }
        Ok(answers)
    }
}
