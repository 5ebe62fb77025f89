//! Translates pointer and keyboard events into commands.

use glam::Vec2;

use super::{Action, Axis, Command, Key, Keymap, Session, Shortcut};

use carry::Carry;

mod carry;
mod commands;

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

/// An input event from the window system. Positions are in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The pointer moved to a position.
    Moved(Vec2),
    /// A button was pressed. `true` marks the second press of a double click.
    Pressed(Button, bool),
    /// A button was released.
    Released(Button),
    /// The wheel was turned by a number of steps. Positive is away from the user.
    Wheel(f32),
    /// The state of the shift, control and alt keys changed.
    Modifiers(bool, bool, bool),
    /// A key was pressed.
    Key(Key),
}

/// Maximum distance in points between the press and the release of a click.
const CLICK_DISTANCE: f32 = 3.0;

/// Length of a zoom drag, in pixels, that counts as one wheel step.
const ZOOM_DISTANCE: f32 = 40.0;

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
    Zoom,
}

/// The state of the pointer and the modifier keys.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Which keys trigger which actions, and which buttons move the camera.
    pub keymap: Keymap,
    at: Vec2,
    /// The position at which a button was pressed, until the pointer moves away.
    pressed: Option<Vec2>,
    action: PointerAction,
    shift: bool,
    /// Whether moving the pointer may start a drag without a button. Escape turns this off until shift is pressed
    /// again.
    can_shift_drag: bool,
    control: bool,
    alt: bool,
    /// The joint that follows the pointer without a button.
    carry: Option<Carry>,
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
                    // In the other keymaps, Shift is used for camera and selection.
                    self.can_shift_drag = shift && self.keymap == Keymap::Sinew;
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

    /// Creates a state in which nothing is pressed.
    pub fn new(keymap: Keymap) -> Self {
        Self { keymap, ..Self::default() }
    }

    /// Performs a session action, as if its shortcut had been pressed.
    pub fn perform(&mut self, action: Action, session: &mut Session) {
        match action {
            Action::Move | Action::Turn if self.is_busy() => {}
            Action::Move => self.carry = Carry::pull(session, self.at),
            Action::Turn => self.carry = Carry::turn(session, self.at),
            action => {
                if matches!(action, Action::Undo | Action::Redo) {
                    self.action = PointerAction::None;
                }
                action.command(session).into_iter().for_each(|command| session.apply(command));
            }
        }
    }

    /// Updates the pointer position without triggering anything. The pointer may have moved over the panes.
    pub fn point_at(&mut self, at: Vec2) {
        if at.is_finite() && !self.is_busy() {
            self.at = at;
        }
    }

    /// Discards everything in progress, because the session is being replaced.
    pub fn abandon(&mut self) {
        (self.carry, self.action, self.pressed) = (None, PointerAction::None, None);
    }

    /// Reverts the current pointer action, because a second finger takes over.
    pub fn cancel(&mut self, session: &mut Session) {
        if session.is_dragging() {
            session.apply(Command::Cancel);
        }
        self.abandon();
    }

    /// Returns whether a joint follows the pointer without a button.
    pub fn is_carrying(&self) -> bool {
        self.carry.is_some()
    }

    /// Returns whether the control key is down.
    #[cfg(feature = "window")]
    pub(super) fn control(&self) -> bool {
        self.control
    }

    /// Returns whether the pointer is dragging something or moving the camera.
    pub fn is_busy(&self) -> bool {
        self.action != PointerAction::None || self.carry.is_some()
    }

    fn moved(&mut self, to: Vec2, session: &mut Session) {
        if self.pressed.is_some_and(|p| p.distance(to) <= CLICK_DISTANCE * session.document.settings.scale) {
            return;
        }
        self.pressed = None;
        let by = to - self.at;
        if let Some(carry) = &mut self.carry {
            carry.follow(to, session);
            self.at = to;
            return;
        }
        match self.action {
            PointerAction::Drag | PointerAction::ShiftDrag => session.apply(Command::Drag(to)),
            PointerAction::Orbit => session.apply(Command::Orbit(by)),
            PointerAction::Pan => session.apply(Command::Pan(by)),
            PointerAction::Zoom => {
                session.apply(Command::Zoom(session.size() * 0.5, (by.x - by.y) / ZOOM_DISTANCE));
            }
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
        if let Some(carry) = self.carry.take() {
            return if button == Button::Left { carry.finish(session) } else { carry.cancel(session) };
        }
        self.stop(session);
        self.action = match button {
            Button::Middle | Button::Right => self.navigation(button),
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

    /// Returns how the middle or right button moves the camera.
    fn navigation(&self, button: Button) -> PointerAction {
        match (self.keymap, button) {
            (Keymap::Blender, Button::Middle) if self.shift => PointerAction::Pan,
            (Keymap::Blender, Button::Middle) if self.control => PointerAction::Zoom,
            (Keymap::Blender, Button::Middle) => PointerAction::Orbit,
            (Keymap::Maya, Button::Right) if self.alt => PointerAction::Zoom,
            _ => PointerAction::Pan,
        }
    }

    /// Ends the current action. A click selects the joint under the pointer, and a click on empty space clears the
    /// selection. A click on the gizmo keeps the selection.
    fn released(&mut self, session: &mut Session) {
        let clicked = self.pressed.is_some();
        let joint = session.drags.joint.as_ref().filter(|drag| !drag.by_gizmo).map(|drag| drag.hit.node);
        let select = match self.action {
            PointerAction::Drag => joint.is_some(),
            PointerAction::Orbit => !self.alt,
            _ => false,
        };
        self.stop(session);
        if clicked && select {
            session.apply(match joint {
                Some(node) if self.shift && session.selection().contains(&node) => {
                    Command::SelectRemove(node)
                }
                Some(node) if self.shift => Command::SelectAdd(node),
                _ => Command::Select(joint),
            });
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

    /// Switches the current drag to its alternative scope while Alt is down, and back when Alt is released.
    fn apply_scope(&self, session: &mut Session) {
        let is_drag = matches!(self.action, PointerAction::Drag | PointerAction::ShiftDrag);
        if is_drag {
            let scope = session.document.settings.drag_scope;
            session.apply(Command::CurrentScope(if self.alt { scope.other() } else { scope }));
        }
    }

    fn key(&mut self, key: Key, session: &mut Session) {
        if let Some(carry) = self.carry.take() {
            return self.key_in_carry(key, carry, session);
        }
        let is_undo = key == Key::Char('z') && self.control;
        if key == Key::Escape {
            (self.action, self.pressed, self.can_shift_drag) = (PointerAction::None, None, false);
            return session.apply(match session.shown_steps() {
                _ if session.is_dragging() => Command::Cancel,
                Some(_) => Command::Step(None),
                None => Command::Select(None),
            });
        }
        let is_drag = session.is_dragging() && !is_undo;
        let action = axis(key).filter(|_| is_drag).or_else(|| match self.action {
            PointerAction::None => self.action(key),
            // During a drag, the modifier keys have other uses.
            _ if is_undo => self.action(key),
            _ => self.keymap.action_in_drag(key),
        });
        action.into_iter().for_each(|action| self.perform(action, session));
    }

    /// Handles a key while a joint follows the pointer. All other shortcuts are ignored in the meantime.
    fn key_in_carry(&mut self, key: Key, mut carry: Carry, session: &mut Session) {
        match (key, axis(key)) {
            (Key::Escape, _) => return carry.cancel(session),
            (Key::Enter, _) => return carry.finish(session),
            (Key::Backspace, _) => carry.erase(session),
            (_, Some(Action::AxisX)) => carry.constrain(Axis::X, session),
            (_, Some(Action::AxisY)) => carry.constrain(Axis::Y, session),
            (_, Some(Action::AxisZ)) => carry.constrain(Axis::Z, session),
            (Key::Char(character) | Key::Numpad(character), _) => {
                carry.type_character(character, session);
            }
            _ => {}
        }
        self.carry = Some(carry);
    }

    /// Returns the action that a key triggers with the modifier keys that are down now.
    pub fn action(&self, key: Key) -> Option<Action> {
        let shortcut = Shortcut { key, control: self.control, shift: self.shift, alt: self.alt };
        self.keymap.action(shortcut)
    }
}

/// Returns the axis constraint that a key sets. During a drag, X, Y and Z have this effect in all keymaps.
fn axis(key: Key) -> Option<Action> {
    match key {
        Key::Char('x') => Some(Action::AxisX),
        Key::Char('y') => Some(Action::AxisY),
        Key::Char('z') => Some(Action::AxisZ),
        _ => None,
    }
}
