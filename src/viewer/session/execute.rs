//! Executes the commands of a session.

use std::sync::Arc;

use glam::Vec2;

use crate::Command;
use crate::capture::vmc::LiveSource;
use crate::document::EditRun;
use crate::motion::Motion;

use super::gizmo::GizmoGrip;
use super::picking::Picture;
use super::timeline::last_time;
use super::views::CameraEffect;
use super::{OnionSkin, Session, key_edits, live};

impl Session {
    /// Executes a command, and records it if a recording is running. A command that cannot be written as text is then not executed.
    pub fn apply(&mut self, mut command: Command) {
        let (now, character) = (self.clock.now, self.puppet.character());
        let recorded = self.recorder.as_mut().map(|recorder| recorder.record(now, &mut command, character));
        if recorded != Some(false) {
            self.execute(command);
        }
    }

    /// Executes a command without recording it.
    pub(super) fn execute(&mut self, command: Command) {
        let shown_steps = self.suspend_steps(&command);
        let (effect, changes_view) = CameraEffect::of(&command);
        let is_tick = matches!(command, Command::Tick(_));
        // Ticks are excluded, because the clock itself moves the camera.
        let effect = (!is_tick).then_some(effect);
        let before = self.view.before_command(&self.puppet, &self.document.orbit, self.is_dragging());
        self.clock.is_asleep &= is_tick;
        if !matches!(command, Command::Tick(_) | Command::Hover(_) | Command::Release) {
            self.limit_note = None;
        }
        self.perform(command);
        self.refresh_eyes();
        let settings = &self.document.settings;
        // The ghosts are hidden while the motion plays.
        let shown = settings.onion_skin.shown && !self.clock.playing;
        let skin = OnionSkin { shown, ..settings.onion_skin };
        self.onion.refresh(&self.puppet, &self.document.scene.motion, skin, settings.looping);
        let is_dragging = self.is_dragging();
        if let Some(effect) = effect {
            self.view.update_anchor(effect, before, &self.puppet, &mut self.document, is_dragging);
        }
        if !is_dragging {
            let picture = Picture::new(&self.puppet, &self.document, &self.view);
            self.hover.refresh(&picture, changes_view);
        }
        if shown_steps.is_some() {
            self.show_step(shown_steps);
        }
        // Commands read the motion from either of them.
        debug_assert!(self.puppet.motion == *self.document.scene.motion, "the puppet plays another motion");
    }

    /// Follows a live source: applies the data received since the last call as [`Command::LiveGoals`] and [`Command::LivePose`], and adds
    /// the result to the source's running take. `seconds` is the time that the filters and the take of the source use. Returns false if no
    /// data has arrived.
    pub fn follow_performer(&mut self, source: &mut LiveSource, seconds: f64) -> bool {
        let received = live::received(source, seconds, &self.document.scene.held);
        let Some((goals, pose)) = received else { return false };
        let has_goals = !goals.is_empty();
        if has_goals {
            self.apply(Command::LiveGoals(goals));
        }
        self.apply(pose);
        if has_goals {
            source.record_solved(seconds, &self.document.scene.held);
        }
        true
    }

