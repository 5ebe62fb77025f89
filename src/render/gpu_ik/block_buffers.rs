//! The buffers of a block of problems, which later blocks and batches reuse.

use wgpu::{Buffer, BufferUsages};

use crate::compute::storage;
use crate::{Gpu, RenderError};

use super::gpu_types::{ChainTarget, GoalError, LimbProblem};

/// Size of a quaternion or a vector in bytes.
const VECTOR: u64 = 16;
/// Number of buffer sets that are kept. Two blocks are on the GPU at the same time.
const MAX_KEPT: usize = 4;
/// A set with a buffer larger than this number of bytes, and larger than `MAX_EXCESS` times what a block needs, is released.
const SMALL: u64 = 1 << 20;
const MAX_EXCESS: u64 = 4;

/// The size of one problem of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProblemSize {
    pub(super) joints: u64,
    pub(super) goals: u64,
    /// Number of vectors in an answer.
    pub(super) stride: u64,
    /// Whether the GPU measures errors.
    pub(super) is_measured: bool,
}

/// The sizes of the buffers of a block, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockBytes {
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
    /// The answers and then the errors, for reading.
    pub(super) staging: Buffer,
}

/// Buffers that no block uses at the moment. At most [`MAX_KEPT`] sets are kept, and sets that are much too large for a block are released.
#[derive(Debug, Default)]
pub(super) struct BufferPool(Vec<BlockBuffers>);

impl ProblemSize {
    pub(super) fn block(self, problems: usize) -> BlockBytes {
        let count = problems as u64;
        BlockBytes {
            targets: count * self.goals * size_of::<ChainTarget>() as u64,
            starts: count * self.joints * VECTOR,
            answers: count * self.stride * VECTOR,
            unsolved: 4 * (count + 1),
            errors: if self.is_measured { count * self.goals * size_of::<GoalError>() as u64 } else { 0 },
        }
    }

    /// Returns the largest number of problems whose buffers have at most `most_bytes` bytes. It is at least one.
    pub(super) fn most_problems(self, most_bytes: u64) -> usize {
        let one = self.block(1);
        let largest = one.largest().max(1);
        usize::try_from(most_bytes / largest).unwrap_or(usize::MAX).max(1)
    }
}

impl BlockBytes {
    /// Returns the sizes for single limbs, whose targets are whole problems and whose answers are two rotations each.
    pub(super) fn of_limbs(limbs: usize) -> Self {
        let count = limbs as u64;
        let (targets, answers) = (count * size_of::<LimbProblem>() as u64, count * 2 * VECTOR);
        Self { targets, starts: 0, answers, unsolved: 0, errors: 0 }
    }

    /// Returns the size of the buffer from which the answers and the errors are read.
    fn staging(self) -> u64 {
        self.answers + self.errors
    }

    fn all(self) -> [u64; 6] {
        [self.targets, self.starts, self.answers, self.unsolved, self.errors, self.staging()]
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
            targets: storage(gpu, "targets", bytes.targets)?,
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
    /// Returns buffers for a block. Reuses buffers if they fit, and releases all buffers that are much too large.
    pub(super) fn take(&mut self, gpu: &Gpu, bytes: BlockBytes) -> Result<BlockBuffers, RenderError> {
        self.0.retain(|buffers| !buffers.are_too_large(bytes));
        match self.0.iter().position(|buffers| buffers.fit(bytes)) {
            Some(place) => Ok(self.0.remove(place)),
            None => BlockBuffers::new(gpu, bytes),
        }
    }

    /// Returns buffers to the pool. Their work must be complete, and the staging buffer unmapped.
    pub(super) fn give_back(&mut self, buffers: BlockBuffers) {
        self.0.push(buffers);
        if self.0.len() > MAX_KEPT {
            self.0.remove(0);
        }
    }

    /// Returns the size of all buffers in the pool, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().flat_map(BlockBuffers::sizes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: ProblemSize = ProblemSize { joints: 7, goals: 1, stride: 8, is_measured: true };

    #[test]
    fn a_full_block_respects_the_limit() {
        for limit in [1, 175, 176, 9000, 1 << 17, 128 << 20] {
            let count = SIZE.most_problems(limit);
            assert!(count == 1 || SIZE.block(count).largest() <= limit, "{count} problems");
            assert!(SIZE.block(count + 1).largest() > limit, "{count} problems are too few");
        }
    }

    #[test]
    fn buffers_are_reused_and_released_if_they_are_much_too_large() {
        let gpu = Gpu::of_tests();
        let mut pool = BufferPool::default();
        let large = pool.take(&gpu, SIZE.block(20_000)).unwrap();
        let staging = large.staging.clone();
        pool.give_back(large);
        let again = pool.take(&gpu, SIZE.block(15_000)).unwrap();
        assert_eq!(again.staging, staging);
        pool.give_back(again);
        let small = pool.take(&gpu, SIZE.block(10)).unwrap();
        assert_ne!(small.staging, staging);
        pool.give_back(small);
        assert!(pool.bytes() < SMALL, "{} bytes", pool.bytes());
        for _ in 0..3 * MAX_KEPT {
            pool.give_back(BlockBuffers::new(&gpu, SIZE.block(10)).unwrap());
        }
        assert_eq!(pool.0.len(), MAX_KEPT);
    }
}
