//! Draws the frames of a crowd, and measures them.

use std::time::Duration;

use crate::platform::Instant;
use crate::{Canvas, DrawnReader, Gpu, GpuTimer, RenderError, Renderer};

use super::crowd::CrowdScene;
use super::crowd_stats::{CrowdStats, CrowdTimes, TimeSource};
use super::frame::ViewSettings;

/// The marks of a frame after the first one: the end of the step, and the beginning of culling, whose end is the mark after it.
const STEPPED: u32 = 1;
const CULLING: u32 = 2;
/// The number of marks, of which the last one is the end of the frame.
const MARKS: u32 = 5;

/// Draws frames of a crowd, and measures times, levels of detail and triangles. Unless the meter waits, results are those of an earlier
/// frame, and some frames are not measured.
#[derive(Debug)]
pub struct CrowdMeter {
    /// `None` if the adapter has no timestamps, or if the characters are animated on the CPU.
    timer: Option<GpuTimer>,
    /// `None` if the characters are animated on the CPU.
    reader: Option<DrawnReader>,
    waits: bool,
    is_on: bool,
    /// The frame whose results have not arrived yet.
    pending: Option<CrowdStats>,
    latest: Option<CrowdStats>,
}

impl CrowdMeter {
    /// Creates a meter that does not wait for the GPU.
    pub fn new(gpu: &Gpu) -> Self {
        let has_compute = gpu.capabilities.has_compute;
        Self {
            timer: GpuTimer::new(gpu, MARKS).filter(|_| has_compute),
            reader: has_compute.then(DrawnReader::default),
            waits: false,
            is_on: true,
            pending: None,
            latest: None,
        }
    }

    /// Creates a meter that waits for the end of each frame, and measures each frame. Without timestamps, it also waits for the end of the
    /// step.
    pub fn waiting(gpu: &Gpu) -> Self {
        Self { waits: true, ..Self::new(gpu) }
    }

    /// Starts or stops measuring. Without measuring, frames are only drawn.
    pub fn set_on(&mut self, is_on: bool) {
        self.is_on = is_on;
    }

    /// Advances the crowd by a time in seconds, draws it, and submits the commands.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use sinew_render::scene::{CrowdGround, CrowdLayout, CrowdMeter, CrowdScene, ViewSettings};
    /// use sinew_render::{AdapterChoice, Canvas, Gpu, Renderer, ShadingMode, drawable_texture};
    /// use sinew_character::view::AUTO_FOV_Y;
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let rig = rig::detect(&character);
    /// let gpu = Gpu::new(&AdapterChoice::Cpu)?;
    /// let mut renderer = Renderer::new(gpu.clone());
    /// let ground = CrowdGround::Flat;
    /// let layout =
    ///     CrowdLayout { count: 9, ground, seed: 1, looks: 0.0, pixel_error: 0.2, occlusion: false };
    /// let cast = [(Arc::new(character), rig)];
    /// let mut scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Shaded)?;
    /// let settings = ViewSettings::new(scene.camera(AUTO_FOV_Y, 1.0), scene.bounds());
    ///
    /// let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    /// let view = drawable_texture(&gpu, "crowd", (64, 64), format, &[]).create_view(&Default::default());
    /// let canvas = Canvas { view: &view, format, size: (64, 64), area: (64, 64), is_hdr: false };
    /// let mut meter = CrowdMeter::waiting(&gpu);
    /// meter.draw(&mut renderer, &mut scene, 1.0 / 60.0, &settings, &canvas)?;
    /// let stats = meter.latest().ok_or("no results")?;
    /// assert_eq!(stats.characters, 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] if the frame cannot be drawn.
    pub fn draw(
        &mut self,
        renderer: &mut Renderer,
        scene: &mut CrowdScene,
        seconds: f32,
        settings: &ViewSettings,
        canvas: &Canvas<'_>,
    ) -> Result<(), RenderError> {
        let gpu = renderer.gpu().clone();
        self.collect();
        let is_measured = self.is_on && self.pending.is_none();
        let began = Instant::now();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let is_timed = is_measured && self.timer.as_mut().is_some_and(|timer| timer.begin(&mut encoder, 0));
        let timer = self.timer.as_ref().filter(|_| is_timed);
        scene.step(&mut encoder, seconds, settings.camera.position)?;
        let mut waited = Duration::ZERO;
        let waits_for_step = self.waits && is_measured && timer.is_none();
        if waits_for_step {
            let work = gpu.queue.submit([encoder.finish()]);
            waited += wait(&gpu, work)?;
            encoder = gpu.device.create_command_encoder(&Default::default());
        }
        let step = began.elapsed();
        if let Some(timer) = timer {
            timer.mark(&mut encoder, STEPPED);
            renderer.time_culling(timer.queries(), CULLING);
        }
        let frame = scene.frame(settings);
        let drawn = renderer.draw(&scene.models(), &frame, canvas, &mut encoder);
        let has_culled = renderer.end_culling_times();
        drawn?;
        if let Some(timer) = timer {
            // Each mark must be set.
            if !has_culled {
                timer.mark(&mut encoder, CULLING);
                timer.mark(&mut encoder, CULLING + 1);
            }
            timer.end(&mut encoder);
        }
        let reader = self.reader.as_mut().filter(|_| is_measured);
        let is_read = reader.is_some_and(|reader| reader.copy(&gpu, &frame, &mut encoder));
        let work = gpu.queue.submit([encoder.finish()]);
        let cpu = began.elapsed().saturating_sub(waited);
        if let Some(timer) = timer {
            timer.submitted();
        }
        if let Some(reader) = self.reader.as_ref().filter(|_| is_read) {
            reader.submitted();
        }
        let finished = if self.waits { wait(&gpu, work).map(drop) } else { Ok(()) };
        if is_measured {
            let source = if waits_for_step { TimeSource::Waits } else { TimeSource::Cpu };
            let end = if waits_for_step { began.elapsed() } else { cpu };
            let times = CrowdTimes { source, step, cull: None, draw: end.saturating_sub(step), cpu };
            let (characters, bytes) = (scene.len() as u64, scene.bytes());
            self.pending = Some(CrowdStats { characters, bytes, drawn: None, times });
        }
        finished
    }

