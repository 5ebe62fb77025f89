//! Pointer and keys → commands.

use glam::Vec2;

use crate::ik::{JointParameters, Method, Options};

use super::{Axis, Command, Session, Turning};

/// A button of the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Grabs, or turns the camera.
    Left,
    /// Moves the camera.
    Middle,
    /// Moves the camera.
    Right,
}

/// A key, by what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter (in lower case), a digit or a sign.
    Char(char),
    /// Leaves what is going on.
    Escape,
}

/// What a window system reports. Places are pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The pointer is there now.
    Moved(Vec2),
    /// A button goes down where the pointer is; `double`: soon after the last time.
    Pressed(Button, bool),
    /// A button comes up.
    Released(Button),
    /// The wheel turns; positive: away from the person.
    Wheel(f32),
    /// Shift, control and alt are down.
    Modifiers(bool, bool, bool),
    /// A key goes down.
    Key(Key),
}

/// Points that a pointer moves between press and release of a click at most.
const CLICK: f32 = 3.0;

/// What the pointer is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Nothing,
    Dragging,
    /// Shift without a button.
    Following,
    Turning,
    Panning,
}

/// The pointer and the keys that are down.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    at: Vec2,
    /// Where a button went down, as long as the pointer has not left there.
    pressed: Option<Vec2>,
    doing: Doing,
    shift: bool,
    /// Whether what is pulled without a button may be taken: since shift went down nothing was let go by Escape.
    follows: bool,
    control: bool,
    alt: bool,
}

impl Input {
    /// What an event asks for, carried out.
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
                    self.follows = shift;
                }
                (self.shift, self.alt) = (shift, alt);
                if control != self.control {
                    self.control = control;
                    session.apply(Command::Snap(control));
                }
                if !shift && self.doing == Doing::Following {
                    self.stop(session);
                }
            }
            Event::Key(key) => self.key(key, session),
        }
    }

    /// Whether the control key is down.
    pub(super) fn control(&self) -> bool {
        self.control
    }

    /// Whether a button is held for something.
    pub fn is_busy(&self) -> bool {
        self.doing != Doing::Nothing
    }

    fn moved(&mut self, to: Vec2, session: &mut Session) {
        if self.pressed.is_some_and(|p| p.distance(to) <= CLICK * session.scale) {
            return;
        }
        self.pressed = None;
        let by = to - self.at;
        match self.doing {
            Doing::Dragging | Doing::Following => session.apply(Command::Drag(to)),
            Doing::Turning => session.apply(Command::Orbit(by)),
            Doing::Panning => session.apply(Command::Pan(by)),
            Doing::Nothing if self.follows => {
                session.apply(Command::Grab(self.at));
                let seen = |at: Vec2| at.cmpge(Vec2::ZERO).all() && at.cmplt(session.size()).all();
                if !session.is_dragging() && session.selected().is_some() && seen(self.at) && seen(to) {
                    session.apply(Command::GrabSelected(self.at));
                }
                if session.is_dragging() {
                    self.doing = Doing::Following;
                    session.apply(Command::Drag(to));
                } else {
                    session.apply(Command::Hover(to));
                }
            }
            Doing::Nothing => session.apply(Command::Hover(to)),
        }
        self.at = to;
    }

    fn pressed(&mut self, button: Button, double: bool, session: &mut Session) {
        self.stop(session);
        self.doing = match button {
            Button::Middle | Button::Right => Doing::Panning,
            Button::Left if double => {
                session.apply(Command::Center(self.at));
                Doing::Nothing
            }
            Button::Left if self.alt => Doing::Turning,
            Button::Left => {
                session.apply(Command::Grab(self.at));
                if session.is_dragging() { Doing::Dragging } else { Doing::Turning }
            }
        };
        self.pressed = (self.doing != Doing::Nothing).then_some(self.at);
        if self.doing == Doing::Dragging && self.control {
            session.apply(Command::Snap(true));
        }
    }

    /// A click selects the joint that is there, or on empty space none; a part of a gizmo leaves the selection.
    fn released(&mut self, session: &mut Session) {
        let clicked = self.pressed.is_some();
        let joint = session.hand.as_ref().map(|hand| hand.hit.node);
        let select = match self.doing {
            Doing::Dragging => joint.is_some(),
            Doing::Turning => !self.alt,
            _ => false,
        };
        self.stop(session);
        if clicked && select {
            session.apply(Command::Select(joint));
        }
    }

    fn stop(&mut self, session: &mut Session) {
        self.pressed = None;
        if matches!(self.doing, Doing::Dragging | Doing::Following) {
            session.apply(Command::Release);
            session.apply(Command::Hover(self.at));
        }
        self.doing = Doing::Nothing;
    }

    fn key(&mut self, key: Key, session: &mut Session) {
        let command = match key {
            Key::Escape => {
                (self.doing, self.pressed, self.follows) = (Doing::Nothing, None, false);
                if session.is_dragging() { Command::Cancel } else { Command::Select(None) }
            }
            Key::Char('z') if self.control => {
                self.doing = Doing::Nothing;
                if self.shift { Command::Redo } else { Command::Undo }
            }
            // What is left with the control key is the window's.
            Key::Char(_) if self.control && self.doing == Doing::Nothing => return,
            Key::Char('x') => Command::Constrain(Axis::X),
            Key::Char('y') => Command::Constrain(Axis::Y),
            Key::Char('z') => Command::Constrain(Axis::Z),
            Key::Char('p') => Command::Pin,
            Key::Char('b') => Command::Base,
            Key::Char('r') => Command::Rest(!self.shift),
            Key::Char('e') => {
                let turning = session.turning;
                Command::Turning(Turning { alone: !turning.alone, ..turning })
            }
            Key::Char('k') => Command::Key,
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

/// The solver of a digit.
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
