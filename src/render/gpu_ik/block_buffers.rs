//! The buffers of a block of problems, which later blocks and batches reuse.

use wgpu::{Buffer, BufferUsages};

use crate::compute::storage;
use crate::{Gpu, RenderError};

use super::gpu_types::{ChainTarget, GoalError, LimbProblem};

/// Size of a quaternion or a vector in bytes.
const VECTOR: u64 = 16;
/// Space for the stamp of a block, in bytes, after the targets and before the answers that are read.
pub(super) const STAMP: u64 = 16;
/// Number of buffer sets that are kept. Two blocks are on the GPU at the same time.
const MAX_KEPT: usize = 4;
/// A set is not used for a block if one of its buffers is larger than this number of bytes, and larger than `MAX_EXCESS` times what the
/// block needs.
const SMALL: u64 = 1 << 20;
const MAX_EXCESS: u64 = 4;

/// The size of one problem of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProblemSize {
    pub(super) joints: u64,
    pub(super) goals: u64,
    /// Whether the answers contain the translation of the base.
    pub(super) has_root: bool,
    /// Whether the GPU measures errors.
    pub(super) is_measured: bool,
}

/// The sizes of the buffers of a block, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockBytes {
    /// The targets, without the stamp.
    targets: u64,
    starts: u64,
    pub(super) answers: u64,
    unsolved: u64,
    pub(super) errors: u64,
}

/// The buffers of a block.
#[derive(Debug)]
pub(super) struct BlockBuffers {
    pub(super) targets: Buffer,
    pub(super) starts: Buffer,
    pub(super) answers: Buffer,
    /// The list of problems that must be restarted.
    pub(super) unsolved: Buffer,
    pub(super) errors: Buffer,
    /// The stamp, the answers and then the errors, for reading.
    pub(super) staging: Buffer,
}

/// Buffers that no block uses at the moment. At most [`MAX_KEPT`] sets are kept. Beyond that, the set that has been unused for longest is
/// released.
#[derive(Debug, Default)]
pub(super) struct BufferPool {
    kept: Vec<BlockBuffers>,
    /// The stamp of the last block.
    stamp: u32,
}

impl ProblemSize {
    /// Returns the number of vectors in an answer: the rotations, the translation of the base, and a vector that ends with the number of
    /// iterations.
    pub(super) fn stride(self) -> u64 {
        self.joints + u64::from(self.has_root) + 1
    }

    pub(super) fn block(self, problems: usize) -> BlockBytes {
        let count = problems as u64;
        BlockBytes {
            targets: count * self.goals * size_of::<ChainTarget>() as u64,
            starts: count * self.joints * VECTOR,
            answers: count * self.stride() * VECTOR,
            unsolved: 4 * (count + 1),
            errors: if self.is_measured { count * self.goals * size_of::<GoalError>() as u64 } else { 0 },
        }
    }

    /// Returns the largest number of problems whose buffers have at most `most_bytes` bytes. It is at least one.
    pub(super) fn most_problems(self, most_bytes: u64) -> usize {
        self.block(1).most_problems(most_bytes)
    }
}

impl BlockBytes {
    /// Returns the sizes for single limbs, whose targets are whole problems and whose answers are two rotations each.
    pub(super) fn of_limbs(limbs: usize) -> Self {
        let count = limbs as u64;
        let (targets, answers) = (count * size_of::<LimbProblem>() as u64, count * 2 * VECTOR);
        Self { targets, starts: 0, answers, unsolved: 0, errors: 0 }
    }

    /// Returns the largest number of problems whose buffers have at most `most_bytes` bytes, if these are the sizes for one problem. It is
    /// at least one.
    pub(super) fn most_problems(self, most_bytes: u64) -> usize {
        // The largest buffer has a stamp: answers are never smaller than start poses, and are read together with the stamp.
        let one = (self.largest() - STAMP).max(1);
        usize::try_from(most_bytes.saturating_sub(STAMP) / one).unwrap_or(usize::MAX).max(1)
    }

    /// Returns the size of the buffer from which the stamp, the answers and the errors are read.
    fn staging(self) -> u64 {
        STAMP + self.answers + self.errors
    }

    fn all(self) -> [u64; 6] {
        let targets = self.targets + STAMP;
        [targets, self.starts, self.answers, self.unsolved, self.errors, self.staging()]
    }

    fn largest(self) -> u64 {
        self.all().into_iter().fold(0, u64::max)
    }
}

impl BlockBuffers {
    fn new(gpu: &Gpu, bytes: BlockBytes) -> Result<Self, RenderError> {
        gpu.check_buffer("read back", bytes.staging())?;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: bytes.staging().max(4),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Ok(Self {
            targets: storage(gpu, "targets", bytes.targets + STAMP)?,
            starts: storage(gpu, "start poses", bytes.starts)?,
            answers: storage(gpu, "answers", bytes.answers)?,
            unsolved: storage(gpu, "unsolved problems", bytes.unsolved)?,
            errors: storage(gpu, "errors", bytes.errors)?,
            staging,
        })
    }

