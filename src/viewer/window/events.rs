//! What the scene is told of pointer and keys: nothing that is the panel's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key as WinitKey, NamedKey};

use super::super::{Button, Event, Key};
use super::{App, pixels, wishes};

/// Two clicks within this time, and so many pixels, are a double click.
const DOUBLE: (Duration, f32) = (Duration::from_millis(350), 6.0);
/// Pixels that touchpads scroll for a step of a wheel.
const STEP: f64 = 40.0;

impl App {
    /// What the scene is told of an event: nothing that is the panel's.
    pub(super) fn act(&mut self, event: &WindowEvent, consumed: bool) {
        let Some(window) = self.shown.as_ref().map(|s| Arc::clone(&s.window)) else { return };
        if let WindowEvent::CursorMoved { position, .. } = event {
            self.at = pixels(position.x, position.y);
        }
        let theirs = (self.is_over_panel() || self.context.egui_is_using_pointer()) && !self.input.is_busy();
        let event = match event {
            WindowEvent::CursorMoved { .. } => {
                // Where the panel begins nothing is hovered any more.
                if theirs && !self.session.is_hovering() {
                    return;
                }
                Event::Moved(self.at)
            }
            WindowEvent::CursorLeft { .. } if !self.input.is_busy() => Event::Moved(Vec2::NEG_ONE),
            WindowEvent::MouseInput { state, button, .. } => {
                let button = match button {
                    MouseButton::Left => Button::Left,
                    MouseButton::Middle => Button::Middle,
                    MouseButton::Right => Button::Right,
                    _ => return,
                };
                match state {
                    ElementState::Pressed if theirs => return,
                    ElementState::Pressed => Event::Pressed(button, self.is_double(button)),
                    ElementState::Released => Event::Released(button),
                }
            }
            WindowEvent::MouseWheel { .. } if theirs => return,
            WindowEvent::MouseWheel { delta: MouseScrollDelta::LineDelta(_, y), .. } => Event::Wheel(*y),
            WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(by), .. } => {
                Event::Wheel(pixels(0.0, by.y / STEP).y)
            }
            WindowEvent::ModifiersChanged(now) => {
                let now = now.state();
                // Capitals that are typed pull nothing.
                let shift = now.shift_key() && !self.context.text_edit_focused() && !self.is_typing();
                Event::Modifiers(shift, now.control_key(), now.alt_key())
            }
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                // What is held down asks once, but takes back more and more; what is typed is text.
                let control = self.input.control();
                if !control && (event.repeat || self.context.text_edit_focused() || self.is_typing()) {
                    return;
                }
                if let Some(wish) = wishes::of(&event.logical_key, control) {
                    if !event.repeat {
                        self.catch_up();
                        self.look.wish = Some(wish);
                        self.fulfil();
                    }
                    window.request_redraw();
                    return;
                }
                match &event.logical_key {
                    WinitKey::Named(NamedKey::Tab) => {
                        self.look.hidden = !self.look.hidden;
                        window.request_redraw();
                        return;
                    }
                    WinitKey::Character(text) if self.input.control() && text.eq_ignore_ascii_case("q") => {
                        self.quit |= self.may_leave();
                        window.request_redraw();
                        return;
                    }
                    _ if consumed && !self.input.is_busy() => return,
                    // It ends what is pulled in the panel, and nothing in the scene.
                    WinitKey::Named(NamedKey::Escape) if theirs && self.context.egui_is_using_pointer() => {
                        window.request_redraw();
                        return;
                    }
                    WinitKey::Named(NamedKey::Escape) => Event::Key(Key::Escape),
                    WinitKey::Named(NamedKey::Space) => Event::Key(Key::Char(' ')),
                    WinitKey::Character(text) if text == "?" => {
                        self.look.keys = !self.look.keys;
                        window.request_redraw();
                        return;
                    }
                    WinitKey::Character(text) => match text.chars().next() {
                        Some(c) => Event::Key(Key::Char(c.to_ascii_lowercase())),
                        None => return,
                    },
                    _ => return,
                }
            }
            _ => return,
        };
        match event {
            // A pointer moves more often than pictures are drawn, and only where it is last is seen.
            Event::Moved(to) => self.moved = Some(to),
            other => {
                self.catch_up();
                self.input.handle(other, &mut self.session);
            }
        }
        window.request_redraw();
    }

    /// Goes where the pointer has gone since.
    pub(super) fn catch_up(&mut self) {
        if let Some(to) = self.moved.take() {
            self.input.handle(Event::Moved(to), &mut self.session);
        }
    }

    /// Whether the panel, or a window or menu of it, is where the pointer is now: the panel itself knows only where it
    /// was when it was drawn.
    fn is_over_panel(&self) -> bool {
        let at = self.at / self.context.pixels_per_point();
        let layer = self.context.layer_id_at(egui::pos2(at.x, at.y));
        self.at.cmpge(self.session.size()).any() || layer.is_some_and(|l| l.order != egui::Order::Background)
    }

    fn is_double(&mut self, button: Button) -> bool {
        let now = Instant::now();
        let near = |(then, at): (Instant, Vec2)| now - then < DOUBLE.0 && at.distance(self.at) < DOUBLE.1;
        let double = button == Button::Left && self.clicked.is_some_and(near);
        self.clicked = (button == Button::Left && !double).then_some((now, self.at));
        double
    }
}

/// The key that hides the panel, down or up.
pub(super) fn is_tab(event: &WindowEvent) -> bool {
    matches!(event, WindowEvent::KeyboardInput { event, .. } if event.logical_key == WinitKey::Named(NamedKey::Tab))
}
