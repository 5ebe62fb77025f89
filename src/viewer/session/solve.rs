//! Solving: computes a pose that meets the goals. Also advances the time, because a motion is solved at each time.

use std::time::Duration;

use crate::ik::{Method, Options};
use crate::platform::Instant;
use crate::puppet::{NodeStep, SolveTrace};
use crate::{Command, EyeTarget};

use super::clock::{push_time, step_end, steps_at};
use super::refusals::{CurrentProblem, Refusals};
use super::solver_options::sanitize;
use super::style::StyleSource;
use super::{Session, steps};

impl Session {
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
    pub(super) fn show(&mut self) {
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

    /// Shows the current pose, or solves from it if there is a drag or a goal.
    pub(super) fn show_or_solve(&mut self) {
        let is_free = self.document.scene.goals.is_empty() && !self.is_dragging();
        if is_free { self.show() } else { self.solve() }
    }

    /// Solves for all goals from the current pose, with the selected method and all compared methods.
    pub(super) fn solve(&mut self) {
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
        self.drags.set_goals(&mut self.puppet, &self.document);
        let (has_targets, has_rotations) =
            (!self.puppet.targets.is_empty(), !self.puppet.rotations.is_empty());
        let is_posed_by_hand = self.puppet.is_posed_by_hand();
        if has_targets && !is_posed_by_hand {
            self.comparison.set_start_pose(&self.document.scene.held);
        }
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
                if (has_targets || has_rotations) && is_posed_by_hand {
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
        let Self { puppet, document, style, drags, hover, .. } = self;
        CurrentProblem::new(puppet, document, style, drags, hover.hit)
    }

    /// Returns whether there is a solve whose steps can be shown.
    pub fn can_step(&self) -> bool {
        self.steps.can_start()
    }

    /// Returns the number of steps in the displayed pose, and the total number of steps of the solve. `None` unless step mode is on.
    pub fn shown_steps(&self) -> Option<(usize, usize)> {
        self.steps.shown().map(|shown| (shown, self.puppet.steps().count()))
    }

    /// Returns the last step of the displayed pose. `None` before the first step, or if step mode is off.
    pub fn shown_step(&self) -> Option<(&SolveTrace, &NodeStep)> {
        self.steps.last_shown(&self.puppet)
    }

    /// Shows the pose after `shown` steps of the last solve, or after all steps if there are fewer. Turns step mode on, or off if `shown` is
    /// `None`.
    pub(super) fn show_step(&mut self, shown: Option<usize>) {
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

    /// Turns step mode off and shows the solved pose.
    pub(super) fn leave_steps(&mut self) {
        if self.steps.leave(&mut self.puppet) {
            self.hover.clear();
        }
    }

    /// Leaves step mode before a command that changes more than the view. Returns the number of shown steps if, after the command, step
    /// mode must resume with the steps of the changed problem.
    pub(super) fn suspend_steps(&mut self, command: &Command) -> Option<usize> {
        let shown = self.steps.shown()?;
        let (leaves, returns) = steps::interrupted_by(command, &self.picture());
        if leaves {
            self.leave_steps();
        }
        returns.then_some(shown)
    }

    /// Sets the clock, and shows the motion and the springs at that time.
    pub(crate) fn advance(&mut self, now: Duration) {
        if now > self.clock.now {
            self.advance_springs(now);
            let fraction = self.clock.spring_fraction(now);
            self.advance_once(now, fraction);
        }
    }

    /// Sets the clock, and shows the motion and the springs at that time. `fraction` is the elapsed part of the current spring step.
    fn advance_once(&mut self, now: Duration, fraction: f64) {
        if now <= self.clock.now {
            return;
        }
        self.clock.now = now;
        self.puppet.set_spring_fraction(fraction);
        let is_playing = self.is_playing();
        if is_playing {
            self.puppet.time = self.clock.time(&self.document.settings, self.puppet.seconds());
            self.follow_keys();
        }
        if is_playing && !self.puppet.is_posed_by_hand() {
            self.solve();
        } else if self.is_swinging() {
            // The character is not posed again.
            self.refresh_secondary();
        }
        // If the camera moved while the user drags the body, the target would move away from the pointer.
        if is_playing && !self.is_dragging() {
            self.view.follow(&self.puppet, &mut self.document.orbit);
        }
    }

    /// Simulates the springs up to a clock time. Before each step, the session advances to the end of that step, so that the
    /// result depends on commands and their times, but not on the frame rate.
    fn advance_springs(&mut self, now: Duration) {
        let end = steps_at(now);
        if self.clock.is_gap(now) && self.puppet.has_springs() {
            self.advance_once(step_end(end), 0.0);
            self.settle_springs();
        }
        while self.puppet.has_springs() && self.clock.spring_steps < end {
            if self.clock.is_asleep && !self.is_playing() {
                self.clock.spring_steps = end;
                break;
            }
            self.clock.spring_steps += 1;
            self.advance_once(step_end(self.clock.spring_steps), 1.0);
            self.clock.is_asleep = !self.puppet.end_spring_step();
        }
    }

    /// Turns the springs on or off.
    pub(super) fn set_springs(&mut self, on: bool) {
        if self.document.settings.springs != on {
            self.document.settings.springs = on;
            self.puppet.set_springs(on);
            self.settle_springs();
        }
    }

    /// Lets the springs settle after a jump to the current pose.
    pub(super) fn settle_springs(&mut self) {
        let settled = self.clock.settle_springs(&mut self.puppet, self.document.settings.springs);
        settled.unwrap_or_else(|error| self.refuse(&error));
    }

    fn refresh_secondary(&mut self) {
        let refreshed = self.puppet.refresh_secondary();
        refreshed.unwrap_or_else(|error| self.refuse(&error));
    }

    /// Turns the eyes to their target, which may have moved.
    pub(super) fn refresh_eyes(&mut self) {
        let target = match self.document.settings.look_at {
            EyeTarget::Nothing => None,
            EyeTarget::Camera => Some(self.camera().position.as_dvec3()),
            EyeTarget::Point(point) => Some(point),
        };
        if self.puppet.look_at != target {
            self.puppet.look_at = target;
            self.refresh_secondary();
            self.comparison.look_at(target);
        }
    }
}