    fn perform(&mut self, command: Command) {
        self.hover.note_pointer(&command);
        match command {
            Command::Resize(size) => self.view.resize(size, &mut self.document.orbit),
            Command::Hover(at) => {
                let picture = Picture::new(&self.puppet, &self.document, &self.view);
                self.hover.pick(&picture, at);
            }
            Command::Grab(at) => self.grab(at),
            Command::GrabSelected(at) => self.grab_selected(at),
            Command::GrabSelection(at) => {
                self.grab_selected(at);
                self.drags.grab_others(&self.puppet, &self.document.selection);
            }
            Command::GrabNode(point) => self.grab_node(point),
            Command::DragTo(position) if !position.as_vec3().is_finite() => {}
            Command::Drag(_)
            | Command::DragTo(_)
            | Command::Push(_)
            | Command::Constrain(_)
            | Command::Snap(_) => self.update_drag(&command),
            Command::DragScope(scope) => {
                self.document.settings.drag_scope = scope;
                self.set_current_scope(scope);
            }
            Command::CurrentScope(scope) => self.set_current_scope(scope),
            Command::Symmetry(symmetry) => self.set_symmetry(symmetry),
            Command::Release => self.release(),
            Command::Cancel => self.cancel(),
            Command::Orbit(by) if by.is_finite() => self.document.orbit.turn(by),
            Command::Pan(by) if by.is_finite() => self.document.orbit.pan(by, self.view.size.y),
            Command::Zoom(at, steps) if steps.is_finite() => {
                let pivot = self.picture().under(at).map_or(self.document.orbit.target, |h| h.point);
                self.document.orbit.zoom(steps, pivot);
            }
            Command::Camera(orbit) if orbit.is_valid() => self.document.orbit = orbit,
            Command::Orbit(_) | Command::Pan(_) | Command::Zoom(..) | Command::Camera(_) => {}
            Command::Center(at) => self.center(at),
            Command::FrameAll => self.document.orbit = self.view.whole(&self.puppet, &self.document),
            Command::Select(node) => {
                let node = node.filter(|&node| self.document.scene.has_node(node));
                self.select(|selection| selection.set(node));
            }
            Command::SelectAdd(node) => {
                if self.document.scene.has_node(node) && self.selected() != Some(node) {
                    self.select(|selection| selection.add(node));
                }
            }
            Command::SelectRemove(node) => self.select(|selection| selection.remove(node)),
            Command::Highlight(node) => self.hover.hint = node,
            Command::Bone(bone, node) => self.set_bone(&bone, node),
            Command::Tool(tool) => {
                if self.document.settings.tool != tool {
                    self.release();
                    (self.document.settings.tool, self.hover.grip) = (tool, None);
                }
            }
            Command::Rest(chain) => self.rest(chain),
            Command::Turn(node, rotation) => self.turn_joints(&[(node, rotation)], EditRun::Turn(node)),
            Command::ResetJoint
            | Command::ResetLimb
            | Command::MirrorPose
            | Command::MirrorLimb
            | Command::SetPose(..) => self.edit_pose(&command),
            Command::Undo => {
                self.cancel();
                let before = self.history.undo(self.document.scene.clone());
                self.restore(before);
            }
            Command::Redo => {
                self.cancel();
                let after = self.history.redo(self.document.scene.clone());
                self.restore(after);
            }
            Command::Step(shown) => self.show_step(shown),
            Command::BlendPose(nodes, morphs, weight) => self.blend_pose(&nodes, &morphs, weight),
            Command::AddClips(addition) => self.add(*addition),
            Command::LivePose(nodes, morphs) => {
                live::set_pose(&mut self.document.scene, &mut self.history, self.clock.now, &nodes, &morphs);
                // The goals are solved from this pose.
                self.show_or_solve();
            }
            Command::LiveGoals(goals) => {
                live::set_goals(&mut self.document.scene, &mut self.history, self.clock.now, goals);
            }
            Command::Variant(name) => {
                let names = &self.puppet.character().variants.names;
                if name.as_ref().is_none_or(|name| names.contains(name)) {
                    self.document.settings.variant = name;
                }
            }
            Command::Springs(on) => self.set_springs(on),
            Command::TurnJoints(turns) => self.turn_joints(&turns, EditRun::TurnJoints),
            Command::Solver(options) => self.set_solver(*options),
            Command::Style(source) => self.set_style(source),
            Command::Props(_) => {
                self.document.settings.set(command);
                self.props.set(&self.document.settings.props);
            }
            Command::Restore(snapshot) => self.restore_snapshot(*snapshot),
            Command::Tick(passed) => self.advance(self.clock.now.saturating_add(passed)),
            Command::Compare(methods) => {
                self.comparison.set_methods(&methods, &self.puppet);
                self.document.settings.compare = self.comparison.methods();
                self.refresh_style();
            }
            other => {
                if self.document.settings.set_option(&other, &mut self.puppet.options) {
                    self.show();
                } else if !self.edit_scene(&other) {
                    self.perform_in_time(other);
                }
            }
        }
    }

    /// Returns whether a motion is playing.
    pub fn is_playing(&self) -> bool {
        self.clock.playing && !self.puppet.motion.is_rest()
    }

