//! Translates pointer and keyboard events into commands.

use glam::Vec2;

use crate::ik::{JointParameters, Method, Options};

use super::{Axis, Command, RingMode, Session};

/// A pointer button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Drags the character, or orbits the camera.
    Left,
    /// Pans the camera.
    Middle,
    /// Pans the camera.
    Right,
}

/// A logical key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A lower-case letter, a digit or a symbol.
    Char(char),
    /// The escape key.
    Escape,
}

/// An input event from the window system. Positions are in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The pointer moved to a position.
    Moved(Vec2),
    /// A button was pressed. `true` marks the second press of a double click.
    Pressed(Button, bool),
    /// A button was released.
    Released(Button),
    /// The wheel turned by some steps. Positive is away from the user.
    Wheel(f32),
    /// The state of the shift, control and alt keys changed.
    Modifiers(bool, bool, bool),
    /// A key was pressed.
    Key(Key),
}

/// Maximum distance in points between the press and the release of a click.
const CLICK_DISTANCE: f32 = 3.0;

/// The current action of the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PointerAction {
    #[default]
    None,
    Drag,
    /// A drag with the shift key down and no button pressed.
    ShiftDrag,
    Orbit,
    Pan,
}

/// The state of the pointer and the modifier keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    at: Vec2,
    /// Where a button was pressed, until the pointer moves away from there.
    pressed: Option<Vec2>,
    action: PointerAction,
    shift: bool,
    /// Whether moving the pointer may start a drag without a button. Escape turns this off until shift is pressed
    /// again.
    can_shift_drag: bool,
    control: bool,
    alt: bool,
}

impl Input {
    /// Applies the commands of an event to the session.
    pub fn handle(&mut self, event: Event, session: &mut Session) {
        match event {
            Event::Moved(to) if to.is_finite() => self.moved(to, session),
            Event::Moved(_) => {}
            Event::Pressed(button, double) => self.pressed(button, double, session),
            Event::Released(_) => self.released(session),
            Event::Wheel(steps) if session.is_dragging() => {
                self.pressed = None;
                session.apply(Command::Push(steps));
            }
            Event::Wheel(steps) => session.apply(Command::Zoom(self.at, steps)),
            Event::Modifiers(shift, control, alt) => {
                if shift != self.shift {
                    self.can_shift_drag = shift;
                }
                self.shift = shift;
                if alt != self.alt {
                    self.alt = alt;
                    self.apply_scope(session);
                }
                if control != self.control {
                    self.control = control;
                    session.apply(Command::Snap(control));
                }
                if !shift && self.action == PointerAction::ShiftDrag {
                    self.stop(session);
                }
            }
            Event::Key(key) => self.key(key, session),
        }
    }

    /// Returns whether the control key is down.
    pub(super) fn control(&self) -> bool {
        self.control
    }

    /// Returns whether the shift key is down.
    pub(super) fn shift(&self) -> bool {
        self.shift
    }

    /// Returns whether the pointer is dragging something or moving the camera.
    pub fn is_busy(&self) -> bool {
        self.action != PointerAction::None
    }

    fn moved(&mut self, to: Vec2, session: &mut Session) {
        if self.pressed.is_some_and(|p| p.distance(to) <= CLICK_DISTANCE * session.scale) {
            return;
        }
        self.pressed = None;
        let by = to - self.at;
        match self.action {
            PointerAction::Drag | PointerAction::ShiftDrag => session.apply(Command::Drag(to)),
            PointerAction::Orbit => session.apply(Command::Orbit(by)),
            PointerAction::Pan => session.apply(Command::Pan(by)),
            PointerAction::None if self.can_shift_drag => {
                session.apply(Command::Grab(self.at));
                let is_inside = |at: Vec2| at.cmpge(Vec2::ZERO).all() && at.cmplt(session.size()).all();
                if !session.is_dragging()
                    && session.selected().is_some()
                    && is_inside(self.at)
                    && is_inside(to)
                {
                    session.apply(Command::GrabSelected(self.at));
                }
                if session.is_dragging() {
                    self.action = PointerAction::ShiftDrag;
                    self.apply_scope(session);
                    session.apply(Command::Drag(to));
                } else {
                    session.apply(Command::Hover(to));
                }
            }
            PointerAction::None => session.apply(Command::Hover(to)),
        }
        self.at = to;
    }

