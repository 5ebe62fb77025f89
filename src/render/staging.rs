//! Uploads as commands of an encoder.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::BufferUsages;

use super::{Gpu, RenderError};

/// Copies the input of a frame into buffers that are reused.
///
/// The copies are commands of the frame's encoder. If they were writes of the queue, which all happen before the encoder is
/// submitted, the second frame in an encoder would overwrite the input of the first one.
#[derive(Debug, Default)]
pub(super) struct Staging {
    bytes: Vec<u8>,
    copies: Vec<(u64, u64, wgpu::Buffer)>,
    /// Mapped buffers. They return here when the GPU has read them.
    free: Arc<Mutex<Vec<wgpu::Buffer>>>,
}

impl Staging {
    /// Schedules a write at the start of a reusable buffer. Returns whether the buffer had to be created, because there was none
    /// or it was too small.
    pub(super) fn write(
        &mut self,
        gpu: &Gpu,
        (buffer, label): (&mut Option<wgpu::Buffer>, &'static str),
        bytes: &[u8],
        usage: BufferUsages,
    ) -> Result<bool, RenderError> {
        let size = bytes.len() as u64;
        if usage.contains(BufferUsages::STORAGE) {
            gpu.check_storage(label, size)?;
        } else {
            gpu.check_buffer(label, size)?;
        }
        let is_new = buffer.as_ref().is_none_or(|b| b.size() < size);
        if is_new {
            *buffer = None;
        }
        let target = buffer.get_or_insert_with(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                // Never empty, because empty buffers cannot be bound.
                size: size.max(256).next_multiple_of(16),
                usage: usage | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        if !bytes.is_empty() {
            self.copies.push((self.bytes.len() as u64, size, target.clone()));
            self.bytes.extend_from_slice(bytes);
            self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        }
        Ok(is_new)
    }

    /// Encodes all scheduled writes.
    pub(super) fn flush(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), RenderError> {
        if self.copies.is_empty() {
            return Ok(());
        }
        let size = self.bytes.len() as u64;
        let taken = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            // Buffers that have become too small are not needed any more.
            free.retain(|b| b.size() >= size);
            free.pop()
        };
        let buffer = taken.unwrap_or_else(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: size.max(256).next_power_of_two(),
                usage: BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            })
        });
        // Mapping fails if memory is exhausted or the device is lost. The driver's own error is then more helpful.
        match buffer.get_mapped_range_mut(..size) {
            Ok(mut mapped) => mapped.slice(..).copy_from_slice(&self.bytes),
            Err(error) => {
                self.clear();
                gpu.check()?;
                return Err(RenderError::Driver(error.to_string()));
            }
        }
        buffer.unmap();
        for (offset, size, target) in &self.copies {
            encoder.copy_buffer_to_buffer(&buffer, *offset, target, 0, *size);
        }
        self.clear();
        let (free, returned) = (Arc::clone(&self.free), buffer.clone());
        encoder.map_buffer_on_submit(&buffer, wgpu::MapMode::Write, .., move |mapped| {
            if mapped.is_ok() {
                free.lock().unwrap_or_else(PoisonError::into_inner).push(returned);
            }
        });
        Ok(())
    }

    /// Forgets the scheduled writes.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.copies.clear();
    }
}
