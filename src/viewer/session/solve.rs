//! From goals to a pose.

use std::time::Instant;

use crate::ik::{Method, Options, Swivel};
use crate::puppet::{Pin, Target};

use super::super::gizmo::Hold;
use super::super::hand::Hand;
use super::{MEMORY, Session};

/// How a method solves in the viewer unless it is told otherwise: no other starts, so that nothing pops, and with a curve.
pub(in super::super) fn usual(method: Method) -> Options {
    Options { method, restarts: 0, record: true, ..Options::default() }
}

/// Adds to times that are shown; the oldest make room.
pub(in super::super) fn remember(times: &mut Vec<f32>, time: f32) {
    if times.len() >= usize::from(MEMORY) {
        times.remove(0);
    }
    times.push(time);
}

impl Session {
    /// Solves another way from now on. Numbers that mean nothing become the usual ones.
    pub(super) fn set_solver(&mut self, options: Options) {
        self.options = sane(options);
        let before = (!self.is_dragging()).then(|| self.state.clone());
        let asks = self.meet();
        // Another solver meets the goals that are kept another way.
        if let Some(before) = before.filter(|b| *b != self.state) {
            self.history.remember(before);
        }
        // In a drag all go on from where they are, else they begin anew where they did.
        if self.hand.is_some() || !asks {
            self.compare(asks);
        }
        if self.hand.is_none() {
            self.comparison.again(&self.puppet);
        }
        if self.error.is_none() {
            self.error = self.refusal(self.options.method);
        }
    }

    /// The pose as it is held, or with a clip the goals on top of it.
    pub(in super::super) fn show(&mut self) {
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

    /// Meets all goals from where the character stands, and asks everyone else the same.
    pub(in super::super) fn solve(&mut self) {
        let asks = self.meet();
        self.compare(asks);
    }

    /// Asks those who are compared.
    fn compare(&mut self, asks: bool) {
        if asks {
            self.comparison.follow(&self.puppet);
        } else if !self.puppet.motion.is_rest() {
            self.comparison.clear();
        }
    }

    /// Meets all goals; whether there are any.
    fn meet(&mut self) -> bool {
        let started = Instant::now();
        self.puppet.held = Some(self.state.held.clone());
        self.puppet.options = self.options;
        let (targets, pins) = self.wanted(self.hand.as_ref().map(Hand::asks));
        if self.hand.as_ref().is_some_and(|h| h.whole) {
            self.puppet.options.method = Method::FullBody;
        }
        let turned = self.hold.as_ref().and_then(|hold| hold.rotation(self));
        self.puppet.rotations = turned.into_iter().collect();
        let reaches = !targets.is_empty();
        let any = reaches || turned.is_some();
        if reaches && !self.puppet.motion.is_rest() {
            self.comparison.begin(&self.state.held);
        }
        (self.puppet.targets, self.puppet.pins) = (targets, pins);
        if !self.puppet.motion.is_rest() {
            // The answer then depends on the clip's pose and the goals alone, not on how many pictures came before.
            self.puppet.forget();
        }
        self.puppet.again = self.clock.again;
        match self.puppet.update() {
            Ok(reports) => {
                (self.reports, self.error) = (reports, None);
                if any && self.puppet.motion.is_rest() {
                    self.state.held.clone_from(self.puppet.pose());
                }
            }
            Err(error) => {
                self.reports.clear();
                self.error = Some(error.to_string());
            }
        }
        remember(&mut self.costs, started.elapsed().as_secs_f32() * 1e6);
        reaches
    }

    /// All goals and pins, with those of who holds a place; without goals nothing needs to be pinned.
    pub(super) fn wanted(&self, held: Option<(Target, &[Pin])>) -> (Vec<Target>, Vec<Pin>) {
        let mut targets: Vec<Target> = self.state.goals.clone();
        let mut pins = self.state.pins.clone();
        if let Some((target, own)) = held {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            let pinned = |node: usize| self.state.pins.iter().any(|p| p.node == node);
            pins.extend(own.iter().filter(|p| !pinned(p.node)));
            pins.retain(|p| p.node != target.node);
        }
        if let Some(target) = self.hold.as_ref().and_then(Hold::target) {
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

/// Options whose numbers mean something; those that do not become the usual ones.
fn sane(mut options: Options) -> Options {
    let usual = usual(options.method);
    let positive = |x: &f64| *x > 0.0 && x.is_finite();
    let or = |x: f64, good: bool, usual: f64| if good { x } else { usual };
    let share = |x: f64, usual: f64| or(x, (0.0..=1.0).contains(&x), usual);
    options.record = true;
    options.iterations = options.iterations.min(10_000);
    options.restarts = options.restarts.min(100);
    options.tolerance = options.tolerance.filter(positive);
    options.angle_tolerance =
        or(options.angle_tolerance, positive(&options.angle_tolerance), usual.angle_tolerance);
    options.stiffness = share(options.stiffness, usual.stiffness);
    let (ccd, jacobian) = (&mut options.ccd, &mut options.jacobian);
    // Without bounds an angle may be infinite.
    ccd.step = or(ccd.step, ccd.step > 0.0, usual.ccd.step);
    ccd.budget = or(ccd.budget, ccd.budget > 0.0, usual.ccd.budget);
    jacobian.damping = jacobian.damping.filter(positive);
    jacobian.secondary_gain = share(jacobian.secondary_gain, usual.jacobian.secondary_gain);
    jacobian.clamp = or(jacobian.clamp, positive(&jacobian.clamp), usual.jacobian.clamp);
    options.limb.soften = share(options.limb.soften, usual.limb.soften);
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
