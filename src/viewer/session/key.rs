//! Keying: stores the pose as a key pose, or the changes made by goals as an edit of the motion. Also edits the keys at given times.

use std::sync::Arc;

use crate::document::EditRun;
use crate::motion::{Easing, GoalKey, Keyed, Motion, PoseKey};
use crate::pose::{Pose, orientation, world_matrix};
use crate::session::gizmo::GizmoDrag;

use super::Session;
use super::place::placement;
use super::timeline::DEFAULT_DURATION;

/// Duration in seconds over which an edit fades in, and over which it fades out.
const FADE_SECONDS: f32 = 0.4;

impl Session {
    /// Stores the current pose as a key at the current time, ends the drag and clears the goals. If the motion has no strips, layers or
    /// edits, the key is a key pose. Otherwise it is an edit of the motion, unless the pose equals the motion's pose.
    pub(super) fn key(&mut self) {
        let wanted = self.puppet.primary_pose().clone();
        if self.document.scene.motion.takes_keys() {
            self.key_held(wanted);
        } else {
            self.key_pose(&wanted);
        }
    }

    /// Stores a pose as a key pose.
    fn key_held(&mut self, pose: Pose) {
        let motion = self.with_key_pose(&pose);
        let motion = self.with_laid(self.with_dragged_goals(motion));
        if motion == *self.document.scene.motion && self.drag.is_none() && self.gizmo_drag.is_none() {
            return;
        }
        self.remember_before_drag();
        self.document.scene.goals.clear();
        self.document.scene.held = pose;
        self.document.scene.motion = Arc::new(motion);
        self.trail.clear();
        self.problem = None;
        self.apply_motion();
        self.refresh_pins();
        self.show();
    }

    /// Stores a node's position as a goal key at the current time. The node's goal and pin are removed.
    pub(super) fn key_goal(&mut self, node: usize) {
        let Some(key) = self.goal_key_here(node) else { return };
        // Without strips, the goal key applies on top of key poses, so at least one must exist.
        let before = &self.document.scene.motion;
        let has_pose = !before.keys.is_empty() || !before.takes_keys();
        let posed =
            if has_pose { Motion::clone(before) } else { self.with_key_pose(self.puppet.primary_pose()) };
        let motion = posed.with_goal_key(key);
        let duration = motion.duration.map(|duration| duration.max(key.time));
        let motion = Motion { duration, ..motion };
        if motion.validate().is_err() || !motion.fits(self.puppet.character()) {
            return;
        }
        self.remember_before_drag();
        let scene = &mut self.document.scene;
        scene.remove_goals(&[node]);
        scene.pins.retain(|pin| pin.node != node);
        scene.motion = Arc::new(motion);
        self.trail.clear();
        self.problem = None;
        self.apply_motion();
        self.follow_keys();
        self.show();
    }

    /// Returns a goal key that keeps a node's current position at the current time.
    fn goal_key_here(&self, node: usize) -> Option<GoalKey> {
        let (scene, time) = (&self.document.scene, self.puppet.time);
        let (mut position, mut turn) = placement(&self.puppet, node)?;
        let known = scene.motion.goal_at(node, time);
        let dragged = self.dragged_goals();
        if let Some(known) = known.filter(|_| !dragged.contains(&node)) {
            // The node has not moved.
            return Some(GoalKey { time, ..known });
        }
        let on = known.and_then(|goal| goal.on);
        if let Some(on) = on {
            let (skeleton, pose) = (&self.puppet.character().skeleton, self.puppet.primary_pose());
            let on_from_world = world_matrix(skeleton, pose, on).inverse();
            position = on_from_world.transform_point3(position.as_vec3()).as_dvec3();
            turn = orientation(skeleton, pose, on).conjugate() * turn;
        }
        let turns_freely = match known {
            Some(known) => known.orientation.is_none(),
            None => !scene.is_pinned(node),
        };
        Some(GoalKey {
            node,
            time,
            position: position.as_vec3(),
            orientation: (!turns_freely).then(|| turn.as_quat().normalize()),
            weight: 1.0,
            easing: known.map_or(Easing::default(), |goal| goal.easing),
            on,
        })
    }

    /// Returns whether goal keys hold a node at the current time.
    pub(super) fn has_goal_key(&self, node: usize) -> bool {
        let goal = self.document.scene.motion.goal_at(node, self.puppet.time);
        goal.is_some_and(|goal| goal.weight > 0.0)
    }

