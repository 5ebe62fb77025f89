//! Edits of the scene, most of which are undo steps, and undo itself.

use std::sync::Arc;

use glam::Quat;

use crate::Command;
use crate::asset::Transform;
use crate::document::{EditRun, History, Restored, Scene, Snapshot};
use crate::pose::Pose;
use crate::scene::compare::Comparison;

use super::gizmo::GizmoGrip;
use super::key_edits::with_key_pose;
use super::place::pin_here;
use super::rig_edits::set_rig;
use super::scene_edits::Refresh;
use super::steps::Problem;
use super::{Session, key_edits, pose_edits, rig_edits, scene_edits};

impl Session {
    /// Begins a scene edit: ends a drag, and adds an undo step unless the last step still collects edits of this kind.
    fn begin_edit(&mut self, run: Option<EditRun>) {
        if run.is_none() || self.is_dragging() {
            self.release();
        }
        match run {
            Some(run) => self.history.remember_run(run, &self.document.scene),
            None => self.history.remember(self.document.scene.clone()),
        }
    }

    /// Restores a state before or after the current one, and shows it.
    pub(super) fn restore(&mut self, scene: Option<Scene>) {
        let Some(scene) = scene else { return };
        let rig = Arc::clone(&scene.rig);
        self.document.scene = scene;
        set_rig(&mut self.puppet, &mut self.document.scene, rig);
        if self.document.scene.motion.has_only_keys() {
            self.puppet.time = self.document.scene.time;
            self.clock.set_time(self.puppet.time);
        }
        self.apply_motion();
        self.steps.problem = None;
        self.show();
    }

    /// Sets the state of the character. Invalid values and unknown nodes are ignored.
    pub(super) fn restore_snapshot(&mut self, snapshot: Snapshot) {
        let Restored { scene, selection, problem } =
            snapshot.restored(self.puppet.character(), &self.rig_file.loaded);
        let problem = problem.map(|data| Problem::from_data(data, &self.puppet.character().skeleton));
        self.document.selection = selection;
        drop(self.drags.take_before());
        self.hover.hint = None;
        self.hover.clear();
        self.history = History::default();
        self.puppet.time = scene.time;
        self.puppet.reset_solver();
        // Recreate the compared methods, so that no method continues from a result for different goals.
        self.comparison = Comparison::default();
        self.comparison.set_methods(&self.document.settings.compare, &self.puppet);
        self.restore(Some(scene));
        self.steps.problem = problem;
        self.settle_springs();
    }

    /// Returns commands that restore the state of this session in another session with the same character and size.
    pub(super) fn state_commands(&self) -> Vec<Command> {
        let (character, rig) = (self.puppet.character(), &self.rig_file.loaded);
        // Of the rig, the snapshot contains only changes since the start of the session, because a replay starts with the same rig.
        let problem = self.steps.problem.as_ref().map(|problem| problem.to_data(&character.skeleton));
        let snapshot = Snapshot { problem, ..Snapshot::of(&self.document, character, rig, self.puppet.time) };
        let mut commands = self.document.stored_settings().commands();
        commands.push(Command::Restore(Box::new(snapshot)));
        // Seek first: if the camera follows the character, changing the time moves the camera.
        commands.extend([Command::Seek(self.puppet.time), Command::Camera(self.document.orbit)]);
        commands.extend([Command::Play(self.clock.playing), Command::Hover(self.hover.pointer)]);
        commands
    }

    /// Returns which limit stopped the last turn, and how to exceed it.
    pub fn limit_note(&self) -> Option<&str> {
        self.limit_note.as_deref()
    }

    /// Returns whether the rig differs from the one that was last loaded or saved.
    pub fn is_rig_changed(&self) -> bool {
        self.rig_file.differs_from(&self.document.scene.rig)
    }

