//! The window itself: winit's events in, pictures out, and as little as possible between.

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

use super::surface::{Drawn, Graphics, Panel};
use super::{Addition, Command, Input, Recorder, SaveError, Session, Settings, panel, session};

mod capture;
mod events;
mod files;
mod shown;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod wishes;

use capture::Capture;
use files::{Files, News};
use shown::Shown;

/// A device that is lost again within this time is not made anew.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// Nothing to open a window on.
    #[error("there is no display to open a window on: {0}")]
    NoDisplay(String),
    /// The window could not be made, or the event loop failed.
    #[error("the window failed: {0}")]
    Window(String),
    /// No adapter, or it gave up.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The window has been destroyed without being asked to close.
    #[error("the window was destroyed by another program")]
    Destroyed,
    /// Nobody can be listened to.
    #[error("{0}")]
    Capture(String),
    /// What was recorded could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The window failed while it recorded.
    #[error("{failure}; {recording}")]
    Recorded {
        /// Why the window failed.
        failure: Box<ViewerError>,
        /// Where the recording is, or why it could not be saved.
        recording: String,
    },
}

/// A clip does not jump over the time in which no picture could be drawn.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// Closes the window from another thread, as its close button does, but without a question.
pub type Close = Box<dyn Fn() + Send>;

/// Opens the viewer and stays until it is closed. `recorder`: what is done is recorded from the start. `listen`: where a
/// performer is listened to, whom the character follows. `clips`: what is added to the character's own. `closable`: gets
/// what closes the window.
///
/// Returns the recording that ended with the window, if there was one.
///
/// # Errors
/// [`ViewerError::NoDisplay`] before anything is shown; the others when the window or the adapter fails.
pub fn open(
    character: impl Into<Arc<Character>>,
    rig: Option<Rig>,
    adapter: AdapterChoice,
    recorder: Option<Recorder>,
    listen: Option<SocketAddr>,
    clips: Vec<Addition>,
    closable: impl FnOnce(Close),
) -> Result<Option<PathBuf>, ViewerError> {
    let events = EventLoop::<News>::with_user_event().build().map_err(|e| {
        // The window system says first where in its own sources it noticed.
        let said = e.to_string();
        ViewerError::NoDisplay(said.rsplit(": ").next().unwrap_or(&said).to_owned())
    })?;
    let mut session = Session::new(character, rig, Vec2::new(1280.0, 800.0));
    clips.into_iter().for_each(|addition| session.apply(Command::Add(Box::new(addition))));
    let mut app = App::new(session, adapter, recorder, events.create_proxy());
    if let Some(address) = listen {
        app.capture = Some(Capture::new(address, &app.session).map_err(ViewerError::Capture)?);
    }
    let proxy = events.create_proxy();
    // A window that has closed meanwhile needs no second request.
    closable(Box::new(move || drop(proxy.send_event(News::Close))));
    let ran = events.run_app(&mut app);
    let recorded = app.session.stop_recording();
    let failure = app.failure.or(ran.err().map(|e| ViewerError::Window(e.to_string())));
    match (failure, recorded) {
        (None, recorded) => Ok(recorded.transpose()?),
        (Some(failure), None) => Err(failure),
        (Some(failure), Some(recorded)) => {
            let saved = |path: PathBuf| format!("the recording is saved as {}", path.display());
            let recording = recorded.map_or_else(|error| error.to_string(), saved);
            Err(ViewerError::Recorded { failure: Box::new(failure), recording })
        }
    }
}

struct App {
    session: Session,
    adapter: AdapterChoice,
    shown: Option<Shown>,
    /// Pixels of the window, as its events tell them: winit panics if it is asked for the size of a window that has been
    /// destroyed.
    size: PhysicalSize<u32>,
    /// What drawing failed with, and whether events have been handled since.
    broken: Option<(RenderError, bool)>,
    /// What waits for the window to stand.
    recorder: Option<Recorder>,
    context: egui::Context,
    look: panel::Look,
    input: Input,
    at: Vec2,
    /// Where the pointer has moved since the session was told.
    moved: Option<Vec2>,
    clicked: Option<(Instant, Vec2)>,
    ticked: Instant,
    /// When the panel wants to be drawn again.
    wake: Option<Instant>,
    /// The live source that the character follows.
    capture: Option<Capture>,
    failure: Option<ViewerError>,
    quit: bool,
    /// Whether something else covers the window.
    hidden: bool,
    /// When the graphics had to be made anew.
    rebuilt: Option<Instant>,
    files: Files,
    settings: Settings,
}

