//! The blocks of a group: the GPU solves the next block while the caller handles the answers to the last one.

use std::ops::Range;
use std::time::Duration;

use bytemuck::pod_collect_to_vec;
use wgpu::ComputePass;

use crate::ik::{Body, Goal};
use crate::platform::Instant;
use crate::{Gpu, RenderError};

use super::block_buffers::{BlockBuffers, BufferPool, ProblemSize};
use super::body::BodyGroup;
use super::chain::ChainGroup;
use super::gpu_types::GoalError;
use super::group::Group;
use super::measure::MeasuredGroup;
use super::measured::Answer;
use super::options::GpuOptions;
use super::submission::Submission;

/// Maximum numbers of problems of a block. They occupy a large GPU, and are small enough to divide large batches, so that the GPU and the
/// CPU work at the same time.
const MAX_CHAINS: usize = 1 << 17;
const MAX_BODIES: usize = 1 << 13;

/// The kernels that solve a group.
#[derive(Debug)]
pub(super) enum SolvedGroup {
    Chain(ChainGroup),
    Body(BodyGroup),
}

/// A group whose problems are solved block by block.
pub(super) struct Pipeline<'a> {
    gpu: Gpu,
    group: &'a Group,
    options: &'a GpuOptions,
    solved: SolvedGroup,
    measured: Option<MeasuredGroup>,
    size: ProblemSize,
    /// Number of problems in each block except the last.
    block: usize,
    /// The first problem that has not been submitted.
    next: usize,
    pending: Option<Pending>,
    /// The error of a submission. It is returned after the answers to the block before.
    error: Option<RenderError>,
    wait_time: Duration,
}

/// A block that has been submitted.
struct Pending {
    problems: Range<usize>,
    submission: Submission,
}

/// The answers to a block.
pub(super) struct Block {
    /// The places of the problems in their group.
    pub(super) problems: Range<usize>,
    answers: Vec<[f32; 4]>,
    /// The errors of the goals of each problem. Empty unless the GPU measured them.
    errors: Vec<GoalError>,
    size: ProblemSize,
}

/// Handles the answers to the blocks of a group, while the GPU solves the next block.
pub(super) trait Receiver {
    /// Returns the bodies of all problems. Those of problems without an answer are in their start poses.
    fn bodies(&self) -> &[Body];

    /// Receives a block of a group. `number` is the number of the group. The blocks of a group arrive in the order of their problems.
    fn receive(&mut self, number: usize, group: &Group, block: Block);
}

impl SolvedGroup {
    fn max_problems(&self) -> usize {
        match self {
            Self::Chain(_) => MAX_CHAINS,
            Self::Body(_) => MAX_BODIES,
        }
    }

    fn encode(&self, gpu: &Gpu, pass: &mut ComputePass<'_>, block: &BlockBuffers, count: u32) {
        match self {
            Self::Chain(chain) => chain.encode(gpu, pass, block, count),
            Self::Body(body) => body.encode(gpu, pass, block, count),
        }
    }
}

impl<'a> Pipeline<'a> {
    /// Prepares the solve of a group whose problems have the given size. The buffers of a block have at most `most_bytes` bytes.
    pub(super) fn new(
        gpu: &Gpu,
        group: &'a Group,
        options: &'a GpuOptions,
        solved: SolvedGroup,
        measured: Option<MeasuredGroup>,
        size: ProblemSize,
        most_bytes: u64,
    ) -> Self {
        let most = size.most_problems(most_bytes).min(solved.max_problems());
        let block = most.min(group.problems.len()).max(1);
        Self {
            gpu: gpu.clone(),
            group,
            options,
            solved,
            measured,
            size,
            block,
            next: 0,
            pending: None,
            error: None,
            wait_time: Duration::ZERO,
        }
    }

    /// Submits the next block, and returns the answers to the block before it. Returns `None` after the last block.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error or the device is lost. The answers that were returned before remain valid. All other
    /// problems are unsolved.
    pub(super) fn next(
        &mut self,
        pool: &mut BufferPool,
        bodies: &[Body],
        goals: &[Vec<Goal>],
    ) -> Result<Option<Block>, RenderError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.pending.is_none() {
            self.pending = self.submit(pool, bodies, goals)?;
        }
        let Some(pending) = self.pending.take() else { return Ok(None) };
        match self.submit(pool, bodies, goals) {
            Ok(following) => self.pending = following,
            Err(error) => self.error = Some(error),
        }
        self.read(pool, pending).map(Some)
    }

    /// Returns how long the calls of [`Pipeline::next`] uploaded data and waited for the GPU.
    pub(super) fn wait_time(&self) -> Duration {
        self.wait_time
    }

    fn submit(
        &mut self,
        pool: &mut BufferPool,
        bodies: &[Body],
        goals: &[Vec<Goal>],
    ) -> Result<Option<Pending>, RenderError> {
        let problems = self.next..self.group.problems.len().min(self.next + self.block);
        if problems.is_empty() {
            return Ok(None);
        }
        self.next = problems.end;
        let inputs = self.group.inputs(problems.clone(), bodies, goals, &self.options.options);
        let started = Instant::now();
        let count = u32::try_from(problems.len()).unwrap_or(u32::MAX);
        let sizes = (self.size.block(self.block), self.size.block(problems.len()));
        let (targets, starts) = (bytemuck::cast_slice(&inputs.targets), bytemuck::cast_slice(&inputs.starts));
        let submission = Submission::new(&self.gpu, pool, sizes, targets, starts, |pass, buffers| {
            self.solved.encode(&self.gpu, pass, buffers, count);
            if let Some(measured) = &self.measured {
                measured.encode(&self.gpu, pass, buffers, count);
            }
        })?;
        self.wait_time += started.elapsed();
        Ok(Some(Pending { problems, submission }))
    }

    /// Waits for a block.
    fn read(&mut self, pool: &mut BufferPool, pending: Pending) -> Result<Block, RenderError> {
        let Pending { problems, submission } = pending;
        let started = Instant::now();
        let read = |answers: &[u8], errors: &[u8]| (pod_collect_to_vec(answers), pod_collect_to_vec(errors));
        let (answers, errors) = submission.read(&self.gpu, pool, read)?;
        self.wait_time += started.elapsed();
        Ok(Block { problems, answers, errors, size: self.size })
    }
}

