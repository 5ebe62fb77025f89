//! Keying: stores the pose as a key pose, or the changes made by goals as an edit of the motion.

use std::sync::Arc;

use crate::document::EditRun;
use crate::motion::Motion;
use crate::pose::Pose;

use super::Session;
use super::key_edits::{goal_key, keyed_motion, with_dragged_goals, with_key_pose};

impl Session {
    /// Stores the current pose as a key at the current time, ends the drag and clears the goals. If the motion has no strips, layers or
    /// edits, the key is a key pose. Otherwise it is an edit of the motion, unless the pose equals the motion's pose.
    pub(super) fn key(&mut self) {
        let wanted = self.puppet.primary_pose().clone();
        if !self.document.scene.motion.takes_keys() {
            return self.key_pose(&wanted);
        }
        let motion = with_key_pose(&self.puppet, &self.document.scene.motion, &wanted);
        let motion = with_dragged_goals(&self.puppet, &self.document.scene, &self.drags, motion);
        let motion = self.drags.with_laid(&self.puppet, motion);
        if motion == *self.document.scene.motion && !self.is_dragging() {
            return;
        }
        self.store_keyed(motion);
        self.document.scene.goals.clear();
        self.document.scene.held = wanted;
        self.steps.problem = None;
        self.apply_motion();
        self.refresh_pins();
        self.show();
    }

    /// Turns a pose into an edit of the motion at the current time, ends the drag and clears the goals.
    pub(super) fn key_pose(&mut self, wanted: &Pose) {
        let before = &self.document.scene.motion;
        let edited = keyed_motion(&self.puppet, before, |_| wanted.clone());
        let motion = edited.unwrap_or_else(|| Motion::clone(before));
        let motion = with_dragged_goals(&self.puppet, &self.document.scene, &self.drags, motion);
        if motion == *self.document.scene.motion {
            return;
        }
        self.store_keyed(motion);
        self.document.scene.goals.clear();
        self.apply_motion();
        self.show();
    }

    /// Stores a node's position as a goal key at the current time. The node's goal and pin are removed.
    pub(super) fn key_goal(&mut self, node: usize) {
        let (puppet, scene) = (&self.puppet, &self.document.scene);
        let Some(key) = goal_key(puppet, scene, &self.drags, node) else { return };
        // Without strips, the goal key applies on top of key poses, so at least one must exist.
        let before = &scene.motion;
        let has_pose = !before.keys.is_empty() || !before.takes_keys();
        let posed = if has_pose {
            Motion::clone(before)
        } else {
            with_key_pose(puppet, before, puppet.primary_pose())
        };
        let motion = posed.with_goal_key(key);
        let duration = motion.duration.map(|duration| duration.max(key.time));
        let motion = Motion { duration, ..motion };
        if motion.validate().is_err() || !motion.fits(puppet.character()) {
            return;
        }
        self.store_keyed(motion);
        self.document.scene.remove_goals(&[node]);
        self.document.scene.pins.retain(|pin| pin.node != node);
        self.steps.problem = None;
        self.apply_motion();
        self.follow_keys();
        self.show();
    }

    /// Ends the drag, adds an undo step that returns to the state before it, and stores the motion with a new key.
    fn store_keyed(&mut self, motion: Motion) {
        let before = self.drags.take_before();
        self.history.remember(before.unwrap_or_else(|| self.document.scene.clone()));
        self.document.scene.motion = Arc::new(motion);
        self.drags.trail.clear();
    }

    /// Keys the pose of an ending drag, if edits are keyed automatically. The drag and the key form one undo step.
    pub(super) fn key_drag(&mut self) {
        // Turns and morph weights already have an undo step.
        let is_edited =
            matches!(self.history.run(), Some(EditRun::Turn(_) | EditRun::TurnJoints | EditRun::Morph(_)));
        if !self.document.settings.auto_key {
            return;
        }
        if self.drags.has_posed() {
            self.key();
        } else if is_edited && self.document.scene.motion.takes_keys() {
            let scene = &self.document.scene;
            let motion = with_key_pose(&self.puppet, &scene.motion, &scene.held);
            self.document.scene.motion = Arc::new(self.drags.with_laid(&self.puppet, motion));
            self.apply_motion();
        }
    }

    /// If the motion consists of key poses, sets the held pose to the motion's pose at the current time. Unkeyed changes are lost.
    pub(super) fn follow_keys(&mut self) {
        let scene = &mut self.document.scene;
        if !scene.motion.has_only_keys() {
            return;
        }
        let time = self.puppet.time;
        self.puppet.pose_of(&scene.motion, time, &mut scene.held);
        scene.time = time;
        self.puppet.reset_solver();
        if self.document.scene.goals.is_empty() && !self.is_dragging() { self.show() } else { self.solve() }
    }

    /// Returns whether there is a pose to key.
    #[cfg(feature = "window")]
    pub(crate) fn can_key(&self) -> bool {
        let has_goals = !self.puppet.targets.is_empty() || !self.puppet.rotations.is_empty();
        has_goals || self.document.scene.motion.takes_keys()
    }
}
