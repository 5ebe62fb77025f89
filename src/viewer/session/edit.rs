//! Edits that keys trigger, and undo.

use crate::puppet::Pin;
use crate::scene::picking::Hit;
use crate::viewer::session::drag::chain_base;
use crate::viewer::session::history::State;

use super::Session;

impl Session {
    pub(in crate::viewer) fn restore(&mut self, state: Option<State>) {
        let Some(state) = state else { return };
        let rig = std::sync::Arc::clone(&state.rig);
        self.state = state;
        self.set_rig(rig);
        self.apply_motion();
        self.trail.clear();
        (self.error, self.problem) = (None, None);
        self.show();
    }

    /// Edits the state with a function, which receives a pin at the current position of a node. Does nothing without a
    /// node.
    pub(super) fn change(&mut self, node: Option<usize>, act: impl FnOnce(&mut State, Pin)) {
        let Some(node) = node else { return };
        self.release();
        let pin = self.pin_here(node);
        self.history.remember(self.state.clone());
        act(&mut self.state, pin);
    }

    /// Returns the node that a key acts on: the dragged one, the hovered one, the selected one or the last one dragged.
    pub(in crate::viewer) fn active_node(&self) -> Option<usize> {
        let held = self.drag.as_ref().map(|h| h.hit.node);
        held.or(self.hover.map(|h| h.node)).or(self.selected).or(self.last)
    }

    /// Selects a joint, or clears the selection.
    pub(super) fn select(&mut self, node: Option<usize>) {
        self.release();
        self.selected = node.filter(|&n| n < self.state.held.locals.len());
        (self.hovered_grip, self.last) = (None, None);
    }

    pub(super) fn rest(&mut self, chain: bool) {
        if self.remove_pole(self.hovered_grip) {
            return;
        }
        let Some(node) = self.active_node() else { return };
        self.release();
        let hit = self.hover.filter(|h| h.node == node);
        let skeleton = &self.puppet.character().skeleton;
        let origin = Hit { node, point: glam::Vec3::ZERO, offset: glam::DVec3::ZERO, handle: true };
        let base = chain_base(self.puppet.character(), &self.puppet.rig, &hit.unwrap_or(origin));
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
        self.problem = None;
        self.refresh_pins();
        self.show();
    }

    pub(super) fn rest_all(&mut self) {
        self.release();
        self.history.remember(self.state.clone());
        self.state.held.reset(&self.puppet.character().skeleton);
        self.state.goals.clear();
        self.problem = None;
        self.refresh_pins();
        self.show();
    }
}
