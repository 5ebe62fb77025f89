//! Reads the results of an earlier frame without waiting for the GPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use wgpu::BufferUsages;

use super::Gpu;

/// States of a read.
const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const READABLE: u8 = 2;
const FAILED: u8 = 3;

/// A buffer for the result of one frame at a time. The contents arrive while the device is polled, usually one or two frames later.
#[derive(Debug)]
pub(crate) struct Readback {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

impl Readback {
    /// Creates a buffer of a size in bytes. It is never empty.
    pub(crate) fn new(gpu: &Gpu, label: &'static str, size: u64) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: size.max(8),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, state: Arc::new(AtomicU8::new(IDLE)) }
    }

    /// Returns the buffer into which a frame copies its result. Only an idle buffer may be the target of a copy.
    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Returns whether no result is pending.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.load(Ordering::Acquire) == IDLE
    }

    /// Requests the contents after the copy has been submitted.
    pub(crate) fn submitted(&self) {
        self.state.store(RUNNING, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            state.store(if result.is_ok() { READABLE } else { FAILED }, Ordering::Release);
        });
    }

    /// Reads the contents if they have arrived, and makes the buffer idle. Reading fails only if the device is lost, which makes the buffer
    /// idle too.
    pub(crate) fn take<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let value = match self.state.load(Ordering::Acquire) {
            READABLE => {
                let value = self.buffer.get_mapped_range(..).ok().map(|bytes| read(&bytes));
                self.buffer.unmap();
                value
            }
            FAILED => None,
            _ => return None,
        };
        self.state.store(IDLE, Ordering::Release);
        value
    }
}

/// Reads several lists of one frame at a time. The buffer is created again only if it is too small.
#[derive(Debug, Default)]
pub(crate) struct ListReader {
    /// The buffer, and its size in bytes.
    readback: Option<(Readback, u64)>,
    /// The sizes in bytes of the lists that are being read.
    sizes: Vec<u64>,
}

impl ListReader {
    /// Copies lists into the buffer, unless an earlier result is pending. `size` returns the size of a list in bytes, and `copy` encodes the
    /// copy of a list to an offset of the buffer. Returns whether [`Self::submitted`] must be called.
    pub(crate) fn copy<T>(
        &mut self,
        gpu: &Gpu,
        label: &'static str,
        lists: &[T],
        size: impl Fn(&T) -> u64,
        mut copy: impl FnMut(&T, &wgpu::Buffer, u64),
    ) -> bool {
        if !self.is_idle() {
            return false;
        }
        self.sizes = lists.iter().map(size).collect();
        let total: u64 = self.sizes.iter().sum();
        let (readback, _) = match self.readback.take().filter(|(_, available)| *available >= total) {
            Some(kept) => self.readback.insert(kept),
            None => self.readback.insert((Readback::new(gpu, label, total), total)),
        };
        let mut offset = 0;
        for (list, size) in lists.iter().zip(&self.sizes) {
            copy(list, readback.buffer(), offset);
            offset += size;
        }
        true
    }

    /// Requests the lists after the copies have been submitted.
    pub(crate) fn submitted(&self) {
        self.readback.iter().for_each(|(readback, _)| readback.submitted());
    }

    /// Calls a function with each list, in order, if the pending result has arrived. Returns whether it has arrived.
    pub(crate) fn take(&self, mut read: impl FnMut(&[u8])) -> bool {
        let split = |bytes: &[u8]| {
            let mut rest = bytes;
            for &size in &self.sizes {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let Some((list, after)) = rest.split_at_checked(size) else { break };
                read(list);
                rest = after;
            }
        };
        self.readback.as_ref().and_then(|(readback, _)| readback.take(split)).is_some()
    }

    /// Returns whether no result is pending.
    pub(crate) fn is_idle(&self) -> bool {
        self.readback.as_ref().is_none_or(|(readback, _)| readback.is_idle())
    }
}
