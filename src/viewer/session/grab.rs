//! Selecting, grabbing, dragging and releasing.

use glam::{DVec3, Vec2};

use crate::Command;
use crate::document::{Scene, Selection};
use crate::scene::picking::Hit;
use crate::session::command::{DragScope, NodePoint};

use super::Session;
use super::drag::Drag;
use super::drag_goal::bone_under;
use super::gizmo::{ArrowPull, GizmoDrag, GizmoGrip, settled_pins};
use super::picking::Picture;
use super::place::point;

impl Session {
    /// The active joint.
    pub fn selected(&self) -> Option<usize> {
        self.document.selection.active
    }

    /// Returns all selected joints, the active one first.
    pub fn selection(&self) -> Vec<usize> {
        self.document.selection.nodes()
    }

    /// Returns whether a drag is in progress.
    pub fn is_dragging(&self) -> bool {
        self.drags.is_active()
    }

    /// The part of the character that a click would grab.
    pub fn hovered(&self) -> Option<Hit> {
        self.hover.hit
    }

    /// Returns whether the pointer is on something that can be dragged.
    pub fn is_hovering(&self) -> bool {
        self.hover.is_marked()
    }

    /// Returns the node that keys act on: the dragged, hovered, active or last dragged node, in this order of precedence.
    pub(super) fn active_node(&self) -> Option<usize> {
        let held = self.drags.joint.as_ref().map(|drag| drag.hit.node);
        let Selection { active, last, .. } = self.document.selection;
        held.or(self.hover.hit.map(|h| h.node)).or(active).or(last)
    }

    /// Changes the selection.
    pub(super) fn select(&mut self, change: impl FnOnce(&mut Selection)) {
        self.release();
        change(&mut self.document.selection);
        self.hover.grip = None;
    }

    /// Grabs what is under the pointer: a part of the gizmo, or a point of the character.
    pub(super) fn grab(&mut self, at: Vec2) {
        self.release();
        if self.grab_gizmo(at) {
            return;
        }
        if let Some(hit) = self.picture().under(at) {
            let (scope, base) = (self.document.settings.drag_scope, self.document.scene.base);
            let bone = bone_under(&hit, &self.puppet, scope, base);
            self.start_drag(bone.unwrap_or(hit), at);
            if let Some(drag) = &mut self.drags.joint {
                drag.hold_skin(hit.point);
            }
        }
    }

    /// Grabs the selected joint at its origin.
    pub(super) fn grab_selected(&mut self, at: Vec2) {
        self.release();
        let Some(node) = self.document.selection.active else { return };
        if let Some(point) = self.position_of(node).filter(|p| p.is_finite()) {
            self.start_drag(Hit { node, point, offset: DVec3::ZERO, handle: true }, at);
        }
    }

    /// Grabs a point of a node, wherever the pointer is. Unknown nodes are ignored.
    pub(super) fn grab_node(&mut self, NodePoint { node, offset }: NodePoint) {
        self.release();
        if let Some(point) = point(&self.puppet, node, offset).filter(|p| p.is_finite()) {
            self.start_drag(Hit { node, point, offset, handle: offset == DVec3::ZERO }, self.hover.pointer);
        }
    }

    fn start_drag(&mut self, hit: Hit, at: Vec2) {
        self.document.selection.last = Some(hit.node);
        self.drags.trail.clear();
        let (scope, before) = (self.document.settings.drag_scope, self.document.scene.clone());
        self.drags.joint = Some(Drag::new(hit, at, &self.puppet, scope, before));
        self.drags.begin_reflection(&self.puppet, self.document.settings.symmetry);
        self.comparison.set_start_pose(&self.document.scene.held);
    }

    /// Starts dragging the part of the gizmo at a pixel. Returns false if no part is there.
    fn grab_gizmo(&mut self, at: Vec2) -> bool {
        let picture = Picture::new(&self.puppet, &self.document, &self.view);
        let Some(grip) = GizmoGrip::under(&picture, at) else { return false };
        if let Some(ArrowPull { hit, along, offset }) = ArrowPull::new(&picture, grip, at) {
            self.start_drag(hit, at);
            if let Some(drag) = &mut self.drags.joint {
                (drag.along, drag.grip, drag.by_gizmo) = (along, offset, true);
            }
            self.drags.grab_others(&self.puppet, &self.document.selection);
        } else {
            if !self.drags.grab_gizmo(&picture, grip, at) {
                return false;
            }
            self.comparison.set_start_pose(&self.document.scene.held);
        }
        self.hover.clear();
        true
    }

    /// Moves the dragged part of the gizmo to a pixel. `snap` turns snapping on or off.
    fn pull_gizmo(&mut self, at: Option<Vec2>, snap: Option<bool>) {
        let viewport = self.picture().viewport;
        if self.drags.pull_gizmo(at, snap, &viewport, &mut self.puppet, &mut self.document) {
            self.solve();
        }
    }

    /// Turns symmetric dragging on or off, including the current drag.
    pub(super) fn set_symmetry(&mut self, symmetry: bool) {
        if self.document.settings.symmetry == symmetry {
            return;
        }
        self.document.settings.symmetry = symmetry;
        if self.is_dragging() {
            self.drags.begin_reflection(&self.puppet, symmetry);
            self.solve();
        }
    }

    /// Changes the scope of the current drag. The result is the same as if the drag had started with this scope.
    pub(super) fn set_current_scope(&mut self, scope: DragScope) {
        if self.drags.joint.as_ref().is_some_and(|drag| drag.scope != scope) {
            self.restart_drag(Some(scope));
        }
    }

