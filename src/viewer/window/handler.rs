//! Handles the events of winit's event loop and forwards them to the session.

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

use crate::panel::Leave;
use crate::platform::Instant;
use crate::render::RenderError;

use super::capture::{self, Capture};
use super::events::is_tab;
use super::files::AppEvent;
use super::{App, ViewerError};

impl ApplicationHandler<AppEvent> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.open.is_none() {
            self.create(events, None);
            self.start_recorder();
        }
    }

    /// The system takes away the window and its graphics. The session is kept, and [`Self::resumed`] recreates both.
    fn suspended(&mut self, events: &ActiveEventLoop) {
        self.suspend();
        // A deadline in the past would make the event loop spin.
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
        // Hide Tab from egui, which would focus the next button. That button would then receive all keys.
        let response = if is_tab(&event) && !self.context.text_edit_focused() {
            egui_winit::EventResponse::default()
        } else {
            open.egui.on_window_event(&open.window, &event)
        };
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            open.window.request_redraw();
        }
        if open.may_have_frame(&event) {
            let _ = self.files.proxy.send_event(AppEvent::Placed);
        }
        match event {
            WindowEvent::CloseRequested => self.leave(Leave::Close),
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
            return events.exit();
        }
        match self.broken.take() {
            // Drawing into a destroyed window fails before its `Destroyed` event arrives. Wait for that event.
            Some((error, false)) => {
                self.broken = Some((error, true));
                return events.set_control_flow(ControlFlow::Poll);
            }
            Some((lost @ RenderError::Lost(_), true)) => self.rebuild(events, lost),
            Some((failure, true)) => self.fail(events, failure.into()),
            None => {}
        }
        self.reload_changed();
        self.autosave_if_due();
        match self.prepare_quality() {
            Ok(true) => return events.set_control_flow(ControlFlow::Poll),
            Ok(false) => {}
            Err(error) => self.broken = Some((error, false)),
        }
        let is_visible = !self.hidden && self.size.width > 0 && self.size.height > 0;
        let full_quality_due = self.full_quality_due().filter(|_| is_visible);
        let Some(open) = &self.open else { return };
        if full_quality_due.is_some_and(|due| due <= Instant::now()) {
            open.window.request_redraw();
        }
        if self.wake.is_some_and(|wake| wake <= Instant::now()) {
            self.wake = None;
            open.window.request_redraw();
        }
        // A clip playing in a hidden window needs no redraw, because its time is computed from the clock.
        let moves = self.session.is_playing() || self.session.is_swinging();
        if moves && !self.hidden && self.size.width > 0 && self.size.height > 0 {
            open.window.request_redraw();
        }
        let live = self.capture.as_ref().filter(|_| !self.hidden);
        if live.is_some_and(Capture::has_new_packets) {
            open.window.request_redraw();
        }
        let poll = live.and_then(|_| Instant::now().checked_add(capture::POLL_INTERVAL));
        let next = self.wake.into_iter().chain(self.next_reload()).chain(self.unsaved.due).chain(poll);
        let next = next.chain(full_quality_due).min();
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}
