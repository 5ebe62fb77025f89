//! What a live source says of the pose.

use std::time::Duration;

use crate::asset::Transform;

use super::Session;
use super::stance::is_sound;

/// Longer than this no source is silent that goes on.
const PAUSE: Duration = Duration::from_secs(1);

impl Session {
    /// Puts nodes where a live source says, and gives all morphs its weights if it says any; goals are met on top. What no
    /// node could do, or no node of this character, is left out.
    ///
    /// That it begins, or goes on after a pause, is one step of the history; nothing that comes then is. A person's steps
    /// between stay whole, and can be taken back while the source goes on.
    pub(super) fn follow(&mut self, nodes: &[(usize, Transform)], morphs: &[f32]) {
        let now = self.clock.now;
        if self.followed.is_none_or(|last| now.saturating_sub(last) > PAUSE) {
            self.history.remember(self.state.clone());
        }
        self.followed = Some(now);
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
