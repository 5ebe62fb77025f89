//! A window in which a crowd walks. The camera orbits, pans and zooms; space pauses, and S hides and shows statistics.

mod overlay;

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::asset::Character;
use crate::platform::Instant;
use crate::render::{
    AdapterChoice, Background, Canvas, Gpu, Light, LightSource, RenderError, Renderer, ShadingMode,
};
use crate::rig::Rig;
use crate::scene::{CrowdLayout, CrowdMeter, CrowdScene, ViewSettings};
use crate::view::AUTO_FOV_Y;
use sinew_render::crowd::CrowdError;

use super::window::swapchain::{Acquired, Swapchain};
use super::window::{initial_size, scale};
use super::{Orbit, ViewerError};
use overlay::Overlay;

/// Maximum time step, so that no member jumps after a period without frames.
const MAX_STEP: Duration = Duration::from_millis(50);
/// Interval at which the title is updated with the number of frames per second.
const TITLE_INTERVAL: Duration = Duration::from_secs(1);
/// Delay before drawing is retried if the window has no texture.
const RETRY: Duration = Duration::from_millis(50);
/// The number of further frames that are drawn after a change while the crowd is paused, because statistics are those of an earlier frame.
const SETTLING: u32 = 3;
/// A device that is lost again within this time is not recreated.
const REBUILD_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum height of the camera above the ground, as a fraction of the crowd's radius.
const CLEARANCE: f32 = 0.03;
/// Pixels of touchpad scrolling that count as one wheel step.
const PIXELS_PER_STEP: f32 = 50.0;

/// The contents and settings of a crowd window.
#[derive(Debug)]
pub struct CrowdOpening {
    /// The models with their rigs.
    pub characters: Vec<(Arc<Character>, Rig)>,
    /// The members' positions.
    pub layout: CrowdLayout,
    /// The graphics adapter.
    pub adapter: AdapterChoice,
}

/// Opens a window with a crowd and returns when it is closed.
///
/// # Errors
/// [`ViewerError`] if there is no display, or if the window or the adapter fails.
pub fn open_crowd(opening: CrowdOpening) -> Result<(), ViewerError> {
    let events = EventLoop::new().map_err(|error| ViewerError::no_display(&error))?;
    let mut app = CrowdApp {
        opening,
        stage: None,
        orbit: None,
        pointer: Pointer::default(),
        is_paused: false,
        shows_statistics: true,
        rebuilt: None,
        failure: None,
    };
    let result = events.run_app(&mut app);
    match app.failure {
        Some(failure) => Err(failure),
        None => result.map_err(|e| ViewerError::Window(e.to_string())),
    }
}

struct CrowdApp {
    opening: CrowdOpening,
    stage: Option<Stage>,
    /// The camera. Kept when the graphics are recreated.
    orbit: Option<Orbit>,
    pointer: Pointer,
    is_paused: bool,
    shows_statistics: bool,
    rebuilt: Option<Instant>,
    failure: Option<ViewerError>,
}

/// The outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Now,
    Later,
    Hidden,
}

/// The pointer and the pressed button.
#[derive(Default)]
struct Pointer {
    at: Vec2,
    held: Option<MouseButton>,
}

/// A window with its graphics and its crowd.
struct Stage {
    window: Arc<Window>,
    swapchain: Swapchain,
    renderer: Renderer,
    scene: CrowdScene,
    meter: CrowdMeter,
    overlay: Overlay,
    /// The number of frames to draw until the statistics are those of the last change.
    settling: u32,
    stepped: Instant,
    /// Start of the interval in which frames are counted, and the number of frames so far.
    counted: (Instant, u32),
}

