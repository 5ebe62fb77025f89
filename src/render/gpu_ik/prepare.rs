//! The kernels and the shared data of a group.

use crate::RenderError;
use crate::compute::{kept, storage_with};
use crate::ik::{Goal, Start};

use super::block_buffers::ProblemSize;
use super::body::{BodyGroup, BodyKernel};
use super::chain::{ChainGroup, ChainKernels, UploadedChain};
use super::gpu_types::{ChainConstants, MeasureConstants, TreeConstants};
use super::group::Group;
use super::measure::{MeasureKernel, MeasuredGroup};
use super::options::GpuOptions;
use super::pipeline::{Pipeline, SolvedGroup};
use super::pose_table;
use super::solver::GpuSolver;

/// Number of structures whose joints and poses are kept on the GPU.
const MAX_UPLOADED: usize = 16;
/// Maximum number of restarts. Each restart is a lane of a workgroup.
const MAX_RESTARTS: u32 = 64;

impl GpuSolver {
    /// Prepares the solve of a group.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error or the device is lost.
    pub(super) fn pipeline<'a>(
        &mut self,
        group: &'a Group,
        goals: &[Vec<Goal>],
        options: &'a GpuOptions,
        is_measured: bool,
    ) -> Result<Pipeline<'a>, RenderError> {
        self.gpu.check()?;
        let first = group.problems.first().and_then(|&first| goals.get(first));
        let first = first.map(Vec::as_slice).unwrap_or_default();
        let size = group.problem_size(&options.options, is_measured);
        // Only the body shader and measurements read the goals of a tree.
        let mut tree = None;
        if size.has_root || is_measured {
            let (constants, goals, rows) = group.tree(first, &options.options);
            tree = Some((constants, storage_with(&self.gpu, "goals", bytemuck::cast_slice(&goals))?, rows));
        }
        let (solved, joints) = match (&tree, first) {
            (Some((tree, goals, rows)), _) if size.has_root => {
                let joints = bytemuck::cast_slice(&group.structure.packed);
                let joints = storage_with(&self.gpu, "joints", joints)?;
                let rows = storage_with(&self.gpu, "rows", bytemuck::cast_slice(rows))?;
                let kernel = kept(&self.gpu, &mut self.body, BodyKernel::new)?;
                let tree = TreeConstants { iterations: options.iterations, ..*tree };
                let goals = goals.clone();
                (SolvedGroup::Body(BodyGroup { kernel, joints: joints.clone(), goals, rows, tree }), joints)
            }
            (_, [goal, ..]) => {
                let chain = self.chain_group(group, goal, options)?;
                let joints = chain.uploaded.joints.clone();
                (SolvedGroup::Chain(chain), joints)
            }
            _ => return Err(RenderError::Driver("a chain without a goal".to_owned())),
        };
        let mut measured = None;
        if let Some((_, goals, _)) = tree.filter(|_| is_measured) {
            let kernel = kept(&self.gpu, &mut self.measure, MeasureKernel::new)?;
            measured = Some(MeasuredGroup { kernel, joints, goals, constants: measure_constants(size) });
        }
        // Errors of the shader compiler are reported like driver errors.
        self.gpu.check()?;
        Ok(Pipeline::new(&self.gpu, group, options, solved, measured, size, self.most_bytes))
    }

    fn chain_group(
        &mut self,
        group: &Group,
        goal: &Goal,
        options: &GpuOptions,
    ) -> Result<ChainGroup, RenderError> {
        let (joints, kinds) = (group.structure.joints.len(), group.structure.kinds());
        let kind = (joints, kinds);
        let restarts = match options.options.start {
            Start::Continue => 0,
            _ if options.options.restarts == 0 || options.restarts == 0 => 0,
            _ => options.restarts.min(MAX_RESTARTS).next_power_of_two(),
        };
        let uploaded = self.upload(group)?;
        if !self.chains.contains_key(&kind) {
            let kernels = ChainKernels::new(&self.gpu, joints, kinds);
            // Pipelines with errors are not kept.
            self.gpu.check()?;
            self.chains.extend(kernels.map(|kernels| (kind, kernels)));
        }
        let Some((kernels, (_, uploaded))) = self.chains.get(&kind).zip(self.uploaded.get(uploaded)) else {
            return Err(RenderError::Driver("no pipeline for a chain".to_owned()));
        };
        let chain = ChainConstants {
            restarts,
            iterations: options.iterations,
            ..group.chain(goal, &options.options)
        };
        Ok(ChainGroup { kernels: kernels.clone(), uploaded: uploaded.clone(), chain })
    }

    /// Uploads the structure of a chain unless it is already on the GPU, and returns its index.
    fn upload(&mut self, group: &Group) -> Result<usize, RenderError> {
        if let Some(place) = self.uploaded.iter().position(|(key, _)| *key == group.key) {
            return Ok(place);
        }
        let poses = group.structure.effectors.first().map(|e| pose_table::table(&group.structure, e));
        let uploaded = UploadedChain::new(&self.gpu, &group.structure.packed, &poses.unwrap_or_default())?;
        // Buffers with errors are not kept.
        self.gpu.check()?;
        if self.uploaded.len() >= MAX_UPLOADED {
            self.uploaded.remove(0);
        }
        self.uploaded.push((group.key.clone(), uploaded));
        Ok(self.uploaded.len() - 1)
    }
}

fn measure_constants(size: ProblemSize) -> MeasureConstants {
    let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    MeasureConstants {
        joints: count(size.joints),
        goals: count(size.goals),
        problems: 0,
        stride: count(size.stride()),
        has_root: u32::from(size.has_root),
        reserved_0: 0,
        reserved_1: 0,
        reserved_2: 0,
    }
}
