//! Poses from a live source.

use std::time::Duration;

use crate::asset::Transform;

use super::Session;
use super::snapshot::is_valid;

/// A source is considered paused if it sends nothing for longer than this.
const MAX_GAP: Duration = Duration::from_secs(1);

impl Session {
    /// Sets the local transforms of some nodes, and all morph weights unless `morphs` is empty. The goals are then
    /// solved from this pose. Invalid transforms and unknown nodes are ignored.
    ///
    /// The first pose of a source adds one undo step, and so does the first pose after each pause. Other poses add
    /// none, so that the user's own edits remain separate undo steps.
    pub(super) fn apply_live_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32]) {
        let now = self.clock.now;
        if self.followed.is_none_or(|last| now.saturating_sub(last) > MAX_GAP) {
            self.history.remember(self.state.clone());
        }
        self.followed = Some(now);
        let held = &mut self.state.held;
        for (node, transform) in nodes.iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = held.locals.get_mut(*node) {
                *local = *transform;
            }
        }
        if morphs.len() == held.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            held.weights.copy_from_slice(morphs);
        }
        if self.is_dragging() || !self.state.goals.is_empty() { self.solve() } else { self.show() }
    }
}