    /// Returns the nodes held by the current drag and the goals.
    fn dragged_goals(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.document.scene.goals.iter().map(|goal| goal.node).collect();
        for drag in self.drag.iter().filter(|drag| drag.moved) {
            nodes.extend(drag.others.iter().map(|(_, other)| other.node).chain([drag.target.node]));
            nodes.extend(self.reflected(&drag.target).map(|other| other.node));
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns a motion in which dragged nodes with goal keys are keyed at their current positions.
    fn with_dragged_goals(&self, motion: Motion) -> Motion {
        let nodes = self.dragged_goals().into_iter().filter(|node| self.has_goal_key(*node));
        let keys = nodes.filter_map(|node| self.goal_key_here(node));
        keys.fold(motion, |motion, key| motion.with_goal_key(key))
    }

    /// Returns the motion with a key pose at the current time.
    pub(super) fn with_key_pose(&self, pose: &Pose) -> Motion {
        let time = self.puppet.time;
        let key = PoseKey::new(time, pose, &self.puppet.character().skeleton);
        let motion = self.document.scene.motion.with_key(key);
        let begins = self.document.scene.motion.is_rest().then_some(DEFAULT_DURATION);
        // A key after the end extends the motion.
        let duration = motion.duration.or(begins).map(|duration| duration.max(time));
        Motion { duration, ..motion }
    }

    /// Turns a pose into an edit of the motion at the current time, ends the drag and clears the goals.
    pub(super) fn key_pose(&mut self, wanted: &Pose) {
        let before = Motion::clone(&self.document.scene.motion);
        let motion = self.with_dragged_goals(self.keyed_motion(|_| wanted.clone()).unwrap_or(before));
        if motion == *self.document.scene.motion {
            return;
        }
        self.remember_before_drag();
        self.document.scene.goals.clear();
        self.document.scene.motion = Arc::new(motion);
        self.trail.clear();
        self.apply_motion();
        self.show();
    }

    /// Returns the motion with an edit that reaches a pose at the current time. `wanted` computes that pose from the motion's pose. `None`
    /// if the motion already reaches that pose.
    pub(super) fn keyed_motion(&self, wanted: impl FnOnce(&Pose) -> Pose) -> Option<Motion> {
        let mut free = self.puppet.clone();
        (free.targets, free.pins, free.rotations) = Default::default();
        free.motion = Motion::clone(&self.document.scene.motion);
        // The update cannot fail because there are no goals.
        drop(free.update());
        let own = free.primary_pose().clone();
        free.motion.edits.clear();
        free.motion.contacts.clear();
        free.motion.goals.clear();
        free.motion.plant = false;
        drop(free.update());
        let round = self.puppet.options.looping.then(|| self.seconds());
        let poses = Keyed { bare: free.primary_pose(), own: &own, wanted: &wanted(&own), round };
        let keyed = self.document.scene.motion.keyed(poses, self.puppet.time, FADE_SECONDS);
        keyed.filter(|motion| motion.validate().is_ok())
    }

    /// Ends the drag and adds an undo step that returns to the state before the drag.
    fn remember_before_drag(&mut self) {
        let held = self.gizmo_drag.take().map(|hold| hold.before);
        let before = self.drag.take().map(|drag| drag.before).or(held);
        self.history.remember(before.unwrap_or_else(|| self.document.scene.clone()));
    }

    /// Keys the pose of an ending drag, if edits are keyed automatically. The drag and the key form one undo step.
    pub(super) fn key_drag(&mut self) {
        let has_moved = self.drag.as_ref().is_some_and(|drag| drag.moved)
            || self.gizmo_drag.as_ref().is_some_and(GizmoDrag::turns);
        // Turns and morph weights already have an undo step.
        let is_edited =
            matches!(self.history.run(), Some(EditRun::Turn(_) | EditRun::TurnJoints | EditRun::Morph(_)));
        if self.document.settings.auto_key && has_moved {
            self.key();
        } else if self.document.settings.auto_key && is_edited && self.document.scene.motion.takes_keys() {
            let motion = self.with_key_pose(&self.document.scene.held);
            self.document.scene.motion = Arc::new(self.with_laid(motion));
            self.apply_motion();
        }
    }

    /// Moves the key at `from` to the time `to`. Consecutive moves, until the next release, form one undo step.
    pub(super) fn move_key(&mut self, from: f32, to: f32) {
        let skeleton = &self.puppet.character().skeleton;
        self.change_keys(self.document.scene.motion.with_key_moved(from, to, skeleton));
    }

    /// Copies the key at `from` to the time `to`.
    pub(super) fn copy_key(&mut self, from: f32, to: f32) {
        self.history.end_run();
        self.change_keys(self.document.scene.motion.with_key_copied(from, to));
        self.history.end_run();
    }

    /// Removes the key at a time.
    pub(super) fn delete_key(&mut self, time: f32) {
        self.history.end_run();
        self.change_keys(self.document.scene.motion.without_key(time));
        self.history.end_run();
    }

    /// Moves the key poses of some joints at `from` to the time `to`. Consecutive moves, until the next release, form one undo step.
    pub(super) fn move_joint_keys(&mut self, joints: &[usize], from: f32, to: f32) {
        let skeleton = &self.puppet.character().skeleton;
        self.change_keys(self.document.scene.motion.with_joint_keys_moved(joints, from, to, skeleton));
    }

    /// Copies the key poses of some joints at `from` to the time `to`.
    pub(super) fn copy_joint_keys(&mut self, joints: &[usize], from: f32, to: f32) {
        self.history.end_run();
        let skeleton = &self.puppet.character().skeleton;
        self.change_keys(self.document.scene.motion.with_joint_keys_copied(joints, from, to, skeleton));
        self.history.end_run();
    }

    /// Removes some joints from the key pose at a time.
    pub(super) fn delete_joint_keys(&mut self, joints: &[usize], time: f32) {
        self.history.end_run();
        let skeleton = &self.puppet.character().skeleton;
        self.change_keys(self.document.scene.motion.without_joint_keys(joints, time, skeleton));
        self.history.end_run();
    }

    /// Sets the easing from the key pose at a time to the next key pose.
    pub(super) fn set_easing(&mut self, time: f32, easing: Easing) {
        self.history.end_run();
        self.change_keys(self.document.scene.motion.with_easing(time, easing));
        self.history.end_run();
    }

    fn change_keys(&mut self, motion: Option<Motion>) {
        if let Some(motion) = motion {
            self.set_motion(motion);
        }
    }

    /// If the motion consists of key poses, sets the held pose to the motion's pose at the current time. Unkeyed changes are lost.
    pub(super) fn follow_keys(&mut self) {
        if !self.document.scene.motion.has_only_keys() {
            return;
        }
        self.sample_keys();
        self.puppet.reset_solver();
        if self.document.scene.goals.is_empty() && !self.is_dragging() { self.show() } else { self.solve() }
    }

    fn sample_keys(&mut self) {
        let time = self.puppet.time;
        self.puppet.pose_of(&self.document.scene.motion, time, &mut self.document.scene.held);
        self.document.scene.time = time;
    }

    /// Returns whether the held pose matches the key poses at the current time.
    pub(crate) fn follows_keys(&self) -> bool {
        self.follows(&self.document.scene.motion)
    }

    /// Returns whether the held pose matches a motion's key poses at the current time.
    fn follows(&self, motion: &Motion) -> bool {
        let mut pose = self.document.scene.held.clone();
        self.puppet.clone().pose_of(motion, self.puppet.time, &mut pose);
        motion.has_only_keys() && pose == self.document.scene.held
    }

    /// Updates the held pose after a change to the motion, if the change affects the pose that the keys give at the current time. If only
    /// contacts or goal keys have changed, the held pose is updated only if it matched the keys before, so that no unkeyed changes are
    /// lost.
    pub(super) fn refresh_keys(&mut self, before: &Motion) {
        if !self.document.scene.motion.has_only_keys() {
            return;
        }
        let sampled = |motion: &Motion| {
            let mut pose = Pose::rest(&self.puppet.character().skeleton);
            motion.sample_keys(&self.puppet.character().skeleton, self.puppet.time, &mut pose);
            pose
        };
        let now = &self.document.scene.motion;
        let has_new_contacts = before.contacts != now.contacts || before.goals != now.goals;
        if !before.has_only_keys()
            || sampled(before) != sampled(&self.document.scene.motion)
            || (has_new_contacts && self.follows(before))
        {
            self.follow_keys();
        }
    }

    /// Returns whether there is a pose to key.
    #[cfg(feature = "window")]
    pub(crate) fn can_key(&self) -> bool {
        let has_goals = !self.puppet.targets.is_empty() || !self.puppet.rotations.is_empty();
        has_goals || self.document.scene.motion.takes_keys()
    }
}
