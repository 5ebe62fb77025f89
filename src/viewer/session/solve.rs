//! Solving: computes a pose that meets the goals.

use crate::ik::{Method, Options};
use crate::platform::Instant;
use crate::puppet::{Pin, Target};

use super::drag::Drag;
use super::drag_goal::DragGoal;
use super::refusals::{CurrentProblem, Refusals};
use super::rig_edits::change_rig;
use super::solver_options::sanitize;
use super::style::StyleSource;
use super::{MAX_TIMES, Session};

/// Appends a duration. If there are more than [`MAX_TIMES`] durations, the oldest is dropped.
pub(crate) fn push_time(times: &mut Vec<f32>, time: f32) {
    if times.len() >= usize::from(MAX_TIMES) {
        times.remove(0);
    }
    times.push(time);
}

impl Session {
    /// Returns the default options for a method with this character: the defaults of the viewer, overridden by the options of the rig.
    #[cfg(feature = "window")]
    pub(crate) fn default_options(&self, method: Method) -> Options {
        let mut options = super::default_options(method);
        self.document.scene.rig.options.apply(&mut options);
        options.with_method(method)
    }

    /// Stores the options in the rig.
    pub(super) fn store_options(&mut self) {
        let stored = self.document.storable_options();
        if stored != self.document.scene.rig.options {
            self.begin_edit(None);
            change_rig(&mut self.puppet, &mut self.document.scene, |rig| rig.options = stored);
        }
    }

    /// Changes the solver's options. Invalid numbers are replaced by the defaults.
    pub(super) fn set_solver(&mut self, options: Options) {
        let before = std::mem::replace(&mut *self.document.settings.solver, sanitize(options));
        self.refresh_style();
        if before.method != self.document.settings.solver.method
            && self.refusal(self.document.settings.solver.method).is_none()
            && self.drags.joint.is_some()
        {
            self.puppet.options.solver = *self.document.settings.solver;
            return self.restart_drag(None);
        }
        let before = (!self.is_dragging()).then(|| self.document.scene.clone());
        let has_targets = self.solve_goals();
        // With the new options, kept goals may result in a different pose. That change can be undone.
        if let Some(before) = before.filter(|b| *b != self.document.scene) {
            self.history.remember(before);
        }
        // During a drag, all methods continue from their current poses, unless the method changes. Outside a drag, the compared methods
        // restart from their common start pose.
        if self.drags.joint.is_some() || !has_targets {
            self.update_comparison(has_targets);
        }
        if self.drags.joint.is_none() {
            self.comparison.refresh(&self.puppet);
        }
        if self.error.is_none() {
            self.error = self.refusal(self.document.settings.solver.method);
        }
    }

    /// Sets the style source, and solves again.
    pub(super) fn set_style(&mut self, source: StyleSource) {
        self.document.settings.style = source;
        // The file may have changed.
        self.style.loaded = None;
        self.set_solver(*self.document.settings.solver);
    }

    /// Loads the prior of the method `style`, if the method is used.
    pub(super) fn refresh_style(&mut self) {
        let settings = &self.document.settings;
        if settings.solver.method == Method::Style || settings.compare.contains(&Method::Style) {
            self.style.load(&mut self.puppet, &settings.style);
        }
    }

    /// Shows the current pose. If a motion is loaded, goals are solved on top of it.
    pub(crate) fn show(&mut self) {
        if !self.puppet.is_posed_by_hand() {
            self.solve();
            return;
        }
        self.puppet.held = Some(self.document.scene.held.clone());
        (self.puppet.targets, self.puppet.pins) = (Vec::new(), Vec::new());
        self.puppet.rotations.clear();
        self.reports.clear();
        self.comparison.clear();
        self.error = self.puppet.update().err().map(|e| e.to_string());
    }

    /// Solves for all goals from the current pose, with the selected method and all compared methods.
    pub(crate) fn solve(&mut self) {
        let has_targets = self.solve_goals();
        self.update_comparison(has_targets);
    }

    /// Shows how well a restored pose meets its goals, unless a motion is loaded. The goals may be handwritten. The next drag starts in the
    /// restored pose and also solves for these goals.
    pub(crate) fn meet_goals(&mut self) {
        if !self.document.scene.goals.is_empty() && self.puppet.is_posed_by_hand() {
            let held = self.document.scene.held.clone();
            self.solve();
            self.document.scene.held = held;
        }
    }

