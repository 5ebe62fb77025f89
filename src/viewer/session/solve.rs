//! Solving: computes a pose that meets the goals.

use std::time::Instant;

use crate::ik::{Method, Options, Start, Swivel};
use crate::puppet::{Pin, Target};
use crate::viewer::session::drag::Drag;
use crate::viewer::session::gizmo::GizmoDrag;

use super::{MAX_TIMES, Session};

/// Returns the viewer's default options for a method. Each solve continues from the pose on the screen, so that the
/// pose does not jump, and the errors of all iterations are recorded for the convergence curve.
pub(in crate::viewer) fn default_options(method: Method) -> Options {
    Options { method, start: Start::Continue, restarts: 0, record: true, ..Options::default() }
}

/// Appends a duration and drops the oldest beyond [`MAX_TIMES`].
pub(in crate::viewer) fn push_time(times: &mut Vec<f32>, time: f32) {
    if times.len() >= usize::from(MAX_TIMES) {
        times.remove(0);
    }
    times.push(time);
}

impl Session {
    /// Changes the solver's options. Invalid numbers are replaced by the defaults.
    pub(super) fn set_solver(&mut self, options: Options) {
        self.options = sanitize(options);
        let before = (!self.is_dragging()).then(|| self.state.clone());
        let has_targets = self.solve_goals();
        // The new options may lead to another pose for goals that stay, and that change can be undone.
        if let Some(before) = before.filter(|b| *b != self.state) {
            self.history.remember(before);
        }
        // During a drag all methods continue from their current poses. Otherwise the compared methods restart from
        // their common start pose.
        if self.drag.is_some() || !has_targets {
            self.update_comparison(has_targets);
        }
        if self.drag.is_none() {
            self.comparison.refresh(&self.puppet);
        }
        if self.error.is_none() {
            self.error = self.refusal(self.options.method);
        }
    }

    /// Shows the current pose. If a motion is loaded, goals are solved on top of it.
    pub(in crate::viewer) fn show(&mut self) {
        if !self.puppet.motion.is_rest() {
            self.solve();
            return;
        }
        self.puppet.held = Some(self.state.held.clone());
        (self.puppet.targets, self.puppet.pins) = (Vec::new(), Vec::new());
        self.puppet.rotations.clear();
        self.reports.clear();
        self.comparison.clear();
        self.error = self.puppet.update().err().map(|e| e.to_string());
    }

    /// Solves for all goals from the current pose, with the selected method and all compared methods.
    pub(in crate::viewer) fn solve(&mut self) {
        let has_targets = self.solve_goals();
        self.update_comparison(has_targets);
    }

    /// Updates the compared methods.
    fn update_comparison(&mut self, has_targets: bool) {
        if has_targets {
            self.comparison.solve(&self.puppet);
        } else if !self.puppet.motion.is_rest() {
            self.comparison.clear();
        }
    }

    /// Solves for all goals. Returns whether there are any targets.
    fn solve_goals(&mut self) -> bool {
        let started = Instant::now();
        self.puppet.held = Some(self.state.held.clone());
        self.puppet.options = self.options;
        let (targets, pins) = self.targets_and_pins(self.drag.as_ref().map(Drag::target_and_pins));
        if self.drag.as_ref().is_some_and(|h| h.moves_root) {
            self.puppet.options.method = Method::FullBody;
        }
        let turned = self.gizmo_drag.as_ref().and_then(|hold| hold.rotation(self));
        self.puppet.rotations = turned.into_iter().collect();
        let has_targets = !targets.is_empty();
        let has_goals = has_targets || turned.is_some();
        if has_targets && !self.puppet.motion.is_rest() {
            self.comparison.set_start_pose(&self.state.held);
        }
        (self.puppet.targets, self.puppet.pins) = (targets, pins);
        if !self.puppet.motion.is_rest() {
            // The result must depend on the pose of the clip and on the goals, but not on how many frames came before.
            self.puppet.reset_solver();
        }
        self.puppet.looping = self.clock.looping;
        match self.puppet.update() {
            Ok(reports) => {
                self.reports.clear();
                self.reports.extend_from_slice(reports);
                self.error = None;
                if has_goals && self.puppet.motion.is_rest() {
                    self.state.held.clone_from(self.puppet.pose());
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
        let mut targets: Vec<Target> = self.state.goals.clone();
        let mut pins = self.state.pins.clone();
        if let Some((target, own)) = held {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            let pinned = |node: usize| self.state.pins.iter().any(|p| p.node == node);
            pins.extend(own.iter().filter(|p| !pinned(p.node)));
            pins.retain(|p| p.node != target.node);
        }
        if let Some(target) = self.gizmo_drag.as_ref().and_then(GizmoDrag::target) {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.retain(|p| p.node != target.node);
        }
        if targets.is_empty() {
            pins.clear();
        }
        (targets, pins)
    }
}

/// Replaces invalid numbers by their defaults. In the viewer a solve from the current pose always continues a drag.
/// Recordings call that `current` if they are old or leave it out.
fn sanitize(mut options: Options) -> Options {
    let default = default_options(options.method);
    let positive = |x: &f64| *x > 0.0 && x.is_finite();
    let or = |x: f64, good: bool, default: f64| if good { x } else { default };
    let fraction = |x: f64, default: f64| or(x, (0.0..=1.0).contains(&x), default);
    options.record = true;
    if options.start == Start::Current {
        options.start = Start::Continue;
    }
    options.iterations = options.iterations.min(10_000);
    options.restarts = options.restarts.min(100);
    options.tolerance = options.tolerance.filter(positive);
    options.angle_tolerance =
        or(options.angle_tolerance, positive(&options.angle_tolerance), default.angle_tolerance);
    options.stiffness = fraction(options.stiffness, default.stiffness);
    let (ccd, jacobian) = (&mut options.ccd, &mut options.jacobian);
    // An infinite angle is valid and means that there is no bound.
    ccd.step = or(ccd.step, ccd.step > 0.0, default.ccd.step);
    ccd.budget = or(ccd.budget, ccd.budget > 0.0, default.ccd.budget);
    jacobian.damping = jacobian.damping.filter(positive);
    jacobian.secondary_gain = fraction(jacobian.secondary_gain, default.jacobian.secondary_gain);
    jacobian.clamp = or(jacobian.clamp, positive(&jacobian.clamp), default.jacobian.clamp);
    options.limb.soften = fraction(options.limb.soften, default.limb.soften);
    if let Swivel::Angle(angle) = options.limb.swivel
        && !angle.is_finite()
    {
        options.limb.swivel = Swivel::Keep;
    }
    for weight in [&mut options.optimize.rest, &mut options.optimize.stay] {
        *weight = or(*weight, *weight >= 0.0 && weight.is_finite(), 0.0);
    }
    options
}
