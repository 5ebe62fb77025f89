//! Fingers on a touch screen: one acts like the left button, and two orbit and zoom.

use glam::Vec2;
use winit::event::{Touch, TouchPhase};

use crate::{Button, Command, Event};

use super::{App, pixels};

/// Wheel steps per natural logarithm of the two fingers' distance ratio, chosen so that the scene follows the fingers.
const STEPS_PER_LOG: f32 = 7.8226;
/// Minimum finger distance in pixels. The ratio is unreliable at smaller distances.
const MIN_SPREAD: f32 = 12.0;

/// The current gesture, until all fingers are lifted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gesture {
    #[default]
    None,
    /// A finger that acts like the left button.
    Point(u64),
    /// The first two fingers move the camera.
    Camera,
    /// The panel handles the fingers.
    Panel,
}

/// The fingers on the screen, in the order in which they touched it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingers {
    at: Vec<(u64, Vec2)>,
    gesture: Gesture,
}

impl Fingers {
    /// Returns the first two fingers' midpoint and distance.
    fn pair(&self) -> Option<(Vec2, f32)> {
        let [(_, a), (_, b), ..] = self.at.as_slice() else { return None };
        Some(((a + b) * 0.5, a.distance(*b)))
    }
}

impl App {
    /// Handles a finger that touches the scene, moves or is lifted.
    pub(super) fn handle_touch(&mut self, touch: &Touch) {
        let at = pixels(touch.location.x, touch.location.y);
        match touch.phase {
            TouchPhase::Started => self.start_touch(touch.id, at),
            TouchPhase::Moved => self.move_touch(touch.id, at),
            TouchPhase::Ended | TouchPhase::Cancelled => {
                self.end_touch(touch.id, touch.phase == TouchPhase::Cancelled);
            }
        }
        self.request_redraw();
    }

    fn in_scene(&self, at: Vec2) -> Vec2 {
        at - self.panel.scene_origin(self.context.pixels_per_point())
    }

    fn start_touch(&mut self, id: u64, at: Vec2) {
        self.fingers.at.retain(|(other, _)| *other != id);
        self.fingers.at.push((id, at));
        match (self.fingers.gesture, self.fingers.at.len()) {
            (Gesture::None, 1) => {
                self.at = at;
                if self.is_over_panel() {
                    self.fingers.gesture = Gesture::Panel;
                    return;
                }
                self.fingers.gesture = Gesture::Point(id);
                self.flush_pointer();
                self.input.handle(Event::Moved(self.in_scene(at)), &mut self.session);
                let pressed = Event::Pressed(Button::Left, self.is_double_click(Button::Left));
                self.input.handle(pressed, &mut self.session);
            }
            (Gesture::Point(_), 2) => {
                // The first finger has unintentionally begun a drag.
                self.moved = None;
                self.input.cancel(&mut self.session);
                self.fingers.gesture = Gesture::Camera;
            }
            _ => {}
        }
    }

    fn move_touch(&mut self, id: u64, at: Vec2) {
        let before = self.fingers.pair();
        let Some(finger) = self.fingers.at.iter_mut().find(|(other, _)| *other == id) else { return };
        finger.1 = at;
        match self.fingers.gesture {
            Gesture::Point(pointing) if pointing == id => {
                self.at = at;
                self.moved = Some(self.in_scene(at));
            }
            Gesture::Camera => {
                let (Some((from, spread)), Some((to, wider))) = (before, self.fingers.pair()) else { return };
                self.session.apply(Command::Orbit(to - from));
                if spread.min(wider) >= MIN_SPREAD {
                    let steps = (wider / spread).ln() * STEPS_PER_LOG;
                    self.session.apply(Command::Zoom(self.in_scene(to), steps));
                }
            }
            _ => {}
        }
    }

    fn end_touch(&mut self, id: u64, is_cancelled: bool) {
        self.fingers.at.retain(|(other, _)| *other != id);
        if self.fingers.gesture == Gesture::Point(id) {
            if is_cancelled {
                self.moved = None;
                self.input.cancel(&mut self.session);
            } else {
                self.flush_pointer();
                self.input.handle(Event::Released(Button::Left), &mut self.session);
            }
            // A lifted finger is not over anything, so clear the hover.
            self.input.handle(Event::Moved(Vec2::NEG_ONE), &mut self.session);
        }
        if self.fingers.at.is_empty() {
            self.fingers.gesture = Gesture::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Orbit;
    use crate::view::Bounds;
    use glam::Vec3;

    #[test]
    fn what_two_fingers_touch_follows_them() {
        let orbit = || Orbit::framing(&Bounds::around([Vec3::NEG_ONE, Vec3::ONE]), 1.0);
        let mut zoomed = orbit();
        zoomed.zoom(2.0_f32.ln() * STEPS_PER_LOG, orbit().target);
        assert!((zoomed.distance * 2.0 / orbit().distance - 1.0).abs() < 1e-4, "{}", zoomed.distance);
    }
}
