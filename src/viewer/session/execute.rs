//! Executes the commands of a session.

use glam::Vec2;

use crate::Command;
use crate::capture::vmc::LiveSource;
use crate::document::EditRun;

use super::gizmo::GizmoGrip;
use super::picking::Picture;
use super::views::CameraEffect;
use super::{OnionSkin, Session, hovering, live, steps};

impl Session {
    /// Executes a command without recording it.
    pub(super) fn execute(&mut self, command: Command) {
        let shown_steps = self.suspend_steps(&command);
        let changes_view = hovering::changes_view(&command);
        let is_tick = matches!(command, Command::Tick(_));
        // Ticks are excluded, because the clock itself moves the camera.
        let effect = (!is_tick).then(|| CameraEffect::of(&command));
        let before = self.view.before_command(&self.puppet, &self.document.orbit, self.is_dragging());
        self.clock.is_asleep &= is_tick;
        if !matches!(command, Command::Tick(_) | Command::Hover(_) | Command::Release) {
            self.limit_note = None;
        }
        self.perform(command);
        self.refresh_eyes();
        self.refresh_onion();
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
        if let Command::Grab(at)
        | Command::GrabSelected(at)
        | Command::GrabSelection(at)
        | Command::Drag(at) = command
        {
            self.hover.point_at(at);
        }
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
            Command::DragTo(position) if position.as_vec3().is_finite() => {
                self.update_drag(|drag, _, _, _| drag.move_to(position));
            }
            Command::DragTo(_) => {}
            Command::Drag(at) => {
                self.pull_gizmo(Some(at), None);
                self.update_drag(|drag, size, camera, step| drag.follow(at, size, camera, step));
            }
            Command::Push(by) => {
                self.push_gizmo(by);
                self.update_drag(|drag, size, camera, step| drag.push(by, size, camera, step));
            }
            Command::Constrain(axis) => self.update_drag(|drag, size, camera, step| {
                drag.axis = if drag.axis == Some(axis) { None } else { Some(axis) };
                drag.refresh(size, camera, step);
            }),
            Command::Snap(snap) => {
                self.pull_gizmo(None, Some(snap));
                self.update_drag(|drag, size, camera, step| {
                    drag.snap = snap;
                    drag.refresh(size, camera, step);
                });
            }
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
            Command::Orbit(_) | Command::Pan(_) | Command::Zoom(..) => {}
            Command::Center(at) => self.center(at),
            Command::FrameAll => self.document.orbit = self.view.whole(&self.puppet, &self.document),
            Command::Pin => self.toggle_active_pins(),
            Command::PinNode(node) => self.toggle_pins(&[node]),
            Command::Base => self.toggle_base(),
            Command::Select(node) => {
                let node = node.filter(|&node| self.has_node(node));
                self.select(|selection| selection.set(node));
            }
            Command::SelectAdd(node) if self.has_node(node) && self.selected() != Some(node) => {
                self.select(|selection| selection.add(node));
            }
            Command::SelectAdd(_) => {}
            Command::SelectRemove(node) => self.select(|selection| selection.remove(node)),
            Command::Highlight(node) => self.hover.hint = node,
            Command::Bone(bone, node) => self.set_bone(&bone, node),
            Command::Limit(node, limit) => self.edit_limit(node, limit),
            Command::Tool(tool) => {
                if self.document.settings.tool != tool {
                    self.release();
                    (self.document.settings.tool, self.hover.grip) = (tool, None);
                }
            }
            Command::Rest(chain) => self.rest(chain),
            Command::Turn(node, rotation) => self.turn_joints(&[(node, rotation)], EditRun::Turn(node)),
            Command::RestAll => self.rest_all(),
            Command::ResetJoint => self.reset(false),
            Command::ResetLimb => self.reset(true),
            Command::MirrorPose => self.mirror_pose(),
            Command::MirrorLimb => self.mirror_limb(),
            Command::SetPose(nodes, morphs) => self.set_pose(&nodes, &morphs),
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
            Command::ClearGoals => self.clear_goals(),
            Command::RemoveGoal(node) => self.remove_goal(node),
            Command::GoalWeight(node, weight) => self.set_goal_weight(node, weight),
            Command::GoalAxes(node, axes) => self.set_goal_axes(node, &axes),
            Command::Morph(index, weight) => self.set_morph(index, weight),
            Command::BlendPose(nodes, morphs, weight) => self.blend_pose(&nodes, &morphs, weight),
            Command::AddClips(addition) => self.add(*addition),
            Command::LivePose(nodes, morphs) => {
                live::set_pose(&mut self.document.scene, &mut self.history, self.clock.now, &nodes, &morphs);
                // The goals are solved from this pose.
                if self.is_dragging() || !self.document.scene.goals.is_empty() {
                    self.solve();
                } else {
                    self.show();
                }
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
            Command::Pull(end, pull) => self.set_pull(end, pull),
            Command::TurnJoints(turns) => self.turn_joints(&turns, EditRun::TurnJoints),
            Command::Solver(options) => self.set_solver(*options),
            Command::Style(source) => self.set_style(source),
            Command::Props(_) => {
                self.document.settings.set(command);
                self.props.set(&self.document.settings.props);
            }
            Command::StoreOptions => self.store_options(),
            Command::Camera(orbit) => {
                if orbit.is_valid() {
                    self.document.orbit = orbit;
                }
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
                } else {
                    self.apply_time(other);
                }
            }
        }
    }

    /// Updates the ghosts, which are hidden while the motion plays.
    fn refresh_onion(&mut self) {
        let settings = &self.document.settings;
        let shown = settings.onion_skin.shown && !self.clock.playing;
        let skin = OnionSkin { shown, ..settings.onion_skin };
        self.onion.refresh(&self.puppet, &self.document.scene.motion, skin, settings.looping);
    }

    /// Shows the pose after `shown` steps of the last solve, or after all steps if there are fewer. Turns step mode on, or off if `shown` is
    /// `None`.
    fn show_step(&mut self, shown: Option<usize>) {
        let Some(shown) = shown else { return self.leave_steps() };
        if !self.steps.is_on() {
            self.release();
            match self.steps.start(&mut self.puppet, &self.document) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.refuse(&error),
            }
            self.clock.playing = false;
            self.clock.set_time(self.puppet.time);
            self.hover.clear();
        }
        if let Err(error) = self.steps.show(&mut self.puppet, shown) {
            self.hover.clear();
            self.refuse(&error);
        }
    }

    /// Notes why a solve or an edit was refused.
    pub(super) fn refuse(&mut self, reason: &dyn std::fmt::Display) {
        self.error = Some(reason.to_string());
    }

    /// Turns step mode off and shows the solved pose.
    pub(super) fn leave_steps(&mut self) {
        if self.steps.leave(&mut self.puppet) {
            self.hover.clear();
        }
    }

    /// Leaves step mode before a command that changes more than the view. Returns the number of shown steps if, after the command, step
    /// mode must resume with the steps of the changed problem.
    fn suspend_steps(&mut self, command: &Command) -> Option<usize> {
        let shown = self.steps.shown()?;
        let (leaves, returns) = steps::interrupted_by(command, &self.picture());
        if leaves {
            self.leave_steps();
        }
        returns.then_some(shown)
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