    fn pressed(&mut self, button: Button, double: bool, session: &mut Session) {
        self.stop(session);
        self.action = match button {
            Button::Middle | Button::Right => PointerAction::Pan,
            Button::Left if double => {
                session.apply(Command::Center(self.at));
                PointerAction::None
            }
            Button::Left if self.alt => PointerAction::Orbit,
            Button::Left => {
                session.apply(Command::Grab(self.at));
                if session.is_dragging() { PointerAction::Drag } else { PointerAction::Orbit }
            }
        };
        self.pressed = (self.action != PointerAction::None).then_some(self.at);
        if self.action == PointerAction::Drag && self.control {
            session.apply(Command::Snap(true));
        }
    }

    /// Ends the current action. A click selects the joint under the pointer, and a click on empty space clears the
    /// selection. A click on the gizmo keeps the selection.
    fn released(&mut self, session: &mut Session) {
        let clicked = self.pressed.is_some();
        let joint = session.drag.as_ref().map(|drag| drag.hit.node);
        let select = match self.action {
            PointerAction::Drag => joint.is_some(),
            PointerAction::Orbit => !self.alt,
            _ => false,
        };
        self.stop(session);
        if clicked && select {
            session.apply(Command::Select(joint));
        }
    }

    /// Ends the current action.
    fn stop(&mut self, session: &mut Session) {
        self.pressed = None;
        if matches!(self.action, PointerAction::Drag | PointerAction::ShiftDrag) {
            session.apply(Command::Release);
            session.apply(Command::Hover(self.at));
        }
        self.action = PointerAction::None;
    }

    /// Gives the current drag the other scope while the alt key is down.
    fn apply_scope(&self, session: &mut Session) {
        let is_drag = matches!(self.action, PointerAction::Drag | PointerAction::ShiftDrag);
        if is_drag && session.has_body() {
            let scope = session.drag_scope();
            session.apply(Command::CurrentScope(if self.alt { scope.other() } else { scope }));
        }
    }

    fn key(&mut self, key: Key, session: &mut Session) {
        let command = match key {
            Key::Escape => {
                (self.action, self.pressed, self.can_shift_drag) = (PointerAction::None, None, false);
                match session.shown_steps() {
                    _ if session.is_dragging() => Command::Cancel,
                    Some(_) => Command::Step(None),
                    None => Command::Select(None),
                }
            }
            Key::Char('z') if self.control => {
                self.action = PointerAction::None;
                if self.shift { Command::Redo } else { Command::Undo }
            }
            // The window handles all other shortcuts with the control key.
            Key::Char(_) if self.control && self.action == PointerAction::None => return,
            Key::Char('x') => Command::Constrain(Axis::X),
            Key::Char('y') => Command::Constrain(Axis::Y),
            Key::Char('z') => Command::Constrain(Axis::Z),
            Key::Char('p') => Command::Pin,
            Key::Char('b') => Command::Base,
            Key::Char('r') => Command::Rest(!self.shift),
            Key::Char('e') => {
                let ring_mode = session.ring_mode;
                Command::RingMode(RingMode { alone: !ring_mode.alone, ..ring_mode })
            }
            Key::Char('k') => Command::Key,
            Key::Char('l') if session.has_body() => Command::DragScope(session.drag_scope().other()),
            Key::Char('.') => match session.shown_steps() {
                Some((shown, count)) => Command::Step(Some((shown + 1).min(count))),
                None if session.can_step() => Command::Step(Some(0)),
                None => return,
            },
            Key::Char(',') => {
                let Some((shown, _)) = session.shown_steps() else { return };
                Command::Step(Some(shown.saturating_sub(1)))
            }
            Key::Char('f') => Command::FrameAll,
            Key::Char(' ') => Command::Play(!session.is_playing()),
            Key::Char('s') => {
                let skeleton = !session.display.skeleton;
                Command::Display(super::Display { skeleton, ..session.display })
            }
            Key::Char(digit) => {
                let Some(method) = method(digit) else { return };
                let mut options = Options { method, ..session.options };
                if method == Method::Dls {
                    options.jacobian.parameters =
                        if digit == '2' { JointParameters::Euler } else { JointParameters::RotationVector };
                }
                Command::Solver(Box::new(options))
            }
        };
        session.apply(command);
    }
}

/// Returns the method that a digit selects.
fn method(digit: char) -> Option<Method> {
    Some(match digit {
        '0' => Method::Ccd,
        '1' => Method::Particle,
        '2' | '3' => Method::Dls,
        '4' => Method::Fabrik,
        '5' => Method::TwoBone,
        '6' => Method::Fused,
        '7' => Method::Optimize,
        '8' => Method::FullBody,
        '9' => Method::Auto,
        _ => return None,
    })
}
