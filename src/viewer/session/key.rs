//! Goals keyed: what they have made of the pose becomes part of the motion.

use std::sync::Arc;

use crate::motion::Keyed;

use super::Session;

/// How long a keyed posture takes to come, and to go, seconds.
const REACH: f32 = 0.4;

impl Session {
    /// Makes the pose as it stands an edit of the motion at this time, and lets go what was held and wanted for it.
    /// Nothing is done at rest, or where the pose is the motion's own.
    pub(super) fn key(&mut self) {
        if self.puppet.motion.is_rest() {
            return;
        }
        let mut free = self.puppet.clone();
        (free.targets, free.pins, free.rotations) = Default::default();
        // Without goals nothing can be refused.
        drop(free.update());
        let own = free.pose().clone();
        free.motion.edits.clear();
        free.motion.plant = false;
        drop(free.update());
        let round = self.puppet.again.then(|| self.seconds());
        let poses = Keyed { bare: free.pose(), own: &own, wanted: self.puppet.pose(), round };
        let keyed = self.state.motion.keyed(poses, self.puppet.time, REACH);
        let Some(motion) = keyed.filter(|m| m.fault().is_none()) else { return };
        let held = self.hold.take().map(|hold| hold.before);
        let before = self.hand.take().map(|hand| hand.before).or(held);
        self.history.remember(before.unwrap_or_else(|| self.state.clone()));
        self.state.goals.clear();
        self.state.motion = Arc::new(motion);
        self.trail.clear();
        self.take_motion();
    }

    /// Whether the motion has keys.
    #[cfg(feature = "viewer")]
    pub(in super::super) fn is_keyed(&self) -> bool {
        !self.state.motion.edits.is_empty()
    }

    /// Whether there is a pose that could be keyed.
    #[cfg(feature = "viewer")]
    pub(in super::super) fn can_key(&self) -> bool {
        let wants = !self.puppet.targets.is_empty() || !self.puppet.rotations.is_empty();
        wants && !self.puppet.motion.is_rest()
    }
}
