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

    /// Records the pointer position at a grab and during a drag, so that the part under the pointer is marked when the drag ends.
    pub(super) fn point_at(&mut self, at: Vec2) {
        if at.is_finite() {
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

/// Returns whether a command may instantly change the object under the pointer.
pub(super) fn changes_view(command: &Command) -> bool {
    matches!(
        command,
        Command::Release
            | Command::Cancel
            | Command::Undo
            | Command::Redo
            | Command::Key
            | Command::KeyMove(..)
            | Command::KeyCopy(..)
            | Command::KeyDelete(_)
            | Command::KeyJointsMove(..)
            | Command::KeyJointsCopy(..)
            | Command::KeyJointsDelete(..)
            | Command::PlantKeys
            | Command::AddContact(_)
            | Command::KeyGoal(_)
            | Command::Rest(_)
            | Command::RestAll
            | Command::ResetJoint
            | Command::ResetLimb
            | Command::MirrorPose
            | Command::MirrorLimb
            | Command::SetPose(..)
            | Command::RemoveGoal(_)
            | Command::Select(_)
            | Command::SelectAdd(_)
            | Command::SelectRemove(_)
            | Command::RingMode(_)
            | Command::Tool(_)
            | Command::Seek(_)
            | Command::Clip(_)
            | Command::Camera(_)
            | Command::FrameAll
            | Command::Center(_)
    )
}
