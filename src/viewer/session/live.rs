//! What a live source says of the pose.

use crate::asset::Transform;

use super::super::history::Run;
use super::Session;
use super::stance::is_sound;

impl Session {
    /// Puts nodes where a live source says, and gives all morphs its weights if it says any; goals are met on top. What comes in a row is one
    /// step of the history. What no node could do, or no node of this character, is left out.
    pub(super) fn follow(&mut self, nodes: &[(usize, Transform)], morphs: &[f32]) {
        self.history.remember_run(Run::Live, &self.state);
        let held = &mut self.state.held;
        for (node, transform) in nodes.iter().filter(|(_, t)| is_sound(t)) {
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
