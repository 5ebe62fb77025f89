//! The marks under the pointer, which highlight the hovered part of the character or the gizmo.

use glam::Vec2;

use crate::Command;
use crate::scene::picking::Hit;

use super::gizmo::GizmoGrip;
use super::picking::Picture;
use super::place::point;

/// The pointer, and what is under it.
#[derive(Debug)]
pub(crate) struct Hover {
    /// The last position of the pointer in pixels.
    pub(crate) pointer: Vec2,
    /// The part of the character that a click would grab.
    pub(crate) hit: Option<Hit>,
    /// The part of the gizmo that a click would grab.
    pub(crate) grip: Option<GizmoGrip>,
    /// The joint under the pointer in the panel's lists.
    pub(crate) hint: Option<usize>,
}

impl Default for Hover {
    fn default() -> Self {
        Self { pointer: Vec2::splat(-1.0), hit: None, grip: None, hint: None }
    }
}

impl Hover {
    pub(super) fn pick(&mut self, picture: &Picture<'_>, at: Vec2) {
        self.pointer = at;
        self.grip = GizmoGrip::under(picture, at);
        self.hit = if self.grip.is_some() { None } else { picture.under(at) };
    }

    /// Records the pointer position of a grab or a drag, so that the part under the pointer is marked when the drag ends.
    pub(super) fn note_pointer(&mut self, command: &Command) {
        use Command::{Drag, Grab, GrabSelected, GrabSelection};
        if let Grab(at) | GrabSelected(at) | GrabSelection(at) | Drag(at) = *command
            && at.is_finite()
        {
            self.pointer = at;
        }
    }

    pub(super) fn is_marked(&self) -> bool {
        self.hit.is_some() || self.grip.is_some()
    }

    /// Removes the marks.
    pub(super) fn clear(&mut self) {
        (self.hit, self.grip) = (None, None);
    }

    /// Updates the marks after a command. If `changes_view` is set, the command may have moved the character, the gizmo or the camera under
    /// a stationary pointer, so the marks are picked again. Otherwise, a mark on a moving character stays on its point.
    pub(super) fn refresh(&mut self, picture: &Picture<'_>, changes_view: bool) {
        if changes_view && (self.is_marked() || picture.contains(self.pointer)) {
            self.pick(picture, self.pointer);
            return;
        }
        if let Some(hit) = self.hit {
            let point = point(picture.puppet, hit.node, hit.offset);
            self.hit = point.filter(|p| p.is_finite()).map(|point| Hit { point, ..hit });
        }
        if self.grip.is_some() {
            self.grip = GizmoGrip::under(picture, self.pointer);
        }
    }
}