    /// Executes a command that changes the motion, the time or a setting.
    fn perform_in_time(&mut self, command: Command) {
        let (played, before) = (!self.puppet.is_posed_by_hand(), self.puppet.time);
        let jumps = matches!(command, Command::Seek(_) | Command::Clip(_));
        match command {
            Command::Clip(clip) => {
                let clip = clip.filter(|&c| c < self.puppet.character().clips.len());
                self.set_motion(clip.map(Motion::clip).unwrap_or_default());
                self.history.end_run();
                self.puppet.time = 0.0;
                self.clock.playing = clip.is_some();
            }
            Command::Motion(motion) => self.set_motion(*motion),
            Command::Key => self.key(),
            Command::KeyGoal(node) => self.key_goal(node),
            Command::KeyMove(..)
            | Command::KeyCopy(..)
            | Command::KeyDelete(_)
            | Command::KeyJointsMove(..)
            | Command::KeyJointsCopy(..)
            | Command::KeyJointsDelete(..)
            | Command::KeyEasing(..)
            | Command::PlantKeys
            | Command::AddContact(_)
            | Command::Duration(_) => self.edit_keys(&command),
            Command::Play(playing) => self.clock.playing = playing,
            Command::Speed(_) | Command::Looping(_) | Command::Timeline(_) => {
                self.document.settings.set(command);
            }
            Command::Seek(to) if to.is_finite() => self.puppet.time = to.clamp(0.0, last_time(&self.puppet)),
            other => return self.document.settings.set(other),
        }
        self.clock.set_time(self.puppet.time);
        #[expect(clippy::float_cmp, reason = "whether the time was set")]
        if self.puppet.time != before {
            // The pose depends on the time, so the next edit must start a new undo step.
            self.history.end_run();
            self.follow_keys();
        }
        if played || !self.puppet.is_posed_by_hand() {
            self.puppet.reset_solver();
            self.solve();
        }
        if jumps {
            self.settle_springs();
        }
    }

    /// Executes a command that edits keys or contacts.
    fn edit_keys(&mut self, command: &Command) {
        let settings = &self.document.settings;
        let loops = settings.looping && settings.timeline.loops_whole(self.puppet.seconds());
        let edited = key_edits::edited(command, &self.puppet, &self.document.scene.motion, loops);
        // A contact for which there is no room changes nothing, not even the current undo step.
        let is_step = !key_edits::continues_step(command)
            && (edited.is_some() || !matches!(command, Command::AddContact(_)));
        if is_step {
            self.history.end_run();
        }
        edited.into_iter().for_each(|motion| self.set_motion(motion));
        if is_step {
            self.history.end_run();
        }
    }

    /// Replaces the motion if the new one is valid. Consecutive changes to the motion, until the next release, form one undo step.
    fn set_motion(&mut self, motion: Motion) {
        let is_valid = motion.validate().is_ok() && motion.fits(self.puppet.character());
        if !is_valid || motion == *self.document.scene.motion {
            return;
        }
        self.history.remember_run(EditRun::Motion, &self.document.scene);
        let before = std::mem::replace(&mut self.document.scene.motion, Arc::new(motion));
        self.apply_motion();
        if key_edits::must_follow(&self.puppet, &self.document.scene, &before) {
            self.follow_keys();
        }
    }

    /// Copies the document's motion to the puppet and clamps the playback time to the motion's length.
    pub(super) fn apply_motion(&mut self) {
        self.clock.set_motion(&mut self.puppet, &mut self.document.scene);
    }

    /// Notes why a solve or an edit was refused.
    pub(super) fn refuse(&mut self, reason: &dyn std::fmt::Display) {
        self.error = Some(reason.to_string());
    }

    /// Makes the point under the pointer the camera target, or removes the pole under the pointer.
    fn center(&mut self, at: Vec2) {
        let picture = self.picture();
        let (grip, hit) = (GizmoGrip::under(&picture, at), picture.under(at));
        if grip.is_some() {
            self.remove_pole(grip);
        } else if let Some(hit) = hit {
            self.document.orbit.target = hit.point;
        }
    }
}
