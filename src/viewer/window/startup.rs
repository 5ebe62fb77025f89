//! Opens the window before its file has been read completely, and shows what is loading.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use egui::{Align2, Color32, FontId};
use winit::application::ApplicationHandler;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::keyboard::{Key, NamedKey};
use winit::window::WindowId;

use crate::files::Progress;
use crate::platform::{HAS_THREADS, Instant, spawn};
use crate::render::{AdapterChoice, RenderError};
use crate::text::printable;
use crate::{Preferences, Recorder, Session, panel};

use super::capture::{Capture, Listening};
use super::files::AppEvent;
use super::loader::{SessionImages, decode};
use super::open_window::OpenWindow;
use super::panel_output::PanelOutput;
use super::{App, ViewerError, pixels};

/// Time to wait for the file before the window opens. Most unreadable files fail within this time, so that no window appears for them.
const HEAD_START: Duration = Duration::from_millis(50);
/// Interval at which the loading text is redrawn.
const INTERVAL: Duration = Duration::from_millis(100);
/// Background colour while loading. It is also the scene's background colour, so the window does not flash when the character appears.
const BACKGROUND: Color32 = Color32::from_rgb(0x6B, 0x70, 0x7A);

/// The window's initial contents.
#[derive(Debug)]
pub struct Opening {
    /// Name shown while loading.
    pub name: String,
    /// The graphics adapter.
    pub adapter: AdapterChoice,
    /// Settings for receiving a performer's motion.
    pub listening: Option<Listening>,
}

/// A session, and a recorder that records from the start.
pub type Opened = (Session, Option<Recorder>);

/// A loaded session with its decoded textures.
type Loaded = (Opened, SessionImages);

/// The window while the file is being read, and the app afterwards.
pub(super) struct Startup<E> {
    opening: Opening,
    proxy: EventLoopProxy<AppEvent>,
    context: egui::Context,
    open: Option<OpenWindow>,
    pub(super) progress: Progress,
    began: Instant,
    /// When the loading text was last drawn.
    drawn: Instant,
    loading: Receiver<Result<Loaded, E>>,
    /// A result that arrived before the window existed.
    loaded: Option<Loaded>,
    /// Events that arrived before the file was read. The app handles them once it exists.
    early: Vec<AppEvent>,
    pub(super) app: Option<App>,
    /// Why the file could not be read.
    pub(super) refused: Option<E>,
    pub(super) failure: Option<ViewerError>,
}

impl<E: Send + 'static> Startup<E> {
    /// Starts loading on another thread.
    ///
    /// # Errors
    /// Returns the error of `load` if it fails at once.
    pub(super) fn new(
        load: impl FnOnce(&Progress) -> Result<Opened, E> + Send + 'static,
        opening: Opening,
        proxy: EventLoopProxy<AppEvent>,
    ) -> Result<Self, E> {
        let (sender, loading) = channel();
        let (progress, waker) = (Progress::default(), proxy.clone());
        let shared = progress.clone();
        let work = move || {
            let loaded = load(&shared).map(|opened| {
                let images = decode(&opened.0, &shared);
                (opened, images)
            });
            // Sending fails only if the window has closed already.
            drop(sender.send(loaded));
            drop(waker.send_event(AppEvent::Loaded));
        };
        let thread = spawn("loading", work);
        let failure = thread.err().map(|e| ViewerError::Window(format!("cannot start a thread: {e}")));
        let loaded = match HAS_THREADS.then(|| loading.recv_timeout(HEAD_START)) {
            Some(Ok(loaded)) => Some(loaded?),
            Some(Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) | None => None,
        };
        let context = egui::Context::default();
        panel::style(&context);
        context.set_theme(Preferences::of_user().theme());
        let (app, refused, now) = (None, None, Instant::now());
        Ok(Self {
            opening,
            proxy,
            context,
            open: None,
            progress,
            began: now,
            drawn: now,
            loading,
            loaded,
            early: Vec::new(),
            app,
            refused,
            failure,
        })
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: ViewerError) {
        self.failure.get_or_insert(failure);
        events.exit();
    }

    /// Creates the app as soon as the file is read and the window exists.
    fn start(&mut self, events: &ActiveEventLoop) {
        if self.loaded.is_none() {
            match self.loading.try_recv() {
                Ok(Ok(loaded)) => self.loaded = Some(loaded),
                Ok(Err(error)) => {
                    self.refused = Some(error);
                    return events.exit();
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) if self.app.is_none() => {
                    return self.fail(events, ViewerError::Window("the file could not be loaded".into()));
                }
                Err(TryRecvError::Disconnected) => {}
            }
        }
        let Some(open) = self.open.take() else { return };
        let Some(((session, recorder), images)) = self.loaded.take() else {
            self.open = Some(open);
            return;
        };
        match self.create_app(session, recorder, &images, open) {
            Ok(mut app) => {
                self.early.drain(..).for_each(|event| app.user_event(events, event));
                self.app = Some(app);
            }
            Err(failure) => self.fail(events, failure),
        }
    }

    fn create_app(
        &self,
        session: Session,
        recorder: Option<Recorder>,
        images: &SessionImages,
        mut open: OpenWindow,
    ) -> Result<App, ViewerError> {
        let mut app = App::new(session, self.opening.adapter.clone(), recorder, self.proxy.clone());
        if let Some(listening) = &self.opening.listening {
            app.capture = Some(Capture::new(listening, &app.session).map_err(ViewerError::Capture)?);
        }
        open.graphics.show(&app.session, images)?;
        open.window.request_redraw();
        app.context = self.context.clone();
        app.size = open.size;
        app.panel.adapter = open.graphics.adapter();
        app.open = Some(open);
        app.start_recorder();
        Ok(app)
    }

    /// Draws the background and the loading text.
    fn redraw(&mut self) -> Result<(), RenderError> {
        let Some(open) = self.open.as_mut().filter(|o| o.size.width > 0 && o.size.height > 0) else {
            return Ok(());
        };
        let input = open.input(pixels(open.size.width.into(), open.size.height.into()));
        let shown = &text(&self.opening.name, &self.progress, self.began.elapsed());
        let output = self.context.run_ui(input, |ui| {
            let rect = ui.ctx().content_rect();
            ui.painter().rect_filled(rect, 0.0, BACKGROUND);
            let font = FontId::proportional(16.0);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, shown, font, Color32::WHITE);
        });
        let scale = output.pixels_per_point;
        let shapes = self.context.tessellate(output.shapes, scale);
        open.graphics.draw(None, PanelOutput { textures: output.textures_delta, shapes, scale })?;
        Ok(())
    }

    fn handle_window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: &WindowEvent) {
        let Some(open) = self.open.as_mut().filter(|open| open.window.id() == id) else { return };
        // egui needs the events of this phase too, because it keeps track of modifier keys and of the pointer.
        let _ = open.egui.on_window_event(&open.window, event);
        if open.may_have_frame(event) {
            let _ = self.proxy.send_event(AppEvent::Placed);
        }
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::KeyboardInput { event, .. }
                if event.state == ElementState::Pressed
                    && event.logical_key == Key::Named(NamedKey::Escape) =>
            {
                events.exit();
            }
            WindowEvent::Destroyed => {
                self.open = None;
                self.fail(events, ViewerError::Destroyed);
            }
            WindowEvent::Resized(size) => {
                open.size = *size;
                open.graphics.resize(size.width, size.height);
                open.window.request_redraw();
            }
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.redraw() {
                    self.fail(events, error.into());
                }
            }
            _ => {}
        }
    }
}

