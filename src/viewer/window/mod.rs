//! The viewer's window: forwards winit's events to the session and draws its frames.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Window, WindowId};

use crate::asset::Character;
use crate::render::{AdapterChoice, RenderError};
use crate::rig::Rig;

use super::{AddedClips, Command, Input, Recorder, SaveError, Session, Settings, panel, session};

use surface::{DrawOutcome, Graphics, PanelOutput};

mod capture;
mod events;
mod files;
#[cfg(feature = "viewer")]
pub(super) mod loader;
mod open_window;
mod requests;
#[cfg(feature = "viewer")]
pub(super) mod settings;
#[cfg(feature = "viewer")]
pub(super) mod surface;
#[cfg(all(test, target_os = "linux"))]
mod tests;
#[cfg(feature = "viewer")]
pub(super) mod watch;

use capture::Capture;
use files::{AppEvent, Files};
use open_window::OpenWindow;

/// A device that is lost again within this time is not recreated.
const REBUILD_INTERVAL: Duration = Duration::from_secs(2);

/// Why the viewer could not open or had to close.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// There is no display.
    #[error("cannot open a window without a display: {0}")]
    NoDisplay(String),
    /// The window could not be created, or the event loop failed.
    #[error("the window failed: {0}")]
    Window(String),
    /// There is no adapter, or rendering failed.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The window was destroyed without a request to close it.
    #[error("the window was destroyed by another program")]
    Destroyed,
    /// The live source could not be opened.
    #[error("{0}")]
    Capture(String),
    /// The recording could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The window failed during a recording.
    #[error("{failure}; {recording}")]
    Recorded {
        /// Why the window failed.
        failure: Box<ViewerError>,
        /// Where the recording is, or why it could not be saved.
        recording: String,
    },
}

/// Maximum time step of a clip, so that it does not jump after a period without frames.
const MAX_STEP: Duration = Duration::from_millis(100);

/// Closes the window from another thread. Unlike its close button, this never asks for confirmation.
pub type Close = Box<dyn Fn() + Send>;

/// Opens the viewer and returns when it is closed.
///
/// `recorder` records from the start. `listen` is the address on which to receive a performer's motion. `clips` are added
/// to the character's own ones. `closable` is called with a function that closes the window.
///
/// Returns the path of the recording that ended with the window, if there was one.
///
/// # Errors
/// [`ViewerError::NoDisplay`] before anything is shown, or another [`ViewerError`] if the window or the adapter fails.
pub fn open(
    character: impl Into<Arc<Character>>,
    rig: Option<Rig>,
    adapter: AdapterChoice,
    recorder: Option<Recorder>,
    listen: Option<SocketAddr>,
    clips: Vec<AddedClips>,
    closable: impl FnOnce(Close),
) -> Result<Option<PathBuf>, ViewerError> {
    let events = EventLoop::<AppEvent>::with_user_event().build().map_err(|e| {
        // winit puts the position in its own sources before the message.
        let message = e.to_string();
        ViewerError::NoDisplay(message.rsplit(": ").next().unwrap_or(&message).to_owned())
    })?;
    let mut session = Session::new(character, rig, Vec2::new(1280.0, 800.0));
    clips.into_iter().for_each(|addition| session.apply(Command::AddClips(Box::new(addition))));
    let mut app = App::new(session, adapter, recorder, events.create_proxy());
    if let Some(address) = listen {
        app.capture = Some(Capture::new(address, &app.session).map_err(ViewerError::Capture)?);
    }
    let proxy = events.create_proxy();
    // Sending fails only if the window has closed already.
    closable(Box::new(move || drop(proxy.send_event(AppEvent::Close))));
    let result = events.run_app(&mut app);
    let recorded = app.session.stop_recording();
    let failure = app.failure.or(result.err().map(|e| ViewerError::Window(e.to_string())));
    match (failure, recorded) {
        (None, recorded) => Ok(recorded.transpose()?),
        (Some(failure), None) => Err(failure),
        (Some(failure), Some(recorded)) => {
            let saved = |path: PathBuf| format!("the recording was saved as {}", path.display());
            let recording = recorded.map_or_else(|error| error.to_string(), saved);
            Err(ViewerError::Recorded { failure: Box::new(failure), recording })
        }
    }
}

struct App {
    session: Session,
    adapter: AdapterChoice,
    open: Option<OpenWindow>,
    /// Size of the window in pixels according to its events. winit panics if the size of a destroyed window is
    /// queried.
    size: PhysicalSize<u32>,
    /// The error of the last redraw, and whether events have been handled since.
    broken: Option<(RenderError, bool)>,
    /// The recorder to start as soon as the window exists.
    recorder: Option<Recorder>,
    context: egui::Context,
    panel: panel::PanelState,
    input: Input,
    at: Vec2,
    /// The latest pointer position, if the session does not have it yet.
    moved: Option<Vec2>,
    clicked: Option<(Instant, Vec2)>,
    ticked: Instant,
    /// When the panel needs its next redraw.
    wake: Option<Instant>,
    /// The live source that drives the character.
    capture: Option<Capture>,
    failure: Option<ViewerError>,
    quit: bool,
    /// Whether other windows cover this one.
    hidden: bool,
    /// When the graphics were last recreated.
    rebuilt: Option<Instant>,
    files: Files,
    settings: Settings,
}