    /// Executes a command that edits the scene as [`scene_edits`] does. Returns false for other commands, and if the command has no effect.
    pub(super) fn edit_scene(&mut self, command: &Command) -> bool {
        let node = self.active_node();
        let effect = scene_edits::effect(command, &self.puppet, &self.document, node);
        let Some((run, refresh)) = effect else { return false };
        self.begin_edit(run);
        scene_edits::apply(command, &mut self.puppet, &mut self.document, node);
        match refresh {
            Refresh::Nothing => {}
            Refresh::Show => self.show(),
            Refresh::Solve => self.solve(),
            Refresh::ShowRest => {
                self.steps.problem = None;
                self.show_or_solve();
            }
            Refresh::MovePins => {
                self.refresh_pins();
                self.solve();
            }
            Refresh::ShowEdited => self.show_edited(),
        }
        true
    }

    /// Assigns a node to a bone of the body, or returns that bone to automatic recognition. Contradictory assignments change nothing.
    pub(super) fn set_bone(&mut self, bone: &str, node: Option<usize>) {
        match rig_edits::with_bone(self.puppet.character(), &self.document.scene.rig, bone, node) {
            Ok(None) => {}
            Ok(Some(rig)) => {
                self.begin_edit(None);
                set_rig(&mut self.puppet, &mut self.document.scene, Arc::new(rig));
                self.puppet.reset_solver();
                self.show_or_solve();
            }
            Err(error) => self.refuse(&error),
        }
    }

    /// Removes the pole of the selected limb if `grip` is that pole. Returns whether a pole was removed.
    pub(super) fn remove_pole(&mut self, grip: Option<GizmoGrip>) -> bool {
        let (Some(GizmoGrip::Pole), Some(node)) = (grip, self.document.selection.active) else {
            return false;
        };
        self.begin_edit(None);
        rig_edits::remove_pole(&mut self.puppet, &mut self.document.scene, node);
        self.hover.grip = None;
        self.solve();
        true
    }

