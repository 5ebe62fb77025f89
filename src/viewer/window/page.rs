//! Web-specific parts of the window: a canvas with an adapter, and file storage.
//!
//! A page cannot block, so it opens the adapter before the window. Files are in memory ([`fs`](crate::platform::fs)): the page puts dropped
//! and chosen files there, and receives the files that the window writes.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use web_sys::HtmlCanvasElement;
use winit::dpi::PhysicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::platform::web::WindowAttributesExtWebSys;
use winit::window::{Window, WindowAttributes};

use crate::export::MAX_POSE_BYTES;
use crate::panel::PathPurpose;
use crate::render::{AdapterChoice, Gpu, RenderError};
use crate::session::files::write_numbered;
use crate::{pose_text, set_pose_command};

use super::dialogs::DialogRequest;
use super::files::AppEvent;
use super::page_event::PageEvent;
use super::requests::saved_message;
use super::surface::Graphics;
use super::{App, scale};

/// Whether saved files are in folders that can be opened.
pub(super) const HAS_FOLDERS: bool = false;
/// Whether a URL can contain a pose.
pub(super) const HAS_LINKS: bool = true;
/// Whether windows have a title bar and borders.
pub(super) const HAS_FRAMES: bool = false;

/// An adapter that draws into the canvas.
pub(super) type OpenedAdapter = (Gpu, wgpu::Surface<'static>, wgpu::SurfaceCapabilities);

/// Functions that the page provides to the window.
pub struct PageHooks {
    /// Asks for files to open or, if the argument is `true`, for files from which to add clips.
    pub choose: Box<dyn Fn(bool)>,
    /// Receives a file that the window has written or removed (`None`).
    pub changed: Box<dyn Fn(&Path, Option<&[u8]>)>,
    /// Receives a link that contains a pose, as text that [`Page::show_link`](super::page_app::Page::show_link) accepts.
    pub link: Box<dyn Fn(&str)>,
    /// Called when the first image of the character is drawn.
    pub drawn: Box<dyn Fn()>,
    /// Called with the reason when the window ends.
    pub ended: Box<dyn Fn(&str)>,
}

struct Canvas {
    element: HtmlCanvasElement,
    /// The adapter, until the window takes it.
    opened: Option<OpenedAdapter>,
    hooks: PageHooks,
}

thread_local! {
    static CANVAS: RefCell<Option<Canvas>> = const { RefCell::new(None) };
}

/// Stores the canvas and its adapter until the window takes them.
pub(super) fn set_canvas(element: HtmlCanvasElement, opened: OpenedAdapter, hooks: PageHooks) {
    CANVAS.set(Some(Canvas { element, opened: Some(opened), hooks }));
}

/// Calls `call` with the page's functions.
pub(super) fn with_hooks(call: impl FnOnce(&PageHooks)) {
    CANVAS.with_borrow(|canvas| {
        if let Some(canvas) = canvas {
            call(&canvas.hooks);
        }
    });
}

/// Returns the settings folder, which the page stores.
pub(super) fn settings_folder() -> Option<PathBuf> {
    Some(PathBuf::from("/settings"))
}

/// Always fails, because a page has no folders to show.
pub(super) fn open_folder(_: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Returns the attributes of the window, which draws into the page's canvas.
pub(super) fn window_attributes(_: &ActiveEventLoop) -> WindowAttributes {
    let element = CANVAS.with_borrow(|canvas| canvas.as_ref().map(|canvas| canvas.element.clone()));
    Window::default_attributes().with_canvas(element).with_focusable(true).with_prevent_default(true)
}

/// Returns the graphics with the adapter that was opened before the window. They can be created only once, because a page cannot wait for
/// another adapter.
pub(super) fn graphics(
    _: &Arc<Window>,
    size: PhysicalSize<u32>,
    _: &ActiveEventLoop,
    _: &AdapterChoice,
) -> Result<Graphics, RenderError> {
    let opened = CANVAS.with_borrow_mut(|canvas| canvas.as_mut().and_then(|canvas| canvas.opened.take()));
    let (gpu, surface, offered) =
        opened.ok_or_else(|| RenderError::Lost("the page must be loaded again".into()))?;
    Graphics::new(gpu, surface, &offered, size)
}

/// A stub: open files cannot change.
#[derive(Debug)]
pub struct Watch;

impl Watch {
    /// Watches nothing.
    pub fn new(_: &Path, _: &[PathBuf], _: impl Fn() + Send + 'static) -> Result<Self, String> {
        Ok(Self)
    }
}

impl App {
    /// Whether an image was drawn.
    pub(super) fn has_drawn(&self) -> bool {
        !self.panel.frames.is_empty()
    }

    /// Asks the page for a file. File names for saving are left to the browser.
    pub(super) fn show_dialog(&self, purpose: PathPurpose, _: &Path) -> DialogRequest {
        match purpose {
            PathPurpose::Open | PathPurpose::OpenStyle | PathPurpose::AddClips | PathPurpose::AttachProp => {
                with_hooks(|hooks| (hooks.choose)(purpose == PathPurpose::AddClips));
                DialogRequest::Unwatched
            }
            PathPurpose::SaveAs | PathPurpose::SaveStyle | PathPurpose::ExportClip | PathPurpose::Folder => {
                DialogRequest::Refused
            }
        }
    }

    /// Saves an image of the scene as soon as it is drawn.
    pub(super) fn save_image(&mut self) {
        let Some(open) = &mut self.open else { return };
        let scale = scale(&open.window);
        let (pending, background) = match open.graphics.start_image(&self.session, scale) {
            Ok(started) => started,
            Err(error) => return self.notify(Err(error.to_string())),
        };
        let (proxy, name) = (self.files.proxy.clone(), self.session.name());
        pending.when_ready(move |image| {
            let png = image.and_then(|image| Ok(image.png(background)?)).map_err(|e| e.to_string());
            let saved = png.and_then(|png| {
                write_numbered(Path::new("."), &name, "png", &png).map_err(|e| e.to_string())
            });
            drop(proxy.send_event(AppEvent::Page(PageEvent::Image(saved))));
        });
    }

    pub(super) fn handle_page_event(&mut self, event: PageEvent) {
        match event {
            PageEvent::Image(saved) => self.notify(saved.map(|path| saved_message(&path))),
            PageEvent::CopyLink => self.copy_link(),
            PageEvent::Hidden => self.autosave(),
            PageEvent::AddClips(path) => self.add_clips(&path, None),
            PageEvent::Link(text) => {
                let command = unpacked(&text).and_then(|pose| {
                    set_pose_command(self.session.puppet(), &pose)
                        .map_err(|error| format!("the link: {error}"))
                });
                let shown = command.map(|command| self.session.apply(command));
                self.notify(shown.map(|()| "showing the pose of the link".into()));
            }
        }
    }

    /// Gives the page a link that contains the built-in character's pose.
    pub(super) fn copy_link(&mut self) {
        let text = pose_text(self.session.puppet()).map_err(|error| error.to_string());
        match text.and_then(|text| packed(&text)) {
            Ok(text) => {
                with_hooks(|hooks| (hooks.link)(&text));
                self.notify(Ok("the address of the page carries the pose now, and was copied".into()));
            }
            Err(error) => self.notify(Err(error)),
        }
    }
}

/// Compresses text for a URL.
fn packed(text: &str) -> Result<String, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    bytes.map(|bytes| URL_SAFE_NO_PAD.encode(bytes)).map_err(|e| e.to_string())
}

/// Decompresses text from a URL.
fn unpacked(text: &str) -> Result<String, String> {
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| "the link is incomplete".to_owned())?;
    let mut text = String::new();
    let read = DeflateDecoder::new(bytes.as_slice()).take(MAX_POSE_BYTES as u64).read_to_string(&mut text);
    read.map_err(|_| "the link is incomplete".to_owned())?;
    Ok(text)
}
