//! Grabbing, dragging and releasing.

use glam::{DVec3, Vec2};

use crate::puppet::Target;
use crate::rig::LimbKind;
use crate::scene::picking::Hit;
use crate::session::command::{DragScope, NodePoint};
use crate::session::drag::Drag;
use crate::session::drag_goal::DragGoal;
use crate::session::gizmo::GizmoDrag;
use crate::view::Camera;

use super::place::pin_here;
use super::{MAX_TRAIL_POINTS, Session};

/// Maximum number of other joints that a drag pulls.
const MAX_OTHERS: usize = 31;

impl Session {
    /// Returns the next scope in the cycle of drag scopes, skipping a scope that makes no difference for this character.
    pub fn next_scope(&self) -> DragScope {
        match self.document.settings.drag_scope {
            DragScope::Body if self.has_body() => DragScope::Limb,
            DragScope::Body | DragScope::Limb => DragScope::Joint,
            DragScope::Joint => DragScope::Body,
        }
    }

    /// Returns whether the character has a recognised body, which [`DragScope::Body`] moves as a whole.
    pub fn has_body(&self) -> bool {
        self.puppet.rig.body.is_some()
    }

    pub(super) fn grab(&mut self, at: Vec2) {
        self.release();
        if self.grab_gizmo(at) {
            return;
        }
        if let Some(hit) = self.picture().under(at) {
            let bone = self.bone_under(&hit);
            self.start_drag(bone.unwrap_or(hit), at);
            if let Some(drag) = &mut self.drag {
                drag.hold_skin(hit.point);
            }
        }
    }

    /// Returns the point on the bone under a skin point of the trunk or a leg, if the whole body would follow the drag. Pulling the skin
    /// point itself would rotate such a thick part about its bone.
    fn bone_under(&self, hit: &Hit) -> Option<Hit> {
        let goal =
            DragGoal::new(hit, &self.puppet, self.document.settings.drag_scope, self.document.scene.base);
        let plan = self.puppet.rig.body.as_ref()?;
        let mut arms = plan.limbs.iter().filter(|limb| limb.kind != LimbKind::Leg);
        if hit.handle || !goal.moves_body() || arms.any(|arm| arm.joints.contains(&hit.node)) {
            return None;
        }
        let skeleton = &self.puppet.character().skeleton;
        let ends = skeleton.nodes.get(hit.node)?.children.iter();
        let ends =
            ends.filter_map(|&child| Some(self.puppet.pose().locals.get(child)?.translation.as_dvec3()));
        let nearest = |end: DVec3| {
            let share = hit.offset.dot(end) / end.length_squared();
            end * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
        };
        let distance = |offset: &DVec3| offset.distance_squared(hit.offset);
        let offset = ends.map(nearest).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let point = self.puppet.world_from_node().get(hit.node)?.transform_point3(offset.as_vec3());
        point.is_finite().then_some(Hit { point, offset, ..*hit })
    }

    /// Grabs all selected joints at their origins.
    pub(super) fn grab_selection(&mut self, at: Vec2) {
        self.grab_selected(at);
        self.grab_others();
    }