impl ApplicationHandler<AppEvent> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.open.is_none() {
            self.create(events, None);
            let Some(open) = &self.open else { return };
            let scale = scale(&open.window);
            let full = pixels(self.size.width.into(), self.size.height.into());
            self.session.apply(Command::Resize(panel::scene_size(full, scale, &self.panel, &self.session)));
            if let Some(recorder) = self.recorder.take() {
                self.record(recorder, scale);
            }
        }
    }

    /// The system takes away the window and its graphics. The session stays, and [`Self::resumed`] recreates both.
    fn suspended(&mut self, events: &ActiveEventLoop) {
        self.suspend();
        // With a deadline in the past, the event loop would spin.
        events.set_control_flow(ControlFlow::Wait);
    }

    fn user_event(&mut self, _: &ActiveEventLoop, event: AppEvent) {
        self.handle_app_event(event);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        // Pointer motion is handled once per frame.
        if !matches!(event, WindowEvent::CursorMoved { .. }) {
            self.tick();
        }
        let Some(open) = &mut self.open else { return };
        // egui would move its keyboard focus to the next button, and that button would then receive all keys.
        let response = if events::is_tab(&event) && !self.context.text_edit_focused() {
            egui_winit::EventResponse::default()
        } else {
            open.egui.on_window_event(&open.window, &event)
        };
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            open.window.request_redraw();
        }
        match event {
            WindowEvent::CloseRequested => self.quit |= self.confirm_leave(),
            // This event also arrives for a window that this program has closed.
            WindowEvent::Destroyed if open.window.id() == id => {
                (self.open, self.broken) = (None, None);
                self.fail(events, ViewerError::Destroyed);
            }
            WindowEvent::RedrawRequested if self.broken.is_none() => {
                self.broken = self.redraw().err().map(|error| (error, false));
            }
            WindowEvent::Resized(size) => {
                self.size = size;
                open.graphics.resize(size.width, size.height);
                open.window.request_redraw();
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                open.window.request_redraw();
            }
            WindowEvent::Focused(false) => self.note_lost_focus(),
            WindowEvent::DroppedFile(path) => self.open_file(&path),
            other => self.handle_scene_event(&other, response.consumed),
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if self.quit {
            events.exit();
        }
        match self.broken.take() {
            // Drawing into a destroyed window fails before the event that reports its destruction arrives. Wait for it.
            Some((error, false)) => {
                self.broken = Some((error, true));
                return events.set_control_flow(ControlFlow::Poll);
            }
            Some((lost @ RenderError::Lost(_), true)) => self.rebuild(events, lost),
            Some((failure, true)) => self.fail(events, failure.into()),
            None => {}
        }
        self.reload_changed();
        let Some(open) = &self.open else { return };
        if self.wake.is_some_and(|wake| wake <= Instant::now()) {
            self.wake = None;
            open.window.request_redraw();
        }
        // An invisible clip needs no redraw because its time follows from the clock.
        if self.session.is_playing() && !self.hidden && self.size.width > 0 && self.size.height > 0 {
            open.window.request_redraw();
        }
        let live = self.capture.as_ref().filter(|_| !self.hidden);
        if live.is_some_and(Capture::has_new_packets) {
            open.window.request_redraw();
        }
        let poll = live.and_then(|_| Instant::now().checked_add(capture::POLL_INTERVAL));
        let next = self.wake.into_iter().chain(self.next_reload()).chain(poll).min();
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

impl App {
    fn new(
        session: Session,
        adapter: AdapterChoice,
        recorder: Option<Recorder>,
        proxy: EventLoopProxy<AppEvent>,
    ) -> Self {
        let (context, settings) = (egui::Context::default(), Settings::of_user());
        panel::style(&context);
        context.set_theme(settings.theme());
        let mut app = Self {
            session,
            adapter,
            open: None,
            size: PhysicalSize::default(),
            broken: None,
            recorder,
            context,
            panel: panel::PanelState::default(),
            input: Input::default(),
            at: Vec2::ZERO,
            moved: None,
            clicked: None,
            ticked: Instant::now(),
            wake: None,
            capture: None,
            failure: None,
            quit: false,
            hidden: false,
            rebuilt: None,
            files: Files::new(proxy),
            settings,
        };
        app.register_file();
        app
    }

    /// Creates the graphics, in an existing window or in a new one.
    fn create(&mut self, events: &ActiveEventLoop, window: Option<Arc<Window>>) {
        match self.open_window(events, window) {
            Ok(open) => self.open = Some(open),
            Err(failure) => self.fail(events, failure),
        }
    }

    fn open_window(
        &mut self,
        events: &ActiveEventLoop,
        window: Option<Arc<Window>>,
    ) -> Result<OpenWindow, ViewerError> {
        let attributes =
            Window::default_attributes().with_title("sinew").with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = match window {
            Some(window) => window,
            None => {
                let new = events.create_window(attributes).map_err(|e| ViewerError::Window(e.to_string()))?;
                self.size = new.inner_size();
                Arc::new(new)
            }
        };
        let graphics = Graphics::new(&window, self.size, events, &self.adapter, &self.session.puppet)?;
        self.panel.adapter = graphics.adapter();
        // A context uploads each texture only once, and the new renderer has none of them.
        let memory = self.context.memory(Clone::clone);
        self.context = egui::Context::default();
        self.context.memory_mut(|now| *now = memory);
        let id = egui::ViewportId::ROOT;
        let (scale, theme) = (Some(scale(&window)), window.theme());
        let egui = egui_winit::State::new(self.context.clone(), id, &window, scale, theme, None);
        window.request_redraw();
        Ok(OpenWindow { window, graphics, egui, began: Instant::now() })
    }

    /// Drops the window and ends any drag, because the pointer may be anywhere when the window returns.
    fn suspend(&mut self) {
        self.session.apply(Command::Release);
        self.session.apply(Command::Hover(Vec2::NEG_ONE));
        (self.input, self.moved, self.clicked) = (Input::default(), None, None);
        (self.open, self.broken, self.wake, self.hidden) = (None, None, None, false);
    }

    /// Recreates the graphics after a lost device, and fails if that was done a moment ago. The session stays as it is.
    fn rebuild(&mut self, events: &ActiveEventLoop, lost: RenderError) {
        let before = self.rebuilt.replace(Instant::now());
        // The old graphics must be dropped first because a window can only have one surface.
        let window = self.open.take().map(|open| open.window);
        if before.is_some_and(|then| then.elapsed() < REBUILD_INTERVAL) {
            self.fail(events, lost.into());
        } else {
            self.create(events, window);
        }
    }

    /// Requests a redraw.
    fn request_redraw(&self) {
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: ViewerError) {
        self.failure.get_or_insert(failure);
        events.exit();
    }

    /// Advances the session's clock by the time since the last call.
    fn tick(&mut self) {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.ticked);
        self.ticked = now;
        let step = if self.session.is_playing() { passed.min(MAX_STEP) } else { passed };
        self.session.apply(Command::Tick(step));
    }

    fn redraw(&mut self) -> Result<(), RenderError> {
        let started = Instant::now();
        self.follow_source();
        self.flush_pointer();
        self.handle_app_request();
        let Some(open) = &mut self.open else { return Ok(()) };
        if self.size.width == 0 || self.size.height == 0 {
            return Ok(());
        }
        let full = pixels(self.size.width.into(), self.size.height.into());
        let area = panel::scene_size(full, scale(&open.window), &self.panel, &self.session);
        if area != self.session.size() {
            self.session.apply(Command::Resize(area));
        }
        let input = open.input(full);
        let (session, panel) = (&self.session, &mut self.panel);
        let mut commands = Vec::new();
        let output = self.context.run_ui(input, |ui| commands.extend(panel::show(ui, session, panel)));
        open.egui.handle_platform_output(&open.window, output.platform_output);
        self.settings.set_theme(self.context.options(|options| options.theme_preference));
        let changed = !commands.is_empty() || self.panel.request.is_some();
        commands.into_iter().for_each(|command| self.session.apply(command));
        let scale = output.pixels_per_point;
        if (self.session.scale - scale).abs() > 1e-3 {
            self.session.apply(Command::Scale(scale));
        }
        let shapes = self.context.tessellate(output.shapes, scale);
        let panel = PanelOutput { textures: output.textures_delta, shapes, scale };
        let scene = (&self.session.frame(scale), self.session.size());
        let outcome = open.graphics.draw(scene, panel)?;
        session::push_time(&mut self.panel.frames, started.elapsed().as_secs_f32() * 1e3);
        let delay = output.viewport_output.values().map(|v| v.repaint_delay).min();
        self.wake = delay
            .and_then(|d| Instant::now().checked_add(d))
            .filter(|_| delay < Some(Duration::from_secs(60)));
        if changed || outcome == DrawOutcome::Retry {
            open.window.request_redraw();
        }
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "window coordinates")]
fn pixels(x: f64, y: f64) -> Vec2 {
    Vec2::new(x as f32, y as f32)
}

#[expect(clippy::cast_possible_truncation, reason = "a small factor")]
fn scale(window: &Window) -> f32 {
    window.scale_factor() as f32
}
