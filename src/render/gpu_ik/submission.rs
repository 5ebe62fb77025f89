//! Work on the buffers of one block: upload, compute pass and download.

use wgpu::{ComputePass, SubmissionIndex};

use crate::offscreen::read_buffer;
use crate::{Gpu, RenderError};

use super::block_buffers::{BlockBuffers, BlockBytes, BufferPool, STAMP};

/// A block that has been submitted.
#[derive(Debug)]
pub(super) struct Submission {
    buffers: BlockBuffers,
    bytes: BlockBytes,
    stamp: u32,
    work: SubmissionIndex,
}

impl Submission {
    /// Uploads the inputs of a block and submits its compute pass. `full` is the size of a full block. The last block may be smaller, but
    /// it uses buffers for a full block, so that the next batch can reuse them.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if a buffer would exceed the limits of the adapter.
    pub(super) fn new(
        gpu: &Gpu,
        pool: &mut BufferPool,
        (full, bytes): (BlockBytes, BlockBytes),
        targets: &[u8],
        starts: &[u8],
        encode: impl FnOnce(&mut ComputePass<'_>, &BlockBuffers),
    ) -> Result<Self, RenderError> {
        let (buffers, stamp) = pool.take(gpu, full)?;
        // The stamp follows the targets in the same write, so that it also shows whether this write took place.
        let stamp_place = targets.len() as u64;
        let mut upload = Vec::with_capacity(targets.len() + size_of::<u32>());
        upload.extend_from_slice(targets);
        upload.extend_from_slice(&stamp.to_ne_bytes());
        gpu.queue.write_buffer(&buffers.targets, 0, &upload);
        if !starts.is_empty() {
            gpu.queue.write_buffer(&buffers.starts, 0, starts);
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&buffers.unsolved, 0, Some(4));
        encode(&mut encoder.begin_compute_pass(&Default::default()), &buffers);
        encoder.copy_buffer_to_buffer(&buffers.targets, stamp_place, &buffers.staging, 0, 4);
        encoder.copy_buffer_to_buffer(&buffers.answers, 0, &buffers.staging, STAMP, bytes.answers);
        if bytes.errors > 0 {
            let place = STAMP + bytes.answers;
            encoder.copy_buffer_to_buffer(&buffers.errors, 0, &buffers.staging, place, bytes.errors);
        }
        let work = gpu.queue.submit([encoder.finish()]);
        Ok(Self { buffers, bytes, stamp, work })
    }

    /// Waits for the block, and reads its answers and its errors. If it fails, its buffers are released, because they may still be in use.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error, the device is lost, or the submission was rejected.
    pub(super) fn read<T>(
        self,
        gpu: &Gpu,
        pool: &mut BufferPool,
        read: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<T, RenderError> {
        let Self { buffers, bytes, stamp, work } = self;
        let checked = |staging: &[u8]| {
            // All holders of a `Gpu` share its first error, and another holder may have taken the one of this submission. The buffer then
            // contains the numbers of an earlier block, with another stamp.
            let found = part(staging, 0, size_of::<u32>() as u64);
            (found == stamp.to_ne_bytes()).then(|| {
                let answers = part(staging, STAMP, bytes.answers);
                read(answers, part(staging, STAMP + bytes.answers, bytes.errors))
            })
        };
        let value = read_buffer(gpu, &buffers.staging, work, checked)?;
        let value = value.ok_or_else(|| RenderError::Driver("the submission was rejected".to_owned()))?;
        pool.give_back(buffers);
        Ok(value)
    }
}

fn part(bytes: &[u8], first: u64, length: u64) -> &[u8] {
    let place = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    bytes.get(place(first)..place(first.saturating_add(length))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One limb.
    const TARGETS: [u8; 80] = [7; 80];

    fn submit(
        gpu: &Gpu,
        pool: &mut BufferPool,
        encode: impl FnOnce(&mut ComputePass<'_>, &BlockBuffers),
    ) -> Submission {
        let bytes = BlockBytes::of_limbs(1);
        Submission::new(gpu, pool, (bytes, bytes), &TARGETS, &[], encode).unwrap()
    }

    /// The second block reuses the buffers of the first. Its submission is rejected, but another holder of the device takes the error.
    #[test]
    fn a_rejected_submission_fails_even_if_its_error_was_taken() {
        let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
        let gpu = Gpu::new(&adapter.parse().unwrap()).unwrap();
        let other = gpu.clone();
        let mut pool = BufferPool::default();
        let first = submit(&gpu, &mut pool, |_, _| {});
        let staging = first.buffers.staging.clone();
        let lengths = first.read(&gpu, &mut pool, |answers, errors| (answers.len(), errors.len()));
        assert_eq!(lengths.unwrap(), (32, 0));
        // A dispatch without a pipeline is invalid.
        let second = submit(&gpu, &mut pool, |pass, _| pass.dispatch_workgroups(1, 1, 1));
        assert_eq!(second.buffers.staging, staging);
        // The device only waits for a rejected submission if a later one succeeds.
        other.queue.submit([]);
        assert!(other.check().is_err());
        let read = second.read(&gpu, &mut pool, |answers, _| answers.len());
        assert!(read.unwrap_err().to_string().contains("the submission was rejected"));
        // Buffers whose state is unknown are not reused.
        let third = submit(&gpu, &mut pool, |_, _| {});
        assert_ne!(third.buffers.staging, staging);
        assert!(third.read(&gpu, &mut pool, |_, _| {}).is_ok());
    }
}