    /// Adds the other topmost selected joints to the drag.
    pub(super) fn grab_others(&mut self) {
        let Some(drag) = &self.drag else { return };
        let nodes = self
            .document
            .selection
            .topmost(&self.puppet.character().skeleton)
            .into_iter()
            .filter(|&node| node != drag.hit.node);
        let hit = |node: usize| {
            let point = self.position_of(node).filter(|point| point.is_finite())?;
            Some(Hit { node, point, offset: DVec3::ZERO, handle: true })
        };
        let others: Vec<Hit> = nodes.filter_map(hit).take(MAX_OTHERS).collect();
        if let Some(drag) = &mut self.drag {
            drag.set_others(&others, &self.puppet);
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
        let Some(world) = self.puppet.world_from_node().get(node) else { return };
        let point = world.transform_point3(offset.as_vec3());
        if point.is_finite() {
            self.start_drag(Hit { node, point, offset, handle: offset == DVec3::ZERO }, self.hover.pointer);
        }
    }

    pub(super) fn start_drag(&mut self, hit: Hit, at: Vec2) {
        self.document.selection.last = Some(hit.node);
        self.trail.clear();
        let drag =
            Drag::new(hit, at, &self.puppet, self.document.settings.drag_scope, self.document.scene.clone());
        self.drag = Some(self.with_pins_here(drag));
        self.begin_reflection();
        self.comparison.set_start_pose(&self.document.scene.held);
    }

    /// Returns the drag with its pins at the current positions of their nodes. If a motion determines the pose, the pins keep the positions
    /// from the motion.
    fn with_pins_here(&self, mut drag: Drag) -> Drag {
        if self.puppet.is_posed_by_hand() {
            drag.pins = drag.pins.iter().map(|p| pin_here(&self.puppet, p.node)).collect();
        }
        drag
    }

    /// Changes the scope of the current drag. The result is the same as if the drag had started with this scope.
    pub(super) fn set_current_scope(&mut self, scope: DragScope) {
        let Some(drag) = self.drag.take_if(|drag| drag.scope != scope) else { return };
        self.restart_drag(drag, scope);
    }

    /// Solves the current drag again from its initial pose, so that the result does not depend on the previously selected method.
    pub(super) fn resolve_drag(&mut self) {
        if let Some(drag) = self.drag.take() {
            let scope = drag.scope;
            self.restart_drag(drag, scope);
        }
    }

    fn restart_drag(&mut self, mut drag: Drag, scope: DragScope) {
        if self.puppet.is_posed_by_hand() {
            self.document.scene.held.clone_from(&drag.before.held);
            self.show();
            self.puppet.reset_solver();
            self.comparison.set_start_pose(&self.document.scene.held);
        }
        drag.set_scope(scope, &self.puppet);
        let drag = self.with_pins_here(drag);
        let has_moved = drag.moved;
        self.drag = Some(drag);
        self.trail.clear();
        if self.drag.as_ref().is_some_and(|drag| drag.surroundings.is_none()) {
            self.prepare_landing();
        }
        if has_moved {
            let (camera, size, step) = (self.camera(), self.view.size, self.step());
            if let Some(drag) = self.drag.as_mut().filter(|drag| drag.follows_pointer) {
                // With another scope, the drag may land elsewhere or not at all.
                drag.refresh(size, &camera, step);
            }
            self.solve_drag();
        }
    }

    /// Solves for the drag's target, and then for its landing if there is one.
    fn solve_drag(&mut self) {
        let has_targets = self.solve_goals();
        self.settle_landing();
        self.update_comparison(has_targets);
    }

    pub(super) fn update_drag(&mut self, act: impl FnOnce(&mut Drag, Vec2, &Camera, f32)) {
        let (camera, size, step) = (self.camera(), self.view.size, self.step());
        if self.drag.as_ref().is_some_and(|drag| !drag.moved) {
            self.prepare_landing();
        }
        let Some(drag) = &mut self.drag else { return };
        act(drag, size, &camera, step);
        let before = drag.turns_joint.then_some(&drag.before.held);
        if let Some(before) = before.filter(|_| self.puppet.is_posed_by_hand()) {
            // The rotation depends only on the pointer position, so that a joint does not twist while the pointer moves in circles.
            self.document.scene.held.clone_from(before);
            self.puppet.reset_solver();
        }
        self.solve_drag();
        self.extend_trail();
    }

    pub(super) fn extend_trail(&mut self) {
        let Some(drag) = &self.drag else { return };
        let Some(world) = self.puppet.world_from_node().get(drag.target.node) else { return };
        self.trail.push(world.transform_point3(drag.target.offset.as_vec3()));
        if self.trail.len() > MAX_TRAIL_POINTS {
            self.trail.remove(0);
        }
    }

    pub(super) fn release(&mut self) {
        self.note_laid();
        self.key_drag();
        self.history.end_run();
        self.release_gizmo();
        let Some(drag) = self.drag.take() else { return };
        if drag.moved && !drag.moves_root {
            let target = Drag::settled(&drag.target, &self.puppet);
            let others = drag.others.iter().map(|(_, other)| Drag::settled(other, &self.puppet));
            let goals: Vec<Target> =
                [target].into_iter().chain(others).chain(self.reflected(&target)).collect();
            // Goal keys would pull a dragged joint back, so such a joint keeps its goal.
            for goal in goals {
                if self.document.settings.keep_goals || self.has_goal_key(goal.node) {
                    self.document.scene.store_goal(goal);
                }
            }
        }
        if drag.turns_joint && drag.moved {
            // Pinned descendants of the joint have moved with it.
            self.settle_pins();
        }
        if drag.before != self.document.scene {
            self.history.remember(drag.before);
        }
        self.trail.clear();
        if !self.puppet.is_posed_by_hand() {
            self.solve();
        }
    }

    pub(super) fn cancel(&mut self) {
        let hold = self.gizmo_drag.take();
        if let Some(before) = hold.as_ref().and_then(GizmoDrag::look_before) {
            self.document.settings.look_at = before;
        }
        let held = hold.map(|hold| hold.before);
        let before = self.drag.take().map(|drag| drag.before);
        let dragged = held.or(before);
        let before = if dragged.is_some() { dragged } else { self.history.cancel_turn() };
        self.restore(before);
    }

    /// Returns the grid step for snapping in metres: 1/40 of the radius of the bounding sphere of the scene.
    pub(super) fn step(&self) -> f32 {
        self.view.home.scene_bounds.sphere().1 / 40.0
    }
}
