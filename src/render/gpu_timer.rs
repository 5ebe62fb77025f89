//! Measures how long the GPU takes for parts of a frame, without waiting.

use std::time::Duration;

use super::Gpu;
use super::readback::Readback;

/// Size of a timestamp in bytes.
const BYTES: u64 = 8;
/// Longest measured time. The clocks of some drivers jump.
const LONGEST: Duration = Duration::from_secs(60);

/// Measures one frame at a time, so some frames are not measured. A measurement's result arrives one or two frames later.
#[derive(Debug)]
pub struct GpuTimer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: Readback,
    /// Number of marks in a frame.
    marks: u32,
    seconds_per_tick: f64,
    /// The kind of the frame that is being measured.
    measured: u64,
    /// The kind of the last measured frame, and the times of its marks.
    latest: Option<(u64, Vec<Duration>)>,
}

impl GpuTimer {
    /// Creates a timer for a number of marks in a frame: its beginning, its end, and others between them. Returns `None` if the adapter has
    /// no timestamps.
    pub fn new(gpu: &Gpu, marks: u32) -> Option<Self> {
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !gpu.device.features().contains(needed) {
            return None;
        }
        let marks = marks.max(2);
        let size = u64::from(marks) * BYTES;
        Some(Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("frame time"),
                ty: wgpu::QueryType::Timestamp,
                count: marks,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("frame time"),
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            readback: Readback::new(gpu, "frame time", size),
            marks,
            seconds_per_tick: f64::from(gpu.queue.get_timestamp_period()) * 1e-9,
            measured: 0,
            latest: None,
        })
    }

    /// Begins measuring the commands of an encoder with mark 0, unless an earlier frame is still being measured. `kind` identifies frames of
    /// comparable cost. Returns whether [`Self::end`] must be called.
    pub fn begin(&mut self, encoder: &mut wgpu::CommandEncoder, kind: u64) -> bool {
        if !self.is_idle() {
            return false;
        }
        self.measured = kind;
        self.mark(encoder, 0);
        true
    }

    /// Sets a mark after the commands so far. Each mark must be set once in a frame, except for the first and the last one, which
    /// [`Self::begin`] and [`Self::end`] set.
    pub fn mark(&self, encoder: &mut wgpu::CommandEncoder, index: u32) {
        if index < self.marks {
            encoder.write_timestamp(&self.queries, index);
        }
    }

    /// Sets the last mark.
    pub fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        self.mark(encoder, self.marks - 1);
        encoder.resolve_query_set(&self.queries, 0..self.marks, &self.resolved, 0);
        let size = u64::from(self.marks) * BYTES;
        encoder.copy_buffer_to_buffer(&self.resolved, 0, self.readback.buffer(), 0, size);
    }

    /// Requests the result after the commands have been submitted.
    pub fn submitted(&self) {
        self.readback.submitted();
    }

    /// Returns the time from the first mark to each of the others in the latest measured frame, if the frame was of this kind. Results arrive
    /// while the device is polled.
    pub fn latest(&mut self, kind: u64) -> Option<&[Duration]> {
        if let Some(times) = self.readback.take(|bytes| times(bytes, self.seconds_per_tick)) {
            self.latest = Some((self.measured, times));
        }
        self.latest.as_ref().filter(|(of, _)| *of == kind).map(|(_, times)| times.as_slice())
    }

    /// Returns the queries of the marks, for passes that set two marks themselves.
    pub(crate) fn queries(&self) -> &wgpu::QuerySet {
        &self.queries
    }

    /// Returns whether no result is on its way.
    pub(crate) fn is_idle(&self) -> bool {
        self.readback.is_idle()
    }
}

/// Returns the times from the first timestamp to the others. Some drivers reset their clock, which then seems to run backwards.
fn times(bytes: &[u8], seconds_per_tick: f64) -> Vec<Duration> {
    let (ticks, _) = bytes.as_chunks::<8>();
    let Some((start, later)) = ticks.split_first() else { return Vec::new() };
    let start = u64::from_le_bytes(*start);
    let time = |tick: &[u8; 8]| {
        #[expect(clippy::cast_precision_loss, reason = "a duration")]
        let ticks = u64::from_le_bytes(*tick).saturating_sub(start) as f64;
        Duration::try_from_secs_f64(ticks * seconds_per_tick).unwrap_or_default().min(LONGEST)
    };
    later.iter().map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AdapterChoice;

    #[test]
    fn a_frame_is_measured_without_waiting_for_it() {
        let gpu = Gpu::new(&AdapterChoice::Cpu).unwrap();
        let mut timer = GpuTimer::new(&gpu, 3).unwrap();
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
                timer.mark(&mut encoder, 1);
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
        assert_eq!(timer.latest(2), None, "the time of a frame of another kind");
        let times = timer.latest(1).unwrap();
        assert!(times.len() == 2 && times.is_sorted(), "{times:?}");
        assert!(times[0] > Duration::ZERO && times[1] < Duration::from_secs(10), "{times:?}");
        assert!(draw(&mut timer, 2).0, "the timer can be used again");
    }

    #[test]
    fn times_of_unreliable_clocks_are_valid() {
        let bytes: Vec<u8> = [1000_u64, 3000, 500, u64::MAX].iter().flat_map(|t| t.to_le_bytes()).collect();
        assert_eq!(times(&bytes, 1e-3), [Duration::from_secs(2), Duration::ZERO, LONGEST]);
        assert_eq!(times(&bytes, f64::NAN), [Duration::ZERO; 3]);
        assert!(times(&bytes[..3], 1.0).is_empty());
    }
}