impl ApplicationHandler<News> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none() {
            self.build(events, None);
            let Some(shown) = &self.shown else { return };
            let scale = scale(&shown.window);
            let all = pixels(self.size.width.into(), self.size.height.into());
            self.session.apply(Command::Resize(panel::free(all, scale, &self.look, &self.session)));
            if let Some(recorder) = self.recorder.take() {
                self.record(recorder, scale);
            }
        }
    }

    /// The system takes the window and what is drawn with; the session stays, and [`Self::resumed`] makes both anew.
    fn suspended(&mut self, events: &ActiveEventLoop) {
        self.suspend();
        // A picture that was to be drawn by now would be waited for without a pause.
        events.set_control_flow(ControlFlow::Wait);
    }

    fn user_event(&mut self, _: &ActiveEventLoop, news: News) {
        self.hear(news);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        // A pointer that moves says nothing yet: it is followed once a picture.
        if !matches!(event, WindowEvent::CursorMoved { .. }) {
            self.tick();
        }
        let Some(shown) = &mut self.shown else { return };
        // The panel would take its keys to the next button, and then all keys to that.
        let response = if events::is_tab(&event) && !self.context.text_edit_focused() {
            egui_winit::EventResponse::default()
        } else {
            shown.egui.on_window_event(&shown.window, &event)
        };
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            shown.window.request_redraw();
        }
        match event {
            WindowEvent::CloseRequested => self.quit |= self.may_leave(),
            // The event also comes for a window that this program has closed.
            WindowEvent::Destroyed if shown.window.id() == id => {
                (self.shown, self.broken) = (None, None);
                self.fail(events, ViewerError::Destroyed);
            }
            WindowEvent::RedrawRequested if self.broken.is_none() => {
                self.broken = self.redraw().err().map(|error| (error, false));
            }
            WindowEvent::Resized(size) => {
                self.size = size;
                shown.graphics.resize(size.width, size.height);
                shown.window.request_redraw();
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                shown.window.request_redraw();
            }
            WindowEvent::Focused(false) => self.lost_focus(),
            WindowEvent::DroppedFile(path) => self.open_file(&path),
            other => self.act(&other, response.consumed),
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if self.quit {
            events.exit();
        }
        match self.broken.take() {
            // Drawing into a destroyed window fails before the event that says so arrives: wait for that event.
            Some((error, false)) => {
                self.broken = Some((error, true));
                return events.set_control_flow(ControlFlow::Poll);
            }
            Some((lost @ RenderError::Lost(_), true)) => self.rebuild(events, lost),
            Some((failure, true)) => self.fail(events, failure.into()),
            None => {}
        }
        self.read_changed();
        let Some(shown) = &self.shown else { return };
        if self.wake.is_some_and(|wake| wake <= Instant::now()) {
            self.wake = None;
            shown.window.request_redraw();
        }
        // Where nothing is seen nothing needs to move: the clip's time follows from the clock.
        if self.session.is_playing() && !self.hidden && self.size.width > 0 && self.size.height > 0 {
            shown.window.request_redraw();
        }
        let listened = self.capture.as_ref().filter(|_| !self.hidden);
        if listened.is_some_and(Capture::has_news) {
            shown.window.request_redraw();
        }
        let again = listened.and_then(|_| Instant::now().checked_add(capture::OFTEN));
        let next = self.wake.into_iter().chain(self.settles()).chain(again).min();
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

impl App {
    fn new(
        session: Session,
        adapter: AdapterChoice,
        recorder: Option<Recorder>,
        proxy: EventLoopProxy<News>,
    ) -> Self {
        let (context, settings) = (egui::Context::default(), Settings::of_user());
        panel::style(&context);
        context.set_theme(settings.theme());
        let mut app = Self {
            session,
            adapter,
            shown: None,
            size: PhysicalSize::default(),
            broken: None,
            recorder,
            context,
            look: panel::Look::default(),
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
        app.opened();
        app
    }

    /// Makes what shows the session, in a new window or in one that stands.
    fn build(&mut self, events: &ActiveEventLoop, window: Option<Arc<Window>>) {
        match self.furnish(events, window) {
            Ok(shown) => self.shown = Some(shown),
            Err(failure) => self.fail(events, failure),
        }
    }

    fn furnish(
        &mut self,
        events: &ActiveEventLoop,
        window: Option<Arc<Window>>,
    ) -> Result<Shown, ViewerError> {
        let attributes =
            Window::default_attributes().with_title("sinew").with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = match window {
            Some(window) => window,
            None => {
                let made =
                    events.create_window(attributes).map_err(|e| ViewerError::Window(e.to_string()))?;
                self.size = made.inner_size();
                Arc::new(made)
            }
        };
        let graphics = Graphics::new(&window, self.size, events, &self.adapter, &self.session.puppet)?;
        self.look.adapter = graphics.adapter();
        // A context sends each texture once: what draws from now on has none of them.
        let memory = self.context.memory(Clone::clone);
        self.context = egui::Context::default();
        self.context.memory_mut(|now| *now = memory);
        let id = egui::ViewportId::ROOT;
        let (scale, theme) = (Some(scale(&window)), window.theme());
        let egui = egui_winit::State::new(self.context.clone(), id, &window, scale, theme, None);
        window.request_redraw();
        Ok(Shown { window, graphics, egui, began: Instant::now() })
    }

    /// Whoever held something lets go: where the pointer is when the window is back, nobody knows.
    fn suspend(&mut self) {
        self.session.apply(Command::Release);
        self.session.apply(Command::Hover(Vec2::NEG_ONE));
        (self.input, self.moved, self.clicked) = (Input::default(), None, None);
        (self.shown, self.broken, self.wake, self.hidden) = (None, None, None, false);
    }

    /// Starts again on whatever adapter there is now, once; the session stays as it was.
    fn rebuild(&mut self, events: &ActiveEventLoop, lost: RenderError) {
        let before = self.rebuilt.replace(Instant::now());
        // What is lost goes first: a window has one surface.
        let window = self.shown.take().map(|shown| shown.window);
        if before.is_some_and(|then| then.elapsed() < PATIENCE) {
            self.fail(events, lost.into());
        } else {
            self.build(events, window);
        }
    }

    /// Draws when the system has time.
    fn show_soon(&self) {
        if let Some(shown) = &self.shown {
            shown.window.request_redraw();
        }
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: ViewerError) {
        self.failure.get_or_insert(failure);
        events.exit();
    }

    /// Tells the session how much time has passed since it was last told.
    fn tick(&mut self) {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.ticked);
        self.ticked = now;
        let step = if self.session.is_playing() { passed.min(LONGEST_STEP) } else { passed };
        self.session.apply(Command::Tick(step));
    }

    fn redraw(&mut self) -> Result<(), RenderError> {
        let started = Instant::now();
        self.follow();
        self.catch_up();
        self.fulfil();
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if self.size.width == 0 || self.size.height == 0 {
            return Ok(());
        }
        let all = pixels(self.size.width.into(), self.size.height.into());
        let area = panel::free(all, scale(&shown.window), &self.look, &self.session);
        if area != self.session.size() {
            self.session.apply(Command::Resize(area));
        }
        let input = shown.input(all);
        let (session, look) = (&self.session, &mut self.look);
        let mut asked = Vec::new();
        let output = self.context.run_ui(input, |ui| asked.extend(panel::show(ui, session, look)));
        shown.egui.handle_platform_output(&shown.window, output.platform_output);
        self.settings.set_theme(self.context.options(|options| options.theme_preference));
        let changed = !asked.is_empty() || self.look.wish.is_some();
        asked.into_iter().for_each(|command| self.session.apply(command));
        let scale = output.pixels_per_point;
        if (self.session.scale - scale).abs() > 1e-3 {
            self.session.apply(Command::Scale(scale));
        }
        let shapes = self.context.tessellate(output.shapes, scale);
        let panel = Panel { textures: output.textures_delta, shapes, scale };
        let seen = (&self.session.frame(scale), self.session.size());
        let drawn = shown.graphics.draw(seen, panel)?;
        session::remember(&mut self.look.frames, started.elapsed().as_secs_f32() * 1e3);
        let delay = output.viewport_output.values().map(|v| v.repaint_delay).min();
        self.wake = delay
            .and_then(|d| Instant::now().checked_add(d))
            .filter(|_| delay < Some(Duration::from_secs(60)));
        if changed || drawn == Drawn::Again {
            shown.window.request_redraw();
        }
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places in a window")]
fn pixels(x: f64, y: f64) -> Vec2 {
    Vec2::new(x as f32, y as f32)
}

#[expect(clippy::cast_possible_truncation, reason = "a small factor")]
fn scale(window: &Window) -> f32 {
    window.scale_factor() as f32
}
