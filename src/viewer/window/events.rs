//! Pointer and keyboard events for the scene. Events that belong to the panel are filtered out.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key as WinitKey, NamedKey};

use crate::panel::{axis_gizmo, outside, tools};
use crate::platform::Instant;
use crate::{Button, Event};

use super::{App, pixels};

/// Maximum time, and maximum distance in pixels, between two clicks that form a double click.
const DOUBLE_CLICK: (Duration, f32) = (Duration::from_millis(350), 6.0);
/// Pixels of touchpad scrolling that count as one step of a wheel.
const WHEEL_STEP: f64 = 40.0;

impl App {
    /// Forwards an event to the scene unless it belongs to the panel.
    pub(super) fn handle_scene_event(&mut self, event: &WindowEvent, consumed: bool) {
        let Some(window) = self.open.as_ref().map(|s| Arc::clone(&s.window)) else { return };
        // While a question is shown, the scene receives no events. egui has already received the keys and clicks that answer it.
        let is_modifier = matches!(event, WindowEvent::ModifiersChanged(_));
        if self.panel.question.is_some() && !self.input.is_busy() && !is_modifier {
            return;
        }
        if let WindowEvent::CursorMoved { position, .. } = event {
            self.at = pixels(position.x, position.y);
        }
        if self.ignores_while_watching(event) {
            return;
        }
        if let WindowEvent::Touch(touch) = event {
            return self.handle_touch(touch);
        }
        let at = self.at - self.panel.scene_origin(self.context.pixels_per_point());
        let belongs_to_panel =
            (self.is_over_panel() || self.context.egui_is_using_pointer()) && !self.input.is_busy();
        let event = match event {
            WindowEvent::CursorMoved { .. } => {
                // If the pointer is over the panel, the event only needs to clear the hover.
                if belongs_to_panel && !self.session.is_hovering() {
                    return;
                }
                // A part of the panel may cover the scene at the pointer's position.
                Event::Moved(if belongs_to_panel { Vec2::NEG_ONE } else { at })
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
                    ElementState::Pressed if belongs_to_panel => return,
                    ElementState::Pressed => Event::Pressed(button, self.is_double_click(button)),
                    ElementState::Released => Event::Released(button),
                }
            }
            WindowEvent::MouseWheel { .. } if belongs_to_panel => return,
            WindowEvent::MouseWheel { delta: MouseScrollDelta::LineDelta(_, y), .. } => Event::Wheel(*y),
            WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(by), .. } => {
                Event::Wheel(pixels(0.0, by.y / WHEEL_STEP).y)
            }
            WindowEvent::ModifiersChanged(now) => {
                let now = now.state();
                // Shift must not affect the scene while text is typed.
                let shift = now.shift_key() && !self.context.text_edit_focused() && !self.is_typing();
                Event::Modifiers(shift, now.control_key(), now.alt_key())
            }
            // When the window receives the focus, winit reports every key that is already down. Such a key was meant for another window,
            // for example Tab after Alt+Tab.
            WindowEvent::KeyboardInput { is_synthetic: true, .. } => return,
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                match self.key_event(event, consumed, belongs_to_panel) {
                    Some(event) => event,
                    None => return,
                }
            }
            _ => return,
        };
        match event {
            // The pointer moves more often than frames are drawn, so only its last position before a frame or another
            // event is handled.
            Event::Moved(to) => self.moved = Some(to),
            other => {
                self.flush_pointer();
                self.input.handle(other, &mut self.session);
            }
        }
        window.request_redraw();
    }

    /// Sends the latest pointer position to the session.
    pub(super) fn flush_pointer(&mut self) {
        if let Some(to) = self.moved.take() {
            self.input.handle(Event::Moved(to), &mut self.session);
        }
    }

    /// Returns whether the pointer is over the panel, or over one of its windows or menus. egui only knows the
    /// pointer position of the last redraw.
    pub(super) fn is_over_panel(&self) -> bool {
        let at = self.at / self.context.pixels_per_point();
        let at = egui::pos2(at.x, at.y);
        let layer = self.context.layer_id_at(at);
        // egui treats a press within this distance of a border as a press on the border.
        let interaction = self.context.global_style().interaction.clone();
        let grab = interaction.resize_grab_radius_side + interaction.interact_radius;
        !self.panel.layout.scene_inside_borders(grab).contains(at)
            || axis_gizmo::contains(&self.panel, at)
            || outside::contains(&self.session, &self.panel, at)
            || tools::contains(&self.session, &self.panel, at)
            || layer.is_some_and(|l| l.order != egui::Order::Background)
    }

    pub(super) fn is_double_click(&mut self, button: Button) -> bool {
        let now = Instant::now();
        let near = |(then, at): (Instant, Vec2)| {
            now - then < DOUBLE_CLICK.0 && at.distance(self.at) < DOUBLE_CLICK.1
        };
        let is_double = button == Button::Left && self.clicked.is_some_and(near);
        self.clicked = (button == Button::Left && !is_double).then_some((now, self.at));
        is_double
    }
}

/// Returns whether the event is a press or release of Tab, which hides the panel.
pub(super) fn is_tab(event: &WindowEvent) -> bool {
    matches!(event, WindowEvent::KeyboardInput { event, .. } if event.logical_key == WinitKey::Named(NamedKey::Tab))
}
