//! Taking hold, pulling and letting go.

use glam::Vec2;

use crate::camera::Camera;
use crate::picking::{Hit, pick};

use super::super::hand::Hand;
use super::{Session, TRAIL};

impl Session {
    pub(super) fn hover(&mut self, at: Vec2) {
        self.pointer = at;
        self.hover = self.under(at);
    }

    pub(super) fn under(&self, at: Vec2) -> Option<Hit> {
        at.is_finite().then(|| pick(&self.puppet, &self.camera(), at, self.size, &self.grips()))?
    }

    /// Nodes that are taken hold of before the skin: ends of chains, and with the skeleton all that a skin names.
    pub(super) fn grips(&self) -> Vec<usize> {
        let mut grips = self.handles.clone();
        if self.display.skeleton {
            grips.extend(self.puppet.character().skins.iter().flat_map(|s| &s.joints));
        }
        grips
    }

    pub(super) fn grab(&mut self, at: Vec2) {
        self.release();
        let Some(hit) = self.under(at) else { return };
        self.selected = Some(hit.node);
        self.trail.clear();
        let hand = Hand::new(hit, at, &self.puppet, self.state.clone());
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
        let Some(hand) = self.hand.take() else { return };
        if self.keep && !hand.whole {
            self.state.goals.retain(|g| g.node != hand.target.node);
            self.state.goals.push(hand.target);
        }
        if hand.before != self.state {
            self.history.remember(hand.before);
        }
        self.trail.clear();
        self.hover = self.under(self.pointer);
        if self.puppet.clip.is_some() {
            self.solve();
        }
    }

    pub(super) fn cancel(&mut self) {
        let before = self.hand.take().map(|hand| hand.before);
        self.restore(before);
    }

    /// Metres of a step where what is held snaps: about a fortieth of the character.
    pub(super) fn step(&self) -> f32 {
        self.room.sphere().1 / 40.0
    }
}