impl Stage {
    fn new(
        events: &ActiveEventLoop,
        window: Option<Arc<Window>>,
        opening: &CrowdOpening,
    ) -> Result<Self, ViewerError> {
        let attributes =
            Window::default_attributes().with_title("sinew").with_inner_size(initial_size(events));
        let window = match window {
            Some(window) => window,
            None => {
                Arc::new(events.create_window(attributes).map_err(|e| ViewerError::Window(e.to_string()))?)
            }
        };
        let display =
            || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(events.owned_display_handle()) };
        let target = || wgpu::SurfaceTarget::from(Arc::clone(&window));
        let (gpu, surface, offered) = Gpu::with_surface(&opening.adapter, display, target)?;
        let swapchain = Swapchain::new(&gpu, surface, &offered, window.inner_size())?;
        let (meter, overlay) = (CrowdMeter::new(&gpu), Overlay::new(&gpu, swapchain.plain));
        let mut renderer = Renderer::new(gpu);
        let mode = ShadingMode::Shaded;
        let scene = CrowdScene::new(&mut renderer, &opening.characters, &opening.layout, mode);
        let scene = scene.map_err(|error| match error {
            CrowdError::Render(error) => ViewerError::Render(error),
            other => ViewerError::Window(other.to_string()),
        })?;
        let now = Instant::now();
        Ok(Self {
            window,
            swapchain,
            renderer,
            scene,
            meter,
            overlay,
            settling: 0,
            stepped: now,
            counted: (now, 0),
        })
    }

    /// Redraws the window after a change.
    fn request_redraw(&mut self) {
        self.settling = SETTLING;
        self.window.request_redraw();
    }

    fn aspect(&self) -> f32 {
        let (width, height) = self.swapchain.size();
        #[expect(clippy::cast_precision_loss, reason = "window sizes are far below 2²⁴")]
        let aspect = width as f32 / height as f32;
        aspect
    }

    /// Advances the crowd and draws it.
    fn draw(&mut self, orbit: &Orbit, is_paused: bool, shows_statistics: bool) -> Result<Shown, RenderError> {
        let gpu = self.renderer.gpu().clone();
        let now = Instant::now();
        let seconds = (now - self.stepped).min(MAX_STEP).as_secs_f32();
        let texture = match self.swapchain.accept(&gpu, self.swapchain.current())? {
            Acquired::Texture(texture) => texture,
            Acquired::Retry => return Ok(Shown::Later),
            Acquired::Hidden => return Ok(Shown::Hidden),
        };
        self.stepped = now;
        // On a software adapter, multisampling and shadows take several times as long.
        let is_fast = !gpu.is_software();
        let bounds = self.scene.bounds();
        let mut camera = orbit.camera(&bounds);
        let lowest = self.scene.ground_height(camera.position) + CLEARANCE * bounds.sphere().1;
        camera.position.y = camera.position.y.max(lowest);
        let settings = ViewSettings {
            camera,
            mode: ShadingMode::Shaded,
            light: Light::new(LightSource::Studio),
            background: Background::GREY,
            samples: if is_fast { 4 } else { 1 },
            bounds,
            floor: false,
            shadow: is_fast,
            scale: 1.0,
        };
        let (size, format) = (self.swapchain.size(), self.swapchain.format());
        let view = texture.texture.create_view(&Default::default());
        let canvas = Canvas { view: &view, format, size, area: size, is_hdr: false };
        let seconds = if is_paused { 0.0 } else { seconds };
        self.meter.set_on(shows_statistics);
        self.meter.draw(&mut self.renderer, &mut self.scene, seconds, &settings, &canvas)?;
        // The overlay panics on a lost device.
        gpu.check()?;
        if let Some(stats) = self.meter.latest().filter(|_| shows_statistics) {
            let plain = Some(self.swapchain.plain);
            let view = wgpu::TextureViewDescriptor { format: plain, ..Default::default() };
            let view = texture.texture.create_view(&view);
            self.overlay.draw(&gpu, stats, &view, size, scale(&self.window));
        }
        self.window.pre_present_notify();
        gpu.queue.present(texture);
        self.count();
        gpu.check().map(|()| Shown::Now)
    }

    /// Shows the number of frames per second in the title.
    fn count(&mut self) {
        let (since, frames) = self.counted;
        let elapsed = since.elapsed();
        if elapsed < TITLE_INTERVAL {
            self.counted = (since, frames + 1);
            return;
        }
        let rate = f64::from(frames + 1) / elapsed.as_secs_f64();
        let title = format!("sinew: {} characters, {rate:.0} frames/s", self.scene.len());
        self.window.set_title(&title);
        self.counted = (Instant::now(), 0);
    }
}

impl CrowdApp {
    fn create(&mut self, events: &ActiveEventLoop, window: Option<Arc<Window>>) {
        match Stage::new(events, window, &self.opening) {
            Ok(mut stage) => {
                let radius = stage.scene.bounds().sphere().1;
                let camera = stage.scene.camera(AUTO_FOV_Y, stage.aspect());
                self.orbit.get_or_insert_with(|| Orbit::of_camera(&camera, radius));
                stage.request_redraw();
                self.stage = Some(stage);
            }
            Err(failure) => self.fail(events, failure),
        }
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: ViewerError) {
        self.failure.get_or_insert(failure);
        self.stage = None;
        events.exit();
    }