    /// Executes a command that replaces the pose.
    pub(super) fn edit_pose(&mut self, command: &Command) {
        self.release();
        match pose_edits::edited(command, &self.puppet, &self.document, self.active_node()) {
            Ok(edited) => edited.into_iter().for_each(|edited| self.replace_pose(edited)),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// Resets the joint that keys act on, or its chain. If the joint is one of several selected joints, resets all of them.
    pub(super) fn rest(&mut self, chain: bool) {
        if self.remove_pole(self.hover.grip) {
            return;
        }
        let Some(node) = self.active_node() else { return };
        self.release();
        let selection = self.selection();
        let nodes = pose_edits::nodes_to_reset(&self.puppet, &selection, node, self.hover.hit, chain);
        let mut edited = self.document.scene.clone();
        let is_posed_by_hand = self.puppet.is_posed_by_hand();
        if is_posed_by_hand {
            edited.held.clone_from(self.puppet.primary_pose());
        }
        pose_edits::reset_nodes(&mut edited, &self.puppet.character().skeleton, &nodes);
        if is_posed_by_hand {
            return self.replace_pose(edited);
        }
        self.begin_edit(None);
        self.document.scene = edited;
        self.show_edited();
    }

    /// Replaces the scene with one that has another pose, as one undo step. Pins move with their nodes. If a motion determines the pose, only
    /// the pose changes: it becomes a key at the current time.
    fn replace_pose(&mut self, edited: Scene) {
        if !self.puppet.is_posed_by_hand() {
            return self.key_pose(&edited.held);
        }
        self.begin_edit(None);
        self.document.scene = edited;
        if self.document.settings.auto_key {
            let scene = &mut self.document.scene;
            scene.motion = Arc::new(with_key_pose(&self.puppet, &scene.motion, &scene.held));
        }
        self.puppet.reset_solver();
        self.show_edited();
    }

    /// Sets joint rotations, in the parents' frames, to the allowed rotations nearest to the given ones. Consecutive turns of the same
    /// kind, until the next release, form one undo step. Unknown joints and invalid rotations are ignored.
    pub(super) fn turn_joints(&mut self, turns: &[(usize, Quat)], run: EditRun) {
        let [wanted, turns] = pose_edits::allowed_turns(&self.puppet, &self.document, turns);
        if wanted.is_empty() {
            return;
        }
        self.begin_edit(Some(run));
        // All turns of a run start from the same motion.
        pose_edits::turn_joints(&self.puppet, &mut self.document.scene, self.history.last(), &turns);
        self.show_edited();
        let shows_limits = self.document.settings.show_limits;
        self.limit_note = pose_edits::limit_note(&self.puppet, shows_limits, &wanted, &turns);
    }

    /// Blends the pose with local transforms of some nodes, and with all morph weights unless `morphs` is empty. Until the next release,
    /// consecutive blends start from the same pose and form one undo step.
    pub(super) fn blend_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) {
        if !weight.is_finite() {
            return;
        }
        self.begin_edit(Some(EditRun::Blend));
        if let Some(before) = self.history.last() {
            self.document.scene = before.clone();
        }
        pose_edits::blend(&self.puppet, &mut self.document, nodes, morphs, weight.clamp(0.0, 1.0));
        self.puppet.reset_solver();
        self.show_edited();
    }

    /// Shows an edited pose and motion. Pins move with their nodes.
    fn show_edited(&mut self) {
        self.steps.problem = None;
        self.apply_motion();
        self.refresh_pins();
        self.show();
    }

    /// Moves all pins to the current positions of their nodes, unless a motion is loaded. This is required after every edit other than a
    /// solve. Otherwise, the next solve would pull the nodes back.
    pub(super) fn refresh_pins(&mut self) {
        if self.puppet.is_posed_by_hand() {
            self.show();
            self.document.scene.pins.iter_mut().for_each(|pin| *pin = pin_here(&self.puppet, pin.node));
        }
    }

    /// Stores the current pose as a key at the current time, ends the drag and clears the goals. If the motion has no strips, layers or
    /// edits, the key is a key pose. Otherwise it is an edit of the motion, unless the pose equals the motion's pose.
    pub(super) fn key(&mut self) {
        if !self.document.scene.motion.takes_keys() {
            return self.key_pose(&self.puppet.primary_pose().clone());
        }
        let keyed = key_edits::with_pose(&self.puppet, &self.document.scene, &mut self.drags);
        if keyed.motion != self.document.scene.motion || self.is_dragging() {
            self.store_keyed(keyed);
            self.show_edited();
        }
    }

    /// Turns a pose into an edit of the motion at the current time, ends the drag and clears the goals.
    fn key_pose(&mut self, wanted: &Pose) {
        let keyed = key_edits::with_edit(&self.puppet, &self.document.scene, &self.drags, wanted);
        if keyed.motion != self.document.scene.motion {
            self.store_keyed(keyed);
            self.show();
        }
    }

    /// Stores a node's position as a goal key at the current time. The node's goal and pin are removed.
    pub(super) fn key_goal(&mut self, node: usize) {
        let keyed = key_edits::with_goal(&self.puppet, &self.document.scene, &self.drags, node);
        let Some(keyed) = keyed else { return };
        self.store_keyed(keyed);
        self.steps.problem = None;
        self.follow_keys();
        self.show();
    }

    /// Replaces the scene with one that has a new key, and ends the drag. Adds an undo step that returns to the state before the drag.
    fn store_keyed(&mut self, keyed: Scene) {
        let before = std::mem::replace(&mut self.document.scene, keyed);
        self.history.remember(self.drags.take_before().unwrap_or(before));
        self.apply_motion();
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

    /// If the motion consists of key poses, shows the motion's pose at the current time. Unkeyed changes are lost.
    pub(super) fn follow_keys(&mut self) {
        if key_edits::follow(&mut self.puppet, &mut self.document.scene) {
            self.show_or_solve();
        }
    }
}