    /// Returns the latest results. They arrive while the device is polled, for example by [`Gpu::check`].
    pub fn latest(&mut self) -> Option<&CrowdStats> {
        self.collect();
        self.latest.as_ref()
    }

    /// Takes the results of the pending frame if all of them have arrived.
    fn collect(&mut self) {
        let Some(mut stats) = self.pending.take() else { return };
        let marks: Option<[Duration; 4]> =
            self.timer.as_mut().and_then(|timer| timer.latest(0)?.try_into().ok());
        let drawn = self.reader.as_mut().and_then(DrawnReader::latest).cloned();
        let has_times = self.timer.as_ref().is_none_or(GpuTimer::is_idle);
        let has_counts = self.reader.as_ref().is_none_or(DrawnReader::is_idle);
        if !has_times || !has_counts {
            self.pending = Some(stats);
            return;
        }
        if let Some([stepped, culling, culled, end]) = marks {
            let cull = culled.saturating_sub(culling);
            let times = &mut stats.times;
            (times.source, times.step, times.cull) = (TimeSource::Gpu, stepped, Some(cull));
            times.draw = end.saturating_sub(stepped).saturating_sub(cull);
        }
        stats.drawn = drawn;
        self.latest = Some(stats);
    }
}

/// Waits for submitted work. Returns the duration.
fn wait(gpu: &Gpu, work: wgpu::SubmissionIndex) -> Result<Duration, RenderError> {
    let began = Instant::now();
    let polled = gpu.device.poll(wgpu::PollType::Wait { submission_index: Some(work), timeout: None });
    // A lost device is a more useful error than a failed wait.
    gpu.check()?;
    polled.map_err(|error| RenderError::Driver(error.to_string()))?;
    Ok(began.elapsed())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;

    use super::*;
    use crate::scene::{CrowdGround, CrowdLayout};
    use crate::view::AUTO_FOV_Y;
    use crate::{ShadingMode, asset, drawable_texture, rig};

    const SIZE: (u32, u32) = (160, 90);
    const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
    const COUNT: u32 = 60;

    /// A crowd with a camera in its middle, which sees a part of it.
    struct Middle {
        renderer: Renderer,
        scene: CrowdScene,
        settings: ViewSettings,
        view: wgpu::TextureView,
    }

    impl Middle {
        fn new() -> Self {
            let gpu = Gpu::of_tests();
            let mut renderer = Renderer::new(gpu.clone());
            let character = asset::mannequin().unwrap();
            let rig = rig::detect(&character);
            let layout = CrowdLayout {
                count: COUNT,
                ground: CrowdGround::Hills,
                seed: 4,
                looks: 1.0,
                pixel_error: 1.0,
                occlusion: false,
            };
            let cast = [(Arc::new(character), rig)];
            let scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Shaded).unwrap();
            let mut camera = scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
            let eyes = scene.ground_height(Vec3::ZERO) + 2.0;
            (camera.position, camera.target) = (Vec3::Y * eyes, Vec3::new(0.0, eyes - 0.5, -4.0));
            let settings = ViewSettings::new(camera, scene.bounds()).with_samples(1).with_shadow(false);
            let view = drawable_texture(&gpu, "crowd", SIZE, FORMAT, &[]).create_view(&Default::default());
            Self { renderer, scene, settings, view }
        }

        fn draw(&mut self, meter: &mut CrowdMeter) {
            let Self { renderer, scene, settings, view } = self;
            let canvas = Canvas { view, format: FORMAT, size: SIZE, area: SIZE, is_hdr: false };
            meter.draw(renderer, scene, 0.1, settings, &canvas).unwrap();
        }

        fn wait(&self) {
            self.renderer.gpu().device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        }
    }

    #[test]
    fn results_without_waiting_equal_those_that_are_waited_for() {
        let mut middle = Middle::new();
        let mut meter = CrowdMeter::new(middle.renderer.gpu());
        for _ in 0..3 {
            middle.draw(&mut meter);
            middle.wait();
            let stats = meter.latest().unwrap().clone();
            let drawn = stats.drawn.clone().unwrap();
            assert_eq!(drawn, middle.scene.read_drawn().unwrap());
            assert_eq!(drawn.visible() + stats.culled().unwrap(), u64::from(COUNT));
            assert!(drawn.visible() > 0 && stats.culled() > Some(0) && drawn.triangles > 0, "{drawn:?}");
            assert_eq!((stats.characters, stats.bytes), (u64::from(COUNT), middle.scene.bytes()));
            let times = stats.times;
            println!("{times:?}");
            assert!(times.cpu > Duration::ZERO && times.step > Duration::ZERO && times.draw > Duration::ZERO);
            let expected = if meter.timer.is_some() { TimeSource::Gpu } else { TimeSource::Cpu };
            assert_eq!((times.source, times.cull.is_some()), (expected, meter.timer.is_some()));
        }
    }

    #[test]
    fn frames_are_measured_without_timestamps() {
        let mut middle = Middle::new();
        let gpu = middle.renderer.gpu().clone();
        for (mut meter, source) in
            [(CrowdMeter::waiting(&gpu), TimeSource::Waits), (CrowdMeter::new(&gpu), TimeSource::Cpu)]
        {
            meter.timer = None;
            middle.draw(&mut meter);
            middle.wait();
            let stats = meter.latest().unwrap();
            assert_eq!((stats.times.source, stats.times.cull), (source, None));
            assert!(stats.times.step > Duration::ZERO && stats.times.draw > Duration::ZERO);
            assert!(stats.drawn.as_ref().is_some_and(|drawn| drawn.visible() > 0));
        }
    }

    #[test]
    fn frames_are_read_even_if_nobody_asks_for_the_results() {
        let Middle { mut renderer, mut scene, settings, view } = Middle::new();
        let gpu = renderer.gpu().clone();
        let canvas = Canvas { view: &view, format: FORMAT, size: SIZE, area: SIZE, is_hdr: false };
        let mut reader = DrawnReader::default();
        for _ in 0..3 {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            scene.step(&mut encoder, 0.1, settings.camera.position).unwrap();
            let frame = scene.frame(&settings);
            renderer.draw(&scene.models(), &frame, &canvas, &mut encoder).unwrap();
            assert!(reader.copy(&gpu, &frame, &mut encoder));
            gpu.queue.submit([encoder.finish()]);
            reader.submitted();
            gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        }
        assert_eq!(*reader.latest().unwrap(), scene.read_drawn().unwrap());
    }

    #[test]
    fn a_meter_that_is_off_draws_without_measuring() {
        let mut middle = Middle::new();
        let mut meter = CrowdMeter::waiting(middle.renderer.gpu());
        meter.set_on(false);
        middle.draw(&mut meter);
        assert_eq!(meter.latest(), None);
        meter.set_on(true);
        middle.draw(&mut meter);
        assert!(meter.latest().is_some());
    }
}
