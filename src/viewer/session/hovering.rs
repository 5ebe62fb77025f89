//! The marks under the pointer, which highlight the hovered part of the character or the gizmo.

use glam::Vec2;

use crate::Command;

use super::Session;

impl Session {
    pub(super) fn hover(&mut self, at: Vec2) {
        self.pointer = at;
        self.hovered_grip = self.grip_under(at);
        self.hover = if self.hovered_grip.is_some() { None } else { self.under(at) };
    }

    /// Records the pointer position during a drag, so that the part under the pointer is marked when the drag ends.
    pub(super) fn point_at(&mut self, at: Vec2) {
        if at.is_finite() {
            self.pointer = at;
        }
    }

    /// Updates the marks after a command. If `changes_view` is set, the command may have moved the character, the gizmo or the camera under
    /// a stationary pointer, so the marks are picked again. Otherwise, a mark on a moving character stays on its point.
    pub(super) fn refresh_hover(&mut self, changes_view: bool) {
        if self.is_dragging() {
            return;
        }
        let is_marked = self.hover.is_some() || self.hovered_grip.is_some();
        if changes_view && (is_marked || self.is_pointer_inside()) {
            self.hover(self.pointer);
            return;
        }
        let world = |node: usize| self.puppet.world_from_node().get(node);
        if let Some(hit) = self.hover {
            let point = world(hit.node).map(|m| m.transform_point3(hit.offset.as_vec3()));
            self.hover =
                point.filter(|p| p.is_finite()).map(|point| crate::scene::picking::Hit { point, ..hit });
        }
        if self.hovered_grip.is_some() {
            self.hovered_grip = self.grip_under(self.pointer);
        }
    }

    fn is_pointer_inside(&self) -> bool {
        self.pointer.cmpge(Vec2::ZERO).all() && self.pointer.cmple(self.size).all()
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
