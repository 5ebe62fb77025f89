//! Keying: turns the effect of the goals into an edit of the motion.

use std::sync::Arc;

use crate::motion::Keyed;

use super::Session;

/// Duration in seconds over which a keyed pose fades in, and over which it fades out.
pub(super) const FADE_SECONDS: f32 = 0.4;

impl Session {
    /// Turns the current pose into an edit of the motion at the current time, and clears the drag and the goals.
    /// Does nothing if no motion is loaded or if the pose does not differ from that of the motion.
    pub(super) fn key(&mut self) {
        if self.puppet.motion.is_rest() {
            return;
        }
        let mut free = self.puppet.clone();
        (free.targets, free.pins, free.rotations) = Default::default();
        // Without goals the update cannot fail.
        drop(free.update());
        let own = free.pose().clone();
        free.motion.edits.clear();
        free.motion.plant = false;
        drop(free.update());
        let round = self.puppet.looping.then(|| self.seconds());
        let poses = Keyed { bare: free.pose(), own: &own, wanted: self.puppet.pose(), round };
        let keyed = self.state.motion.keyed(poses, self.puppet.time, FADE_SECONDS);
        let Some(motion) = keyed.filter(|m| m.validate().is_ok()) else { return };
        let held = self.gizmo_drag.take().map(|hold| hold.before);
        let before = self.drag.take().map(|drag| drag.before).or(held);
        self.history.remember(before.unwrap_or_else(|| self.state.clone()));
        self.state.goals.clear();
        self.state.motion = Arc::new(motion);
        self.trail.clear();
        self.apply_motion();
    }

    /// Returns whether there is a pose to key.
    #[cfg(feature = "viewer")]
    pub(in crate::viewer) fn can_key(&self) -> bool {
        let has_goals = !self.puppet.targets.is_empty() || !self.puppet.rotations.is_empty();
        has_goals && !self.puppet.motion.is_rest()
    }
}
