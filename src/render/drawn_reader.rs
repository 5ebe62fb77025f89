//! Reads which levels of detail the camera saw, without waiting for the GPU.

use super::readback::Readback;
use super::{DrawnLevels, Frame, Gpu};

/// Reads the levels of detail of the crowds in a frame. The result arrives one or two frames later, so some frames are not read.
///
/// In each frame, call [`Self::copy`] after [`Renderer::draw`](super::Renderer::draw), submit the encoder, and call [`Self::submitted`] if
/// something was copied.
#[derive(Debug, Default)]
pub struct DrawnReader {
    readback: Option<(Readback, u64)>,
    /// The sizes in bytes of the lists that are being read.
    sizes: Vec<u64>,
    latest: Option<DrawnLevels>,
}

impl DrawnReader {
    /// Encodes a copy of what the camera sees of the crowds in a frame that has been drawn with this encoder, unless the result of an earlier
    /// frame has not arrived yet. Returns whether [`Self::submitted`] must be called.
    pub fn copy(&mut self, gpu: &Gpu, frame: &Frame<'_>, encoder: &mut wgpu::CommandEncoder) -> bool {
        self.collect();
        if !self.is_idle() {
            return false;
        }
        self.sizes = frame.crowds.iter().map(|crowd| crowd.instances.draws_size()).collect();
        let size: u64 = self.sizes.iter().sum();
        let (readback, _) = match self.readback.take().filter(|(_, available)| *available >= size) {
            Some(kept) => self.readback.insert(kept),
            None => self.readback.insert((Readback::new(gpu, "levels of detail", size), size)),
        };
        let mut offset = 0;
        for (crowd, size) in frame.crowds.iter().zip(&self.sizes) {
            crowd.instances.copy_draws(encoder, readback.buffer(), offset);
            offset += size;
        }
        true
    }

    /// Requests the result after the commands have been submitted.
    pub fn submitted(&self) {
        self.readback.iter().for_each(|(readback, _)| readback.submitted());
    }

    /// Returns what the camera saw in the latest frame that has been read. Results arrive while the device is polled.
    pub fn latest(&mut self) -> Option<&DrawnLevels> {
        self.collect();
        self.latest.as_ref()
    }

    /// Takes the pending result if it has arrived.
    fn collect(&mut self) {
        let Self { readback, sizes, latest } = self;
        let read = |bytes: &[u8]| {
            let (mut drawn, mut rest) = (DrawnLevels::default(), bytes);
            for &size in sizes.iter() {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let Some((list, after)) = rest.split_at_checked(size) else { break };
                drawn += DrawnLevels::of_draws(list);
                rest = after;
            }
            drawn
        };
        if let Some(drawn) = readback.as_ref().and_then(|(readback, _)| readback.take(read)) {
            *latest = Some(drawn);
        }
    }

    /// Returns whether no result is pending.
    pub(crate) fn is_idle(&self) -> bool {
        self.readback.as_ref().is_none_or(|(readback, _)| readback.is_idle())
    }
}