    /// Solves the current drag again from its initial pose, so that the result does not depend on the previously selected method. `scope`
    /// is a new scope.
    pub(super) fn restart_drag(&mut self, scope: Option<DragScope>) {
        let Some(mut drag) = self.drags.joint.take() else { return };
        if self.puppet.is_posed_by_hand() {
            self.document.scene.held.clone_from(&drag.before.held);
            self.show();
            self.puppet.reset_solver();
            self.comparison.set_start_pose(&self.document.scene.held);
        }
        drag.set_scope(scope.unwrap_or(drag.scope), &self.puppet);
        let (has_moved, is_prepared) = (drag.moved, drag.surroundings.is_some());
        self.drags.joint = Some(drag);
        self.drags.trail.clear();
        if !is_prepared {
            self.prepare_landing();
        }
        if has_moved {
            let (camera, size, step) = (self.camera(), self.view.size, self.view.home.grid_step());
            if let Some(drag) = self.drags.joint.as_mut().filter(|drag| drag.follows_pointer) {
                // With another scope, the drag may land elsewhere or not at all.
                drag.follow(size, &camera, step);
            }
            self.solve_drag();
        }
    }

    /// Prepares the landing of a drag in its initial pose. While a motion plays, nothing lands.
    fn prepare_landing(&mut self) {
        if self.document.settings.landing && !self.is_playing() {
            self.drags.prepare_landing(&self.puppet);
        }
    }

    /// Executes a command that moves the drag or changes how it moves.
    pub(super) fn update_drag(&mut self, command: &Command) {
        let (camera, size, step) = (self.camera(), self.view.size, self.view.home.grid_step());
        match *command {
            Command::Drag(at) => self.pull_gizmo(Some(at), None),
            Command::Snap(snap) => self.pull_gizmo(None, Some(snap)),
            // Only a look-at point can be pushed.
            Command::Push(by) => {
                let at = self.drags.gizmo.as_mut().and_then(|drag| drag.push(by, &camera));
                at.into_iter().for_each(|at| self.pull_gizmo(Some(at), None));
            }
            _ => {}
        }
        if self.drags.joint.as_ref().is_some_and(|drag| !drag.moved) {
            self.prepare_landing();
        }
        let Some(drag) = &mut self.drags.joint else { return };
        drag.execute(command, size, &camera, step);
        if drag.turns_joint && self.puppet.is_posed_by_hand() {
            // The rotation depends only on the pointer position, so that a joint does not twist while the pointer moves in circles.
            self.document.scene.held.clone_from(&drag.before.held);
            self.puppet.reset_solver();
        }
        self.solve_drag();
        self.drags.extend_trail(&self.puppet);
    }

    /// Solves for the drag's target, and then for its landing if there is one.
    fn solve_drag(&mut self) {
        let has_targets = self.solve_goals();
        self.settle_landing();
        self.update_comparison(has_targets);
    }

    /// Solves until the landing part touches the surface. If the surface has less than full weight, the target is then moved back
    /// proportionally.
    fn settle_landing(&mut self) {
        let Some(drag) = &self.drags.joint else { return };
        let Some((landing, around)) = drag.landing.zip(drag.surroundings.clone()) else { return };
        let mut approach = around.approach(landing);
        while let Some(step) = approach.step(self.puppet.world_from_node()) {
            let Some(drag) = &mut self.drags.joint else { return };
            drag.shift(step);
            self.solve_goals();
        }
        if let Some(drag) = self.drags.joint.as_mut().filter(|_| landing.weight < 1.0) {
            drag.leave_surface(&landing);
            self.solve_goals();
        }
    }

    /// Ends the drag and records it as one undo step.
    pub(super) fn release(&mut self) {
        self.drags.note_laid(&self.puppet);
        self.key_drag();
        self.history.end_run();
        self.release_gizmo();
        let Some(drag) = self.drags.joint.take() else { return };
        if drag.moved && !drag.moves_root {
            let target = Drag::settled(&drag.target, &self.puppet);
            let others = drag.others.iter().map(|(_, other)| Drag::settled(other, &self.puppet));
            let goals = std::iter::once(target).chain(others).collect();
            self.drags.keep_goals(&self.puppet, &mut self.document, goals, &target);
        }
        if drag.turns_joint && drag.moved {
            // Pinned descendants of the joint have moved with it.
            self.settle_pins();
        }
        self.drags.trail.clear();
        self.finish_drag(drag.before);
    }

    /// Ends the drag of a part of the gizmo.
    fn release_gizmo(&mut self) {
        let Some(drag) = self.drags.gizmo.take() else { return };
        if let Some(target) = drag.target() {
            self.drags.keep_goals(&self.puppet, &mut self.document, vec![target], &target);
        }
        if drag.turns_joints() {
            self.settle_pins();
        } else if drag.limit().is_some() {
            self.refresh_pins();
        }
        self.finish_drag(drag.before);
    }

    /// Adds an undo step that returns to the state before a drag, unless nothing has changed.
    fn finish_drag(&mut self, before: Scene) {
        if before != self.document.scene {
            self.history.remember(before);
        }
        if !self.puppet.is_posed_by_hand() {
            self.solve();
        }
    }

    /// Moves the pins that are unreachable after a turn to the current positions of their nodes.
    fn settle_pins(&mut self) {
        if self.puppet.is_posed_by_hand() {
            self.show();
            let radius = self.view.home.scene_bounds.sphere().1;
            self.document.scene.pins = settled_pins(&self.puppet, &self.document.scene, radius);
        }
    }

    /// Restores the state before the drag, or before the turns that are still collected.
    pub(super) fn cancel(&mut self) {
        if let Some(before) = self.drags.gizmo.as_ref().and_then(GizmoDrag::look_before) {
            self.document.settings.look_at = before;
        }
        let before = self.drags.take_before().or_else(|| self.history.cancel_turn());
        self.restore(before);
    }
}