impl Block {
    /// Returns the size of a problem.
    pub(super) fn size(&self) -> ProblemSize {
        self.size
    }

    /// Returns the answer to a problem, numbered from the first problem of the block.
    pub(super) fn answer(&self, number: usize) -> Answer<'_> {
        Answer::of(&self.answers, self.size, number)
    }

    /// Returns the errors of the goals of a problem, numbered from the first problem of the block.
    pub(super) fn errors(&self, number: usize) -> &[GoalError] {
        part(&self.errors, self.size.goals, number)
    }

    /// Returns all answers, in the order of their problems.
    pub(super) fn into_answers(self) -> Vec<[f32; 4]> {
        self.answers
    }
}

/// Returns the values of a problem, of which there are `each`.
fn part<T>(all: &[T], each: u64, number: usize) -> &[T] {
    let each = usize::try_from(each).unwrap_or(usize::MAX);
    let first = number.saturating_mul(each);
    all.get(first..first.saturating_add(each)).unwrap_or_default()
}

impl<'a> Answer<'a> {
    /// Returns an answer from the vectors that a shader has stored.
    pub(super) fn of(answers: &'a [[f32; 4]], size: ProblemSize, number: usize) -> Self {
        let vectors = part(answers, size.stride(), number);
        let joints = usize::try_from(size.joints).unwrap_or(usize::MAX);
        let iterations = vectors.last().copied().unwrap_or_default()[3];
        // The translation of the base is between the rotations and the last vector.
        let root = vectors.get(joints).filter(|_| size.has_root).copied().unwrap_or_default();
        Answer { rotations: vectors.get(..joints).unwrap_or_default(), root, iterations }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DVec3};

    use super::*;
    use crate::gpu_ik::group::groups;
    use crate::gpu_ik::options::{Choice, CpuReason};
    use crate::gpu_ik::solver::GpuSolver;
    use crate::ik::{Link, LinkIndex};

    /// Notes the problems that are solved, and destroys the device after the first block.
    struct Breaker<'a> {
        gpu: Gpu,
        bodies: &'a [Body],
        solved: Vec<usize>,
    }

    impl Receiver for Breaker<'_> {
        fn bodies(&self) -> &[Body] {
            self.bodies
        }

        fn receive(&mut self, _: usize, group: &Group, block: Block) {
            self.solved.extend(&group.problems[block.problems]);
            self.gpu.device.destroy();
        }
    }

    /// Two kinds of arms take turns in the batch, and the device is lost after the first block of the first kind.
    #[test]
    fn a_lost_device_keeps_earlier_blocks_and_fails_all_others() {
        let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
        let gpu = Gpu::new(&adapter.parse().unwrap()).unwrap();
        let arm = |bones: usize| {
            let link =
                |i: usize| Link::base().with_parent(i.checked_sub(1).map(LinkIndex)).with_offset(DVec3::Y);
            Body::new((0..=bones).map(link).collect(), DAffine3::IDENTITY).unwrap()
        };
        let bodies: Vec<_> = (0..400).map(|index| arm(2 + index % 2)).collect();
        let target = DVec3::new(1.0, 1.0, 0.0);
        let goals: Vec<_> =
            (0..400).map(|index| vec![Goal::position(LinkIndex(2 + index % 2), target)]).collect();
        let options = GpuOptions::default().with_choice(Choice::Gpu);
        let (groups, _) = groups(&bodies, &goals, &options.options);
        assert_eq!(groups.len(), 2);
        let mut solver = GpuSolver::new(&gpu);
        solver.set_max_buffer_size(4096);
        let mut receiver = Breaker { gpu, bodies: &bodies, solved: Vec::new() };
        let failures = solver.solve_groups(&groups, &goals, &options, false, &mut receiver);
        assert!(failures.iter().all(|(_, reason)| matches!(reason, CpuReason::Failed(_))));
        assert!(failures.len() >= 200, "{} failures", failures.len());
        assert!(receiver.solved.len() >= 50, "{} solved", receiver.solved.len());
        let mut all: Vec<usize> = failures.iter().map(|(index, _)| *index).chain(receiver.solved).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..400), "a problem is lost, or both solved and failed");
    }
}
