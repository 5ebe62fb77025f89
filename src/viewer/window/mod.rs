//! The viewer's window: opens it, advances the session's clock and draws its frames.

use std::path::PathBuf;
use std::time::Duration;

use glam::Vec2;
use winit::dpi::PhysicalSize;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::window::Window;

use crate::files::Progress;
use crate::platform::Instant;
use crate::render::{AdapterChoice, RenderError};

use super::{Command, Input, Preferences, Recorder, SaveError, Session, panel, session};

use panel_output::PanelOutput;
use surface::DrawOutcome;

mod actions;
mod adaptive;
mod capture;
#[cfg(not(target_arch = "wasm32"))]
mod desktop;
mod dialogs;
mod events;
mod export;
mod exports;
mod files;
mod handler;
mod library;
pub(super) mod loader;
mod open_window;
#[cfg(target_arch = "wasm32")]
pub(super) mod page;
#[cfg(target_arch = "wasm32")]
pub(super) mod page_app;
#[cfg(target_arch = "wasm32")]
mod page_event;
mod panel_output;
pub(super) mod preferences;
mod requests;
mod software;
mod startup;
pub(super) mod surface;
pub(super) mod swapchain;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod thumbnail;
mod touch;
mod unsaved;
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod watch;
mod watched;

use capture::Capture;
pub use capture::Listening;
#[cfg(not(target_arch = "wasm32"))]
use desktop as system;
#[cfg(not(target_arch = "wasm32"))]
pub(super) use desktop::initial_size;
use files::{AppEvent, Files};
use open_window::OpenWindow;
#[cfg(target_arch = "wasm32")]
use page as system;
use startup::Startup;
pub use startup::{Opened, Opening};
use unsaved::Unsaved;

/// Why the viewer could not open, or had to close.
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
        /// The location of the recording, or the reason why it could not be saved.
        recording: String,
    },
}

/// Maximum time step of a clip, so that it does not jump after a period without frames.
const MAX_STEP: Duration = Duration::from_millis(100);

/// Closes the window from another thread. Unlike the window's close button, this never asks for confirmation.
pub type Close = Box<dyn Fn() + Send>;

/// Opens the viewer and returns when it is closed.
///
/// The window shows what is loading while `load` reads the session on another thread. `load` also returns the recorder that records from
/// the start. The session gets the window's size. `closable` is called with a function that closes the window.
///
/// Returns the path of the recording that was running when the window closed, if there was one.
///
/// # Errors
/// The error of `load`, or a [`ViewerError`] if the window or the adapter fails. [`ViewerError::NoDisplay`] is returned before anything is
/// loaded or shown.
pub fn open<E: Send + 'static>(
    load: impl FnOnce(&Progress) -> Result<Opened, E> + Send + 'static,
    opening: Opening,
    closable: impl FnOnce(Close),
) -> Result<Result<Option<PathBuf>, ViewerError>, E> {
    let events = match EventLoop::<AppEvent>::with_user_event().build() {
        Ok(events) => events,
        Err(error) => return Ok(Err(ViewerError::no_display(&error))),
    };
    let proxy = events.create_proxy();
    let mut startup = Startup::new(load, opening, events.create_proxy())?;
    // Sending fails only if the window has closed already.
    closable(Box::new(move || drop(proxy.send_event(AppEvent::Close))));
    let result = events.run_app(&mut startup);
    // The file may still be loading.
    startup.progress.stop();
    if let Some(refused) = startup.refused {
        return Err(refused);
    }
    let failure = startup.failure.or(result.err().map(|e| ViewerError::Window(e.to_string())));
    Ok(finish(startup.app, failure))
}

impl ViewerError {
    /// Returns the error for an event loop that cannot be created.
    pub(crate) fn no_display(error: &winit::error::EventLoopError) -> Self {
        // winit's text starts with a source position and is formatted as a sentence. Both are removed here.
        let message = error.to_string();
        let cause = message.rsplit(": ").next().unwrap_or(&message);
        Self::NoDisplay(cause.trim_end_matches('.').to_owned())
    }
}

