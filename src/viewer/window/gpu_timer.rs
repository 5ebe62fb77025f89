//! Measures how long the GPU takes to draw a frame, without waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::render::Gpu;

/// Bytes of two timestamps.
const BYTES: u64 = 16;

/// States of a measurement.
const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const READABLE: u8 = 2;
const FAILED: u8 = 3;

/// Measures one frame at a time, so some frames are not measured. A measurement's result arrives one or two frames later.
pub(super) struct GpuTimer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    state: Arc<AtomicU8>,
    /// The kind of the frame that is being measured.
    measured: u64,
    latest: Option<(u64, Duration)>,
}

impl GpuTimer {
    /// Returns `None` if the adapter has no timestamps.
    pub(super) fn new(gpu: &Gpu) -> Option<Self> {
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !gpu.device.features().contains(needed) {
            return None;
        }
        let buffer = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("frame time"),
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("frame time"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            state: Arc::new(AtomicU8::new(IDLE)),
            measured: 0,
            latest: None,
        })
    }

    /// Begins measuring the commands of an encoder, unless an earlier frame is still being measured. `kind` identifies frames of comparable
    /// cost. Returns whether [`Self::end`] must be called.
    pub(super) fn begin(&mut self, encoder: &mut wgpu::CommandEncoder, kind: u64) -> bool {
        if self.state.load(Ordering::Acquire) != IDLE {
            return false;
        }
        self.measured = kind;
        encoder.write_timestamp(&self.queries, 0);
        true
    }

    pub(super) fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.write_timestamp(&self.queries, 1);
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, BYTES);
    }

    /// Requests the result after the commands have been submitted.
    pub(super) fn submitted(&self) {
        self.state.store(RUNNING, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.readable.map_async(wgpu::MapMode::Read, .., move |result| {
            state.store(if result.is_ok() { READABLE } else { FAILED }, Ordering::Release);
        });
    }

    /// Returns the duration of the latest measured frame if the frame was of this kind. Results arrive while the device is polled.
    pub(super) fn latest(&mut self, gpu: &Gpu, kind: u64) -> Option<Duration> {
        match self.state.load(Ordering::Acquire) {
            READABLE => {
                let ticks = self.readable.get_mapped_range(..).ok().and_then(|bytes| ticks(&bytes));
                self.readable.unmap();
                let seconds = |ticks| f64::from(gpu.queue.get_timestamp_period()) * 1e-9 * ticks;
                let time = ticks.map(|ticks| Duration::from_secs_f64(seconds(ticks).clamp(0.0, 60.0)));
                self.latest = time.map(|time| (self.measured, time));
                self.state.store(IDLE, Ordering::Release);
            }
            FAILED => self.state.store(IDLE, Ordering::Release),
            _ => {}
        }
        self.latest.filter(|(of, _)| *of == kind).map(|(_, time)| time)
    }
}

/// Returns the number of ticks between two timestamps. Some drivers reset their clock, which then seems to run backwards.
fn ticks(bytes: &[u8]) -> Option<f64> {
    let (times, _) = bytes.as_chunks::<8>();
    let &[start, end] = times else { return None };
    #[expect(clippy::cast_precision_loss, reason = "a duration")]
    Some(u64::from_le_bytes(end).saturating_sub(u64::from_le_bytes(start)) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::AdapterChoice;

    #[test]
    fn a_frame_is_measured_without_waiting_for_it() {
        let gpu = Gpu::new(&AdapterChoice::Cpu).unwrap();
        let mut timer = GpuTimer::new(&gpu).unwrap();
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 512, height: 512, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let draw = |timer: &mut GpuTimer, kind| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let is_measured = timer.begin(&mut encoder, kind);
            for _ in 0..8 {
                drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                    color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                        view: &view,
                        depth_slice: None,
                        resolve_target: None,
                        ops: Default::default(),
                    })],
                    ..Default::default()
                }));
            }
            if is_measured {
                timer.end(&mut encoder);
            }
            let work = gpu.queue.submit([encoder.finish()]);
            if is_measured {
                timer.submitted();
            }
            (is_measured, work)
        };
        let (first, _) = draw(&mut timer, 1);
        let (second, work) = draw(&mut timer, 1);
        assert!(first && !second, "two frames were measured at once");
        gpu.device.poll(wgpu::PollType::Wait { submission_index: Some(work), timeout: None }).unwrap();
        assert_eq!(timer.latest(&gpu, 2), None, "the time of a frame of another kind");
        let time = timer.latest(&gpu, 1).unwrap();
        assert!(time > Duration::ZERO && time < Duration::from_secs(10), "{time:?}");
        assert!(draw(&mut timer, 2).0, "the timer can be used again");
    }
}
