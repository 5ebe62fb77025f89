//! What keys change, and taking it back.

use super::super::hand::chain_base;
use super::super::history::State;
use super::Session;
use crate::picking::Hit;

impl Session {
    pub(in super::super) fn restore(&mut self, state: Option<State>) {
        let Some(state) = state else { return };
        self.state = state;
        self.trail.clear();
        self.error = None;
        self.show();
    }

    /// Changes the node under the pointer, or the one that was held last.
    pub(super) fn change(&mut self, act: impl FnOnce(&mut State, usize)) {
        let Some(node) = self.subject() else { return };
        self.release();
        self.history.remember(self.state.clone());
        act(&mut self.state, node);
    }

    /// What a key speaks of.
    pub(in super::super) fn subject(&self) -> Option<usize> {
        self.hand.as_ref().map(|h| h.hit.node).or(self.hover.map(|h| h.node)).or(self.selected)
    }

    pub(super) fn rest(&mut self, chain: bool) {
        let Some(node) = self.subject() else { return };
        self.release();
        let hit = self.hover.filter(|h| h.node == node);
        let skeleton = &self.puppet.character().skeleton;
        let place = Hit { node, point: glam::Vec3::ZERO, offset: glam::DVec3::ZERO, handle: true };
        let base = chain_base(self.puppet.character(), &self.puppet.rig, &hit.unwrap_or(place));
        let mut nodes = vec![node];
        if let Some(base) = base.filter(|_| chain) {
            nodes.extend(skeleton.ancestors(node).skip(1).take_while(|&n| n != base));
            nodes.push(base);
        }
        let rests: Vec<_> = nodes.iter().filter_map(|&n| Some((n, skeleton.nodes.get(n)?.rest))).collect();
        self.history.remember(self.state.clone());
        self.state.goals.retain(|g| !nodes.contains(&g.node));
        for (node, rest) in rests {
            if let Some(local) = self.state.held.locals.get_mut(node) {
                *local = rest;
            }
        }
        self.show();
    }

    pub(super) fn rest_all(&mut self) {
        self.release();
        self.history.remember(self.state.clone());
        self.state.held.reset(&self.puppet.character().skeleton);
        self.state.goals.clear();
        self.show();
    }
}
