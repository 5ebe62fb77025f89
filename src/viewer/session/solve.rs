//! Solving: computes a pose that meets the goals.

use crate::ik::{Method, Options, Start};
use crate::platform::Instant;
use crate::puppet::{Pin, Target};
use crate::session::drag::Drag;
use crate::session::gizmo::GizmoDrag;

use super::style::StyleSource;
use super::{MAX_TIMES, Session};

/// Returns the viewer's default options for a method. Each solve continues from the displayed pose, so that the pose
/// does not jump. The errors of all iterations are recorded for the convergence curve.
pub(crate) fn default_options(method: Method) -> Options {
    Options::default().with_method(method).with_start(Start::Continue).with_restarts(0).with_record(true)
}

/// Appends a duration. If there are more than [`MAX_TIMES`] durations, the oldest is dropped.
pub(crate) fn push_time(times: &mut Vec<f32>, time: f32) {
    if times.len() >= usize::from(MAX_TIMES) {
        times.remove(0);
    }
    times.push(time);
}

impl Session {
    /// Returns the default options for a method with this character: the defaults of the viewer, overridden by the options of the rig.
    pub(crate) fn default_options(&self, method: Method) -> Options {
        let mut options = default_options(method);
        self.document.scene.rig.options.apply(&mut options);
        options.with_method(method)
    }

    /// Stores the options in the rig.
    pub(super) fn store_options(&mut self) {
        let stored = self.document.storable_options();
        if stored != self.document.scene.rig.options {
            self.begin_edit(None);
            self.change_rig(|rig| rig.options = stored);
        }
    }

    /// Replaces the rig options of the previous session with those of this session. Options that the user has changed are kept, unless the
    /// rig file has a new value for them. `is_other` is set if the session shows another character.
    pub(super) fn adopt_rig_options(&mut self, from: &Self, is_other: bool) {
        let (old, new) = (&from.rig_file.saved.options, &self.document.scene.rig.options);
        let mut options = *self.document.settings.solver;
        let defaults = default_options(Method::Auto);
        for (option, value) in
            old.iter().filter(|(option, value)| option.get(&self.document.settings.solver) == *value)
        {
            if new.get(option) != Some(value) {
                let _ = option.set(&mut options, option.get(&defaults));
            }
        }
        for (option, value) in new.iter() {
            if is_other || old.get(option) != Some(value) {
                let _ = option.set(&mut options, value);
            }
        }
        if options != *self.document.settings.solver {
            self.set_solver(options);
        }
    }

    /// Changes the solver's options. Invalid numbers are replaced by the defaults.
    pub(super) fn set_solver(&mut self, options: Options) {
        let before = std::mem::replace(&mut *self.document.settings.solver, sanitize(options));
        self.refresh_style();
        if before.method != self.document.settings.solver.method
            && self.refusal(self.document.settings.solver.method).is_none()
            && self.drag.is_some()
        {
            self.puppet.options.solver = *self.document.settings.solver;
            return self.resolve_drag();
        }
        let before = (!self.is_dragging()).then(|| self.document.scene.clone());
        let has_targets = self.solve_goals();
        // With the new options, kept goals may result in a different pose. That change can be undone.
        if let Some(before) = before.filter(|b| *b != self.document.scene) {
            self.history.remember(before);
        }
        // During a drag, all methods continue from their current poses, unless the method changes. Outside a drag, the compared methods
        // restart from their common start pose.
        if self.drag.is_some() || !has_targets {
            self.update_comparison(has_targets);
        }
        if self.drag.is_none() {
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
        let drag = self.drag.as_ref().filter(|_| self.puppet.is_posed_by_hand());
        // Copy the stance only if it has changed, because copying it in each frame would take longer than the solve.
        match drag.map(|drag| &drag.before.held) {
            stance if self.puppet.stance.as_ref() == stance => {}
            stance => self.puppet.stance = stance.cloned(),
        }
        let (targets, pins) = self.targets_and_pins(self.drag.as_ref().map(Drag::target_and_pins));
        if self.drag.as_ref().is_some_and(|h| h.moves_root) {
            self.puppet.options.solver.method = Method::FullBody;
            self.puppet.options.solver.textbook = false;
        }
        self.puppet.rotations = self.gizmo_drag.as_ref().map_or_else(Vec::new, |hold| hold.rotations(self));
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
            self.problem = None;
        } else if has_targets {
            self.note_problem();
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

    /// Returns all goals and pins, including those of a drag. There are no pins if there are no goals.
    pub(super) fn targets_and_pins(&self, held: Option<(Target, &[Pin])>) -> (Vec<Target>, Vec<Pin>) {
        let mut targets: Vec<Target> = self.document.scene.goals.clone();
        let mut pins = self.document.scene.pins.clone();
        if let Some((target, own)) = held {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.extend(own.iter().filter(|p| !self.document.scene.is_pinned(p.node)));
            pins.retain(|p| p.node != target.node);
            self.add_reflected(&target, &mut targets);
            for (_, other) in self.drag.iter().flat_map(|drag| &drag.others) {
                targets.retain(|t| t.node != other.node);
                targets.push(*other);
                pins.retain(|p| p.node != other.node);
            }
            let turns_joint = self.drag.as_ref().is_some_and(|drag| drag.turns_joint);
            if turns_joint && targets.iter().all(|t| t.base.is_some() || t.position.is_none()) {
                // The dragged joint moves only its descendants, whether they are pinned or not.
                pins.clear();
            }
        }
        if let Some(target) = self.gizmo_drag.as_ref().and_then(GizmoDrag::target) {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.retain(|p| p.node != target.node);
            self.add_reflected(&target, &mut targets);
        }
        if let Some(hold) = &self.gizmo_drag {
            // Only descendants of the turned joints can move. A pin elsewhere would make the whole body follow.
            let is_free = |t: &Target| !targets.iter().any(|other| other.node == t.node);
            let pinned: Vec<Target> = hold.pinned_targets(self).into_iter().filter(is_free).collect();
            targets.extend(pinned);
            if targets.iter().all(|t| t.base.is_some() || t.position.is_none()) {
                pins.clear();
            }
        }
        if targets.is_empty() {
            pins.clear();
        }
        if self.pulls_body(&targets, held.map(|(target, _)| target.node)) {
            targets.iter_mut().for_each(|t| t.base = None);
        }
        (targets, pins)
    }

    /// Returns whether the whole body follows all targets, because it is pulled by the dragged node or by a goal for the hips. In this
    /// case, goals that moved only their limbs when they were set also move the body.
    fn pulls_body(&self, targets: &[Target], dragged: Option<usize>) -> bool {
        let Some(body) = &self.puppet.rig.body else { return false };
        let pulls = |t: &Target| {
            let is_strong = Some(t.node) == dragged || t.node == body.hips;
            is_strong && t.base.is_none() && self.puppet.moves_whole_body(t.node)
        };
        targets.iter().any(pulls) && targets.iter().all(|t| t.position.is_some())
    }
}

/// Replaces invalid numbers with their defaults. In the viewer, [`Start::Current`] always means [`Start::Continue`]. Old recordings contain
/// `current`, or omit the option.
fn sanitize(mut options: Options) -> Options {
    options.record = true;
    if options.start == Start::Current {
        options.start = Start::Continue;
    }
    options.iterations = options.iterations.min(10_000);
    options.restarts = options.restarts.min(100);
    options.replace_invalid(&default_options(options.method));
    // Step mode requests traces itself.
    (options.record, options.trace) = (true, false);
    options
}
