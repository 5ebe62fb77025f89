//! Creates and suspends the open window, and recreates its graphics after a lost device.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use crate::files::Progress;
use crate::panel;
use crate::platform::Instant;
use crate::render::{AdapterChoice, RenderError};
use crate::window::surface::Graphics;
use crate::{Command, Input};

use super::adaptive::AdaptiveQuality;
use super::loader::decode;
use super::touch::Fingers;
use super::{App, ViewerError, scale, system};

/// Time after which a window's size counts as chosen by the user.
const SETTLED: Duration = Duration::from_secs(1);

/// A device that is lost again within this time is not recreated.
const REBUILD_INTERVAL: Duration = Duration::from_secs(2);

/// An open window with its graphics.
pub(super) struct OpenWindow {
    pub(super) window: Arc<Window>,
    pub(super) graphics: Graphics,
    pub(super) quality: AdaptiveQuality,
    pub(super) egui: egui_winit::State,
    /// Start of egui's clock.
    pub(super) began: Instant,
    /// Size in pixels when the window was opened.
    pub(super) size: PhysicalSize<u32>,
    /// Whether the window is too new for the user to have resized it.
    is_new: bool,
    /// Events that are held back for egui's next frame ([`hold_back`]).
    held: Vec<egui::Event>,
}

impl OpenWindow {
    /// Creates graphics without a character, in an existing window of a known size or in a new one.
    pub(super) fn new(
        events: &ActiveEventLoop,
        window: Option<(Arc<Window>, PhysicalSize<u32>)>,
        adapter: &AdapterChoice,
        context: &egui::Context,
    ) -> Result<Self, ViewerError> {
        let is_new = window.is_none();
        let (window, size) = match window {
            Some(window) => window,
            None => {
                let new = events
                    .create_window(system::window_attributes(events))
                    .map_err(|e| ViewerError::Window(e.to_string()))?;
                let size = new.inner_size();
                (Arc::new(new), size)
            }
        };
        let graphics = system::graphics(&window, size, events, adapter)?;
        let (scale, theme) = (Some(scale(&window)), window.theme());
        let id = egui::ViewportId::ROOT;
        let egui = egui_winit::State::new(context.clone(), id, &window, scale, theme, None);
        let quality = AdaptiveQuality::new(graphics.is_software());
        Ok(Self { window, graphics, quality, egui, began: Instant::now(), size, is_new, held: Vec::new() })
    }

    /// Returns whether the event may result from the window manager adding a title bar and borders to a new window.
    pub(super) fn may_have_frame(&mut self, event: &WindowEvent) -> bool {
        matches!(event, WindowEvent::Moved(_) | WindowEvent::Resized(_) | WindowEvent::Focused(true))
            && std::mem::replace(&mut self.is_new, self.began.elapsed() < SETTLED)
    }

    /// Shrinks a new window if it does not fit on the monitor with its title bar and borders.
    ///
    /// winit panics when asked for the size of a window that another program has destroyed. Call this only after handling all queued
    /// events, because they report such a destruction ([`AppEvent::Placed`](super::files::AppEvent::Placed)).
    pub(super) fn fit_on_monitor(&mut self) {
        if !system::HAS_FRAMES {
            return;
        }
        let Some(monitor) = self.window.current_monitor().map(|monitor| monitor.size()) else { return };
        let (inner, outer) = (self.window.inner_size(), self.window.outer_size());
        if let Some(smaller) = without_frame(inner, outer, monitor) {
            self.is_new = false;
            // The new size arrives as an event.
            let _ = self.window.request_inner_size(smaller);
        }
    }

    /// Like [`egui_winit::State::take_egui_input`], but takes the window size in pixels instead of querying it. If [`hold_back`] holds
    /// events back after a press, another frame is requested for them.
    pub(super) fn input(&mut self, pixels: Vec2) -> egui::RawInput {
        let points = pixels / egui_winit::pixels_per_point(self.egui.egui_ctx(), &self.window);
        let input = self.egui.egui_input_mut();
        input.time = Some(self.began.elapsed().as_secs_f64());
        input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(points.x, points.y)));
        let viewport = input.viewports.entry(egui::ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(scale(&self.window));
        let mut input = input.take();
        hold_back(&mut input.events, &mut self.held);
        if !self.held.is_empty() {
            self.window.request_redraw();
        }
        input
    }
}

/// Prepends held events to a frame's events. If the pointer moves after the first press, holds back all events after this press, because
/// egui applies a press at the pointer's position at the end of the frame. On a slow computer, a fast pointer has already left the pressed
/// position by then.
fn hold_back(events: &mut Vec<egui::Event>, held: &mut Vec<egui::Event>) {
    events.splice(0..0, held.drain(..));
    let is_press = |event: &egui::Event| matches!(event, egui::Event::PointerButton { pressed: true, .. });
    let rest = events.iter().position(is_press).map_or(events.len(), |press| press + 1);
    if events.iter().skip(rest).any(|event| matches!(event, egui::Event::PointerMoved(_))) {
        *held = events.split_off(rest);
    }
}

