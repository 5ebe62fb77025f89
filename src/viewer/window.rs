//! The window itself: winit's events in, pictures out, and as little as possible between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key as WinitKey, NamedKey};
use winit::window::{Window, WindowId};

use crate::asset::Character;
use crate::render::{AdapterChoice, RenderError};
use crate::rig::Rig;

use super::surface::{Graphics, Panel};
use super::{Button, Command, Event, Input, Key, Session, panel, session};

mod wishes;

/// Two clicks within this time, and so many pixels, are a double click.
const DOUBLE: (Duration, f32) = (Duration::from_millis(350), 6.0);
/// Pixels that touchpads scroll for a step of a wheel.
const STEP: f64 = 40.0;

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
}

/// Opens the viewer and stays until it is closed.
///
/// # Errors
/// [`ViewerError::NoDisplay`] before anything is shown; the others when the window or the adapter fails.
pub fn open(character: Character, rig: Option<Rig>, adapter: AdapterChoice) -> Result<(), ViewerError> {
    let events = EventLoop::new().map_err(|e| ViewerError::NoDisplay(e.to_string()))?;
    let context = egui::Context::default();
    panel::style(&context);
    let mut app = App {
        session: Session::new(character, rig, Vec2::new(1280.0, 800.0)),
        adapter,
        shown: None,
        context,
        look: panel::Look::default(),
        input: Input::default(),
        at: Vec2::ZERO,
        clicked: None,
        ticked: Instant::now(),
        wake: None,
        failure: None,
        quit: false,
    };
    let ran = events.run_app(&mut app);
    match app.failure {
        Some(failure) => Err(failure),
        None => ran.map_err(|e| ViewerError::Window(e.to_string())),
    }
}

struct App {
    session: Session,
    adapter: AdapterChoice,
    shown: Option<Shown>,
    context: egui::Context,
    look: panel::Look,
    input: Input,
    at: Vec2,
    clicked: Option<(Instant, Vec2)>,
    ticked: Instant,
    /// When the panel wants to be drawn again.
    wake: Option<Instant>,
    failure: Option<ViewerError>,
    quit: bool,
}

/// What there is once the window stands.
struct Shown {
    window: Arc<Window>,
    graphics: Graphics,
    egui: egui_winit::State,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none() {
            match self.build(events) {
                Ok(shown) => self.shown = Some(shown),
                Err(failure) => self.fail(events, failure),
            }
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        self.shown = None;
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        let response = shown.egui.on_window_event(&shown.window, &event);
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            shown.window.request_redraw();
        }
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::RedrawRequested => {
                if let Err(failure) = self.redraw() {
                    self.fail(events, failure.into());
                }
            }
            WindowEvent::Resized(size) => {
                shown.graphics.resize(size.width, size.height);
                self.session.apply(Command::Resize(pixels(size.width.into(), size.height.into())));
                shown.window.request_redraw();
            }
            WindowEvent::DroppedFile(path) => self.load(&path),
            other => self.act(&other, response.consumed),
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if self.quit {
            events.exit();
        }
        let Some(shown) = &self.shown else { return };
        if self.session.is_playing() {
            shown.window.request_redraw();
            events.set_control_flow(ControlFlow::Wait);
        } else if let Some(wake) = self.wake {
            if wake <= Instant::now() {
                self.wake = None;
                shown.window.request_redraw();
            }
            events.set_control_flow(ControlFlow::WaitUntil(wake));
        } else {
            events.set_control_flow(ControlFlow::Wait);
        }
    }
}

impl App {
    fn build(&self, events: &ActiveEventLoop) -> Result<Shown, ViewerError> {
        let attributes =
            Window::default_attributes().with_title("sinew").with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = events.create_window(attributes).map_err(|e| ViewerError::Window(e.to_string()))?;
        let window = Arc::new(window);
        let graphics = Graphics::new(&window, events, &self.adapter, &self.session.puppet)?;
        let scale = scale(&window);
        let id = egui::ViewportId::ROOT;
        let egui = egui_winit::State::new(self.context.clone(), id, &window, Some(scale), None, None);
        window.request_redraw();
        Ok(Shown { window, graphics, egui })
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: ViewerError) {
        self.failure = Some(failure);
        events.exit();
    }

    /// What the scene is told of an event: nothing that is the panel's.
    fn act(&mut self, event: &WindowEvent, consumed: bool) {
        let Some(window) = self.shown.as_ref().map(|s| Arc::clone(&s.window)) else { return };
        let panel = if self.look.hidden { 0.0 } else { panel::WIDTH * scale(&window) };
        let over = self.at.x > self.session.size().x - panel || self.context.is_pointer_over_egui();
        let theirs = (over || self.context.egui_is_using_pointer()) && !self.input.is_busy();
        let event = match event {
            WindowEvent::CursorMoved { position, .. } => {
                self.at = pixels(position.x, position.y);
                if theirs { return } else { Event::Moved(self.at) }
            }
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
                Event::Modifiers(now.shift_key(), now.control_key(), now.alt_key())
            }
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                if let Some(wish) = wishes::of(&event.logical_key, self.input.control()) {
                    self.look.wish = Some(wish);
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
                        self.quit = true;
                        return;
                    }
                    _ if consumed && !self.input.is_busy() => return,
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
        self.input.handle(event, &mut self.session);
        window.request_redraw();
    }

    fn is_double(&mut self, button: Button) -> bool {
        let now = Instant::now();
        let near = |(then, at): (Instant, Vec2)| now - then < DOUBLE.0 && at.distance(self.at) < DOUBLE.1;
        let double = button == Button::Left && self.clicked.is_some_and(near);
        self.clicked = (button == Button::Left && !double).then_some((now, self.at));
        double
    }

    fn redraw(&mut self) -> Result<(), RenderError> {
        self.fulfil();
        let Some(shown) = &mut self.shown else { return Ok(()) };
        let passed = self.ticked.elapsed().as_secs_f32();
        let started = Instant::now();
        self.ticked = started;
        if self.session.is_playing() {
            self.session.apply(Command::Tick(passed.min(0.1)));
        }
        if self.look.adapter.is_empty() {
            self.look.adapter = shown.graphics.adapter();
        }
        let size = shown.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(());
        }
        let input = shown.egui.take_egui_input(&shown.window);
        let (session, look) = (&self.session, &mut self.look);
        let mut asked = Vec::new();
        let output = self.context.run_ui(input, |ui| asked.extend(panel::show(ui, session, look)));
        shown.egui.handle_platform_output(&shown.window, output.platform_output);
        let changed = !asked.is_empty() || self.look.wish.is_some();
        asked.into_iter().for_each(|command| self.session.apply(command));
        let scale = output.pixels_per_point;
        let shapes = self.context.tessellate(output.shapes, scale);
        let panel = Panel { textures: output.textures_delta, shapes, scale };
        let drawn = shown.graphics.draw(&self.session.frame(scale), panel)?;
        session::remember(&mut self.look.frames, started.elapsed().as_secs_f32() * 1e3);
        let delay = output.viewport_output.values().map(|v| v.repaint_delay).min();
        self.wake = delay
            .and_then(|d| Instant::now().checked_add(d))
            .filter(|_| delay < Some(Duration::from_secs(60)));
        if changed || !drawn {
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