impl<E: Send + 'static> ApplicationHandler<AppEvent> for Startup<E> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if let Some(app) = &mut self.app {
            return app.resumed(events);
        }
        match OpenWindow::new(events, None, &self.opening.adapter, &self.context) {
            Ok(open) => self.open = Some(open),
            Err(failure) => return self.fail(events, failure),
        }
        // Draw the loading text even if the file has already been read, because drawing the character's first image takes longer.
        match self.redraw() {
            Ok(()) => self.start(events),
            Err(error) => self.fail(events, error.into()),
        }
    }

    fn suspended(&mut self, events: &ActiveEventLoop) {
        match &mut self.app {
            Some(app) => app.suspended(events),
            None => self.open = None,
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: AppEvent) {
        match (&mut self.app, event) {
            (Some(_), AppEvent::Loaded) => {}
            (Some(app), event) => app.user_event(events, event),
            (None, AppEvent::Loaded) => self.start(events),
            (None, AppEvent::Close) => events.exit(),
            (None, AppEvent::Placed) => self.open.iter_mut().for_each(OpenWindow::fit_on_monitor),
            (None, event) => self.early.push(event),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        match &mut self.app {
            Some(app) => app.window_event(events, id, event),
            None => self.handle_window_event(events, id, &event),
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if let Some(app) = &mut self.app {
            return app.about_to_wait(events);
        }
        if self.drawn.elapsed() >= INTERVAL {
            self.drawn = Instant::now();
            if let Some(open) = &self.open {
                open.window.request_redraw();
            }
        }
        let next = self.drawn.checked_add(INTERVAL);
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

/// Returns the text shown while a file is read.
fn text(name: &str, progress: &Progress, elapsed: Duration) -> String {
    let name = printable::line(name);
    match panel::progress_text(progress, elapsed) {
        Some(progress) => format!("Loading {name}…\n{progress}\nEsc cancels"),
        None => format!("Loading {name}…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_load_shows_its_progress_and_how_to_cancel() {
        let progress = Progress::default();
        progress.set_stage("Reading the file");
        progress.expect(48_000_000);
        progress.add(12_400_000);
        let shown = |milliseconds| text("a\nb.glb", &progress, Duration::from_millis(milliseconds));
        assert_eq!(shown(100), "Loading a\\nb.glb…");
        assert_eq!(shown(2500), "Loading a\\nb.glb…\nReading the file: 12 of 48 MB, 2 s\nEsc cancels");
    }
}