/// Returns the content size with which a window's frame fits on the monitor, or `None` if it already fits.
fn without_frame(
    inner: PhysicalSize<u32>,
    outer: PhysicalSize<u32>,
    monitor: PhysicalSize<u32>,
) -> Option<PhysicalSize<u32>> {
    let side = |inner: u32, outer: u32, whole: u32| {
        if whole == 0 { inner } else { inner.saturating_sub(outer.saturating_sub(whole)).max(1) }
    };
    let width = side(inner.width, outer.width, monitor.width);
    let height = side(inner.height, outer.height, monitor.height);
    ((width, height) != (inner.width, inner.height)).then_some(PhysicalSize::new(width, height))
}

impl App {
    /// Creates the graphics, in an existing window or in a new one.
    pub(super) fn create(&mut self, events: &ActiveEventLoop, window: Option<Arc<Window>>) {
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
        // An egui context uploads each texture only once, so the old context would not upload any to the new renderer.
        let memory = self.context.memory(Clone::clone);
        self.context = egui::Context::default();
        panel::style(&self.context);
        self.context.memory_mut(|now| *now = memory);
        let size = window.is_some().then_some(self.size);
        let mut open = OpenWindow::new(events, window.zip(size), &self.adapter, &self.context)?;
        open.graphics.show(&self.session, &decode(&self.session, &Progress::default()))?;
        self.size = open.size;
        self.panel.adapter = open.graphics.adapter();
        open.window.request_redraw();
        Ok(open)
    }

    /// Drops the window and ends any drag, because the pointer may have moved when the window returns.
    pub(super) fn suspend(&mut self) {
        self.session.apply(Command::Release);
        self.session.apply(Command::Hover(Vec2::NEG_ONE));
        (self.input, self.moved, self.clicked) = (Input::new(self.input.keymap), None, None);
        self.fingers = Fingers::default();
        (self.open, self.broken, self.wake, self.hidden) = (None, None, None, false);
    }

    /// Recreates the graphics after a lost device. Fails if this happened moments ago. The session is unchanged.
    pub(super) fn rebuild(&mut self, events: &ActiveEventLoop, lost: RenderError) {
        let before = self.rebuilt.replace(Instant::now());
        // The old graphics must be dropped first because a window can have only one surface.
        let window = self.open.take().map(|open| open.window);
        if before.is_some_and(|then| then.elapsed() < REBUILD_INTERVAL) {
            self.fail(events, lost.into());
        } else {
            self.create(events, window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a slow computer, pressing in the scene and then moving over a text field once put the text cursor into the field.
    #[test]
    fn a_press_is_the_last_event_of_its_frame_if_the_pointer_moves_on() {
        let moved = |x: f32| egui::Event::PointerMoved(egui::pos2(x, 0.0));
        let button = |x: f32, pressed: bool| {
            let (pos, modifiers) = (egui::pos2(x, 0.0), egui::Modifiers::NONE);
            egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers }
        };
        let mut held = Vec::new();
        let mut frame = |mut events: Vec<egui::Event>| {
            hold_back(&mut events, &mut held);
            events
        };
        assert_eq!(frame(vec![moved(1.0), button(1.0, true), moved(2.0)]), [moved(1.0), button(1.0, true)]);
        assert_eq!(frame(vec![button(2.0, false)]), [moved(2.0), button(2.0, false)]);
        let twice = vec![button(2.0, true), moved(3.0), button(3.0, false), button(3.0, true), moved(4.0)];
        assert_eq!(frame(twice), [button(2.0, true)]);
        assert_eq!(frame(vec![]), [moved(3.0), button(3.0, false), button(3.0, true)]);
        assert_eq!(frame(vec![]), [moved(4.0)]);
        let click = vec![button(4.0, true), button(4.0, false)];
        assert_eq!(frame(click.clone()), click);
    }

    /// On a 1280×800 screen, the title bar or the timeline was once off-screen.
    #[test]
    fn a_new_window_fits_on_the_monitor_with_its_frame() {
        let size = |inner: (u32, u32), outer: (u32, u32), monitor: (u32, u32)| {
            without_frame(inner.into(), outer.into(), monitor.into()).map(<(u32, u32)>::from)
        };
        assert_eq!(size((1280, 800), (1282, 824), (1280, 800)), Some((1278, 776)));
        assert_eq!(size((1280, 800), (1282, 824), (1280, 1024)), Some((1278, 800)));
        assert_eq!(size((1280, 800), (1280, 800), (1280, 800)), None, "a window without a frame");
        assert_eq!(size((1280, 800), (1290, 830), (1920, 1080)), None);
        // Some systems do not know the size of the monitor.
        assert_eq!(size((1280, 800), (1290, 830), (0, 0)), None);
    }
}