/// Ends the recording of an app whose window has closed.
fn finish(app: Option<App>, failure: Option<ViewerError>) -> Result<Option<PathBuf>, ViewerError> {
    let Some(mut app) = app else { return failure.map_or(Ok(None), Err) };
    app.end_export_now();
    let recorded = app.session.stop_recording();
    match (app.failure.or(failure), recorded) {
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
    /// Window size in pixels according to the window's events. winit panics when a destroyed window's size is queried.
    size: PhysicalSize<u32>,
    /// The error of the last redraw, and whether events have been handled since then.
    broken: Option<(RenderError, bool)>,
    /// The recorder to start as soon as the window exists.
    recorder: Option<Recorder>,
    context: egui::Context,
    panel: panel::PanelState,
    input: Input,
    at: Vec2,
    /// The latest pointer position, if not yet sent to the session.
    moved: Option<Vec2>,
    clicked: Option<(Instant, Vec2)>,
    fingers: touch::Fingers,
    ticked: Instant,
    /// When the panel needs its next redraw.
    wake: Option<Instant>,
    /// The live source that drives the character.
    capture: Option<Capture>,
    failure: Option<ViewerError>,
    quit: bool,
    /// Whether this window is fully covered.
    hidden: bool,
    /// When the graphics were last recreated.
    rebuilt: Option<Instant>,
    files: Files,
    /// The recorded session being played.
    watched: Option<watched::Watched>,
    preferences: Preferences,
    unsaved: Unsaved,
}

impl App {
    fn new(
        session: Session,
        adapter: AdapterChoice,
        recorder: Option<Recorder>,
        proxy: EventLoopProxy<AppEvent>,
    ) -> Self {
        let (context, preferences) = (egui::Context::default(), Preferences::of_user());
        let references = session.puppet().character().references.clone();
        panel::style(&context);
        context.set_theme(preferences.theme());
        let mut app = Self {
            session,
            adapter,
            open: None,
            size: PhysicalSize::default(),
            broken: None,
            recorder,
            context,
            panel: panel::PanelState::new(preferences.layout(), preferences.keymap()),
            input: Input::new(preferences.keymap()),
            at: Vec2::ZERO,
            moved: None,
            clicked: None,
            fingers: touch::Fingers::default(),
            ticked: Instant::now(),
            wake: None,
            capture: None,
            failure: None,
            quit: false,
            hidden: false,
            rebuilt: None,
            files: Files::new(proxy, references),
            watched: None,
            preferences,
            unsaved: Unsaved::default(),
        };
        app.panel.full_quality = app.preferences.full_quality();
        app.panel.has_links = system::HAS_LINKS;
        app.register_file();
        app.note_opened();
        app
    }

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
        if self.watched.is_some() {
            return;
        }
        let moves = self.session.is_playing() || self.session.is_swinging();
        let step = if moves { passed.min(MAX_STEP) } else { passed };
        self.session.apply(Command::Tick(step));
    }

    fn redraw(&mut self) -> Result<(), RenderError> {
        let started = Instant::now();
        self.advance_watched();
        self.note_change();
        self.follow_source();
        self.flush_pointer();
        self.perform_chosen();
        self.handle_app_request();
        self.show_export();
        let Some(open) = &mut self.open else { return Ok(()) };
        if self.size.width == 0 || self.size.height == 0 {
            return Ok(());
        }
        let full = pixels(self.size.width.into(), self.size.height.into());
        let is_watching = self.watched.is_some();
        self.panel.keeps_size = is_watching;
        let input = open.input(full);
        let (session, panel) = (&mut self.session, &mut self.panel);
        let mut commands = Vec::new();
        let output = self.context.run_ui(input, |ui| commands.extend(panel::show(ui, session, panel)));
        open.egui.handle_platform_output(&open.window, output.platform_output);
        self.preferences.set_theme(self.context.options(|options| options.theme_preference));
        if self.input.keymap != self.panel.keymap {
            self.input.keymap = self.panel.keymap;
            self.preferences.set_keymap(self.panel.keymap);
        }
        if !self.context.egui_is_using_pointer() {
            self.preferences.set_layout(&self.panel.layout);
        }
        let changed = !commands.is_empty() || self.panel.request.is_some() || self.panel.action.is_some();
        if !is_watching {
            commands.into_iter().for_each(|command| self.session.apply(command));
        }
        let scale = output.pixels_per_point;
        if (self.session.document.settings.scale - scale).abs() > 1e-3 && !is_watching {
            self.session.apply(Command::Scale(scale));
        }
        let shapes = self.context.tessellate(output.shapes, scale);
        let panel = PanelOutput { textures: output.textures_delta, shapes, scale };
        let outcome = self.draw_scene(self.panel.scene_origin(scale), panel, started)?;
        session::push_time(&mut self.panel.frames, started.elapsed().as_secs_f32() * 1e3);
        let delay = output.viewport_output.values().map(|v| v.repaint_delay).min();
        self.wake = delay
            .and_then(|d| Instant::now().checked_add(d))
            .filter(|_| delay < Some(Duration::from_secs(60)));
        if changed || outcome == DrawOutcome::Retry || is_watching && !self.hidden {
            self.request_redraw();
        }
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "window coordinates")]
fn pixels(x: f64, y: f64) -> Vec2 {
    Vec2::new(x as f32, y as f32)
}

/// Returns the number of pixels per point in a window.
#[expect(clippy::cast_possible_truncation, reason = "a small factor")]
pub(super) fn scale(window: &Window) -> f32 {
    window.scale_factor() as f32
}