    fn redraw(&mut self, events: &ActiveEventLoop) {
        let (Some(stage), Some(orbit)) = (&mut self.stage, &self.orbit) else { return };
        match stage.draw(orbit, self.is_paused, self.shows_statistics) {
            // A hidden window is drawn again when it appears, and a paused one when the camera moves.
            Ok(Shown::Now) if !self.is_paused => stage.window.request_redraw(),
            Ok(Shown::Now) if self.shows_statistics && stage.settling > 0 => {
                stage.settling -= 1;
                stage.window.request_redraw();
            }
            Ok(Shown::Later) => events.set_control_flow(ControlFlow::wait_duration(RETRY)),
            Ok(Shown::Now | Shown::Hidden) => {}
            Err(lost @ RenderError::Lost(_)) => {
                let before = self.rebuilt.replace(Instant::now());
                // The old graphics must be dropped first, because a window can have only one surface.
                let window = self.stage.take().map(|stage| stage.window);
                if before.is_some_and(|then| then.elapsed() < REBUILD_INTERVAL) {
                    self.fail(events, lost.into());
                } else {
                    self.create(events, window);
                }
            }
            Err(error) => self.fail(events, error.into()),
        }
    }

    fn request_redraw(&mut self) {
        self.stage.iter_mut().for_each(Stage::request_redraw);
    }

    fn move_pointer(&mut self, at: Vec2) {
        let by = at - self.pointer.at;
        self.pointer.at = at;
        let (Some(orbit), Some(stage)) = (&mut self.orbit, &mut self.stage) else { return };
        #[expect(clippy::cast_precision_loss, reason = "window sizes are far below 2²⁴")]
        let height = stage.swapchain.size().1 as f32;
        match self.pointer.held {
            Some(MouseButton::Left) => orbit.turn(by),
            Some(MouseButton::Middle | MouseButton::Right) => orbit.pan(by, height),
            _ => return,
        }
        stage.request_redraw();
    }

    fn press(&mut self, events: &ActiveEventLoop, key: &KeyEvent) {
        if key.state != ElementState::Pressed || key.repeat {
            return;
        }
        match &key.logical_key {
            Key::Named(NamedKey::Escape) => events.exit(),
            Key::Named(NamedKey::Space) => {
                self.is_paused = !self.is_paused;
                self.request_redraw();
            }
            Key::Character(letter) if letter.eq_ignore_ascii_case("s") => {
                self.shows_statistics = !self.shows_statistics;
                self.request_redraw();
            }
            _ => {}
        }
    }
}

impl ApplicationHandler for CrowdApp {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        events.set_control_flow(ControlFlow::Wait);
        if self.stage.is_none() {
            self.create(events, None);
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        self.stage = None;
    }

    fn new_events(&mut self, events: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            events.set_control_flow(ControlFlow::Wait);
            self.request_redraw();
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "window coordinates")]
    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Destroyed => self.fail(events, ViewerError::Destroyed),
            WindowEvent::Resized(PhysicalSize { width, height }) => {
                // A minimised window has no pixels.
                if let Some(stage) = self.stage.as_mut().filter(|_| width > 0 && height > 0) {
                    stage.swapchain.resize(stage.renderer.gpu(), width, height);
                    stage.request_redraw();
                }
            }
            WindowEvent::Occluded(false) => {
                self.request_redraw();
            }
            WindowEvent::RedrawRequested => self.redraw(events),
            WindowEvent::CursorMoved { position, .. } => {
                self.move_pointer(Vec2::new(position.x as f32, position.y as f32));
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.pointer.held = (state == ElementState::Pressed).then_some(button);
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let steps = match delta {
                    MouseScrollDelta::LineDelta(_, y) => y,
                    MouseScrollDelta::PixelDelta(by) => by.y as f32 / PIXELS_PER_STEP,
                };
                if let Some(orbit) = &mut self.orbit {
                    orbit.zoom(steps, orbit.target);
                }
                self.request_redraw();
            }
            WindowEvent::KeyboardInput { event, .. } => self.press(events, &event),
            _ => {}
        }
    }
}
