//! Reads which levels of detail the camera saw, without waiting for the GPU.

use super::readback::ListReader;
use super::{DrawnLevels, Frame, Gpu};

/// Reads the levels of detail of the crowds in a frame. The result arrives one or two frames later, so some frames are not read.
///
/// In each frame, call [`Self::copy`] after [`Renderer::draw`](super::Renderer::draw), submit the encoder, and call [`Self::submitted`] if
/// something was copied.
#[derive(Debug, Default)]
pub struct DrawnReader {
    reader: ListReader,
    latest: Option<DrawnLevels>,
}

impl DrawnReader {
    /// Encodes a copy of what the camera sees of the crowds in a frame that has been drawn with this encoder, unless the result of an earlier
    /// frame has not arrived yet. Returns whether [`Self::submitted`] must be called.
    pub fn copy(&mut self, gpu: &Gpu, frame: &Frame<'_>, encoder: &mut wgpu::CommandEncoder) -> bool {
        self.collect();
        self.reader.copy(
            gpu,
            "levels of detail",
            &frame.crowds,
            |crowd| crowd.instances.draws_size(),
            |crowd, target, offset| crowd.instances.copy_draws(encoder, target, offset),
        )
    }

    /// Requests the result after the commands have been submitted.
    pub fn submitted(&self) {
        self.reader.submitted();
    }

    /// Returns what the camera saw in the latest frame that has been read. Results arrive while the device is polled.
    pub fn latest(&mut self) -> Option<&DrawnLevels> {
        self.collect();
        self.latest.as_ref()
    }

    /// Takes the pending result if it has arrived.
    fn collect(&mut self) {
        let mut drawn = DrawnLevels::default();
        if self.reader.take(|list| drawn += DrawnLevels::of_draws(list)) {
            self.latest = Some(drawn);
        }
    }

    /// Returns whether no result is pending.
    pub(crate) fn is_idle(&self) -> bool {
        self.reader.is_idle()
    }
}
