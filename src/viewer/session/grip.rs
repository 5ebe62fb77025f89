//! Taking hold, pulling and letting go.

use glam::{DVec3, Vec2, Vec3};

use crate::camera::Camera;
use crate::picking::{Hit, pick};

use super::super::hand::Hand;
use super::{Session, TRAIL};

impl Session {
    pub(super) fn hover(&mut self, at: Vec2) {
        self.pointer = at;
        self.hot = self.grip_under(at);
        self.hover = if self.hot.is_some() { None } else { self.under(at) };
    }

    /// Where a node is, world metres.
    pub(in super::super) fn place(&self, node: usize) -> Option<Vec3> {
        self.puppet.world_from_node().get(node).map(|m| m.translation.into())
    }

    /// Turns the camera around what is there from now on; a pole that is there is taken away.
    pub(super) fn center(&mut self, at: Vec2) {
        let grip = self.grip_under(at);
        if grip.is_some() {
            self.unset_pole(grip);
        } else if let Some(hit) = self.under(at) {
            self.orbit.target = hit.point;
        }
    }

    pub(super) fn under(&self, at: Vec2) -> Option<Hit> {
        let inside = at.cmpge(Vec2::ZERO).all() && at.cmple(self.size).all();
        let hit = inside.then(|| pick(&self.puppet, &self.camera(), at, self.size, &self.grips()))?;
        hit.map(|hit| self.whole(hit))
    }

    /// Nodes that are taken hold of before the skin: ends of chains, and with the skeleton all that a skin names.
    pub(super) fn grips(&self) -> Vec<usize> {
        let mut grips: Vec<usize> = self.handles().collect();
        if self.display.skeleton {
            grips.extend(self.puppet.character().skins.iter().flat_map(|s| &s.joints));
        }
        grips
    }

    pub(super) fn grab(&mut self, at: Vec2) {
        self.release();
        if self.grab_gizmo(at) {
            return;
        }
        if let Some(hit) = self.under(at) {
            self.hold_on(hit, at);
        }
    }

    /// Takes hold of the selected joint's own place.
    pub(super) fn grab_selected(&mut self, at: Vec2) {
        self.release();
        let Some(node) = self.selected else { return };
        if let Some(point) = self.place(node).filter(|p| p.is_finite()) {
            self.hold_on(Hit { node, point, offset: DVec3::ZERO, handle: true }, at);
        }
    }

    fn hold_on(&mut self, hit: Hit, at: Vec2) {
        self.last = Some(hit.node);
        self.trail.clear();
        let mut hand = Hand::new(hit, at, &self.puppet, self.state.clone());
        if self.puppet.motion.is_rest() {
            hand.pins = hand.pins.iter().map(|p| self.pin_here(p.node)).collect();
        }
        self.hand = Some(hand);
        self.comparison.begin(&self.state.held);
    }

    pub(super) fn with_hand(&mut self, act: impl FnOnce(&mut Hand, Vec2, &Camera, f32)) {
        let (camera, size, step) = (self.camera(), self.size, self.step());
        let Some(hand) = &mut self.hand else { return };
        act(hand, size, &camera, step);
        self.solve();
        self.leave_trail();
    }

    pub(super) fn leave_trail(&mut self) {
        let Some(hand) = &self.hand else { return };
        let Some(world) = self.puppet.world_from_node().get(hand.target.node) else { return };
        self.trail.push(world.transform_point3(hand.target.offset.as_vec3()));
        if self.trail.len() > TRAIL {
            self.trail.remove(0);
        }
    }

    pub(super) fn release(&mut self) {
        self.history.end_run();
        self.release_gizmo();
        let Some(hand) = self.hand.take() else { return };
        if self.keep && hand.moved && !hand.whole {
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

    /// Metres of a step where what is held snaps: about a fortieth of the character.
    pub(super) fn step(&self) -> f32 {
        self.room.sphere().1 / 40.0
    }
}
