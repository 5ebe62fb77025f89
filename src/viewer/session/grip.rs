//! Grabbing, dragging and releasing.

use glam::{DVec3, Vec2, Vec3};

use crate::camera::Camera;
use crate::picking::{Hit, pick};

use super::super::hand::Hand;
use super::{MAX_TRAIL_POINTS, Session};

impl Session {
    pub(super) fn hover(&mut self, at: Vec2) {
        self.pointer = at;
        self.hot = self.grip_under(at);
        self.hover = if self.hot.is_some() { None } else { self.under(at) };
    }

    /// Returns the position of a node in world metres.
    pub(in super::super) fn place(&self, node: usize) -> Option<Vec3> {
        self.puppet.world_from_node().get(node).map(|m| m.translation.into())
    }

    /// Makes the point under the pointer the target of the camera, or removes the pole that is under the pointer.
    pub(super) fn center(&mut self, at: Vec2) {
        let grip = self.grip_under(at);
        if grip.is_some() {
            self.remove_pole(grip);
        } else if let Some(hit) = self.under(at) {
            self.orbit.target = hit.point;
        }
    }

    pub(super) fn under(&self, at: Vec2) -> Option<Hit> {
        let inside = at.cmpge(Vec2::ZERO).all() && at.cmple(self.size).all();
        let hit =
            inside.then(|| pick(&self.puppet, &self.camera(), at, self.size, &self.pickable_nodes()))?;
        hit.map(|hit| self.resolve_finger(hit))
    }

    /// Returns the nodes that are picked before the skin: chain ends, and all skin joints if the skeleton is shown.
    pub(super) fn pickable_nodes(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.handles().collect();
        if self.display.skeleton {
            nodes.extend(self.puppet.character().skins.iter().flat_map(|s| &s.joints));
        }
        nodes
    }

    pub(super) fn grab(&mut self, at: Vec2) {
        self.release();
        if self.grab_gizmo(at) {
            return;
        }
        if let Some(hit) = self.under(at) {
            self.start_drag(hit, at);
        }
    }

    /// Grabs the selected joint at its origin.
    pub(super) fn grab_selected(&mut self, at: Vec2) {
        self.release();
        let Some(node) = self.selected else { return };
        if let Some(point) = self.place(node).filter(|p| p.is_finite()) {
            self.start_drag(Hit { node, point, offset: DVec3::ZERO, handle: true }, at);
        }
    }

    fn start_drag(&mut self, hit: Hit, at: Vec2) {
        self.last = Some(hit.node);
        self.trail.clear();
        let mut hand = Hand::new(hit, at, &self.puppet, self.state.clone());
        if self.puppet.motion.is_rest() {
            hand.pins = hand.pins.iter().map(|p| self.pin_here(p.node)).collect();
        }
        self.hand = Some(hand);
        self.comparison.begin(&self.state.held);
    }

    pub(super) fn update_drag(&mut self, act: impl FnOnce(&mut Hand, Vec2, &Camera, f32)) {
        let (camera, size, step) = (self.camera(), self.size, self.step());
        let Some(hand) = &mut self.hand else { return };
        act(hand, size, &camera, step);
        self.solve();
        self.extend_trail();
    }

    pub(super) fn extend_trail(&mut self) {
        let Some(hand) = &self.hand else { return };
        let Some(world) = self.puppet.world_from_node().get(hand.target.node) else { return };
        self.trail.push(world.transform_point3(hand.target.offset.as_vec3()));
        if self.trail.len() > MAX_TRAIL_POINTS {
            self.trail.remove(0);
        }
    }

    pub(super) fn release(&mut self) {
        self.history.end_run();
        self.release_gizmo();
        let Some(hand) = self.hand.take() else { return };
        if self.keep && hand.moved && !hand.moves_root {
            self.state.goals.retain(|g| g.node != hand.target.node);
            self.state.goals.push(hand.target);
        }
        if hand.before != self.state {
            self.history.remember(hand.before);
        }
        self.trail.clear();
        self.hover = self.under(self.pointer);
        if !self.puppet.motion.is_rest() {
            self.solve();
        }
    }

    pub(super) fn cancel(&mut self) {
        let held = self.hold.take().map(|hold| hold.before);
        let before = self.hand.take().map(|hand| hand.before);
        self.restore(held.or(before));
    }

    /// Returns the grid step for snapping in metres, a fortieth of the radius of the scene bounds.
    pub(super) fn step(&self) -> f32 {
        self.scene_bounds.sphere().1 / 40.0
    }
}