    /// Updates the compared methods.
    pub(super) fn update_comparison(&mut self, has_targets: bool) {
        if has_targets {
            self.comparison.solve(&self.puppet);
        } else if !self.puppet.is_posed_by_hand() {
            self.comparison.clear();
        }
    }

    /// Solves for all goals. Returns whether there are any targets.
    pub(super) fn solve_goals(&mut self) -> bool {
        let started = Instant::now();
        self.puppet.held = Some(self.document.scene.held.clone());
        self.puppet.options.solver = *self.document.settings.solver;
        let drag = self.drags.joint.as_ref().filter(|_| self.puppet.is_posed_by_hand());
        // Copy the stance only if it has changed, because copying it in each frame would take longer than the solve.
        match drag.map(|drag| &drag.before.held) {
            stance if self.puppet.stance.as_ref() == stance => {}
            stance => self.puppet.stance = stance.cloned(),
        }
        let (targets, pins) = self.targets_and_pins(self.drags.joint.as_ref().map(Drag::target_and_pins));
        if self.drags.joint.as_ref().is_some_and(|drag| drag.moves_root) {
            self.puppet.options.solver.method = Method::FullBody;
            self.puppet.options.solver.textbook = false;
        }
        self.puppet.rotations = self.drags.rotations(&self.puppet, self.document.settings.solver.limits);
        let (has_targets, has_rotations) = (!targets.is_empty(), !self.puppet.rotations.is_empty());
        let has_goals = has_targets || has_rotations;
        if has_targets && !self.puppet.is_posed_by_hand() {
            self.comparison.set_start_pose(&self.document.scene.held);
        }
        (self.puppet.targets, self.puppet.pins) = (targets, pins);
        if !self.puppet.is_posed_by_hand() {
            // The result must depend on the clip's pose and the goals, but not on the number of earlier frames.
            self.puppet.reset_solver();
        }
        self.puppet.options.looping = self.document.settings.looping;
        if has_rotations {
            // The steps of a solve would not include the rotations of these joints.
            self.steps.problem = None;
        } else if has_targets {
            self.steps.note(&self.puppet, &self.document, self.drags.pose_before());
        }
        match self.puppet.update() {
            Ok(reports) => {
                self.reports.clear();
                self.reports.extend_from_slice(reports);
                self.error = None;
                if has_goals && self.puppet.is_posed_by_hand() {
                    self.document.scene.held.clone_from(self.puppet.primary_pose());
                }
            }
            Err(error) => {
                self.reports.clear();
                self.error = Some(error.to_string());
            }
        }
        push_time(&mut self.update_times, started.elapsed().as_secs_f32() * 1e6);
        has_targets
    }

    /// Returns all goals and pins, including those of a drag. `held` is the drag of a joint.
    fn targets_and_pins(&self, held: Option<(Target, &[Pin])>) -> (Vec<Target>, Vec<Pin>) {
        self.drags.targets_and_pins(&self.puppet, &self.document.scene, held)
    }

    /// Returns why a method cannot solve the current problem, or `None` if it can. The current problem comes from the current drag, from a
    /// drag that would start at the pointer, or from the last solve, in this order of precedence.
    pub fn refusal(&self, method: Method) -> Option<String> {
        self.current_problem().refusal(method)
    }

    /// Returns all methods that cannot solve the current problem, each with the reason. See [`Session::refusal`].
    pub fn refusals(&self) -> Refusals {
        self.refusals.of(&self.current_problem())
    }

    fn current_problem(&self) -> CurrentProblem<'_> {
        let (puppet, document) = (&self.puppet, &self.document);
        let (scope, base) = (document.settings.drag_scope, document.scene.base);
        let hovered = self.hover.hit.filter(|_| self.drags.joint.is_none());
        let hovered = hovered.map(|hit| DragGoal::new(&hit, puppet, scope, base));
        let held = self.drags.joint.as_ref().map(Drag::plain_target_and_pins);
        let (mut targets, mut pins) =
            self.targets_and_pins(held.or(hovered.as_ref().map(|r| (r.target, r.pins.as_slice()))));
        if targets.is_empty() {
            targets = puppet.targets.iter().map(|t| t.with_known_depth()).collect();
            pins.clone_from(&puppet.pins);
        }
        CurrentProblem { puppet, document, style: &self.style, targets, pins }
    }
}
