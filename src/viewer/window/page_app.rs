//! Runs the window in a web page, from the creation of the adapter to the end of the event loop.

use std::path::{Path, PathBuf};

use glam::Vec2;
use web_sys::HtmlCanvasElement;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::platform::web::EventLoopExtWebSys;
use winit::window::WindowId;

use crate::Session;
use crate::asset::MANNEQUIN_PATH;
use crate::files::Progress;
use crate::panel::PathPurpose;
use crate::platform::fs;
use crate::render::{AdapterChoice, Gpu};

use super::files::AppEvent;
use super::loader::read_session;
use super::page::{PageHooks, set_canvas, with_hooks};
use super::page_event::PageEvent;
use super::startup::{Opened, Opening, Startup};
use super::{App, ViewerError};

/// A window in a page.
#[derive(Clone, Debug)]
pub struct Page {
    events: EventLoopProxy<AppEvent>,
}

impl Page {
    /// Opens the viewer in a canvas. Shows a file that was [put](put_file) into memory, or the built-in character if there is none.
    /// `backends` are browser backends.
    ///
    /// # Errors
    /// [`ViewerError`] if the browser has no adapter for the canvas.
    pub async fn open(
        element: HtmlCanvasElement,
        backends: wgpu::Backends,
        file: Option<PathBuf>,
        hooks: PageHooks,
    ) -> Result<Self, ViewerError> {
        let opened = Gpu::with_canvas(wgpu::SurfaceTarget::Canvas(element.clone()), backends).await?;
        set_canvas(element, opened, hooks);
        let failed = |e: winit::error::EventLoopError| ViewerError::Window(e.to_string());
        let events = EventLoop::<AppEvent>::with_user_event().build().map_err(failed)?;
        let page = Self { events: events.create_proxy() };
        let path = file.unwrap_or_else(|| MANNEQUIN_PATH.into());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let load = move |progress: &Progress| load(&path, progress);
        let opening = Opening { name, adapter: AdapterChoice::Auto, listening: None };
        let startup = Startup::new(load, opening, page.events.clone()).map_err(ViewerError::Window)?;
        events.spawn_app(PageWindow { startup, has_drawn: false });
        Ok(page)
    }

    /// Opens a file that was put into memory or, with `adds`, adds the file's clips to the timeline.
    pub fn open_file(&self, path: &Path, adds: bool) {
        self.send(match adds {
            true => AppEvent::Page(PageEvent::AddClips(path.to_path_buf())),
            false => AppEvent::Chosen(PathPurpose::Open, Some(path.to_path_buf())),
        });
    }

    /// Shows the pose that a link contains. `text` comes from [`PageHooks::link`].
    pub fn show_link(&self, text: &str) {
        self.send(AppEvent::Page(PageEvent::Link(text.to_owned())));
    }

    /// Requests a link to the pose, delivered to [`PageHooks::link`].
    pub fn link(&self) {
        self.send(AppEvent::Page(PageEvent::CopyLink));
    }

    /// Saves unsaved work, because the page may never be shown again.
    pub fn hide(&self) {
        self.send(AppEvent::Page(PageEvent::Hidden));
    }

    fn send(&self, event: AppEvent) {
        // Sending fails only if the window has ended.
        drop(self.events.send_event(event));
    }
}

/// Puts a file into memory, where the viewer can open it.
pub fn put_file(path: &Path, bytes: &[u8]) {
    fs::put(path, bytes);
}

/// Reads a file, or the built-in character if that fails, because a loaded page must show something.
fn load(path: &Path, progress: &Progress) -> Result<Opened, String> {
    let size = Vec2::new(1280.0, 800.0);
    let session: Result<Session, String> = read_session(path, size, progress);
    let session = session.or_else(|_| read_session(Path::new(MANNEQUIN_PATH), size, progress))?;
    Ok((session, None))
}

/// A window that tells the page when it has written a file and when it has ended.
struct PageWindow {
    startup: Startup<String>,
    has_drawn: bool,
}

impl ApplicationHandler<AppEvent> for PageWindow {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.startup.resumed(events);
    }

    fn suspended(&mut self, events: &ActiveEventLoop) {
        self.startup.suspended(events);
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: AppEvent) {
        self.startup.user_event(events, event);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        self.startup.window_event(events, id, event);
        if !self.has_drawn && self.startup.app.as_ref().is_some_and(App::has_drawn) {
            self.has_drawn = true;
            with_hooks(|hooks| (hooks.drawn)());
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        self.startup.about_to_wait(events);
        for (path, bytes) in fs::changes() {
            with_hooks(|hooks| (hooks.changed)(&path, bytes.as_deref()));
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        let failure = self.startup.failure.as_ref().map(ToString::to_string);
        let failure =
            failure.or_else(|| self.startup.app.as_ref()?.failure.as_ref().map(ToString::to_string));
        let failure = failure.or_else(|| self.startup.refused.clone());
        with_hooks(|hooks| (hooks.ended)(&failure.unwrap_or_default()));
    }
}