    fn sizes(&self) -> [u64; 6] {
        [&self.targets, &self.starts, &self.answers, &self.unsolved, &self.errors, &self.staging]
            .map(Buffer::size)
    }

    fn fit(&self, bytes: BlockBytes) -> bool {
        self.sizes().into_iter().zip(bytes.all()).all(|(size, needed)| size >= needed)
    }

    fn are_too_large(&self, bytes: BlockBytes) -> bool {
        let is_too_large = |(size, needed): (u64, u64)| size > SMALL.max(MAX_EXCESS.saturating_mul(needed));
        self.sizes().into_iter().zip(bytes.all()).any(is_too_large)
    }
}

impl BufferPool {
    /// Returns buffers for a block, and its stamp, which differs from those of earlier blocks. Reuses buffers if they fit and are not much
    /// too large. Other buffers are kept for other kinds of problems.
    pub(super) fn take(&mut self, gpu: &Gpu, bytes: BlockBytes) -> Result<(BlockBuffers, u32), RenderError> {
        let is_suitable = |buffers: &BlockBuffers| buffers.fit(bytes) && !buffers.are_too_large(bytes);
        let buffers = match self.kept.iter().position(is_suitable) {
            Some(place) => self.kept.remove(place),
            None => BlockBuffers::new(gpu, bytes)?,
        };
        // New buffers contain zeros, so no block has the stamp zero.
        self.stamp = self.stamp.checked_add(1).unwrap_or(1);
        Ok((buffers, self.stamp))
    }

    /// Returns buffers to the pool. Their work must be complete, and the staging buffer unmapped.
    pub(super) fn give_back(&mut self, buffers: BlockBuffers) {
        self.kept.push(buffers);
        if self.kept.len() > MAX_KEPT {
            self.kept.remove(0);
        }
    }

    /// Returns the size of all buffers in the pool, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.kept.iter().flat_map(BlockBuffers::sizes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: ProblemSize = ProblemSize { joints: 7, goals: 1, has_root: false, is_measured: true };

    #[test]
    fn a_full_block_respects_the_limit() {
        // The last size has more targets than answers.
        let few_joints = ProblemSize { joints: 1, goals: 8, has_root: true, is_measured: false };
        for size in [SIZE, ProblemSize { has_root: true, ..SIZE }, few_joints] {
            for limit in [1, 191, 192, 9000, 1 << 17, 128 << 20] {
                let count = size.most_problems(limit);
                assert!(count == 1 || size.block(count).largest() <= limit, "{count} problems");
                assert!(size.block(count + 1).largest() > limit, "{count} problems are too few");
            }
        }
        assert_eq!(BlockBytes::of_limbs(1).most_problems(1000), (1000 - 16) / 80);
    }

    fn take(pool: &mut BufferPool, gpu: &Gpu, bytes: BlockBytes) -> BlockBuffers {
        pool.take(gpu, bytes).unwrap().0
    }

    #[test]
    fn buffers_are_reused_unless_they_are_much_too_large() {
        let gpu = Gpu::of_tests();
        let mut pool = BufferPool::default();
        let large = take(&mut pool, &gpu, SIZE.block(20_000));
        let staging = large.staging.clone();
        pool.give_back(large);
        let again = take(&mut pool, &gpu, SIZE.block(15_000));
        assert_eq!(again.staging, staging);
        pool.give_back(again);
        let small = take(&mut pool, &gpu, SIZE.block(10));
        assert_ne!(small.staging, staging);
        pool.give_back(small);
        for _ in 0..3 * MAX_KEPT {
            pool.give_back(BlockBuffers::new(&gpu, SIZE.block(10)).unwrap());
        }
        assert_eq!(pool.kept.len(), MAX_KEPT);
        assert!(pool.bytes() < SMALL, "{} bytes", pool.bytes());
    }

    /// Limbs need neither start poses nor errors.
    #[test]
    fn buffers_of_other_kinds_are_kept() {
        let gpu = Gpu::of_tests();
        let mut pool = BufferPool::default();
        let large = take(&mut pool, &gpu, SIZE.block(20_000));
        let staging = large.staging.clone();
        pool.give_back(large);
        for _ in 0..3 {
            let limbs = take(&mut pool, &gpu, BlockBytes::of_limbs(20_000));
            assert_ne!(limbs.staging, staging);
            pool.give_back(limbs);
        }
        assert_eq!(pool.kept.len(), 2);
        assert_eq!(take(&mut pool, &gpu, SIZE.block(20_000)).staging, staging);
    }

    #[test]
    fn every_block_has_another_stamp() {
        let gpu = Gpu::of_tests();
        let mut pool = BufferPool { kept: Vec::new(), stamp: u32::MAX - 1 };
        let mut stamp = || pool.take(&gpu, SIZE.block(1)).unwrap().1;
        assert_eq!([stamp(), stamp(), stamp()], [u32::MAX, 1, 2]);
    }
}
