//! Reads the result of an earlier frame without waiting for the GPU.

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
