//! Edits that keys trigger, and undo.

use crate::puppet::Pin;
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
}
