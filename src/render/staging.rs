//! Uploads that are recorded as commands of an encoder.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::BufferUsages;

use super::{Gpu, RenderError};

/// Maximum size in bytes of buffers that are kept for later frames.
const KEPT: u64 = 1 << 22;

/// Copies the input of a frame into buffers that are reused.
///
/// The copies are commands of the frame's encoder. Writes through the queue would all happen before the encoder is submitted, so
/// the second frame in an encoder would overwrite the input of the first one.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    bytes: Vec<u8>,
    copies: Vec<StagedCopy>,
    rows: Vec<StagedRows>,
    /// Mapped buffers. A buffer returns here when the GPU has read it.
    free: Arc<Mutex<Vec<wgpu::Buffer>>>,
}

/// A copy of a range of the staged bytes into a buffer.
#[derive(Debug)]
struct StagedCopy {
    first: u64,
    size: u64,
    target: wgpu::Buffer,
    offset: u64,
}

/// A copy of a range of the staged bytes into the first rows of a texture.
#[derive(Debug)]
struct StagedRows {
    layout: wgpu::TexelCopyBufferLayout,
    texture: wgpu::Texture,
    rows: u32,
}

impl Staging {
    /// Schedules a write into a buffer. The offset and the number of bytes must be multiples of four. A write that continues the
    /// last one is merged into it.
    pub(crate) fn write_at(&mut self, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let size = bytes.len() as u64;
        let end = self.bytes.len() as u64;
        let continued = self.copies.last_mut().filter(|last| {
            last.first + last.size == end && last.offset + last.size == offset && last.target == *target
        });
        match continued {
            Some(last) => last.size += size,
            None if size == 0 => {}
            None => self.copies.push(StagedCopy { first: end, size, target: target.clone(), offset }),
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Schedules a write at the start of a reusable buffer. Returns whether the buffer had to be created, because there was none
    /// or it was too small.
    pub(crate) fn write(
        &mut self,
        gpu: &Gpu,
        buffer: &mut Option<wgpu::Buffer>,
        label: &'static str,
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
        let target = target.clone();
        self.write_at(&target, 0, bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        Ok(is_new)
    }

    /// Schedules a write to some rows of a texture. `bytes` contains all of these rows, and `layout` returns the layout of rows that begin
    /// at an offset.
    pub(crate) fn write_rows(
        &mut self,
        texture: &wgpu::Texture,
        rows: u32,
        bytes: &[u8],
        layout: impl Fn(u64) -> wgpu::TexelCopyBufferLayout,
    ) {
        // Copies into textures must begin at multiples of a texel.
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        let layout = layout(self.bytes.len() as u64);
        self.rows.push(StagedRows { layout, texture: texture.clone(), rows });
        self.bytes.extend_from_slice(bytes);
    }

    /// Encodes all scheduled writes.
    pub(crate) fn flush(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), RenderError> {
        if self.copies.is_empty() && self.rows.is_empty() {
            return Ok(());
        }
        let size = self.bytes.len() as u64;
        gpu.check_buffer("uploads", size)?;
        let taken = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            // Drop buffers that have become too small or that are much larger than this frame needs.
            let most = (16 * size).max(KEPT);
            free.retain(|b| (size..=most).contains(&b.size()));
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
        for StagedCopy { first, size, target, offset } in &self.copies {
            encoder.copy_buffer_to_buffer(&buffer, *first, target, *offset, *size);
        }
        for StagedRows { layout, texture, rows } in &self.rows {
            let source = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout: *layout };
            let size = wgpu::Extent3d { height: *rows, ..texture.size() };
            encoder.copy_buffer_to_texture(source, texture.as_image_copy(), size);
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

    /// Returns the buffers that later frames may use again.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> Vec<wgpu::Buffer> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.copies.clear();
        self.rows.clear();
    }
}
